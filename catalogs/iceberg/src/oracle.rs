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
    check_times(document)?;
    let text = document.to_text()?;
    let opinion = std::panic::catch_unwind(|| serde_json::from_str::<TableMetadata>(&text).map(drop));
    match opinion {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) if is_beyond_library(document) => Ok(()),
        Ok(Err(error)) => Err(format!("the result would be no valid table metadata: {error}")),
        // The library calculates with what it reads, and does not check all of it before.
        Err(_panic) => Err("the result would be no valid table metadata: it cannot be read".to_owned()),
    }
}

/// Refuses times that no clock shows; the library takes differences of them.
fn check_times(document: &Document) -> Result<(), String> {
    /// The end of the year 9999.
    const LATEST_MS: i64 = 253_402_300_799_999;
    let check = |time: Option<&Value>, of: &str| match time.and_then(Value::as_i64) {
        Some(time) if !(0..=LATEST_MS).contains(&time) => Err(format!(
            "the time {time} of `{of}` is not between the years 1970 and 9999"
        )),
        Some(_) | None => Ok(()),
    };
    check(document.get("last-updated-ms"), "last-updated-ms")?;
    for list in ["snapshots", "snapshot-log", "metadata-log"] {
        for element in document.list(list) {
            check(element.get("timestamp-ms"), list)?;
        }
    }
    Ok(())
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
