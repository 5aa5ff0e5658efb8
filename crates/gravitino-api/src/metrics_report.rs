// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What engines measured of a table. Ours: the original keeps such reports elsewhere and shows them to nobody.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricsReportDto {
    /// `scan-report` or `commit-report`.
    pub report_type: String,
    /// Who sent it.
    pub reporter: String,
    /// When, in epoch milliseconds.
    pub reported_at: i64,
    /// The report as it was sent.
    pub report: Value,
}

/// Answer of `GET …/tables/{table}/metrics-reports`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricsReportListResponse {
    /// Always 0.
    pub code: i32,
    /// The reports, newest first.
    pub reports: Vec<MetricsReportDto>,
}
