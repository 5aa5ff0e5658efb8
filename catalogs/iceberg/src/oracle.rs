// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A second opinion on new metadata: the library that our own reader is built on must understand it.

use iceberg::spec::TableMetadata;
use lakeward_read_restrictions::field::FieldType;
use serde_json::Value;

use crate::document::Document;
use crate::schema::{Schema, SchemaType};
use crate::transform::IcebergTransform;

/// Refuses a document that the library cannot read, unless the reason is something the specification has and the
/// library has not.
///
/// # Errors
/// What the library says.
pub(crate) fn check(document: &Document) -> Result<(), String> {
    let text = document.to_text()?;
    match serde_json::from_str::<TableMetadata>(&text) {
        Ok(_) => Ok(()),
        Err(_) if is_beyond_library(document) => Ok(()),
        Err(error) => Err(format!("the result would be no valid table metadata: {error}")),
    }
}

/// Whether the document has types or transforms that the library does not know.
fn is_beyond_library(document: &Document) -> bool {
    let unknown_type = document.list("schemas").iter().any(|schema| {
        Schema::parse(schema).is_ok_and(|schema| {
            schema.by_id().values().any(|(_, field)| {
                matches!(
                    &field.schema_type,
                    SchemaType::Primitive {
                        field_type: FieldType::Unknown
                            | FieldType::Variant
                            | FieldType::Geometry
                            | FieldType::Geography,
                        ..
                    }
                )
            })
        })
    });
    let unknown_transform = ["partition-specs", "sort-orders"]
        .iter()
        .flat_map(|list| document.list(list))
        .filter_map(|element| element.get("fields")?.as_array())
        .flatten()
        .any(|field| {
            let transform = field.get("transform").and_then(Value::as_str).unwrap_or_default();
            IcebergTransform::parse(transform).is_none() || field.get("source-ids").is_some()
        });
    unknown_type || unknown_transform
}
