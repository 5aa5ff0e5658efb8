// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Scan planning: which files a client has to read.

use lakeward_read_restrictions::admission::Governed;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::create_table::null_as_default;

/// Body of `POST …/plan`. The filter stays JSON for whoever knows the table's schema.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Members")]
pub struct PlanTableScanRequest {
    /// Which rows of the table's history.
    pub version: WantedVersion,
    /// The columns that are read, by full name; `None` for all.
    pub select: Option<Vec<String>>,
    /// Which rows; `None` for all.
    pub filter: Option<Value>,
    /// Whether names of columns are compared with their case.
    pub case_sensitive: bool,
    /// Whether names are those of the schema of the snapshot instead of the table's current one.
    pub use_snapshot_schema: bool,
    /// The columns whose statistics the answer shall carry, by full name.
    pub stats_fields: Vec<String>,
}

/// Which rows of a table's history a scan reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedVersion {
    /// Those of the newest snapshot of the main branch.
    Current,
    /// Those of the snapshot with this id.
    At(i64),
    /// Those appended after the first snapshot, up to the second.
    Between(i64, i64),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Members {
    snapshot_id: Option<i64>,
    start_snapshot_id: Option<i64>,
    end_snapshot_id: Option<i64>,
    select: Option<Vec<String>>,
    filter: Option<Value>,
    /// A hint that the scan may end early. It may always go on.
    min_rows_requested: Option<i64>,
    case_sensitive: Option<bool>,
    #[serde(default, deserialize_with = "null_as_default")]
    use_snapshot_schema: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    stats_fields: Vec<String>,
}

impl TryFrom<Members> for PlanTableScanRequest {
    type Error = &'static str;

    fn try_from(members: Members) -> Result<Self, &'static str> {
        let version = match (
            members.snapshot_id,
            members.start_snapshot_id,
            members.end_snapshot_id,
        ) {
            (None, None, None) => WantedVersion::Current,
            (Some(id), None, None) => WantedVersion::At(id),
            (None, Some(start), Some(end)) => WantedVersion::Between(start, end),
            (Some(_), _, _) => {
                return Err("`snapshot-id` goes with neither `start-snapshot-id` nor `end-snapshot-id`");
            }
            (None, _, _) => return Err("`start-snapshot-id` and `end-snapshot-id` go together"),
        };
        if members.min_rows_requested.is_some_and(|rows| rows < 0) {
            return Err("`min-rows-requested` is negative");
        }
        Ok(Self {
            version,
            select: members.select,
            filter: members.filter.filter(|filter| !filter.is_null()),
            case_sensitive: members.case_sensitive.unwrap_or(true),
            use_snapshot_schema: members.use_snapshot_schema,
            stats_fields: members.stats_fields,
        })
    }
}

/// Body of `POST …/tasks`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FetchScanTasksRequest {
    /// What an answer to a scan named under `plan-tasks`.
    pub plan_task: String,
}

/// Tasks of a scan (`ScanTasks`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ScanTasks {
    /// Texts by which further tasks are fetched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan_tasks: Vec<String>,
    /// Files of deletes, to which tasks refer by position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delete_files: Vec<Box<RawValue>>,
    /// Files to read.
    pub file_scan_tasks: Vec<Box<RawValue>>,
}

/// Answer of `POST …/plan` and `GET …/plan/{plan-id}`. Restrictions have no place in it: a reader learned them when it
/// loaded the table.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CompletedPlanningResult {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_id: Option<String>,
    #[serde(flatten)]
    tasks: ScanTasks,
}

impl CompletedPlanningResult {
    /// The answer for tasks that the gate let through, under the id of the plan where it has one.
    pub fn new(governed: Governed<ScanTasks>, plan_id: Option<String>) -> Self {
        let (tasks, _) = governed.into_parts();
        Self {
            status: "completed",
            plan_id,
            tasks,
        }
    }
}

/// Answer of `POST …/tasks`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct FetchScanTasksResponse {
    tasks: ScanTasks,
}

impl FetchScanTasksResponse {
    /// The answer for tasks that the gate let through.
    pub fn new(governed: Governed<ScanTasks>) -> Self {
        let (tasks, _) = governed.into_parts();
        Self { tasks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::parse_body;

    fn read(body: &str) -> Result<PlanTableScanRequest, String> {
        parse_body(body.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let expected = PlanTableScanRequest {
            version: WantedVersion::Current,
            select: None,
            filter: None,
            case_sensitive: true,
            use_snapshot_schema: false,
            stats_fields: Vec::new(),
        };
        assert_eq!(read("{}"), Ok(expected.clone()));
        let nulls = r#"{"snapshot-id":null,"select":null,"filter":null,"case-sensitive":null,
            "use-snapshot-schema":null,"stats-fields":null,"min-rows-requested":null}"#;
        assert_eq!(read(nulls), Ok(expected));
    }

    #[test]
    fn one_version_is_named() {
        let version = |body: &str| read(body).map(|request| request.version);
        assert_eq!(version(r#"{"snapshot-id":5}"#), Ok(WantedVersion::At(5)));
        assert_eq!(
            version(r#"{"start-snapshot-id":5,"end-snapshot-id":6}"#),
            Ok(WantedVersion::Between(5, 6))
        );
        for refused in [
            r#"{"snapshot-id":5,"start-snapshot-id":5,"end-snapshot-id":6}"#,
            r#"{"snapshot-id":5,"end-snapshot-id":6}"#,
            r#"{"start-snapshot-id":5}"#,
            r#"{"end-snapshot-id":5}"#,
            r#"{"snapshot-id":"5"}"#,
            r#"{"min-rows-requested":-1}"#,
            r#"{"select":"a"}"#,
            r#"{"other":1}"#,
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
