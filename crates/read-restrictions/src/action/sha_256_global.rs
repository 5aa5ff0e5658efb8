// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `sha-256-global`.

use sha2::{Digest, Sha256};

use super::MaskAction;
use crate::error::ReaderError;
use crate::value::Value;

/// The digest of a value without salt; null stays null.
pub(super) fn apply(value: &Value) -> Result<Value, ReaderError> {
    digest(MaskAction::Sha256Global, &[], value)
}

/// The digest of a salt followed by a value: text as hexadecimal digits, integers as the first bytes of the digest in
/// little-endian order, binary as the whole digest.
pub(super) fn digest(action: MaskAction, salt: &[u8], value: &Value) -> Result<Value, ReaderError> {
    let hash = |input: &[u8]| -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(salt);
        hasher.update(input);
        hasher.finalize().into()
    };
    match value {
        Value::Null => Ok(Value::Null),
        Value::String(text) => Ok(Value::String(hex::encode(hash(text.as_bytes())))),
        Value::Int(number) => {
            let [first, second, third, fourth, ..] = hash(&number.to_le_bytes());
            Ok(Value::Int(i32::from_le_bytes([first, second, third, fourth])))
        }
        Value::Long(number) => {
            let [a, b, c, d, e, f, g, h, ..] = hash(&number.to_le_bytes());
            Ok(Value::Long(i64::from_le_bytes([a, b, c, d, e, f, g, h])))
        }
        Value::Binary(bytes) => Ok(Value::Binary(hash(bytes).to_vec())),
        Value::Boolean(_)
        | Value::Float(_)
        | Value::Double(_)
        | Value::Decimal { .. }
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Timestamptz(_)
        | Value::TimestampNs(_)
        | Value::TimestamptzNs(_)
        | Value::Uuid(_)
        | Value::Fixed(_)
        | Value::Variant(_)
        | Value::WellKnownText(_)
        | Value::Struct(_)
        | Value::List(_)
        | Value::Map(_) => Err(ReaderError::MaskedValueType { action }),
    }
}
