// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! SHA-256 of values, shared by the two hashing actions.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, GenericBinaryArray, GenericBinaryBuilder, GenericStringArray,
    GenericStringBuilder, OffsetSizeTrait, PrimitiveArray,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use sha2::{Digest, Sha256};

use super::MaskError;

/// Hashes every value, each preceded by `prefix`; null stays null.
///
/// Text gives 64 lower-case hexadecimal digits, binary the 32 bytes, integers the first 4 or 8 digest bytes
/// read as signed little-endian.
pub(super) fn hash(array: &ArrayRef, prefix: &[u8]) -> Result<ArrayRef, MaskError> {
    // The state after the prefix is computed once and copied for every value.
    let start = Sha256::new_with_prefix(prefix);
    let digest = |bytes: &[u8]| -> [u8; 32] { start.clone().chain_update(bytes).finalize().into() };
    Ok(match array.data_type() {
        DataType::Int32 => {
            let hashed: PrimitiveArray<Int32Type> = array
                .as_primitive::<Int32Type>()
                .iter()
                .map(|value| {
                    value.map(|value| {
                        let [a, b, c, d, ..] = digest(&value.to_le_bytes());
                        i32::from_le_bytes([a, b, c, d])
                    })
                })
                .collect();
            Arc::new(hashed)
        }
        DataType::Int64 => {
            let hashed: PrimitiveArray<Int64Type> = array
                .as_primitive::<Int64Type>()
                .iter()
                .map(|value| {
                    value.map(|value| {
                        let [a, b, c, d, e, f, g, h, ..] = digest(&value.to_le_bytes());
                        i64::from_le_bytes([a, b, c, d, e, f, g, h])
                    })
                })
                .collect();
            Arc::new(hashed)
        }
        DataType::Utf8 => Arc::new(hash_strings(array.as_string::<i32>(), digest)?),
        DataType::LargeUtf8 => Arc::new(hash_strings(array.as_string::<i64>(), digest)?),
        DataType::Utf8View => return hash(&cast(array, &DataType::LargeUtf8)?, prefix),
        DataType::Binary => Arc::new(hash_binary(array.as_binary::<i32>(), digest)),
        DataType::LargeBinary => Arc::new(hash_binary(array.as_binary::<i64>(), digest)),
        DataType::BinaryView => return hash(&cast(array, &DataType::LargeBinary)?, prefix),
        other => return Err(MaskError::unsuited(other)),
    })
}

fn hash_strings<O: OffsetSizeTrait>(
    array: &GenericStringArray<O>,
    digest: impl Fn(&[u8]) -> [u8; 32],
) -> Result<GenericStringArray<O>, MaskError> {
    let mut output = GenericStringBuilder::<O>::with_capacity(array.len(), array.len() * 64);
    let mut digits = [0_u8; 64];
    for value in array {
        let Some(value) = value else {
            output.append_null();
            continue;
        };
        let text = hex::encode_to_slice(digest(value.as_bytes()), &mut digits)
            .ok()
            .and_then(|()| std::str::from_utf8(&digits).ok())
            .ok_or(MaskError::OutOfRange)?;
        output.append_value(text);
    }
    Ok(output.finish())
}

fn hash_binary<O: OffsetSizeTrait>(
    array: &GenericBinaryArray<O>,
    digest: impl Fn(&[u8]) -> [u8; 32],
) -> GenericBinaryArray<O> {
    let mut output = GenericBinaryBuilder::<O>::with_capacity(array.len(), array.len() * 32);
    for value in array {
        match value {
            None => output.append_null(),
            Some(value) => output.append_value(digest(value)),
        }
    }
    output.finish()
}
