// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `show-last-4`.

use super::MaskAction;
use super::mask_alphanum::{map_text, mask_code_point};
use crate::error::ReaderError;
use crate::value::Value;

/// Keeps the last four code points and masks the rest; null stays null.
pub(super) fn apply(value: &Value) -> Result<Value, ReaderError> {
    map_text(MaskAction::ShowLast4, value, |text| {
        let masked = text.chars().count().saturating_sub(4);
        text.chars()
            .enumerate()
            .map(|(at, character)| {
                if at < masked {
                    mask_code_point(character)
                } else {
                    character
                }
            })
            .collect()
    })
}
