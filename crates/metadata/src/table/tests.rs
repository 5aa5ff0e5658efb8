// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rules for tables of every provider.

use super::{Column, DefinitionError, TableDefinition};
use crate::data_type::{DataType, StructField};
use crate::distribution::{Distribution, DistributionStrategy};
use crate::expression::Expression;
use crate::partitioning::Transform;

fn path(dotted: &str) -> Vec<String> {
    dotted.split('.').map(str::to_owned).collect()
}

fn sample() -> TableDefinition {
    TableDefinition::of_columns(vec![
        Column::nullable("id", DataType::Long),
        Column::nullable(
            "st",
            DataType::Struct(vec![StructField {
                name: "a".to_owned(),
                data_type: DataType::Integer,
                nullable: true,
                comment: None,
            }]),
        ),
    ])
}

fn check(change: impl FnOnce(&mut TableDefinition), expected: Result<(), &str>) {
    let mut definition = sample();
    change(&mut definition);
    let found = definition
        .check()
        .map_err(|error: DefinitionError| error.to_string());
    assert_eq!(found, expected.map_err(str::to_owned));
}

#[test]
fn nested_fields_are_found() {
    assert_eq!(sample().find(&path("st.a")), Some(&DataType::Integer));
    assert_eq!(sample().find(&path("st.b")), None);
    assert_eq!(sample().find(&path("id.a")), None);
    assert_eq!(sample().find(&Vec::new()), None);
}

#[test]
fn references_must_lead_somewhere() {
    check(
        |table| table.partitioning.push(Transform::Day(path("st.a"))),
        Ok(()),
    );
    check(
        |table| table.partitioning.push(Transform::Day(path("zz"))),
        Err("the partitioning names the field `zz`, which is not in the table"),
    );
    check(
        |table| {
            table.distribution = Distribution {
                strategy: DistributionStrategy::Hash,
                number: 4,
                expressions: vec![Expression::Field(path("st.zz"))],
            };
        },
        Err("the distribution names the field `st.zz`, which is not in the table"),
    );
}

#[test]
fn columns_are_checked_singly_and_together() {
    check(
        |table| table.columns.push(Column::nullable("id", DataType::String)),
        Err("there are two columns named `id`"),
    );
    check(
        |table| table.columns.push(Column::nullable(" ", DataType::String)),
        Err("the name of a column must not be empty"),
    );
    check(
        |table| {
            table.columns.push(Column {
                nullable: false,
                default_value: Some(Expression::NULL),
                ..Column::nullable("n", DataType::String)
            });
        },
        Err("the column `n` is not nullable, so its default value must not be null"),
    );
    check(
        |table| {
            for column in &mut table.columns {
                column.auto_increment = true;
            }
        },
        Err("only one column may be auto-increment, but `id` and `st` are"),
    );
}
