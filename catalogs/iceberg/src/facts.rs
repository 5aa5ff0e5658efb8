// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The few facts of a metadata file that others need, read without parsing its snapshots.

use std::collections::HashMap;

use lakeward_catalog::loaded_table::{TableFacts, TableMetadata};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::schema::{Schema, int32};
use lakeward_storage::Location;

/// Reads a metadata text of a table that lies where this server reaches.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(text: &str) -> Result<TableMetadata, String> {
    read_at(text, reachable)
}

/// Reads a metadata text of a table whose files this server never opens: its location may be in any storage.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_elsewhere(text: &str) -> Result<TableMetadata, String> {
    read_at(text, anywhere)
}

/// A location that this server reaches, canonical.
pub(crate) fn reachable(location: &str) -> Result<String, String> {
    Location::parse(location)
        .map(|location| location.to_string())
        .map_err(|error| error.to_string())
}

/// Any location; canonical where this server knows what that is.
#[expect(clippy::unnecessary_wraps, reason = "as `reachable`, which it stands for")]
pub(crate) fn anywhere(location: &str) -> Result<String, String> {
    Ok(reachable(location).unwrap_or_else(|_| location.trim_end_matches('/').to_owned()))
}

fn read_at(text: &str, place: fn(&str) -> Result<String, String>) -> Result<TableMetadata, String> {
    let members: HashMap<String, &RawValue> =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))?;
    let version: i64 =
        member(&members, "format-version")?.ok_or_else(|| "`format-version` is missing".to_owned())?;
    if !(1..=3).contains(&version) {
        return Err(format!(
            "format version {version} is not supported; 1, 2 and 3 are"
        ));
    }
    let location: String = member(&members, "location")?.ok_or_else(|| "`location` is missing".to_owned())?;
    let canonical = place(&location)?;
    let uuid = match member::<String>(&members, "table-uuid")? {
        Some(uuid) => Uuid::parse_str(&uuid)
            .map_err(|_| format!("`{uuid}` is no table UUID"))?
            .hyphenated()
            .to_string(),
        None if version == 1 => stand_in_uuid(&location),
        None => return Err("`table-uuid` is missing".to_owned()),
    };
    let schema = current_schema(&members)?;
    let current_snapshot_id = member::<i64>(&members, "current-snapshot-id")?.filter(|id| *id != -1);
    let facts = TableFacts {
        uuid,
        location: canonical,
        schema_id: schema.id,
        fields: schema.restriction_fields(),
        current_snapshot_id,
    };
    let json = serde_json::from_str::<Box<RawValue>>(text).map_err(|error| error.to_string())?;
    Ok(TableMetadata::new(json, digest(text), facts))
}

/// The SHA-256 of a file with this content, as the host remembers it.
pub(crate) fn digest(content: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(content))
}

/// The UUID of a table of format version 1 that never got one: always the same for the same table, so that it can
/// be compared until a commit stores it.
pub(crate) fn stand_in_uuid(location: &str) -> String {
    let digest = Sha256::digest(location.as_bytes());
    let mut bytes = [0_u8; 16];
    for (byte, source) in bytes.iter_mut().zip(digest) {
        *byte = source;
    }
    uuid::Builder::from_custom_bytes(bytes)
        .into_uuid()
        .hyphenated()
        .to_string()
}

fn member<T: DeserializeOwned>(
    members: &HashMap<String, &RawValue>,
    name: &str,
) -> Result<Option<T>, String> {
    match members.get(name) {
        None => Ok(None),
        Some(value) => serde_json::from_str(value.get()).map_err(|error| format!("`{name}`: {error}")),
    }
}

fn current_schema(members: &HashMap<String, &RawValue>) -> Result<Schema, String> {
    let Some(schemas) = member::<Vec<Value>>(members, "schemas")? else {
        let schema = member::<Value>(members, "schema")?
            .ok_or_else(|| "neither `schemas` nor `schema` is there".to_owned())?;
        return Schema::parse(&schema);
    };
    let id: i64 =
        member(members, "current-schema-id")?.ok_or_else(|| "`current-schema-id` is missing".to_owned())?;
    let schema = schemas
        .iter()
        .find(|schema| schema.get("schema-id").and_then(int32).map(i64::from) == Some(id))
        .ok_or_else(|| format!("the current schema {id} is not among `schemas`"))?;
    Schema::parse(schema)
}
