// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The columns of a table as tools read them: an Arrow schema whose fields carry what Flight SQL says of a column.

use std::collections::HashMap;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, TimeUnit};
use lakeward_reader::description::{ColumnDescription, Description};
use lakeward_reader::table_name::TableName;

use crate::encode;

/// The schema of a table with the metadata of the protocol at every column, in the types in which its rows are sent.
pub(super) fn schema(name: &TableName, described: &Description) -> Schema {
    let shown: Vec<FieldRef> = described
        .columns
        .iter()
        .map(|column| FieldRef::clone(&column.field))
        .collect();
    let sent = encode::on_the_wire(&Schema::new(shown));
    let fields = sent.fields().iter().zip(&described.columns);
    Schema::new(
        fields
            .map(|(sent, column)| sent.as_ref().clone().with_metadata(metadata(name, column)))
            .collect::<Vec<Field>>(),
    )
}

fn metadata(name: &TableName, column: &ColumnDescription) -> HashMap<String, String> {
    let data_type = column.field.data_type();
    let flag = |is: bool| if is { "1" } else { "0" }.to_owned();
    let mut said = vec![
        ("CATALOG_NAME", name.catalog.clone()),
        ("SCHEMA_NAME", name.namespace.join(".")),
        ("TABLE_NAME", name.table.clone()),
        ("TYPE_NAME", column.sql_type.clone()),
        ("IS_AUTO_INCREMENT", flag(false)),
        ("IS_CASE_SENSITIVE", flag(is_text(data_type))),
        ("IS_READ_ONLY", flag(true)),
        ("IS_SEARCHABLE", flag(!data_type.is_nested())),
        // Also an empty one: the JDBC driver shows the remark of another column where there is none.
        ("REMARKS", remarks(column)),
    ];
    if let Some((precision, scale)) = precision_and_scale(data_type) {
        said.push(("PRECISION", precision.to_string()));
        said.push(("SCALE", scale.to_string()));
    }
    // Of the field's own metadata nothing is shown: it speaks of files.
    said.into_iter()
        .map(|(key, value)| (format!("ARROW:FLIGHT:SQL:{key}"), value))
        .collect()
}

/// What the owner wrote, and that values are masked. Which rows are shown is not said.
fn remarks(column: &ColumnDescription) -> String {
    let comment = column.comment.as_deref().filter(|comment| !comment.is_empty());
    let masked = column.mask.as_ref().map(|mask| format!("[masked ({mask})]"));
    match (comment, masked) {
        (Some(comment), Some(masked)) => format!("{comment} {masked}"),
        (Some(comment), None) => comment.to_owned(),
        (None, Some(masked)) => masked,
        (None, None) => String::new(),
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// Decimal digits of numbers, characters of dates and times; and the digits behind the point. `None` for types that
/// have neither.
pub(super) fn precision_and_scale(data_type: &DataType) -> Option<(i32, i32)> {
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    // A point and the digits behind it.
    let with_fraction = |whole: i32, digits: i32| if digits == 0 { whole } else { whole + 1 + digits };
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "an open set of another crate; only some of it has a precision"
    )]
    match data_type {
        DataType::Int8 | DataType::UInt8 => Some((3, 0)),
        DataType::Int16 | DataType::UInt16 => Some((5, 0)),
        DataType::Int32 | DataType::UInt32 => Some((10, 0)),
        DataType::Int64 => Some((19, 0)),
        DataType::UInt64 => Some((20, 0)),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => Some((i32::from(*precision), i32::from(*scale))),
        DataType::Date32 | DataType::Date64 => Some((10, 0)),
        DataType::Time32(unit) | DataType::Time64(unit) => {
            Some((with_fraction(8, digits(unit)), digits(unit)))
        }
        DataType::Timestamp(unit, _) => Some((with_fraction(19, digits(unit)), digits(unit))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Field, precision_and_scale, schema};
    use arrow::datatypes::{DataType, Fields, TimeUnit};
    use lakeward_reader::description::{ColumnDescription, Description, sql_type};
    use lakeward_reader::table_name::TableName;

    fn column(
        name: &str,
        data_type: DataType,
        comment: Option<&str>,
        mask: Option<&str>,
    ) -> ColumnDescription {
        let storage = [("PARQUET:field_id".to_owned(), "1".to_owned())].into();
        ColumnDescription {
            sql_type: sql_type(&data_type),
            field: Arc::new(Field::new(name, data_type, true).with_metadata(storage)),
            comment: comment.map(str::to_owned),
            mask: mask.map(str::to_owned),
        }
    }

    #[test]
    fn columns_say_what_the_protocol_asks_and_nothing_of_storage() {
        let name = TableName {
            catalog: "c".to_owned(),
            namespace: vec!["a".to_owned(), "b".to_owned()],
            table: "t".to_owned(),
        };
        let members = Fields::from(vec![Field::new("x", DataType::Int32, true)]);
        let instant = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let described = Description {
            columns: vec![
                column("n", DataType::Int64, Some("how many"), None),
                column("s", DataType::Utf8, Some("who"), Some("show-last-4")),
                column("d", DataType::Decimal128(12, 2), None, Some("replace-with-null")),
                column("r", DataType::Struct(members), None, None),
                column("v", DataType::Utf8View, None, None),
                column("t", instant, None, None),
            ],
            identifier: Vec::new(),
        };
        let schema = schema(&name, &described);
        let said = |field: &str, key: &str| {
            let metadata = schema.field_with_name(field).unwrap().metadata();
            metadata.get(&format!("ARROW:FLIGHT:SQL:{key}")).cloned()
        };
        let some = |text: &str| Some(text.to_owned());
        for (field, key, expected) in [
            ("n", "SCHEMA_NAME", some("a.b")),
            ("n", "TYPE_NAME", some("BIGINT")),
            ("n", "PRECISION", some("19")),
            ("n", "REMARKS", some("how many")),
            ("n", "IS_CASE_SENSITIVE", some("0")),
            ("s", "IS_CASE_SENSITIVE", some("1")),
            ("s", "REMARKS", some("who [masked (show-last-4)]")),
            ("s", "PRECISION", None),
            ("d", "REMARKS", some("[masked (replace-with-null)]")),
            ("d", "SCALE", some("2")),
            ("r", "TYPE_NAME", some("STRUCT")),
            ("r", "IS_SEARCHABLE", some("0")),
            ("r", "REMARKS", some("")),
            ("t", "TYPE_NAME", some("TIMESTAMP WITH TIME ZONE")),
            ("t", "IS_READ_ONLY", some("1")),
        ] {
            assert_eq!(said(field, key), expected, "{field} {key}");
        }
        // As rows are sent: not every client knows views.
        assert_eq!(schema.field_with_name("v").unwrap().data_type(), &DataType::Utf8);
        for field in schema.fields() {
            let mut keys = field.metadata().keys();
            assert!(keys.all(|key| key.starts_with("ARROW:FLIGHT:SQL:")));
        }
    }

    #[test]
    fn times_count_their_characters() {
        for (data_type, expected) in [
            (DataType::Timestamp(TimeUnit::Second, None), Some((19, 0))),
            (DataType::Timestamp(TimeUnit::Microsecond, None), Some((26, 6))),
            (DataType::Time64(TimeUnit::Nanosecond), Some((18, 9))),
            (DataType::Date32, Some((10, 0))),
            (DataType::Float64, None),
        ] {
            assert_eq!(precision_and_scale(&data_type), expected, "{data_type}");
        }
    }
}
