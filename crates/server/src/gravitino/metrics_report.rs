// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What engines measured of a table, for its owner.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::metrics_report::{MetricsReportDto, MetricsReportListResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::TablePath;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<ListMetricsReports>()
}

/// `GET …/tables/{table}/metrics-reports?type=&limit=`
#[derive(Debug)]
pub struct ListMetricsReports;

impl Endpoint for ListMetricsReports {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics-reports";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = MetricsReportListResponse;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<MetricsReportListResponse, OperationError> {
        let wanted = request.parts.query("type").filter(|text| !text.is_empty());
        if wanted.is_some_and(|kind| kind != "scan-report" && kind != "commit-report") {
            return Err(OperationError::invalid(
                "`type` must be `scan-report` or `commit-report`",
            ));
        }
        let limit = match request.parts.query("limit").filter(|text| !text.is_empty()) {
            None => u32::MAX,
            Some(text) => text.parse().map_err(|_| {
                OperationError::invalid(format!("`limit` must be a number, and `{text}` is none"))
            })?,
        };
        let rows = app
            .operations
            .list_metrics_reports(&request.call, table, wanted, limit)
            .await?;
        let reports = rows
            .into_iter()
            .map(|row| {
                Ok(MetricsReportDto {
                    report: serde_json::from_str(&row.report).map_err(OperationError::internal)?,
                    report_type: row.kind,
                    reporter: row.reporter,
                    reported_at: row.reported_at,
                })
            })
            .collect::<Result<_, OperationError>>()?;
        Ok(MetricsReportListResponse { code: 0, reports })
    }
}
