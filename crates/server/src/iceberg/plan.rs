// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan` and `…/tasks`: scans that the server plans.
//!
//! A plan is completed when it is answered. Its id and its tasks say themselves what they are for ([`super::plan_token`]).

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_catalog::scan::{IcebergScan, ScanVersion};
use lakeward_iceberg_api::plan_table_scan::{
    CompletedPlanningResult, FetchScanTasksRequest, FetchScanTasksResponse, PlanTableScanRequest, ScanTasks,
    WantedVersion,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::error::Noun;
use lakeward_operations::paths::TablePath;
use lakeward_operations::scan::{PlannedTasks, PromisedPart};
use lakeward_read_restrictions::admission::Governed;
use serde::Serialize;

use super::plan_token::{read, write};
use super::table_reply::with_cache_headers;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::{NoContent, Reply};
use crate::http::routes::Routes;

const PLAN: Noun = Noun::Thing("plan");
const PLAN_TASK: Noun = Noun::Thing("plan task");

/// The longest id, in bytes: it has to fit into a path wherever one passes through. A plan with a longer filter has none;
/// nothing is held for it, so nobody misses it.
const MAX_ID: usize = 4_096;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<PlanTableScan>()
        .mount::<FetchPlanningResult>()
        .mount::<CancelPlanning>()
        .mount::<FetchScanTasks>()
}

/// `POST …/plan`
#[derive(Debug)]
pub struct PlanTableScan;

impl Endpoint for PlanTableScan {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Gate;
    const READS: bool = true;
    type Target = TablePath;
    type Body = Json<PlanTableScanRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let planned = app
            .operations
            .plan_scan(&request.call, &table, &scan(body))
            .await?;
        let key = app.operations.scan_key().await?;
        let id = write(key, &planned.value().part)?;
        let id = (id.len() <= MAX_ID).then_some(id);
        answer(&CompletedPlanningResult::new(told(key, &planned)?, id))
    }
}

/// `GET …/plan/{plan-id}`: what the plan answered, from the same files.
#[derive(Debug)]
pub struct FetchPlanningResult;

impl Endpoint for FetchPlanningResult {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Gate;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        let key = app.operations.scan_key().await?;
        let promised = promised_plan(key, request)?;
        let planned = app
            .operations
            .promised_scan_tasks(&request.call, &table, PLAN, promised)
            .await?;
        answer(&CompletedPlanningResult::new(told(key, &planned)?, None))
    }
}

/// `DELETE …/plan/{plan-id}`: nothing is held for a plan, so nothing ends; clients say it when they have what they want.
#[derive(Debug)]
pub struct CancelPlanning;

impl Endpoint for CancelPlanning {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Gate;
    const READS: bool = true;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        let promised = promised_plan(app.operations.scan_key().await?, request)?;
        app.operations
            .end_promised_scan(&request.call, &table, PLAN, promised)
            .await?;
        Ok(NoContent)
    }
}

/// `POST …/tasks`
#[derive(Debug)]
pub struct FetchScanTasks;

impl Endpoint for FetchScanTasks {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Gate;
    const READS: bool = true;
    type Target = TablePath;
    type Body = Json<FetchScanTasksRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let key = app.operations.scan_key().await?;
        let promised = read(key, &body.plan_task);
        let planned = app
            .operations
            .promised_scan_tasks(&request.call, &table, PLAN_TASK, promised)
            .await?;
        answer(&FetchScanTasksResponse::new(told(key, &planned)?))
    }
}

fn promised_plan(key: &str, request: &Request) -> Result<Option<PromisedPart>, OperationError> {
    Ok(read(key, request.parts.path("plan-id")?))
}

fn scan(body: PlanTableScanRequest) -> IcebergScan {
    IcebergScan {
        version: match body.version {
            WantedVersion::Current => ScanVersion::Current,
            WantedVersion::At(id) => ScanVersion::At(id),
            WantedVersion::Between(start, end) => ScanVersion::Between(start, end),
        },
        select: body.select,
        filter: body.filter,
        case_sensitive: body.case_sensitive,
        use_snapshot_schema: body.use_snapshot_schema,
        stats_fields: body.stats_fields,
    }
}

/// Tasks in the words of the protocol, with a text for each part that is left.
fn told(key: &str, planned: &Governed<PlannedTasks>) -> Result<Governed<ScanTasks>, OperationError> {
    let PlannedTasks { part, tasks } = planned.value();
    let left = tasks.rest.iter().map(|left| {
        let part = PromisedPart {
            part: *left,
            ..part.clone()
        };
        write(key, &part)
    });
    let plan_tasks = left.collect::<Result<_, _>>()?;
    Ok(planned.map_ref(|planned| ScanTasks {
        plan_tasks,
        delete_files: planned.tasks.deletes.clone(),
        file_scan_tasks: planned.tasks.tasks.clone(),
    }))
}

fn answer(body: &impl Serialize) -> Result<Reply, OperationError> {
    with_cache_headers(Reply::json(body)?)
}
