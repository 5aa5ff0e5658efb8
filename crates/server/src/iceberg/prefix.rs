// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a prefix to metalake and catalog, and from the levels of a namespace to the full name of a schema: once, before
//! the target is built, so that what is authorized is what is used.

use lakeward_iceberg_api::namespace::Namespace;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;

use super::request::refuse;
use crate::app::App;
use crate::http::parts::Parts;

/// What every path begins with that speaks of a catalog.
pub const PREFIXED: &str = "/v1/{prefix}";

/// Adds the parameters `metalake`, `catalog` and, where the path has a namespace, `schema`.
///
/// # Errors
/// [`OperationError::NotFound`] for a prefix that can mean no catalog, [`OperationError::Invalid`] for a namespace that
/// can be none.
pub async fn resolve(app: &App, pattern: &str, parts: &mut Parts) -> Result<(), OperationError> {
    if !pattern.starts_with(PREFIXED) {
        return Ok(());
    }
    let catalog = app
        .operations
        .iceberg_catalog(parts.optional_path("prefix"))
        .await?;
    let schema = match parts.optional_path("namespace") {
        None => None,
        Some(namespace) => {
            let namespace = Namespace::from_decoded(namespace).map_err(refuse)?;
            Some(full_name(app, &namespace)?)
        }
    };
    parts.put("metalake", catalog.metalake);
    parts.put("catalog", catalog.catalog);
    if let Some(schema) = schema {
        parts.put("schema", schema);
    }
    Ok(())
}

/// The full name of the schema that a namespace is. A level with the separator in it would be two levels.
///
/// # Errors
/// [`OperationError::Invalid`].
pub fn full_name(app: &App, namespace: &Namespace) -> Result<String, OperationError> {
    let separator = app.operations.store().schema_separator();
    for level in namespace.levels() {
        if !separator.is_empty() && level.contains(separator) {
            return Err(OperationError::mistake(
                Mistake::Namespace,
                format!(
                    "the level `{level}` of a namespace must not contain the schema separator `{separator}`"
                ),
            ));
        }
    }
    if separator.is_empty() && namespace.levels().len() > 1 {
        return Err(OperationError::mistake(
            Mistake::Namespace,
            "namespaces do not nest on this server",
        ));
    }
    Ok(namespace.levels().join(separator))
}
