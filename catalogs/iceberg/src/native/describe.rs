// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a version of a table looks like in native words.

use lakeward_metadata::Properties;
use lakeward_metadata::table::{Column, TableDefinition};
use serde_json::Value;

use super::data_type::from_iceberg;
use super::layout::{DISTRIBUTION_MODE, distribution, partitioning, sort_orders};
use crate::document::Document;
use crate::layout::fields_of;
use crate::schema::{Schema, SchemaField};

/// The property that keeps a table's comment.
pub(crate) const COMMENT: &str = "comment";

/// Describes a version.
///
/// # Errors
/// What does not fit together in the metadata.
pub(crate) fn describe(document: &Document) -> Result<TableDefinition, String> {
    let schema = document.current_schema()?;
    let spec = default_fields(document, "partition-specs", "spec-id", "default-spec-id")?;
    let order = default_fields(document, "sort-orders", "order-id", "default-sort-order-id")?;
    let mut properties: Properties = document
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    let comment = properties.remove(COMMENT);
    add_derived(&mut properties, document, &schema, order)?;
    Ok(TableDefinition {
        comment,
        columns: schema.fields.iter().map(column).collect(),
        distribution: distribution(properties.get(DISTRIBUTION_MODE).map(String::as_str)),
        sort_orders: sort_orders(order, &schema)?,
        partitioning: partitioning(spec, &schema)?,
        indexes: Vec::new(),
        properties,
    })
}

/// The properties that are not stored but follow from the metadata.
fn add_derived(
    properties: &mut Properties,
    document: &Document,
    schema: &Schema,
    order: &[Value],
) -> Result<(), String> {
    let format = properties
        .get("write.format.default")
        .map_or_else(|| "parquet".to_owned(), |format| format.to_ascii_lowercase());
    let snapshot = document
        .current_snapshot_id()
        .map_or_else(|| "none".to_owned(), |id| id.to_string());
    let mut put = |name: &str, value: String| properties.insert(name.to_owned(), value);
    put("provider", "iceberg".to_owned());
    put("format", format!("iceberg/{format}"));
    put("format-version", document.format_version()?.to_string());
    put("location", document.text("location")?.to_owned());
    put("current-snapshot-id", snapshot);
    if !order.is_empty() {
        put("sort-order", describe_order(order, schema));
    }
    if !schema.identifier_field_ids.is_empty() {
        let names: Vec<String> = schema
            .identifier_field_ids
            .iter()
            .filter_map(|id| Some(schema.path_of(*id)?.join(".")))
            .collect();
        put("identifier-fields", format!("[{}]", names.join(",")));
    }
    Ok(())
}

fn describe_order(order: &[Value], schema: &Schema) -> String {
    let text = |field: &Value, member: &str| {
        field
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let terms: Vec<String> = order
        .iter()
        .map(|field| {
            let column = field
                .get("source-id")
                .and_then(crate::schema::int32)
                .and_then(|id| schema.path_of(id))
                .map_or_else(|| "?".to_owned(), |path| path.join("."));
            let transform = text(field, "transform");
            let term = match transform.split_once('[') {
                _ if transform == "identity" => column,
                Some((name, width)) => format!("{name}({}, {column})", width.trim_end_matches(']')),
                None => format!("{transform}({column})"),
            };
            format!(
                "{term} {} {}",
                text(field, "direction").to_ascii_uppercase(),
                text(field, "null-order").to_ascii_uppercase().replace('-', " ")
            )
        })
        .collect();
    terms.join(", ")
}

/// A field as a column.
pub(crate) fn column(field: &SchemaField) -> Column {
    Column {
        name: field.name.clone(),
        data_type: from_iceberg(&field.schema_type),
        comment: field.doc.clone(),
        nullable: !field.required,
        auto_increment: false,
        default_value: None,
    }
}

fn default_fields<'a>(
    document: &'a Document,
    list: &str,
    key: &str,
    default: &str,
) -> Result<&'a [Value], String> {
    let id = document.int(default)?;
    let element = document
        .element(list, key, id)
        .ok_or_else(|| format!("`{default}` {id} is not among `{list}`"))?;
    fields_of(element, list)
}
