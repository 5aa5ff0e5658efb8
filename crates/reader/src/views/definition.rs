// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a server says of a view (`LoadViewResult` of the Iceberg REST protocol).

use std::collections::BTreeMap;

use iceberg::spec::Schema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::error::ReaderError;
use crate::table_name::TableName;

/// The current version of a view.
#[derive(Debug, Clone)]
pub(crate) struct ViewDefinition {
    /// Names and types of its columns.
    pub(crate) schema: Schema,
    /// Its SQL, once for each dialect.
    pub(crate) representations: Vec<Representation>,
    /// The catalog of names without one; without it, the view's own.
    pub(crate) default_catalog: Option<String>,
    /// The namespace of names without one.
    pub(crate) default_namespace: Vec<String>,
}

/// SQL in one dialect.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Representation {
    #[serde(rename = "type")]
    #[expect(
        dead_code,
        reason = "looked at before this is parsed; named here since all else is refused"
    )]
    kind: String,
    pub(crate) sql: String,
    pub(crate) dialect: String,
}

/// A member that is not here might restrict something, so it is refused: `read-restrictions` of a view for instance,
/// which no server may send today.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(
    dead_code,
    reason = "members without a use are named since all others are refused"
)]
struct LoadViewAnswer {
    #[serde(default)]
    metadata_location: Option<String>,
    metadata: Metadata,
    #[serde(default)]
    config: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(
    dead_code,
    reason = "members without a use are named since all others are refused"
)]
struct Metadata {
    view_uuid: String,
    format_version: u8,
    location: String,
    schemas: Vec<Json>,
    current_version_id: i64,
    versions: Vec<Json>,
    #[serde(default)]
    version_log: Vec<Json>,
    #[serde(default)]
    properties: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(
    dead_code,
    reason = "members without a use are named since all others are refused"
)]
struct Version {
    version_id: i64,
    schema_id: i64,
    timestamp_ms: i64,
    #[serde(default)]
    summary: BTreeMap<String, String>,
    representations: Vec<Json>,
    #[serde(default)]
    default_catalog: Option<String>,
    default_namespace: Vec<String>,
}

impl ViewDefinition {
    /// Reads an answer; everything unknown is refused.
    ///
    /// # Errors
    /// [`ReaderError::View`].
    pub(crate) fn parse(name: &TableName, body: &str) -> Result<Self, ReaderError> {
        let unusable = |problem: String| ReaderError::View {
            view: name.to_string(),
            problem: format!("the server's answer cannot be used: {problem}"),
        };
        let answer: LoadViewAnswer =
            serde_json::from_str(body).map_err(|cause| unusable(cause.to_string()))?;
        let metadata = answer.metadata;
        if metadata.format_version != 1 {
            return Err(unusable(format!("views of format {}", metadata.format_version)));
        }
        let numbered = |all: Vec<Json>, member: &str, number: i64| {
            let is = |one: &Json| one.get(member).and_then(Json::as_i64) == Some(number);
            all.into_iter()
                .find(is)
                .ok_or_else(|| unusable(format!("no `{member}` {number}")))
        };
        let version = numbered(metadata.versions, "version-id", metadata.current_version_id)?;
        let version: Version =
            serde_json::from_value(version).map_err(|cause| unusable(cause.to_string()))?;
        let schema = numbered(metadata.schemas, "schema-id", version.schema_id)?;
        let schema = serde_json::from_value(schema).map_err(|cause| unusable(cause.to_string()))?;
        let is_sql = |one: &Json| one.get("type").and_then(Json::as_str) == Some("sql");
        let representations = version
            .representations
            .into_iter()
            .filter(is_sql)
            .map(serde_json::from_value)
            .collect::<Result<Vec<Representation>, _>>()
            .map_err(|cause| unusable(cause.to_string()))?;
        Ok(Self {
            schema,
            representations,
            default_catalog: version.default_catalog,
            default_namespace: version.default_namespace,
        })
    }
}
