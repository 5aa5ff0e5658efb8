// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Table metadata as a provider loads it: the stored bytes, and the few facts that others need from them.

use std::sync::{Arc, OnceLock};

use lakeward_read_restrictions::field::Field;
use serde_json::value::RawValue;

use crate::error::CatalogError;
use crate::snapshot_references::keep_referenced_snapshots;

/// What resolution, the store and caches need to know of one version of a table's metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFacts {
    /// The table's UUID, in lower case with hyphens.
    pub uuid: String,
    /// The table's base location, canonical.
    pub location: String,
    /// Id of the current schema.
    pub schema_id: i32,
    /// The top-level fields of the current schema, in order.
    pub fields: Vec<Field>,
    /// The current snapshot of the main branch; `None` for a table without one.
    pub current_snapshot_id: Option<i64>,
}

/// One immutable version of a table's metadata.
#[derive(Debug)]
pub struct TableMetadata {
    json: Box<RawValue>,
    digest: String,
    referenced_only: OnceLock<Box<RawValue>>,
    facts: TableFacts,
}

impl TableMetadata {
    /// Joins the stored text, the SHA-256 of its file in hexadecimal digits, and the facts read from it.
    pub fn new(json: Box<RawValue>, digest: String, facts: TableFacts) -> Self {
        Self {
            json,
            digest,
            referenced_only: OnceLock::new(),
            facts,
        }
    }

    /// The stored JSON text, unchanged.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    /// The SHA-256 of the file's bytes, as [`crate::metadata_file::MetadataFile::digest`] has it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The text with only those snapshots that some branch or tag refers to (`snapshots=refs`); made once and
    /// kept.
    ///
    /// # Errors
    /// [`CatalogError::MetadataInvalid`] when `refs` or `snapshots` are not what the specification says.
    pub fn json_with_referenced_snapshots(&self) -> Result<&RawValue, CatalogError> {
        if let Some(kept) = self.referenced_only.get() {
            return Ok(kept);
        }
        let kept = keep_referenced_snapshots(&self.json).map_err(|reason| CatalogError::MetadataInvalid {
            location: self.facts.location.clone(),
            reason,
        })?;
        Ok(self.referenced_only.get_or_init(|| kept))
    }

    /// The facts.
    pub fn facts(&self) -> &TableFacts {
        &self.facts
    }
}

/// A version of a table, with the file it is stored in. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LoadedTable {
    /// The location of the metadata file. For a planned version the file does not exist yet.
    pub metadata_location: String,
    /// The metadata.
    pub metadata: Arc<TableMetadata>,
}
