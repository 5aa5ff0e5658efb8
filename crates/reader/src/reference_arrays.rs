// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Test support: values of the reference semantics as Arrow arrays, and back.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test may fail loudly")]

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryBuilder,
    Float32Array, Float64Array, Int32Array, Int64Array, LargeBinaryArray, ListArray, MapArray, StringArray,
    StructArray, Time64MicrosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Field as ArrowField, Fields, Float32Type, Float64Type, Int32Type,
    Int64Type, Time64MicrosecondType, TimeUnit, TimestampMicrosecondType, TimestampNanosecondType,
};
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::value::Value;

/// The Arrow type that iceberg-rust gives a field type; `None` for those it cannot read.
pub(crate) fn arrow_type(field_type: &FieldType) -> Option<DataType> {
    Some(match field_type {
        FieldType::Boolean => DataType::Boolean,
        FieldType::Int => DataType::Int32,
        FieldType::Long => DataType::Int64,
        FieldType::Float => DataType::Float32,
        FieldType::Double => DataType::Float64,
        FieldType::Decimal { precision, scale } if *precision <= 38 => {
            DataType::Decimal128(*precision, i8::try_from(*scale).ok()?)
        }
        FieldType::Date => DataType::Date32,
        FieldType::Time => DataType::Time64(TimeUnit::Microsecond),
        FieldType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        FieldType::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        FieldType::TimestampNs => DataType::Timestamp(TimeUnit::Nanosecond, None),
        FieldType::TimestamptzNs => DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into())),
        FieldType::String => DataType::Utf8,
        FieldType::Uuid => DataType::FixedSizeBinary(16),
        FieldType::Fixed(length) => DataType::FixedSizeBinary(i32::try_from(*length).ok()?),
        FieldType::Binary => DataType::LargeBinary,
        FieldType::Struct(fields) => {
            DataType::Struct(fields.iter().map(arrow_field).collect::<Option<Fields>>()?)
        }
        FieldType::List(element) => DataType::List(Arc::new(arrow_field(element)?)),
        FieldType::Map { key, value } => {
            let entries = Fields::from(vec![arrow_field(key)?, arrow_field(value)?]);
            DataType::Map(
                Arc::new(ArrowField::new("key_value", DataType::Struct(entries), false)),
                false,
            )
        }
        FieldType::Decimal { .. }
        | FieldType::Unknown
        | FieldType::Variant
        | FieldType::Geometry
        | FieldType::Geography => return None,
    })
}

pub(crate) fn arrow_field(field: &Field) -> Option<ArrowField> {
    Some(ArrowField::new(
        &field.name,
        arrow_type(&field.field_type)?,
        !field.required,
    ))
}

/// An array of the values, which must be of the type or null.
pub(crate) fn to_array(field_type: &FieldType, values: &[Value]) -> ArrayRef {
    let data_type = arrow_type(field_type).unwrap();
    macro_rules! primitives {
        ($array:ty, $($variant:path)|+) => {
            Arc::new(
                values
                    .iter()
                    .map(|value| match value {
                        Value::Null => None,
                        $($variant(value) => Some(value.clone()),)+
                        other => panic!("{other:?} is not a {field_type}"),
                    })
                    .collect::<$array>(),
            )
        };
    }
    match field_type {
        FieldType::Boolean => primitives!(BooleanArray, Value::Boolean),
        FieldType::Int => primitives!(Int32Array, Value::Int),
        FieldType::Long => primitives!(Int64Array, Value::Long),
        FieldType::Float => primitives!(Float32Array, Value::Float),
        FieldType::Double => primitives!(Float64Array, Value::Double),
        FieldType::Date => primitives!(Date32Array, Value::Date),
        FieldType::Time => primitives!(Time64MicrosecondArray, Value::Time),
        FieldType::String => primitives!(StringArray, Value::String),
        FieldType::Decimal { .. } => {
            let unscaled: Decimal128Array = values
                .iter()
                .map(|value| match value {
                    Value::Decimal { unscaled, .. } => Some(*unscaled),
                    _ => None,
                })
                .collect();
            Arc::new(unscaled.with_data_type(data_type))
        }
        FieldType::Timestamp | FieldType::Timestamptz => {
            let ticks: TimestampMicrosecondArray = values
                .iter()
                .map(|value| match value {
                    Value::Timestamp(ticks) | Value::Timestamptz(ticks) => Some(*ticks),
                    _ => None,
                })
                .collect();
            Arc::new(ticks.with_data_type(data_type))
        }
        FieldType::TimestampNs | FieldType::TimestamptzNs => {
            let ticks: TimestampNanosecondArray = values
                .iter()
                .map(|value| match value {
                    Value::TimestampNs(ticks) | Value::TimestamptzNs(ticks) => Some(*ticks),
                    _ => None,
                })
                .collect();
            Arc::new(ticks.with_data_type(data_type))
        }
        FieldType::Binary => Arc::new(
            values
                .iter()
                .map(|value| match value {
                    Value::Binary(bytes) => Some(bytes.as_slice()),
                    _ => None,
                })
                .collect::<LargeBinaryArray>(),
        ),
        FieldType::Uuid | FieldType::Fixed(_) => {
            let DataType::FixedSizeBinary(length) = data_type else {
                panic!("{data_type}");
            };
            let mut builder = FixedSizeBinaryBuilder::new(length);
            for value in values {
                match value {
                    Value::Uuid(bytes) => builder.append_value(bytes).unwrap(),
                    Value::Fixed(bytes) => builder.append_value(bytes).unwrap(),
                    _ => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        FieldType::Struct(fields) if fields.is_empty() => {
            Arc::new(StructArray::new_empty_fields(values.len(), Some(nulls(values))))
        }
        FieldType::Struct(fields) => {
            let DataType::Struct(arrow_fields) = data_type else {
                panic!("{data_type}");
            };
            let columns = fields
                .iter()
                .map(|field| {
                    let members: Vec<Value> = values
                        .iter()
                        .map(|value| match value {
                            Value::Struct(members) => members
                                .iter()
                                .find(|(id, _)| *id == field.id)
                                .map_or(Value::Null, |(_, member)| member.clone()),
                            _ => Value::Null,
                        })
                        .collect();
                    to_array(&field.field_type, &members)
                })
                .collect();
            Arc::new(StructArray::new(arrow_fields, columns, Some(nulls(values))))
        }
        FieldType::List(element) => {
            let lists: Vec<&[Value]> = values
                .iter()
                .map(|value| match value {
                    Value::List(elements) => elements.as_slice(),
                    _ => &[],
                })
                .collect();
            let offsets = OffsetBuffer::from_lengths(lists.iter().map(|list| list.len()));
            let elements = to_array(&element.field_type, &lists.concat());
            let field = Arc::new(arrow_field(element).unwrap());
            Arc::new(ListArray::new(field, offsets, elements, Some(nulls(values))))
        }
        FieldType::Map { key, value } => {
            let maps: Vec<&[(Value, Value)]> = values
                .iter()
                .map(|value| match value {
                    Value::Map(entries) => entries.as_slice(),
                    _ => &[],
                })
                .collect();
            let offsets = OffsetBuffer::from_lengths(maps.iter().map(|map| map.len()));
            let (keys, items): (Vec<_>, Vec<_>) = maps.concat().into_iter().unzip();
            let DataType::Map(entries, _) = &data_type else {
                panic!("{data_type}");
            };
            let DataType::Struct(fields) = entries.data_type() else {
                panic!("{entries}");
            };
            let columns = vec![
                to_array(&key.field_type, &keys),
                to_array(&value.field_type, &items),
            ];
            let structs = StructArray::new(fields.clone(), columns, None);
            Arc::new(MapArray::new(
                Arc::clone(entries),
                offsets,
                structs,
                Some(nulls(values)),
                false,
            ))
        }
        other => panic!("no array of {other}"),
    }
}

fn nulls(values: &[Value]) -> NullBuffer {
    NullBuffer::from_iter(values.iter().map(|value| !value.is_null()))
}

/// One value of an array of the type.
pub(crate) fn to_value(field_type: &FieldType, array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match field_type {
        FieldType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        FieldType::Int => Value::Int(array.as_primitive::<Int32Type>().value(row)),
        FieldType::Long => Value::Long(array.as_primitive::<Int64Type>().value(row)),
        FieldType::Float => Value::Float(array.as_primitive::<Float32Type>().value(row)),
        FieldType::Double => Value::Double(array.as_primitive::<Float64Type>().value(row)),
        FieldType::Decimal { precision, scale } => Value::Decimal {
            unscaled: array.as_primitive::<Decimal128Type>().value(row),
            precision: *precision,
            scale: *scale,
        },
        FieldType::Date => Value::Date(array.as_primitive::<Date32Type>().value(row)),
        FieldType::Time => Value::Time(array.as_primitive::<Time64MicrosecondType>().value(row)),
        FieldType::Timestamp => Value::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row)),
        FieldType::Timestamptz => {
            Value::Timestamptz(array.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        FieldType::TimestampNs => {
            Value::TimestampNs(array.as_primitive::<TimestampNanosecondType>().value(row))
        }
        FieldType::TimestamptzNs => {
            Value::TimestamptzNs(array.as_primitive::<TimestampNanosecondType>().value(row))
        }
        FieldType::String => Value::String(match array.data_type() {
            DataType::Utf8View => array.as_string_view().value(row).to_owned(),
            _ => array.as_string::<i32>().value(row).to_owned(),
        }),
        FieldType::Uuid => Value::Uuid(array.as_fixed_size_binary().value(row).try_into().unwrap()),
        FieldType::Fixed(_) => Value::Fixed(array.as_fixed_size_binary().value(row).to_vec()),
        FieldType::Binary => Value::Binary(match array.data_type() {
            DataType::BinaryView => array.as_binary_view().value(row).to_vec(),
            _ => array.as_binary::<i64>().value(row).to_vec(),
        }),
        FieldType::Struct(fields) => Value::Struct(
            fields
                .iter()
                .zip(array.as_struct().columns())
                .map(|(field, column)| (field.id, to_value(&field.field_type, column, row)))
                .collect(),
        ),
        FieldType::List(element) => {
            let elements = array.as_list::<i32>().value(row);
            Value::List(
                (0..elements.len())
                    .map(|at| to_value(&element.field_type, &elements, at))
                    .collect(),
            )
        }
        FieldType::Map { key, value } => {
            let entries = array.as_map().value(row);
            Value::Map(
                (0..entries.len())
                    .map(|at| {
                        (
                            to_value(&key.field_type, entries.column(0), at),
                            to_value(&value.field_type, entries.column(1), at),
                        )
                    })
                    .collect(),
            )
        }
        other => panic!("no value of {other}"),
    }
}
