// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Signatures of the fixtures.

use super::{column_mask_signature, row_filter_signature};
use crate::action::MaskAction;
use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::restrictions::ReadRestrictions;

#[test]
fn are_those_of_the_fixtures() {
    let filter = Predicate::Compare {
        comparison: Comparison::Eq,
        field: 4,
        literal: Literal::String("US".to_owned()),
    };
    assert_eq!(
        row_filter_signature(&filter),
        "449be61253aafcfb7e99be8331beefb4d5a6b11298fadb40eab797104fa73856"
    );
    assert_eq!(
        column_mask_signature(10, MaskAction::MaskAlphanum),
        "cdb3b0c4a143207788d5e1d4ab63274cd1a779ded7b4aca3433f9406f601d844"
    );
}

#[test]
fn the_whole_has_one_too() {
    let deny = ReadRestrictions::combine(Some(Predicate::Constant(false)), []).unwrap_or_default();
    assert_eq!(deny.signature(), deny.clone().signature());
    assert_ne!(deny.signature(), ReadRestrictions::none().signature());
    assert_ne!(
        deny.signature(),
        row_filter_signature(&Predicate::Constant(false))
    );
}
