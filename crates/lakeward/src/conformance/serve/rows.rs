// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows of a fixture as Arrow, which is what is written.

use anyhow::Context;
use arrow::datatypes::SchemaRef;
use arrow::json::ReaderBuilder;
use arrow::record_batch::RecordBatch;
use lakeward_read_restrictions::field::{Field, FieldType};
use serde_json::{Map, Value as Json};

use super::cases::Row;

/// One batch of the rows. Both sides speak JSON; where Arrow's differs from Iceberg's single-value form, it is turned over.
pub(super) fn batch(rows: &[Row], fields: &[Field], schema: SchemaRef) -> anyhow::Result<RecordBatch> {
    let rows: Vec<Json> = rows
        .iter()
        .map(|row| {
            let members = fields.iter().map(|field| {
                let value = row.get(&field.name).unwrap_or(&Json::Null);
                (field.name.clone(), for_arrow(value, &field.field_type))
            });
            Json::Object(members.collect())
        })
        .collect();
    let mut decoder = ReaderBuilder::new(schema).build_decoder()?;
    decoder.serialize(&rows)?;
    decoder.flush()?.context("the table has no rows")
}

fn for_arrow(value: &Json, field_type: &FieldType) -> Json {
    match (value, field_type) {
        // Sixteen bytes of hexadecimal digits.
        (Json::String(text), FieldType::Uuid) => Json::String(text.replace('-', "")),
        (Json::Object(members), FieldType::Struct(fields)) => fields
            .iter()
            .map(|field| {
                let member = members.get(&field.id.to_string()).unwrap_or(&Json::Null);
                (field.name.clone(), for_arrow(member, &field.field_type))
            })
            .collect::<Map<_, _>>()
            .into(),
        (Json::Array(elements), FieldType::List(element)) => elements
            .iter()
            .map(|value| for_arrow(value, &element.field_type))
            .collect(),
        (Json::Object(_), FieldType::Map { value: element, .. }) => entries(value)
            .map(|(key, value)| (key, for_arrow(value, &element.field_type)))
            .collect::<Map<_, _>>()
            .into(),
        _ => value.clone(),
    }
}

/// The entries of a map with text keys.
fn entries(map: &Json) -> impl Iterator<Item = (String, &Json)> {
    let list = |member: &str| map.get(member).and_then(Json::as_array).into_iter().flatten();
    list("keys").zip(list("values")).map(|(key, value)| {
        let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        (key, value)
    })
}
