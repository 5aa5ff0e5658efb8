// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `show-first-4`.

use super::MaskAction;
use super::mask_alphanum::{map_text, mask_code_point};
use crate::error::ReaderError;
use crate::value::Value;

/// Keeps the first four code points and masks the rest; null stays null.
pub(super) fn apply(value: &Value) -> Result<Value, ReaderError> {
    map_text(MaskAction::ShowFirst4, value, |text| {
        text.chars()
            .enumerate()
            .map(|(at, character)| {
                if at < 4 {
                    character
                } else {
                    mask_code_point(character)
                }
            })
            .collect()
    })
}
