// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Updates of statistics files, one per snapshot and kind.

use lakeward_catalog::error::CatalogError;
use serde_json::Value;

use crate::commit::{Commit, int, object, text};
use lakeward_storage::Location;

/// Which statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `statistics`
    Table,
    /// `partition-statistics`
    Partition,
}

impl Kind {
    const fn list(self) -> &'static str {
        match self {
            Self::Table => "statistics",
            Self::Partition => "partition-statistics",
        }
    }
}

/// `set-statistics`, `set-partition-statistics`: replaces what the snapshot had.
pub(crate) fn set(commit: &mut Commit<'_>, update: &Value, kind: Kind) -> Result<(), CatalogError> {
    let file = object(update, kind.list())?;
    let snapshot = int(file, "snapshot-id")?;
    let path = text(file, "statistics-path")?;
    int(file, "file-size-in-bytes")?;
    if let Ok(location) = commit.document.text("location") {
        commit.policy.check_part(&Location::parse(location)?, path)?;
    }
    let files = commit
        .document
        .list_mut(kind.list())
        .map_err(CatalogError::Invalid)?;
    files.retain(|known| known.get("snapshot-id").and_then(Value::as_i64) != Some(snapshot));
    files.push(file.clone());
    Ok(())
}

/// `remove-statistics`, `remove-partition-statistics`: a missing one is no error.
pub(crate) fn remove(commit: &mut Commit<'_>, update: &Value, kind: Kind) -> Result<(), CatalogError> {
    let snapshot = int(update, "snapshot-id")?;
    commit
        .document
        .list_mut(kind.list())
        .map_err(CatalogError::Invalid)?
        .retain(|known| known.get("snapshot-id").and_then(Value::as_i64) != Some(snapshot));
    Ok(())
}
