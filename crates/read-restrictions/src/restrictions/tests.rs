// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Combining.

use super::{DuplicateProjection, ReadRestrictions, RequiredColumnProjection};
use crate::action::MaskAction;
use crate::predicate::Predicate;

fn mask(field_id: i32, action: MaskAction) -> RequiredColumnProjection {
    RequiredColumnProjection { field_id, action }
}

#[test]
fn sorts_projections_and_finds_them() {
    let masks = [
        mask(7, MaskAction::ShowLast4),
        mask(2, MaskAction::MaskAlphanum),
        mask(10, MaskAction::ReplaceWithNull),
    ];
    let restrictions = ReadRestrictions::combine(None, masks).unwrap_or_default();
    let ids: Vec<i32> = restrictions
        .projections()
        .iter()
        .map(|projection| projection.field_id)
        .collect();
    assert_eq!(ids, [2, 7, 10]);
    assert_eq!(restrictions.action_of(7), Some(MaskAction::ShowLast4));
    assert_eq!(restrictions.action_of(8), None);
    assert!(restrictions.is_active());
}

#[test]
fn refuses_two_masks_for_one_field() {
    for second in [MaskAction::ShowLast4, MaskAction::MaskAlphanum] {
        let masks = [mask(1, MaskAction::ShowLast4), mask(1, second)];
        let combined = ReadRestrictions::combine(None, masks);
        assert_eq!(combined, Err(DuplicateProjection { field_id: 1 }));
    }
}

#[test]
fn constant_true_restricts_nothing_and_constant_false_everything() {
    let allow = ReadRestrictions::combine(Some(Predicate::Constant(true)), []);
    assert_eq!(allow, Ok(ReadRestrictions::none()));
    assert!(!ReadRestrictions::none().is_active());
    let deny = ReadRestrictions::combine(Some(Predicate::Constant(false)), []).unwrap_or_default();
    assert!(deny.is_active());
    assert_eq!(
        deny.row_filter().map(super::RequiredRowFilter::predicate),
        Some(&Predicate::Constant(false))
    );
}
