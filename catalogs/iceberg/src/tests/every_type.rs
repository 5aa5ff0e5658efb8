// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every type, partition transform and sort term, there and back.

use lakeward_metadata::data_type::{DataType, StructField};
use lakeward_metadata::distribution::{Distribution, DistributionStrategy};
use lakeward_metadata::expression::{Expression, LiteralValue};
use lakeward_metadata::partitioning::Transform;
use lakeward_metadata::sort_order::{NullOrdering, SortDirection, SortOrder};
use lakeward_metadata::table::{Column, TableDefinition};

use super::*;

fn member(name: &str, data_type: DataType) -> StructField {
    StructField {
        name: name.to_owned(),
        data_type,
        nullable: false,
        comment: Some(format!("about {name}")),
    }
}

/// Types as they are stored, which is also as they are answered.
fn types(version: u8) -> Vec<DataType> {
    let mut types = vec![
        DataType::Boolean,
        DataType::Integer,
        DataType::Long,
        DataType::Float,
        DataType::Double,
        DataType::Decimal {
            precision: 38,
            scale: 7,
        },
        DataType::Date,
        DataType::Time(Some(6)),
        DataType::Timestamp(Some(6)),
        DataType::TimestampTz(Some(6)),
        DataType::String,
        DataType::Uuid,
        DataType::Fixed(16),
        DataType::Binary,
        DataType::List {
            element: Box::new(DataType::String),
            contains_null: true,
        },
        DataType::Map {
            key: Box::new(DataType::String),
            value: Box::new(DataType::List {
                element: Box::new(DataType::Integer),
                contains_null: false,
            }),
            value_contains_null: false,
        },
        DataType::Struct(vec![
            member("a", DataType::Integer),
            member("b", DataType::Struct(vec![member("c", DataType::Date)])),
        ]),
    ];
    if version >= 3 {
        types.extend([
            DataType::Timestamp(Some(9)),
            DataType::TimestampTz(Some(9)),
            DataType::Variant,
            DataType::Null,
            DataType::Geometry(None),
            DataType::Geometry(Some("EPSG:4326".to_owned())),
            DataType::Geography {
                crs: None,
                algorithm: None,
            },
            DataType::Geography {
                crs: Some("EPSG:4326".to_owned()),
                algorithm: Some("vincenty".to_owned()),
            },
        ]);
    }
    types
}

fn table(types: &[DataType], version: u8) -> TableDefinition {
    let columns = types
        .iter()
        .enumerate()
        .map(|(position, data_type)| Column::nullable(format!("c{position}"), data_type.clone()));
    let mut definition = TableDefinition::of_columns(columns.collect());
    definition
        .properties
        .insert("format-version".to_owned(), version.to_string());
    definition
}

fn round_trip(bench: &Bench, definition: &TableDefinition) -> TableDefinition {
    let planned = bench
        .tables()
        .plan_create_native(&place("t"), definition)
        .unwrap();
    planned
        .table
        .map_ref(|table| bench.tables().describe(table))
        .unwrap()
}

#[test]
fn every_type_comes_back() {
    let bench = Bench::new();
    for version in [1, 2, 3] {
        let types = types(version);
        let described = round_trip(&bench, &table(&types, version));
        let found: Vec<DataType> = described
            .columns
            .into_iter()
            .map(|column| column.data_type)
            .collect();
        assert_eq!(found, types, "version {version}");
    }
}

#[test]
fn types_of_version_3_need_it_and_foreign_types_are_refused() {
    let bench = Bench::new();
    for data_type in types(3).into_iter().skip(types(2).len()) {
        let refused = bench
            .tables()
            .plan_create_native(&place("t"), &table(std::slice::from_ref(&data_type), 2));
        assert!(matches!(refused, Err(CatalogError::Invalid(_))), "{data_type}");
    }
    for data_type in [
        DataType::Byte,
        DataType::Short,
        DataType::VarChar(8),
        DataType::Char(8),
        DataType::IntervalDay,
        DataType::Timestamp(Some(3)),
        DataType::Unparsed("wombat".to_owned()),
        DataType::Union(vec![DataType::Integer]),
    ] {
        let error = bench
            .tables()
            .plan_create_native(&place("t"), &table(std::slice::from_ref(&data_type), 3))
            .unwrap_err();
        assert!(error.to_string().contains("Iceberg has no type"), "{error}");
    }
}

#[test]
fn every_transform_and_sort_term_comes_back() {
    let bench = Bench::new();
    let field = |name: &str| vec![name.to_owned()];
    let mut definition = TableDefinition::of_columns(vec![
        Column::nullable("id", DataType::Long),
        Column::nullable("name", DataType::String),
        Column::nullable("at", DataType::TimestampTz(Some(6))),
        Column::nullable("day", DataType::Date),
        Column::nullable("s", DataType::Struct(vec![member("inner", DataType::Date)])),
    ]);
    definition.partitioning = vec![
        Transform::Identity(field("name")),
        Transform::Bucket {
            buckets: 16,
            fields: vec![field("id")],
        },
        Transform::Truncate {
            width: 4,
            field: field("name"),
        },
        Transform::Hour(field("at")),
        Transform::Day(field("day")),
        Transform::Month(vec!["s".to_owned(), "inner".to_owned()]),
        Transform::Year(field("at")),
    ];
    let function = |name: &str, width: Option<u32>, column: &str| {
        let literal = |value: u32| {
            Expression::Literal(LiteralValue {
                data_type: DataType::Integer,
                value: Some(value.to_string()),
            })
        };
        let arguments = width
            .map(literal)
            .into_iter()
            .chain([Expression::Field(field(column))]);
        Expression::Function {
            name: name.to_owned(),
            arguments: arguments.collect(),
        }
    };
    let order = |term: Expression, direction, null_ordering| SortOrder {
        term,
        direction,
        null_ordering,
    };
    definition.sort_orders = vec![
        order(
            Expression::Field(field("id")),
            SortDirection::Ascending,
            NullOrdering::NullsFirst,
        ),
        order(
            function("bucket", Some(8), "name"),
            SortDirection::Descending,
            NullOrdering::NullsLast,
        ),
        order(
            function("day", None, "at"),
            SortDirection::Ascending,
            NullOrdering::NullsLast,
        ),
    ];
    let described = round_trip(&bench, &definition);
    assert_eq!(described.partitioning, definition.partitioning);
    assert_eq!(described.sort_orders, definition.sort_orders);
    assert_eq!(described.distribution.strategy, DistributionStrategy::Range);
    assert_eq!(
        described.properties["sort-order"],
        "id ASC NULLS FIRST, bucket(8, name) DESC NULLS LAST, day(at) ASC NULLS LAST"
    );
    let refuse = |change: &dyn Fn(&mut TableDefinition), part: &str| {
        let mut wrong = definition.clone();
        change(&mut wrong);
        let error = bench
            .tables()
            .plan_create_native(&place("t"), &wrong)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error} should contain {part}");
    };
    refuse(
        &|wrong| wrong.partitioning = vec![Transform::Identity(field("zz"))],
        "zz",
    );
    refuse(
        &|wrong| wrong.partitioning = vec![Transform::Day(field("name"))],
        "cannot be applied",
    );
    refuse(
        &|wrong| {
            wrong.distribution = Distribution {
                strategy: DistributionStrategy::Hash,
                number: 0,
                expressions: vec![Expression::Field(field("id"))],
            };
        },
        "takes no expressions",
    );
    refuse(
        &|wrong| wrong.distribution.strategy = DistributionStrategy::Even,
        "no distribution `even`",
    );
    refuse(&|wrong| wrong.columns.clear(), "field");
    refuse(
        &|wrong| {
            let first = wrong.columns[0].clone();
            wrong.columns.push(first);
        },
        "two columns named `id`",
    );
}
