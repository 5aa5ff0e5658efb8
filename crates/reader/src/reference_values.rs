// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Test support: every type that tables have, and values of each.

use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::value::Value;
use proptest::prelude::*;

/// Every type of Iceberg's versions 1 to 3 that is read; decimals of every width that Parquet stores differently, nested
/// types in each other, members required and not.
pub(crate) fn every_type() -> Vec<FieldType> {
    let decimal = |precision, scale| FieldType::Decimal { precision, scale };
    let mut types = vec![
        FieldType::Boolean,
        FieldType::Int,
        FieldType::Long,
        FieldType::Float,
        FieldType::Double,
        decimal(1, 0),
        decimal(9, 2),
        decimal(18, 18),
        decimal(19, 4),
        decimal(38, 10),
        FieldType::Date,
        FieldType::Time,
        FieldType::Timestamp,
        FieldType::Timestamptz,
        FieldType::TimestampNs,
        FieldType::TimestamptzNs,
        FieldType::String,
        FieldType::Uuid,
        FieldType::Fixed(1),
        FieldType::Fixed(20),
        FieldType::Binary,
    ];
    // Ids are given below.
    let field = |name: &str, field_type: &FieldType, required| Field {
        id: 0,
        name: name.to_owned(),
        field_type: field_type.clone(),
        required,
    };
    let mut members = Vec::new();
    for (position, primitive) in types.iter().enumerate() {
        members.push(field(&format!("m{position}"), primitive, position % 2 == 0));
    }
    let list = |element| FieldType::List(Box::new(element));
    let map = |key, value| FieldType::Map {
        key: Box::new(key),
        value: Box::new(value),
    };
    let person = FieldType::Struct(members);
    let optional = list(field("element", &FieldType::Int, false));
    let required = list(field("element", &FieldType::String, true));
    let by_text = map(
        field("key", &FieldType::String, true),
        field("value", &FieldType::Timestamptz, false),
    );
    let of_structs = list(field("element", &person, false));
    let lists = list(field("element", &optional, false));
    let by_number = map(
        field("key", &FieldType::Long, true),
        field("value", &by_text, true),
    );
    let inner = FieldType::Struct(vec![
        field("lists", &lists, false),
        field("by_number", &by_number, true),
        field("structs", &of_structs, true),
    ]);
    types.extend([person, optional, required, by_text, of_structs, inner]);
    distinct(&mut types);
    types
}

/// Gives every field of nested types an id of its own: the same type may occur in several.
fn distinct(types: &mut [FieldType]) {
    fn renumber(field_type: &mut FieldType, next: &mut i32) {
        let mut number = |field: &mut Field| {
            *next += 1;
            field.id = *next;
            renumber(&mut field.field_type, next);
        };
        match field_type {
            FieldType::Struct(members) => members.iter_mut().for_each(number),
            FieldType::List(element) => number(element),
            FieldType::Map { key, value } => {
                number(key);
                number(value);
            }
            FieldType::Boolean
            | FieldType::Int
            | FieldType::Long
            | FieldType::Float
            | FieldType::Double
            | FieldType::Decimal { .. }
            | FieldType::Date
            | FieldType::Time
            | FieldType::Timestamp
            | FieldType::Timestamptz
            | FieldType::TimestampNs
            | FieldType::TimestamptzNs
            | FieldType::String
            | FieldType::Uuid
            | FieldType::Fixed(_)
            | FieldType::Binary
            | FieldType::Unknown
            | FieldType::Variant
            | FieldType::Geometry
            | FieldType::Geography => {}
        }
    }
    let mut next = 1_000;
    for field_type in types {
        renumber(field_type, &mut next);
    }
}

/// Values of a field: null too where it may be.
pub(crate) fn value_of(field: &Field) -> BoxedStrategy<Value> {
    if field.required {
        present(&field.field_type)
    } else {
        value(&field.field_type)
    }
}

/// Values of a type, and null.
pub(crate) fn value(field_type: &FieldType) -> BoxedStrategy<Value> {
    prop_oneof![1 => Just(Value::Null), 5 => present(field_type)].boxed()
}

fn present(field_type: &FieldType) -> BoxedStrategy<Value> {
    match field_type {
        FieldType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        FieldType::Int => any::<i32>().prop_map(Value::Int).boxed(),
        FieldType::Long => any::<i64>().prop_map(Value::Long).boxed(),
        FieldType::Float => any::<f32>().prop_map(Value::Float).boxed(),
        FieldType::Double => any::<f64>().prop_map(Value::Double).boxed(),
        FieldType::Decimal { precision, scale } => {
            let (precision, scale) = (*precision, *scale);
            let greatest = 10_i128.pow(u32::from(precision)) - 1;
            prop_oneof![
                -greatest..=greatest,
                Just(greatest),
                Just(-greatest),
                Just(0),
                -9..9_i128
            ]
            .prop_map(move |unscaled| Value::Decimal {
                unscaled,
                precision,
                scale,
            })
            .boxed()
        }
        FieldType::Date => prop_oneof![
            any::<i32>(),
            -1_000_000..1_000_000,
            Just(i32::MIN),
            Just(i32::MAX)
        ]
        .prop_map(Value::Date)
        .boxed(),
        FieldType::Time => (0..86_400_000_000_i64).prop_map(Value::Time).boxed(),
        FieldType::Timestamp => ticks().prop_map(Value::Timestamp).boxed(),
        FieldType::Timestamptz => ticks().prop_map(Value::Timestamptz).boxed(),
        FieldType::TimestampNs => ticks().prop_map(Value::TimestampNs).boxed(),
        FieldType::TimestamptzNs => ticks().prop_map(Value::TimestamptzNs).boxed(),
        FieldType::String => text().prop_map(Value::String).boxed(),
        FieldType::Uuid => any::<[u8; 16]>().prop_map(Value::Uuid).boxed(),
        FieldType::Fixed(length) => proptest::collection::vec(any::<u8>(), usize::try_from(*length).unwrap())
            .prop_map(Value::Fixed)
            .boxed(),
        FieldType::Binary => proptest::collection::vec(any::<u8>(), 0..20)
            .prop_map(Value::Binary)
            .boxed(),
        FieldType::Struct(fields) => {
            let ids: Vec<i32> = fields.iter().map(|field| field.id).collect();
            fields
                .iter()
                .map(value_of)
                .collect::<Vec<_>>()
                .prop_map(move |members| Value::Struct(ids.iter().copied().zip(members).collect()))
                .boxed()
        }
        FieldType::List(element) => proptest::collection::vec(value_of(element), 0..4)
            .prop_map(Value::List)
            .boxed(),
        FieldType::Map { key, value } => proptest::collection::vec((value_of(key), value_of(value)), 0..4)
            .prop_map(|mut entries| {
                entries.dedup_by(|one, other| one.0 == other.0);
                Value::Map(entries)
            })
            .boxed(),
        other @ (FieldType::Unknown | FieldType::Variant | FieldType::Geometry | FieldType::Geography) => {
            panic!("no values of {other}")
        }
    }
}

/// Values near every boundary of the calendar and of 64 bits, and anywhere else.
fn ticks() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        (-100_000_i64..100_000).prop_map(|day| day * 86_400_000_000),
        (-1_067_500_i64..1_067_500).prop_map(|tenth| tenth * 8_640_000_000_000),
        Just(i64::MIN),
        Just(i64::MAX),
        Just(0),
        Just(-1),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "[0-9a-zA-Z@.(),\\- ]{0,40}",
        "\\PC{0,8}",
        proptest::collection::vec(any::<char>(), 0..10)
            .prop_map(|characters| characters.into_iter().collect()),
    ]
}
