// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views. Their metadata stays JSON for whoever knows the format, as that of tables does. No answer here carries what it
//! takes to read a table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::commit_table::{Requirement, Update};
use crate::create_table::{JsonObject, null_as_default};
use crate::table_identifier::{TableIdentifier, TableName};

/// Body of `POST …/views`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CreateViewRequest {
    /// The name of the view in the namespace of the path.
    pub name: TableName,
    /// Where the view shall live; the server chooses without it.
    #[serde(default)]
    pub location: Option<String>,
    /// The schema of the rows that the view answers.
    pub schema: JsonObject,
    /// Its queries; the id of the schema in it is that of `schema`, whatever it says.
    pub view_version: JsonObject,
    /// Properties of the view.
    #[serde(default, deserialize_with = "null_as_default")]
    pub properties: BTreeMap<String, String>,
}

/// Body of `POST …/register-view`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RegisterViewRequest {
    /// The name of the view in the namespace of the path.
    pub name: TableName,
    /// The metadata file to take over.
    pub metadata_location: String,
}

/// Body of `POST …/views/{view}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitViewRequest {
    /// The view once more; when present it must be the one of the path.
    #[serde(default)]
    pub identifier: Option<TableIdentifier>,
    /// What must hold, else nothing changes.
    #[serde(default, deserialize_with = "null_as_default")]
    pub requirements: Vec<Requirement>,
    /// What shall change, in order.
    pub updates: Vec<Update>,
}

/// Answer of load, create, replace and register.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadViewResult<'a> {
    /// The metadata file.
    pub metadata_location: &'a str,
    /// The metadata as stored; written byte for byte.
    pub metadata: &'a RawValue,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CommitViewRequest, CreateViewRequest, RegisterViewRequest};
    use crate::request::parse_body;

    fn body(json: &Value) -> Vec<u8> {
        serde_json::to_vec(json).unwrap()
    }

    #[test]
    fn requests_need_what_the_specification_requires() {
        let whole = json!({"name": "v", "schema": {}, "view-version": {}, "properties": null});
        assert!(parse_body::<CreateViewRequest>(&body(&whole)).is_ok());
        for missing in ["name", "schema", "view-version"] {
            let mut lacking = whole.clone();
            lacking.as_object_mut().unwrap().remove(missing);
            let error = parse_body::<CreateViewRequest>(&body(&lacking))
                .unwrap_err()
                .to_string();
            assert!(error.contains(missing), "{error}");
        }
        assert!(parse_body::<CommitViewRequest>(b"{\"updates\": []}").is_ok());
        assert!(parse_body::<CommitViewRequest>(b"{\"requirements\": []}").is_err());
        assert!(parse_body::<RegisterViewRequest>(b"{\"name\": \"v\"}").is_err());
    }

    #[test]
    fn unknown_members_are_refused() {
        for extra in [
            json!({"name": "v", "schema": {}, "view-version": {}, "stage-create": true}),
            json!({"name": "v", "schema": {}, "view-version": {}, "viewVersion": {}}),
        ] {
            assert!(parse_body::<CreateViewRequest>(&body(&extra)).is_err(), "{extra}");
        }
    }
}
