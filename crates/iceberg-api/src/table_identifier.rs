// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Naming tables: identifiers, lists, renaming.

use serde::{Deserialize, Serialize};

use crate::namespace::Namespace;
use crate::request::RequestError;

/// A table or view in its namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableIdentifier {
    /// The namespace.
    pub namespace: Namespace,
    /// The name.
    pub name: TableName,
}

/// The name of a table; not empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TableName(String);

impl TableName {
    /// Takes a name.
    ///
    /// # Errors
    /// [`RequestError::Body`] when it is empty.
    pub fn new(name: String) -> Result<Self, RequestError> {
        if name.is_empty() {
            return Err(RequestError::Body("a table name is not empty".to_owned()));
        }
        Ok(Self(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TableName {
    type Error = RequestError;

    fn try_from(name: String) -> Result<Self, RequestError> {
        Self::new(name)
    }
}

impl From<TableName> for String {
    fn from(name: TableName) -> Self {
        name.0
    }
}

/// Answer of `GET …/tables`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListTablesResponse {
    /// The tables.
    pub identifiers: Vec<TableIdentifier>,
    /// How to ask for the next page; `null` on the last.
    #[serde(default)]
    pub next_page_token: Option<String>,
}

/// Body of `POST …/tables/rename`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameTableRequest {
    /// The table as it is called.
    pub source: TableIdentifier,
    /// What it shall be called.
    pub destination: TableIdentifier,
}

#[cfg(test)]
mod tests;
