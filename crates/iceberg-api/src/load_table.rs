// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers that carry table metadata or credentials. They can be made from [`Governed`] alone, so nothing leaves that
//! did not pass the gate, and restrictions cannot be left behind.

use std::collections::BTreeMap;
use std::fmt;

use lakeward_read_restrictions::admission::Governed;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::request::RequestError;

/// What of a table is answered.
#[derive(Clone)]
pub struct TableContents<'a> {
    /// The metadata file; `None` for a staged table.
    pub metadata_location: Option<&'a str>,
    /// The metadata as stored; written byte for byte.
    pub metadata: &'a RawValue,
    /// Properties for the client.
    pub config: BTreeMap<String, String>,
    /// Credentials, the longest matching prefix counts.
    pub storage_credentials: Vec<StorageCredential>,
}

// The properties may hold a credential, which must not reach a log by way of a derived implementation.
impl fmt::Debug for TableContents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableContents")
            .field("metadata_location", &self.metadata_location)
            .finish_non_exhaustive()
    }
}

/// A credential for everything below a location.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorageCredential {
    /// The location that the credential is for.
    pub prefix: String,
    /// The credential as client properties.
    pub config: BTreeMap<String, String>,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for StorageCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StorageCredential")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// Answer of load, create, commit and register.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadTableResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata_location: Option<&'a str>,
    metadata: &'a RawValue,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    config: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    storage_credentials: Vec<StorageCredential>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_restrictions: Option<ReadRestrictions>,
}

// As of `TableContents`.
impl fmt::Debug for LoadTableResult<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadTableResult")
            .field("metadata_location", &self.metadata_location)
            .finish_non_exhaustive()
    }
}

impl<'a> LoadTableResult<'a> {
    /// The answer for what the gate let through.
    pub fn new(governed: Governed<TableContents<'a>>) -> Self {
        let (contents, read_restrictions) = governed.into_parts();
        Self {
            metadata_location: contents.metadata_location,
            metadata: contents.metadata,
            config: contents.config,
            storage_credentials: contents.storage_credentials,
            read_restrictions,
        }
    }
}

/// Answer of `GET …/credentials`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadCredentialsResponse {
    storage_credentials: Vec<StorageCredential>,
}

impl LoadCredentialsResponse {
    /// The answer for credentials that the gate let through. Restrictions have no place in this answer: the reader learned them
    /// when it loaded the table.
    pub fn new(governed: Governed<Vec<StorageCredential>>) -> Self {
        let (storage_credentials, _) = governed.into_parts();
        Self { storage_credentials }
    }
}

/// Which snapshots are answered (`snapshots=`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SnapshotsMode {
    /// `all`, also when nothing is said.
    #[default]
    All,
    /// `refs`: those that a branch or tag refers to.
    Refs,
}

impl SnapshotsMode {
    /// From the query parameter `snapshots`.
    ///
    /// # Errors
    /// [`RequestError::Parameter`] for any other value.
    pub fn new(parameter: Option<&str>) -> Result<Self, RequestError> {
        match parameter {
            None | Some("all") => Ok(Self::All),
            Some("refs") => Ok(Self::Refs),
            Some(other) => Err(RequestError::Parameter {
                name: "snapshots",
                problem: format!("`{other}` is neither `all` nor `refs`"),
            }),
        }
    }

    /// The value of the parameter; also a part of the representation in the cache identity.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Refs => "refs",
        }
    }
}

#[cfg(test)]
mod tests;
