// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A load-table answer as a reader receives it.

use std::collections::BTreeMap;

use lakeward_read_restrictions::error::ReaderError;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::schema::{SchemaError, fields_from_schema};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::load_table::StorageCredential;

/// The answer. Members that we do not know are passed over, since the protocol may grow; the known ones occur once each,
/// and inside `read-restrictions` nothing unknown is passed over.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadTableResponse {
    /// The metadata file.
    #[serde(default)]
    pub metadata_location: Option<String>,
    /// The metadata, as received.
    pub metadata: Box<RawValue>,
    /// Properties for the client.
    #[serde(default, deserialize_with = "null_as_default")]
    pub config: BTreeMap<String, String>,
    /// Credentials.
    #[serde(default, deserialize_with = "null_as_default")]
    pub storage_credentials: Vec<StorageCredential>,
    /// The restrictions as received, not yet understood; use [`Self::restrictions`].
    #[serde(default)]
    pub read_restrictions: Option<Box<RawValue>>,
}

/// An answer that a reader cannot use.
#[derive(Debug, thiserror::Error)]
pub enum LoadTableError {
    /// No load-table answer.
    #[error("the answer is not a load-table result: {0}")]
    Answer(String),
    /// The metadata has no current schema.
    #[error("the table metadata has no current schema: {0}")]
    NoCurrentSchema(&'static str),
    /// The schema is not understood.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The restrictions are not understood completely.
    #[error(transparent)]
    Restrictions(#[from] ReaderError),
}

impl LoadTableResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// [`LoadTableError::Answer`] when it is no load-table result, or a known member is repeated.
    pub fn parse(body: &[u8]) -> Result<Self, LoadTableError> {
        serde_json::from_slice(body).map_err(|error| LoadTableError::Answer(error.to_string()))
    }

    /// The top-level fields of the current schema.
    ///
    /// # Errors
    /// [`LoadTableError`] when there is no such schema, or it is not understood.
    pub fn current_fields(&self) -> Result<Vec<Field>, LoadTableError> {
        let metadata: Value = serde_json::from_str(self.metadata.get())
            .map_err(|error| LoadTableError::Answer(error.to_string()))?;
        Ok(fields_from_schema(current_schema(&metadata)?)?)
    }

    /// What the reader must enforce, checked against the current schema. An answer without the member restricts nothing.
    ///
    /// # Errors
    /// [`LoadTableError`] when anything of it is not understood; the reader then returns no row.
    pub fn restrictions(&self) -> Result<ReadRestrictions, LoadTableError> {
        match &self.read_restrictions {
            None => Ok(ReadRestrictions::none()),
            Some(text) => Ok(ReadRestrictions::parse_text(text.get(), &self.current_fields()?)?),
        }
    }
}

/// The current schema of table metadata of any format version.
///
/// # Errors
/// [`LoadTableError::NoCurrentSchema`] when none, or more than one, is the current one.
pub fn current_schema(metadata: &Value) -> Result<&Value, LoadTableError> {
    let Some(schemas) = metadata.get("schemas") else {
        // Format version 1 before schemas had ids.
        return metadata.get("schema").ok_or(LoadTableError::NoCurrentSchema(
            "neither `schemas` nor `schema` is there",
        ));
    };
    let Some(id) = metadata.get("current-schema-id").and_then(Value::as_i64) else {
        return Err(LoadTableError::NoCurrentSchema(
            "`current-schema-id` is no integer",
        ));
    };
    let mut current = schemas
        .as_array()
        .into_iter()
        .flatten()
        .filter(|schema| schema.get("schema-id").and_then(Value::as_i64) == Some(id));
    match (current.next(), current.next()) {
        (Some(schema), None) => Ok(schema),
        (None, _) => Err(LoadTableError::NoCurrentSchema(
            "no schema has the id `current-schema-id`",
        )),
        (Some(_), Some(_)) => Err(LoadTableError::NoCurrentSchema(
            "several schemas have the id `current-schema-id`",
        )),
    }
}

fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests;
