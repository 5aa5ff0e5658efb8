// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Creating and registering tables.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::table_identifier::TableName;

/// Body of `POST …/tables`. Schema, partition specification and sort order stay JSON objects for whoever knows Iceberg's types.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CreateTableRequest {
    /// The name of the table in the namespace of the path.
    pub name: TableName,
    /// Where the table shall live; the server chooses without it.
    #[serde(default)]
    pub location: Option<String>,
    /// The schema; field ids are assigned anew.
    pub schema: JsonObject,
    /// The partition specification.
    #[serde(default)]
    pub partition_spec: Option<JsonObject>,
    /// The sort order.
    #[serde(default)]
    pub write_order: Option<JsonObject>,
    /// Only prepare the table: nothing exists until a commit with `assert-create`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub stage_create: bool,
    /// Properties of the table.
    #[serde(default, deserialize_with = "null_as_default")]
    pub properties: BTreeMap<String, String>,
}

/// Body of `POST …/register`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RegisterTableRequest {
    /// The name of the table in the namespace of the path.
    pub name: TableName,
    /// The metadata file to take over.
    pub metadata_location: String,
    /// Whether an existing table of that name shall be replaced.
    #[serde(default, deserialize_with = "null_as_default")]
    pub overwrite: bool,
}

/// A JSON object of which nothing but that is known here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub struct JsonObject(Value);

impl JsonObject {
    /// The object.
    pub fn as_json(&self) -> &Value {
        &self.0
    }

    /// The object.
    pub fn into_json(self) -> Value {
        self.0
    }
}

impl TryFrom<Value> for JsonObject {
    type Error = &'static str;

    fn try_from(json: Value) -> Result<Self, &'static str> {
        if json.is_object() {
            Ok(Self(json))
        } else {
            Err("a JSON object was expected")
        }
    }
}

/// Clients write `null` for what they leave out.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests;
