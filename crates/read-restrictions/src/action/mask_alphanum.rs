// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `mask-alphanum`.

use super::MaskAction;
use crate::error::ReaderError;
use crate::value::Value;

/// What one code point becomes: an ASCII digit `n`, the six marks `(),.-@` themselves, everything else `x`.
pub(super) fn mask_code_point(character: char) -> char {
    match character {
        '0'..='9' => 'n',
        '(' | ')' | ',' | '.' | '-' | '@' => character,
        _ => 'x',
    }
}

/// Masks every code point of a string; null stays null.
pub(super) fn apply(value: &Value) -> Result<Value, ReaderError> {
    map_text(MaskAction::MaskAlphanum, value, |text| {
        text.chars().map(mask_code_point).collect()
    })
}

/// Changes a string; null stays null, any other type is refused.
pub(super) fn map_text(
    action: MaskAction,
    value: &Value,
    change: impl FnOnce(&str) -> String,
) -> Result<Value, ReaderError> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if let Value::String(text) = value {
        return Ok(Value::String(change(text)));
    }
    Err(ReaderError::MaskedValueType { action })
}
