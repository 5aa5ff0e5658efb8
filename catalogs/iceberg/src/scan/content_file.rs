// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files as the protocol tells of them (`ContentFile`).

use iceberg::spec::{DataContentType, DataFile, DataFileFormat, Datum, Literal, PrimitiveLiteral};
use serde_json::{Map, Value, json};

use crate::manifest::{Doubt, Entry};

/// A file without statistics of columns.
///
/// # Errors
/// For a partition that has no form in JSON.
pub(super) fn content_file(entry: &Entry) -> Result<Map<String, Value>, Doubt> {
    let file = &entry.file;
    let content = match file.content_type() {
        DataContentType::Data => "data",
        DataContentType::PositionDeletes => "position-deletes",
        DataContentType::EqualityDeletes => "equality-deletes",
    };
    let format = match file.file_format() {
        DataFileFormat::Avro => "avro",
        DataFileFormat::Orc => "orc",
        DataFileFormat::Parquet => "parquet",
        DataFileFormat::Puffin => "puffin",
    };
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("content", content.into());
    put("file-path", file.file_path().into());
    put("file-format", format.into());
    put("spec-id", entry.spec.into());
    put("partition", partition(entry)?);
    put("file-size-in-bytes", file.file_size_in_bytes().into());
    put("record-count", file.record_count().into());
    if let Some(key) = file.key_metadata() {
        put("key-metadata", hexadecimal(key).into());
    }
    if let Some(offsets) = file.split_offsets() {
        put("split-offsets", offsets.into());
    }
    if let Some(order) = file.sort_order_id() {
        put("sort-order-id", order.into());
    }
    match file.content_type() {
        DataContentType::Data => {
            if let Some(first) = entry.first_row {
                put("first-row-id", first.into());
            }
        }
        DataContentType::EqualityDeletes => {
            put("equality-ids", json!(file.equality_ids().unwrap_or_default()));
        }
        DataContentType::PositionDeletes => {
            if let Some(path) = file.referenced_data_file() {
                put("referenced-data-file", path.into());
            }
            if let Some(offset) = file.content_offset() {
                put("content-offset", offset.into());
            }
            if let Some(size) = file.content_size_in_bytes() {
                put("content-size-in-bytes", size.into());
            }
        }
    }
    Ok(members)
}

/// The values of the fields of the partition spec, in order.
fn partition(entry: &Entry) -> Result<Value, Doubt> {
    let path = entry.file.file_path();
    let fields = entry.partition_type.fields();
    let values = entry.file.partition();
    if values.fields().len() != fields.len() {
        return Err(Doubt::of(format!(
            "the partition of `{path}` is not one of its spec"
        )));
    }
    let value = |(value, field): (Option<&Literal>, &iceberg::spec::NestedFieldRef)| match value {
        None => Ok(Value::Null),
        Some(Literal::Primitive(PrimitiveLiteral::Float(value))) if !value.is_finite() => Err(no_form(path)),
        Some(Literal::Primitive(PrimitiveLiteral::Double(value))) if !value.is_finite() => Err(no_form(path)),
        Some(value) => value
            .clone()
            .try_into_json(&field.field_type)
            .map_err(|error| Doubt::of(format!("the partition of `{path}` cannot be read: {error}"))),
    };
    values.iter().zip(fields).map(value).collect()
}

fn no_form(path: &str) -> Doubt {
    Doubt::of(format!(
        "the partition of `{path}` is no finite number, for which the protocol has no form"
    ))
}

/// Adds what is known of the columns with these ids. Bounds are the bytes of the specification in hexadecimal, as
/// Iceberg's own clients read and write them.
///
/// # Errors
/// For a bound that has no bytes.
pub(super) fn put_statistics(
    members: &mut Map<String, Value>,
    file: &DataFile,
    ids: &[i32],
) -> Result<(), Doubt> {
    let maps = [
        ("column-sizes", file.column_sizes()),
        ("value-counts", file.value_counts()),
        ("null-value-counts", file.null_value_counts()),
        ("nan-value-counts", file.nan_value_counts()),
    ];
    for (name, counts) in maps {
        let of = |id: &i32| counts.get(id).map(|count| (*id, Value::from(*count)));
        put_map(members, name, ids.iter().filter_map(of));
    }
    for (name, bounds) in [
        ("lower-bounds", file.lower_bounds()),
        ("upper-bounds", file.upper_bounds()),
    ] {
        let of = |id: &i32| bounds.get(id).map(|bound| Ok((*id, bytes_of(bound)?)));
        let found: Vec<(i32, Value)> = ids.iter().filter_map(of).collect::<Result<_, Doubt>>()?;
        put_map(members, name, found.into_iter());
    }
    Ok(())
}

fn bytes_of(bound: &Datum) -> Result<Value, Doubt> {
    let bytes = bound.to_bytes();
    let bytes = bytes.map_err(|error| Doubt::of(format!("a bound cannot be read: {error}")))?;
    Ok(hexadecimal(bytes.as_ref()).into())
}

fn put_map(members: &mut Map<String, Value>, name: &str, entries: impl Iterator<Item = (i32, Value)>) {
    let (keys, values): (Vec<i32>, Vec<Value>) = entries.unzip();
    if !keys.is_empty() {
        members.insert(name.to_owned(), json!({ "keys": keys, "values": values }));
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a text does not fail.
            _ = write!(text, "{byte:02X}");
            text
        })
}
