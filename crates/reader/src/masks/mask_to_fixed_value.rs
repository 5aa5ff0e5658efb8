// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `mask-to-fixed-value`: one value per type in every row, also where the original is null. The column is not
//! read.
//!
//! All fixed values but that of text are zero in Arrow's representation: zero numbers, the epoch, midnight, zero
//! bytes, empty binary, list and map.

use std::iter::repeat_n;
use std::sync::Arc;

use arrow::array::{
    ArrayData, ArrayRef, AsArray, BinaryViewArray, BooleanArray, GenericBinaryArray, GenericListArray,
    GenericStringArray, MapArray, OffsetSizeTrait, StringViewArray, StructArray, make_array, new_empty_array,
};
use arrow::buffer::{BooleanBuffer, Buffer, MutableBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, FieldRef};

use super::MaskError;

const TEXT: &str = "XXXXXXXX";

pub(super) fn apply(data_type: &DataType, rows: usize) -> Result<ArrayRef, MaskError> {
    Ok(match data_type {
        DataType::Boolean => Arc::new(BooleanArray::new(BooleanBuffer::new_unset(rows), None)),
        DataType::Utf8 => Arc::new(GenericStringArray::<i32>::from_iter_values(repeat_n(TEXT, rows))),
        DataType::LargeUtf8 => Arc::new(GenericStringArray::<i64>::from_iter_values(repeat_n(TEXT, rows))),
        DataType::Utf8View => Arc::new(StringViewArray::from_iter_values(repeat_n(TEXT, rows))),
        DataType::BinaryView => Arc::new(BinaryViewArray::from_iter_values(repeat_n(b"", rows))),
        DataType::Binary => Arc::new(empty_binary::<i32>(rows)?),
        DataType::LargeBinary => Arc::new(empty_binary::<i64>(rows)?),
        DataType::FixedSizeBinary(length) => {
            let width = usize::try_from(*length).map_err(|_| MaskError::unsuited(data_type))?;
            zeroed(data_type, width, rows)?
        }
        DataType::List(element) => Arc::new(empty_lists::<i32>(element, rows)?),
        DataType::LargeList(element) => Arc::new(empty_lists::<i64>(element, rows)?),
        DataType::Map(entries, sorted) => Arc::new(empty_maps(entries, *sorted, rows)?),
        DataType::Struct(fields) if fields.is_empty() => Arc::new(StructArray::new_empty_fields(rows, None)),
        DataType::Struct(fields) => {
            let columns = fields
                .iter()
                .map(|field| apply(field.data_type(), rows))
                .collect::<Result<Vec<_>, _>>()?;
            Arc::new(StructArray::try_new(fields.clone(), columns, None)?)
        }
        other => match other.primitive_width() {
            Some(width) => zeroed(other, width, rows)?,
            None => return Err(MaskError::unsuited(other)),
        },
    })
}

fn zeroed(data_type: &DataType, width: usize, rows: usize) -> Result<ArrayRef, MaskError> {
    let values: Buffer = MutableBuffer::from_len_zeroed(width * rows).into();
    let data = ArrayData::builder(data_type.clone())
        .len(rows)
        .add_buffer(values)
        .build()?;
    Ok(make_array(data))
}

fn empty_binary<O: OffsetSizeTrait>(rows: usize) -> Result<GenericBinaryArray<O>, MaskError> {
    Ok(GenericBinaryArray::try_new(
        OffsetBuffer::new_zeroed(rows),
        Buffer::default(),
        None,
    )?)
}

fn empty_lists<O: OffsetSizeTrait>(
    element: &FieldRef,
    rows: usize,
) -> Result<GenericListArray<O>, MaskError> {
    Ok(GenericListArray::try_new(
        Arc::clone(element),
        OffsetBuffer::new_zeroed(rows),
        new_empty_array(element.data_type()),
        None,
    )?)
}

fn empty_maps(entries: &Arc<Field>, sorted: bool, rows: usize) -> Result<MapArray, MaskError> {
    let empty = new_empty_array(entries.data_type());
    let Some(empty) = empty.as_struct_opt() else {
        return Err(MaskError::unsuited(entries.data_type()));
    };
    Ok(MapArray::try_new(
        Arc::clone(entries),
        OffsetBuffer::new_zeroed(rows),
        empty.clone(),
        None,
        sorted,
    )?)
}
