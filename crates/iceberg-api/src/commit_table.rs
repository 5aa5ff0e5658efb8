// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Committing to a table: what must hold, and what shall change. Both stay JSON beyond their kind.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::table_identifier::TableIdentifier;

/// Body of `POST …/tables/{table}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitTableRequest {
    /// The table once more; when present it must be the one of the path.
    #[serde(default)]
    pub identifier: Option<TableIdentifier>,
    /// What must hold, else nothing changes.
    #[serde(default)]
    pub requirements: Vec<Requirement>,
    /// What shall change, in order.
    #[serde(default)]
    pub updates: Vec<Update>,
}

/// Body of `POST …/transactions/commit`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommitTransactionRequest {
    /// One commit for each table; each names its table.
    pub table_changes: Vec<CommitTableRequest>,
}

impl CommitTableRequest {
    /// Whether the commit creates the table (`assert-create`).
    pub fn creates(&self) -> bool {
        self.requirements
            .iter()
            .any(|requirement| requirement.kind == "assert-create")
    }
}

/// One requirement.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Requirement {
    /// Its member `type`, for instance `assert-table-uuid`.
    pub kind: String,
    /// The whole object.
    pub body: Map<String, Value>,
}

/// One update.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Update {
    /// Its member `action`, for instance `add-snapshot`.
    pub action: String,
    /// The whole object.
    pub body: Map<String, Value>,
}

impl TryFrom<Map<String, Value>> for Requirement {
    type Error = &'static str;

    fn try_from(body: Map<String, Value>) -> Result<Self, &'static str> {
        match body.get("type").and_then(Value::as_str) {
            Some(kind) => Ok(Self {
                kind: kind.to_owned(),
                body,
            }),
            None => Err("a requirement has a member `type`, a string"),
        }
    }
}

impl TryFrom<Map<String, Value>> for Update {
    type Error = &'static str;

    fn try_from(body: Map<String, Value>) -> Result<Self, &'static str> {
        match body.get("action").and_then(Value::as_str) {
            Some(action) => Ok(Self {
                action: action.to_owned(),
                body,
            }),
            None => Err("an update has a member `action`, a string"),
        }
    }
}

#[cfg(test)]
mod tests;
