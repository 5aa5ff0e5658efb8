// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers in a form in which they can be compared: exactly, or as multisets.

use arrow::array::Array;
use arrow::datatypes::{DataType, Schema};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// Names and types of the columns, and the rows as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    columns: Vec<String>,
    /// In the order in which they came.
    pub(crate) rows: Vec<String>,
}

impl Answer {
    pub(crate) fn new(schema: &Schema, batches: &[RecordBatch]) -> Self {
        let options = FormatOptions::new().with_null("∅").with_display_error(false);
        let mut rows = Vec::new();
        for batch in batches {
            let columns: Vec<ArrayFormatter<'_>> = batch
                .columns()
                .iter()
                .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
                .collect();
            for row in 0..batch.num_rows() {
                let values: Vec<String> = columns
                    .iter()
                    .zip(batch.columns())
                    // A text may look like the sign of null.
                    .map(|(column, array)| match array.is_null(row) {
                        true => "∅".to_owned(),
                        false => format!("«{}»", column.value(row)),
                    })
                    .collect();
                rows.push(values.join(" "));
            }
        }
        let columns = schema
            .fields()
            .iter()
            .map(|field| format!("{} {}", field.name(), type_name(field.data_type())))
            .collect();
        Self { columns, rows }
    }

    /// What differs from the other answer; the order of rows counts if it is `ordered`.
    pub(crate) fn difference(&self, other: &Self, ordered: bool) -> Option<String> {
        if self.columns != other.columns {
            return Some(format!(
                "columns {:?} instead of {:?}",
                self.columns, other.columns
            ));
        }
        let (mut rows, mut expected) = (self.rows.clone(), other.rows.clone());
        if !ordered {
            rows.sort();
            expected.sort();
        }
        (rows != expected).then(|| {
            let at = rows.iter().zip(&expected).position(|(one, other)| one != other);
            let at = at.unwrap_or(rows.len().min(expected.len()));
            format!(
                "{} rows instead of {}; first difference in row {at}:\n  reader {:?}\n  copy   {:?}",
                rows.len(),
                expected.len(),
                rows.get(at),
                expected.get(at)
            )
        })
    }
}

/// Views are the engine's own; answers have plain types.
fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(element) => format!("list of {}", type_name(element.data_type())),
        DataType::Map(entries, _) => format!("map of {}", type_name(entries.data_type())),
        DataType::Struct(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|member| format!("{} {}", member.name(), type_name(member.data_type())))
                .collect();
            format!("struct of {}", members.join(", "))
        }
        DataType::Utf8View => DataType::Utf8.to_string(),
        DataType::BinaryView => DataType::LargeBinary.to_string(),
        plain => plain.to_string(),
    }
}
