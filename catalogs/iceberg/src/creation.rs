// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The first version of a new table's metadata.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::IcebergTableCreation;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::document::{Document, PARTITION_FIELD_ID_START};
use crate::fresh_ids::FreshIds;
use crate::layout::{bind_partition_fields, bind_sort_fields};
use crate::property_updates::check_property_names;
use crate::schema::Schema;
use crate::schema_updates::check_version;

/// The format version of a table that does not ask for one.
pub(crate) const DEFAULT_FORMAT_VERSION: i64 = 2;
/// The property that asks for a format version; it is not stored.
pub(crate) const FORMAT_VERSION: &str = "format-version";
/// Stored with every new table, as the Java reference does, so that a later change of its default changes nothing.
const CODEC: (&str, &str) = ("write.parquet.compression-codec", "zstd");

/// Builds the metadata of a new table.
///
/// # Errors
/// [`CatalogError::Invalid`] with what is wrong in schema, spec, order or properties.
pub(crate) fn first_version(
    creation: &IcebergTableCreation,
    location: &str,
    now_ms: i64,
) -> Result<Document, CatalogError> {
    let mut properties = creation.properties.clone();
    let version = match properties.remove(FORMAT_VERSION) {
        None => DEFAULT_FORMAT_VERSION,
        Some(text) => text
            .parse()
            .ok()
            .filter(|version| (1..=3).contains(version))
            .ok_or_else(|| {
                CatalogError::Invalid(format!(
                    "`{text}` is not a supported value of the property `format-version`; 1, 2 and 3 are"
                ))
            })?,
    };
    check_property_names(properties.keys()).map_err(CatalogError::Invalid)?;
    properties
        .entry(CODEC.0.to_owned())
        .or_insert_with(|| CODEC.1.to_owned());

    let (schema, ids) = FreshIds::assign(&creation.schema).map_err(in_part("schema"))?;
    let parsed = Schema::parse(&schema).map_err(in_part("schema"))?;
    check_version(&parsed, version).map_err(in_part("schema"))?;
    let nothing = json!([]);
    let spec = creation.partition_spec.as_ref().unwrap_or(&nothing);
    // A new table numbers its partition fields afresh, whatever the caller wrote.
    let spec = without_field_ids(spec);
    let (spec_fields, last_partition_id) = bind_partition_fields(
        &spec,
        &parsed,
        |old| ids.fresh(old),
        &[],
        PARTITION_FIELD_ID_START,
    )
    .map_err(in_part("partition-spec"))?;
    let order = creation.write_order.as_ref().unwrap_or(&nothing);
    let order_fields =
        bind_sort_fields(order, &parsed, |old| ids.fresh(old)).map_err(in_part("write-order"))?;
    let order_id = i32::from(!order_fields.is_empty());

    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("format-version", json!(version));
    put("table-uuid", json!(Uuid::new_v4().hyphenated().to_string()));
    put("location", json!(location));
    if version >= 2 {
        put("last-sequence-number", json!(0));
    }
    put("last-updated-ms", json!(now_ms));
    put("last-column-id", json!(ids.last()));
    put("current-schema-id", json!(0));
    put("schemas", json!([schema]));
    put("default-spec-id", json!(0));
    put(
        "partition-specs",
        json!([{ "spec-id": 0, "fields": spec_fields }]),
    );
    put("last-partition-id", json!(last_partition_id));
    put("default-sort-order-id", json!(order_id));
    put(
        "sort-orders",
        json!([{ "order-id": order_id, "fields": order_fields }]),
    );
    put("properties", json!(properties));
    put(
        "current-snapshot-id",
        if version >= 3 { Value::Null } else { json!(-1) },
    );
    if version >= 3 {
        put("next-row-id", json!(0));
    }
    put("refs", json!({}));
    for list in [
        "snapshots",
        "statistics",
        "partition-statistics",
        "snapshot-log",
        "metadata-log",
    ] {
        put(list, json!([]));
    }
    let mut document = Document::of(members);
    document.write_legacy_members().map_err(CatalogError::Invalid)?;
    Ok(document)
}

/// The empty document that a commit with `assert-create` builds upon.
pub(crate) fn empty_document(format_version: i64) -> Document {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("format-version", json!(format_version));
    if format_version >= 2 {
        put("last-sequence-number", json!(0));
    }
    put("last-column-id", json!(0));
    put("last-partition-id", json!(PARTITION_FIELD_ID_START));
    put("properties", json!({}));
    put(
        "current-snapshot-id",
        if format_version >= 3 {
            Value::Null
        } else {
            json!(-1)
        },
    );
    if format_version >= 3 {
        put("next-row-id", json!(0));
    }
    put("refs", json!({}));
    for list in [
        "schemas",
        "partition-specs",
        "sort-orders",
        "snapshots",
        "statistics",
        "partition-statistics",
        "snapshot-log",
        "metadata-log",
    ] {
        put(list, json!([]));
    }
    Document::of(members)
}

fn in_part(part: &'static str) -> impl Fn(String) -> CatalogError {
    move |flaw| CatalogError::Invalid(format!("`{part}`: {flaw}"))
}

fn without_field_ids(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let fields = match &mut spec {
        Value::Array(fields) => Some(fields),
        Value::Object(members) => members.get_mut("fields").and_then(Value::as_array_mut),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    for field in fields.into_iter().flatten().filter_map(Value::as_object_mut) {
        field.shift_remove("field-id");
    }
    spec
}
