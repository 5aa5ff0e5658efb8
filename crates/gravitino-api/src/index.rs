// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Indexes. Their types are written in upper case, alone among the enums of this protocol.

use lakeward_metadata::index::Index;
use serde_json::{Map, Value, json};

use crate::json_object::{Members, field_path};
use crate::request::RequestError;

/// Writes an index.
pub fn to_json(index: &Index) -> Value {
    let mut object = Map::new();
    object.insert("indexType".to_owned(), json!(index.index_type.as_str()));
    if let Some(name) = &index.name {
        object.insert("name".to_owned(), json!(name));
    }
    object.insert("fieldNames".to_owned(), json!(index.fields));
    object.insert("properties".to_owned(), json!(index.properties));
    Value::Object(object)
}

/// Reads an index; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown types and for unknown, missing or wrong members.
pub fn from_json(value: &Value, path: &str) -> Result<Index, RequestError> {
    let members = Members::of(value, path)?.only(&["indexType", "name", "fieldNames", "properties"])?;
    let index_type = members
        .required_text("indexType")?
        .parse()
        .map_err(|error| RequestError::invalid(members.at("indexType"), error))?;
    let fields = members.each("fieldNames", field_path)?;
    if fields.is_empty() {
        return Err(RequestError::Missing(members.at("fieldNames")));
    }
    Ok(Index {
        index_type,
        name: members.text("name")?.map(str::to_owned),
        fields,
        properties: members.properties("properties")?,
    })
}
