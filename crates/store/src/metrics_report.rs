// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What engines measured when they read tables and committed to them. No decision reads it and no cached answer depends
//! on it, so it counts no area.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A report of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsReportRow {
    /// What it is of, in the words of the Iceberg protocol (`scan-report`, `commit-report`).
    pub kind: String,
    /// The report, as JSON.
    pub report: String,
    /// Who sent it.
    pub reporter: String,
    /// When, in epoch milliseconds.
    pub reported_at: i64,
}

impl Snapshot {
    /// The reports of a table, newest first: of one kind, or of all where it is `None`, and at most `limit`.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn metrics_reports(
        &mut self,
        table: ObjectId,
        kind: Option<&str>,
        limit: u32,
    ) -> Result<Vec<MetricsReportRow>, StoreError> {
        statement!("metrics_report_list")
            .query()
            .id(table)
            .bind(kind)
            .bind(i64::from(limit))
            .all(self.connection(), |row| {
                Ok(MetricsReportRow {
                    kind: row.text(0)?,
                    report: row.text(1)?,
                    reporter: row.text(2)?,
                    reported_at: row.integer(3)?,
                })
            })
            .await
    }
}

impl Write {
    /// Adds a report of a table (JSON), and forgets all but its newest `keep`.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the table does not exist.
    pub async fn add_metrics_report(
        &mut self,
        table: ObjectId,
        kind: &str,
        report: &str,
        keep: u32,
    ) -> Result<(), StoreError> {
        self.living_here(table).await?;
        let (actor, at) = (self.actor().to_owned(), self.at());
        statement!("metrics_report_add")
            .query()
            .id(table)
            .bind(kind)
            .bind(report)
            .bind(actor)
            .bind(at)
            .run(self.connection())
            .await?;
        statement!("metrics_report_prune")
            .query()
            .id(table)
            .bind(i64::from(keep))
            .run(self.connection())
            .await
            .map(drop)
    }
}
