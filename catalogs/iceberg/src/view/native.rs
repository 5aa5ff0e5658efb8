// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views in native words, and native changes as commits.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_catalog::view_catalog::{DescribedView, IcebergViewCreation, ViewPlace};
use lakeward_metadata::Properties;
use lakeward_metadata::view::{ViewBody, ViewChange, ViewRepresentation};
use serde_json::{Map, Value, json};

use crate::document::{Document, Flaw};
use crate::native::create::schema_json;
use crate::native::describe::{COMMENT, column};
use crate::schema::{Schema, int32};

/// The native property that says where a new view lies. It is no property of the format.
const LOCATION: &str = "location";

/// A native view as a creation.
///
/// # Errors
/// [`CatalogError::Invalid`] for types that Iceberg does not have.
pub(super) fn creation(
    place: ViewPlace<'_>,
    described: &DescribedView,
    now_ms: i64,
) -> Result<IcebergViewCreation, CatalogError> {
    let mut properties = described.properties.clone();
    let location = properties.remove(LOCATION);
    if let Some(comment) = &described.body.comment {
        properties.insert(COMMENT.to_owned(), comment.clone());
    }
    let namespace = default_namespace(&described.body, place).unwrap_or_else(|| json!(place.place.namespace));
    Ok(IcebergViewCreation {
        schema: schema_json(&described.body.columns).map_err(CatalogError::Invalid)?,
        location,
        view_version: version(&described.body, namespace, "create", now_ms),
        properties,
    })
}

/// Native changes as a commit.
///
/// # Errors
/// [`CatalogError::Invalid`].
pub(super) fn commit(
    place: ViewPlace<'_>,
    document: &Document,
    changes: &[ViewChange],
    now_ms: i64,
) -> Result<IcebergCommit, CatalogError> {
    let mut updates = Vec::new();
    let mut set = |name: &str, value: Option<&str>| {
        updates.push(match value {
            Some(value) => json!({ "action": "set-properties", "updates": { name: value } }),
            None => json!({ "action": "remove-properties", "removals": [name] }),
        });
    };
    let mut body = None;
    for change in changes {
        match change {
            ViewChange::Rename(_) => {
                return Err(CatalogError::Unsupported(
                    "a rename is not a change of metadata".to_owned(),
                ));
            }
            ViewChange::SetProperty { property, .. } | ViewChange::RemoveProperty(property)
                if property == LOCATION =>
            {
                return Err(CatalogError::Invalid(
                    "the property `location` of a view is said when it is created and cannot be changed here"
                        .to_owned(),
                ));
            }
            ViewChange::SetProperty { property, value } => set(property, Some(value)),
            ViewChange::RemoveProperty(property) => set(property, None),
            ViewChange::Replace(replaced) => {
                set(COMMENT, replaced.comment.as_deref());
                body = Some(replaced);
            }
        }
    }
    if let Some(body) = body {
        // Who names no schema keeps the one that the view has.
        let namespace = default_namespace(body, place)
            .or_else(|| current_version(document)?.get("default-namespace").cloned())
            .unwrap_or_else(|| json!(place.place.namespace));
        let schema = schema_json(&body.columns).map_err(CatalogError::Invalid)?;
        updates.push(json!({ "action": "add-schema", "schema": schema }));
        updates.push(json!({
            "action": "add-view-version",
            "view-version": version(body, namespace, "alter", now_ms),
        }));
        updates.push(json!({ "action": "set-current-view-version", "view-version-id": -1 }));
    }
    Ok(IcebergCommit {
        requirements: Vec::new(),
        updates,
    })
}

/// A version in native words.
///
/// # Errors
/// What does not fit together in the metadata.
pub(crate) fn describe(document: &Document, separator: &str) -> Result<DescribedView, Flaw> {
    let version = current_version(document).ok_or("there is no current version")?;
    let schema = version.get("schema-id").and_then(int32).unwrap_or(0);
    let schema: Schema = document.schema(schema)?;
    let mut properties: Properties = document
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    let comment = properties.remove(COMMENT);
    let levels: Vec<&str> = version
        .get("default-namespace")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let representations = version
        .get("representations")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| {
            Some(ViewRepresentation {
                dialect: one.get("dialect")?.as_str()?.to_owned(),
                sql: one.get("sql")?.as_str()?.to_owned(),
            })
        })
        .collect();
    Ok(DescribedView {
        body: ViewBody {
            comment,
            columns: schema.fields.iter().map(column).collect(),
            representations,
            default_catalog: version
                .get("default-catalog")
                .and_then(Value::as_str)
                .map(str::to_owned),
            default_schema: (!levels.is_empty()).then(|| levels.join(separator)),
        },
        properties,
    })
}

fn current_version(document: &Document) -> Option<&Value> {
    document.element("versions", "version-id", document.int("current-version-id").ok()?)
}

fn default_namespace(body: &ViewBody, place: ViewPlace<'_>) -> Option<Value> {
    let name = body.default_schema.as_deref()?;
    if place.separator.is_empty() {
        return Some(json!([name]));
    }
    Some(json!(name.split(place.separator).collect::<Vec<_>>()))
}

fn version(body: &ViewBody, namespace: Value, operation: &str, now_ms: i64) -> Value {
    let representations: Vec<Value> = body
        .representations
        .iter()
        .map(|one| json!({ "type": "sql", "sql": one.sql, "dialect": one.dialect }))
        .collect();
    let mut members = Map::new();
    members.insert("version-id".to_owned(), json!(1));
    members.insert("timestamp-ms".to_owned(), json!(now_ms));
    members.insert("schema-id".to_owned(), json!(-1));
    members.insert("summary".to_owned(), json!({ "operation": operation }));
    members.insert("representations".to_owned(), json!(representations));
    if let Some(catalog) = &body.default_catalog {
        members.insert("default-catalog".to_owned(), json!(catalog));
    }
    members.insert("default-namespace".to_owned(), namespace);
    Value::Object(members)
}
