// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! SHA-256 of values, shared by the two hashing actions.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, GenericBinaryArray, GenericBinaryBuilder, GenericStringArray,
    OffsetSizeTrait, PrimitiveArray, StringViewArray,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
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
        DataType::Utf8 => {
            let text = array.as_string::<i32>();
            Arc::new(hash_strings::<i32>(
                text.iter(),
                text.len(),
                text.nulls(),
                digest,
            )?)
        }
        DataType::LargeUtf8 => {
            let text = array.as_string::<i64>();
            Arc::new(hash_strings::<i64>(
                text.iter(),
                text.len(),
                text.nulls(),
                digest,
            )?)
        }
        DataType::Utf8View => {
            let text = array.as_string_view();
            let hashed = hash_strings::<i64>(text.iter(), text.len(), text.nulls(), digest)?;
            Arc::new(StringViewArray::from(&hashed))
        }
        DataType::Binary => Arc::new(hash_binary(array.as_binary::<i32>(), digest)),
        DataType::LargeBinary => Arc::new(hash_binary(array.as_binary::<i64>(), digest)),
        DataType::BinaryView => {
            let bytes = array.as_binary_view().iter();
            let hashed: BinaryViewArray = bytes.map(|value| value.map(&digest)).collect();
            Arc::new(hashed)
        }
        other => return Err(MaskError::unsuited(other)),
    })
}

/// The digests as hexadecimal digits, written into one buffer.
fn hash_strings<'a, O: OffsetSizeTrait>(
    values: impl Iterator<Item = Option<&'a str>>,
    rows: usize,
    nulls: Option<&NullBuffer>,
    digest: impl Fn(&[u8]) -> [u8; 32],
) -> Result<GenericStringArray<O>, MaskError> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS.get(usize::from(half)).copied().unwrap_or(b'0');
    let hashed = rows - nulls.map_or(0, NullBuffer::null_count);
    let mut text: Vec<u8> = Vec::with_capacity(hashed * 64);
    let mut offsets: Vec<O> = Vec::with_capacity(rows + 1);
    offsets.push(O::default());
    for value in values {
        if let Some(value) = value {
            let mut digits = [0_u8; 64];
            for (pair, byte) in digits.chunks_exact_mut(2).zip(digest(value.as_bytes())) {
                pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
            }
            text.extend_from_slice(&digits);
        }
        offsets.push(O::from_usize(text.len()).ok_or(MaskError::OutOfRange)?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(GenericStringArray::try_new(
        offsets,
        Buffer::from_vec(text),
        nulls.cloned(),
    )?)
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
