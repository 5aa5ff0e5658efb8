// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is written is read back as the same, and no text makes a reader fall over.

use lakeward_gravitino_api::{data_type, expression, partitioning, table_update};
use lakeward_metadata::data_type::{DataType, StructField};
use lakeward_metadata::expression::{Expression, LiteralValue};
use lakeward_metadata::partitioning::Transform;
use lakeward_metadata::table::TableChange;
use proptest::prelude::*;

fn simple_type() -> impl Strategy<Value = DataType> {
    prop_oneof![
        Just(DataType::Boolean),
        Just(DataType::LongUnsigned),
        Just(DataType::Date),
        Just(DataType::Uuid),
        Just(DataType::Null),
        (1u8..=38)
            .prop_flat_map(|precision| (Just(precision), 0..=precision))
            .prop_map(|(precision, scale)| DataType::Decimal { precision, scale }),
        proptest::option::of(0u8..=12).prop_map(DataType::TimestampTz),
        (1u32..=i32::MAX.unsigned_abs()).prop_map(DataType::VarChar),
        proptest::option::of("[a-z]{1,6}:[0-9]{1,4}").prop_map(DataType::Geometry),
        "[a-z]{1,5}\\([0-9]\\)".prop_map(DataType::Unparsed),
        "\\PC{1,12}"
            .prop_filter("blank", |text| !text.trim().is_empty())
            .prop_map(DataType::External),
    ]
}

fn any_type() -> impl Strategy<Value = DataType> {
    simple_type().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (inner.clone(), any::<bool>()).prop_map(|(element, contains_null)| DataType::List {
                element: Box::new(element),
                contains_null,
            }),
            (inner.clone(), inner.clone(), any::<bool>()).prop_map(|(key, value, value_contains_null)| {
                DataType::Map {
                    key: Box::new(key),
                    value: Box::new(value),
                    value_contains_null,
                }
            }),
            proptest::collection::vec(
                (
                    "[a-z]{1,5}",
                    inner.clone(),
                    any::<bool>(),
                    proptest::option::of("\\PC{0,8}")
                ),
                0..4
            )
            .prop_map(|fields| {
                let field = |(name, data_type, nullable, comment)| StructField {
                    name,
                    data_type,
                    nullable,
                    comment,
                };
                DataType::Struct(fields.into_iter().map(field).collect())
            }),
            proptest::collection::vec(inner, 0..3).prop_map(DataType::Union),
        ]
    })
}

fn field() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("\\PC{1,6}", 1..4)
}

fn any_expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        field().prop_map(Expression::Field),
        Just(Expression::NULL),
        "\\PC{0,8}".prop_map(|value| {
            Expression::Literal(LiteralValue {
                data_type: DataType::String,
                value: Some(value),
            })
        }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        ("[a-z]{1,5}", proptest::collection::vec(inner, 0..3))
            .prop_map(|(name, arguments)| Expression::Function { name, arguments })
    })
}

fn any_transform() -> impl Strategy<Value = Transform> {
    prop_oneof![
        field().prop_map(Transform::Identity),
        field().prop_map(Transform::Month),
        (1u32..1000, proptest::collection::vec(field(), 1..3))
            .prop_map(|(buckets, fields)| Transform::Bucket { buckets, fields }),
        (1u32..1000, field()).prop_map(|(width, field)| Transform::Truncate { width, field }),
        ("[a-z]{1,5}", proptest::collection::vec(any_expression(), 0..3))
            .prop_map(|(name, arguments)| Transform::Function { name, arguments }),
    ]
}

proptest! {
    #[test]
    fn types(data_type in any_type()) {
        let written = data_type::to_json(&data_type);
        prop_assert_eq!(data_type::from_json(&written, "type"), Ok(data_type));
    }

    #[test]
    fn expressions(expression in any_expression()) {
        let written = expression::to_json(&expression);
        prop_assert_eq!(expression::from_json(&written, "e"), Ok(expression));
    }

    #[test]
    fn transforms(transform in any_transform()) {
        let written = partitioning::to_json(&transform);
        prop_assert_eq!(partitioning::from_json(&written, "p"), Ok(transform));
    }

    #[test]
    fn any_text_is_a_type_or_an_error(text in "\\PC{0,40}") {
        let _ = DataType::parse(&text);
    }

    #[test]
    fn any_object_is_an_update_or_an_error(
        kind in "rename|addColumn|updateColumnPosition|addTableIndex|[a-zA-Z]{0,8}",
        member in "fieldName|newName|position|newPosition|index|type",
        value in "\\PC{0,8}",
    ) {
        let update = serde_json::json!({"@type": kind, member: value});
        let request = table_update::TableUpdatesRequest { updates: Some(vec![update]) };
        let _ = Vec::<TableChange>::try_from(request);
    }
}
