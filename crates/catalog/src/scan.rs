// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Scans that a provider plans: which files hold the rows that a filter asks for, and which deletes go with them.
//!
//! A scan is first *pinned* to snapshots and a schema, which never change; its tasks then come in parts. So a part means
//! the same whenever and by whichever server it is asked for, and nothing has to be kept in between.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A scan in the words of the Iceberg REST protocol (`PlanTableScanRequest`).
#[derive(Debug, Clone, PartialEq)]
pub struct IcebergScan {
    /// Which rows: those of a snapshot, or those that were appended between two.
    pub version: ScanVersion,
    /// `select`: names of columns; `None` for all.
    pub select: Option<Vec<String>>,
    /// `filter`: an expression as JSON; `None` for every row.
    pub filter: Option<Value>,
    /// `case-sensitive`: how names are compared.
    pub case_sensitive: bool,
    /// `use-snapshot-schema`: whether names are those of the snapshot's schema instead of the table's.
    pub use_snapshot_schema: bool,
    /// `stats-fields`: names of columns of which tasks carry statistics.
    pub stats_fields: Vec<String>,
}

/// Which rows of a table's history a scan reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanVersion {
    /// The rows of the newest snapshot of the main branch.
    Current,
    /// The rows of this snapshot.
    At(i64),
    /// The rows that append snapshots after the first (exclusive) up to the second (inclusive) added.
    Between(i64, i64),
}

/// A scan that means the same for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PinnedScan {
    /// The snapshots; [`ScanVersion::Current`] only for a table that had none.
    pub version: ScanVersion,
    /// The schema that names of the filter belong to.
    pub schema_id: i32,
    /// The filter, checked against that schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Value>,
    /// How names of the filter are compared.
    pub case_sensitive: bool,
    /// The field ids of which tasks carry statistics, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stats_fields: Vec<i32>,
}

/// A part of the tasks of a scan: a range of the manifests that its snapshot lists, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScanPart {
    /// The first manifest.
    pub first: usize,
    /// How many entries of the first manifest are in parts before.
    pub skipped: usize,
    /// The manifest after the last; `None` for all that there are, which are then divided.
    pub end: Option<usize>,
}

/// Tasks of a scan, in the words of the Iceberg REST protocol (`ScanTasks`).
#[derive(Debug, Clone, Default)]
pub struct ScanTasks {
    /// `file-scan-tasks`
    pub tasks: Vec<Box<RawValue>>,
    /// `delete-files`, to which tasks refer by position.
    pub deletes: Vec<Box<RawValue>>,
    /// The parts that are still to be asked for.
    pub rest: Vec<ScanPart>,
}
