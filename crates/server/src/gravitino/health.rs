// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Health: `/health`, `/health/live`, `/health/ready`, and the same below `/api`. Open to the world, for probes.

use http::{Method, StatusCode};
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::health::{HealthCheckDto, HealthResponse, HealthStatus};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file; the same paths are served below `/api` and beside it.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<GetHealth>()
        .mount::<GetLiveness>()
        .mount::<GetReadiness>()
}

/// The path of the original for people, with the same answer; it lies beside `/api` only.
pub fn routes_beside() -> Routes {
    routes().mount::<GetHealthPage>()
}

/// That this code runs is the check.
fn http_server() -> HealthCheckDto {
    HealthCheckDto::up("httpServer")
}

/// Whether the store answers in time.
async fn entity_store(app: &App) -> HealthCheckDto {
    const NAME: &str = "entityStore";
    let probe = async {
        let mut snapshot = app.operations.store().snapshot().await?;
        snapshot.server_revision().await
    };
    match tokio::time::timeout(app.settings.server.probe_timeout, probe).await {
        Ok(Ok(_)) => HealthCheckDto::up(NAME),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the store does not answer the health probe");
            HealthCheckDto::down(NAME, "the store does not answer; the log has the cause")
        }
        Err(_) => HealthCheckDto::down(NAME, "timeout"),
    }
}

fn reply(checks: Vec<HealthCheckDto>) -> Result<Reply, OperationError> {
    let health = HealthResponse::of(checks);
    let status = match health.status {
        HealthStatus::Up => StatusCode::OK,
        HealthStatus::Down => StatusCode::SERVICE_UNAVAILABLE,
    };
    Ok(Reply::json(&health)?.with_status(status))
}

/// `GET /health`
#[derive(Debug)]
pub struct GetHealth;

impl Endpoint for GetHealth {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/health";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        reply(vec![http_server(), entity_store(app).await])
    }
}

/// `GET /health.html`
#[derive(Debug)]
pub struct GetHealthPage;

impl Endpoint for GetHealthPage {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/health.html";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        reply(vec![http_server(), entity_store(app).await])
    }
}

/// `GET /health/live`
#[derive(Debug)]
pub struct GetLiveness;

impl Endpoint for GetLiveness {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/health/live";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(_: &App, _: &Request, _: Authorized<TheServer>, _: NoBody) -> Result<Reply, OperationError> {
        reply(vec![http_server()])
    }
}

/// `GET /health/ready`
#[derive(Debug)]
pub struct GetReadiness;

impl Endpoint for GetReadiness {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/health/ready";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        reply(vec![entity_store(app).await])
    }
}
