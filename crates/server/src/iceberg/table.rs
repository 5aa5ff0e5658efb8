// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/{prefix}/namespaces/{namespace}/tables`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_iceberg_api::load_table::LoadCredentialsResponse;
use lakeward_iceberg_api::metrics_report::{MetricsReport, ReportMetricsRequest};
use lakeward_iceberg_api::namespace::Namespace;
use lakeward_iceberg_api::table_identifier::{ListTablesResponse, TableIdentifier, TableName};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{SchemaPath, TablePath};
use lakeward_store::RequestOutcome;

use super::page::{page, token};
use super::request::refuse;
use super::storage_access::storage_credentials;
use super::table_reply::{WantedForm, unstored, with_cache_headers};
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Repeats, Request};
use crate::http::reply::{NoContent, Reply};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListTables>()
        .mount::<LoadTable>()
        .mount::<TableExists>()
        .mount::<LoadCredentials>()
        .mount::<DropTable>()
        .mount::<ReportMetrics>()
}

/// `GET …/tables?pageToken=&pageSize=`
#[derive(Debug)]
pub struct ListTables;

impl ListEndpoint for ListTables {
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Reply = ListTablesResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        shown: Visibility,
    ) -> Result<ListTablesResponse, OperationError> {
        let namespace = Namespace::from_decoded(request.parts.path("namespace")?).map_err(refuse)?;
        let wanted = page("tables", &request.parts)?;
        let listed = app
            .operations
            .list_iceberg_tables(&request.call, path, &shown, &wanted)
            .await?;
        let identifiers = listed
            .names
            .into_iter()
            .map(|name| {
                Ok(TableIdentifier {
                    namespace: namespace.clone(),
                    name: TableName::new(name).map_err(refuse)?,
                })
            })
            .collect::<Result<_, OperationError>>()?;
        Ok(ListTablesResponse {
            identifiers,
            next_page_token: listed.next.map(|last| token("tables", &last)),
        })
    }
}

/// `GET …/tables/{table}?snapshots=`
#[derive(Debug)]
pub struct LoadTable;

impl Endpoint for LoadTable {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Gate;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        let form = WantedForm::of(&request.parts)?;
        let served = app
            .operations
            .load_governed_table(&request.call, &path, form.representation())
            .await?;
        form.reply_unless_held(&served, &request.parts)
    }
}

/// `HEAD …/tables/{table}`: also for those who may create here, since engines probe before they create. It says whether
/// the name is there, nothing of the table.
#[derive(Debug)]
pub struct TableExists;

impl Endpoint for TableExists {
    const METHOD: Method = Method::HEAD;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::Table,
        holding: &[
            Privilege::SelectTable,
            Privilege::ModifyTable,
            Privilege::CreateTable,
            Privilege::SelectView,
            Privilege::CreateView,
        ],
    };
    const GOVERNANCE: Governance = Governance::Gate;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        app.operations.require_iceberg_table(&request.call, &path).await?;
        Ok(NoContent)
    }
}

/// `GET …/tables/{table}/credentials`: none where the catalog gives none out; the answer passes the same gate as the table
/// itself.
#[derive(Debug)]
pub struct LoadCredentials;

impl Endpoint for LoadCredentials {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Gate;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        let form = WantedForm::of_credentials();
        let served = app
            .operations
            .load_governed_table(&request.call, &path, form.representation())
            .await?;
        let credentials = served.table.map_ref(|_| storage_credentials(&served.delegated));
        let credentials = LoadCredentialsResponse::new(credentials);
        unstored(with_cache_headers(Reply::json(&credentials)?)?)
    }
}

/// `DELETE …/tables/{table}?purgeRequested=&force=`
#[derive(Debug)]
pub struct DropTable;

impl Endpoint for DropTable {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Refuse;
    const REPEATS: Repeats = Repeats::TargetGone;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        let purge = request.parts.flag("purgeRequested", false);
        if app
            .operations
            .drop_iceberg_table(&request.call, path, purge, request.force())
            .await?
        {
            return Ok(NoContent);
        }
        Err(request.call.facts.found()?.missing())
    }

    async fn again(_: &App, _: &Request, _: &RequestOutcome) -> Result<NoContent, OperationError> {
        Ok(NoContent)
    }
}

/// `POST …/tables/{table}/metrics`: kept for the owner. Of use to who may load the table, and to nobody else.
#[derive(Debug)]
pub struct ReportMetrics;

impl Endpoint for ReportMetrics {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const READS: bool = true;
    const GOVERNANCE: Governance = Governance::Gate;
    type Target = TablePath;
    type Body = Json<ReportMetricsRequest>;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        Json(body): Self::Body,
    ) -> Result<NoContent, OperationError> {
        let report = MetricsReport::try_from(body).map_err(refuse)?;
        let text = serde_json::to_string(&report.report).map_err(OperationError::internal)?;
        app.operations
            .keep_metrics_report(&request.call, &table, report.kind, &text)
            .await?;
        Ok(NoContent)
    }
}
