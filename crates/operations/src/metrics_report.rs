// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What engines measured when they read tables and committed to them: kept for the owner of the table, the newest of each.
//!
//! A report holds the filter of a query, with its values, and counts of rows and files. Who may load the table may send
//! one. They are shown to owners alone, and to none who sees the table only in part.

use lakeward_authorization::Authorized;
use lakeward_store::MetricsReportRow;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::paths::TablePath;

/// The largest report, in bytes of JSON.
const MAX_BYTES: usize = 65_536;

/// How many reports one answer has at most.
const MOST: u32 = 1_000;

impl Operations {
    /// Keeps a report (`report` is JSON) of a kind of the Iceberg protocol.
    ///
    /// # Errors
    /// As of a load; [`OperationError::Invalid`] for one that is too large.
    pub async fn keep_metrics_report(
        &self,
        call: &Call,
        _: &Authorized<TablePath>,
        kind: &str,
        report: &str,
    ) -> Result<(), OperationError> {
        let found = call.facts.found()?;
        let current = self.current_table(call, found).await?;
        self.clear_current(call, found, &current).await?;
        if report.len() > MAX_BYTES {
            return Err(OperationError::invalid(format!(
                "a metrics report has at most {MAX_BYTES} bytes, and this one has {}",
                report.len()
            )));
        }
        let keep = self.settings().metrics_reports_per_table;
        if keep == 0 {
            return Ok(());
        }
        let mut write = self.write(call, &[]).await?;
        match write
            .add_metrics_report(found.row()?.object.id, kind, report, keep)
            .await
        {
            Err(error) if error.is_missing() => return Err(found.missing()),
            other => other?,
        }
        Ok(write.commit().await?)
    }

    /// The reports of a table, newest first: of one kind of the Iceberg protocol, or of all, and at most `limit`; never
    /// more than 1,000.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`]; [`OperationError::Restriction`] for a caller who sees the
    /// table only in part.
    pub async fn list_metrics_reports(
        &self,
        call: &Call,
        _: Authorized<TablePath>,
        kind: Option<&str>,
        limit: u32,
    ) -> Result<Vec<MetricsReportRow>, OperationError> {
        let found = call.facts.found()?;
        self.refuse_hidden_facts(call, found, "metrics reports").await?;
        let mut snapshot = self.read(&call.facts).await?;
        let table = found.row()?.object.id;
        Ok(snapshot.metrics_reports(table, kind, limit.min(MOST)).await?)
    }
}
