// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an engine measured, as it reports it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::request::RequestError;

/// Body of `POST …/metrics`. A newer client may measure more than this server knows of: other members are kept.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct ReportMetricsRequest(Map<String, Value>);

/// A report of a known kind with the members that the protocol demands of it.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsReport {
    /// `scan-report` or `commit-report`.
    pub kind: &'static str,
    /// All of it.
    pub report: Map<String, Value>,
}

/// The kinds, each with the members that it must have.
const KINDS: [(&str, &[&str]); 2] = [
    (
        "scan-report",
        &[
            "table-name",
            "snapshot-id",
            "filter",
            "schema-id",
            "projected-field-ids",
            "projected-field-names",
            "metrics",
        ],
    ),
    (
        "commit-report",
        &[
            "table-name",
            "snapshot-id",
            "sequence-number",
            "operation",
            "metrics",
        ],
    ),
];

impl TryFrom<ReportMetricsRequest> for MetricsReport {
    type Error = RequestError;

    fn try_from(ReportMetricsRequest(report): ReportMetricsRequest) -> Result<Self, RequestError> {
        let named = report.get("report-type").and_then(Value::as_str);
        let known = KINDS.iter().find(|(kind, _)| Some(*kind) == named);
        let Some((kind, members)) = known else {
            return Err(RequestError::Body(
                "`report-type` must be `scan-report` or `commit-report`".to_owned(),
            ));
        };
        if let Some(missing) = members.iter().find(|member| !report.contains_key(**member)) {
            return Err(RequestError::Body(format!(
                "a `{kind}` needs the member `{missing}`"
            )));
        }
        Ok(Self { kind, report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: Value) -> Result<MetricsReport, String> {
        let request: ReportMetricsRequest =
            serde_json::from_value(body).map_err(|error| error.to_string())?;
        MetricsReport::try_from(request).map_err(|error| error.to_string())
    }

    #[test]
    fn a_report_has_a_kind_and_its_members() {
        let commit = json!({"report-type": "commit-report", "table-name": "t", "snapshot-id": 1, "sequence-number": 1,
            "operation": "append", "metrics": {}, "more": 1});
        let report = read(commit.clone());
        assert_eq!(
            report.map(|report| (report.kind, Value::Object(report.report))),
            Ok(("commit-report", commit))
        );
        for (bad, told) in [
            (json!({}), "report-type"),
            (json!({"report-type": "other"}), "report-type"),
            (json!({"report-type": 1}), "report-type"),
            (
                json!({"report-type": "scan-report", "table-name": "t"}),
                "snapshot-id",
            ),
        ] {
            assert!(read(bad).is_err_and(|error| error.contains(told)));
        }
    }
}
