// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs of a metalake.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::job::{JobListResponse, JobResponse, JobRunRequest, JobToRun, job_query};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::job::JobRunPath;
use lakeward_operations::paths::{MetalakePath, ObjectPath};

use super::body_error::body_error;
use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListJobs>()
        .mount::<RunJob>()
        .mount::<GetJob>()
        .mount::<CancelJob>()
}

impl FromCall<Json<JobRunRequest>> for JobRunPath {
    /// The metalake, and the template that the body names.
    fn from_call(_: &App, parts: &Parts, body: Option<&Json<JobRunRequest>>) -> Result<Self, OperationError> {
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
            template: body
                .and_then(|Json(body)| body.job_template_name.clone())
                .filter(|name| !name.trim().is_empty()),
        })
    }
}

/// `GET …/jobs/runs?jobTemplateName=&queuedAfter=&startedAfter=&finishedAfter=&sortBy=&sortOrder=`
#[derive(Debug)]
pub struct ListJobs;

impl ListEndpoint for ListJobs {
    const PATH: &'static str = "/metalakes/{metalake}/jobs/runs";
    const REQUIRES: Requirement = Requirement::Member;
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Job);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Reply = JobListResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        shown: Visibility,
    ) -> Result<JobListResponse, OperationError> {
        let query = job_query(|name| request.parts.query(name)).map_err(body_error)?;
        let templates = app
            .operations
            .visibility(&request.call, Requirement::load(ObjectKind::JobTemplate))
            .await?;
        let jobs = app
            .operations
            .list_jobs(&request.call, metalake, &query, &shown, &templates)
            .await?;
        Ok(jobs.into_iter().collect())
    }
}

/// `POST …/jobs/runs`
#[derive(Debug)]
pub struct RunJob;

impl Endpoint for RunJob {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/runs";
    const REQUIRES: Requirement =
        Requirement::All(&[Requirement::Holds(&[Privilege::RunJob]), Requirement::Instruments]);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = JobRunPath;
    type Body = Json<JobRunRequest>;
    type Reply = JobResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<JobRunPath>,
        Json(body): Self::Body,
    ) -> Result<JobResponse, OperationError> {
        // The template is the one that was authorized: the path holds it.
        let JobToRun { parameters, .. } = understand(body)?;
        let job = app.operations.run_job(&request.call, path, &parameters).await?;
        Ok(job.into())
    }
}

/// `GET …/jobs/runs/{job}`
#[derive(Debug)]
pub struct GetJob;

impl Endpoint for GetJob {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/runs/{job}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Job);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = JobResponse;

    async fn run(
        app: &App,
        request: &Request,
        job: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<JobResponse, OperationError> {
        Ok(app.operations.load_job(&request.call, job).await?.into())
    }
}

/// `POST …/jobs/runs/{job}`
#[derive(Debug)]
pub struct CancelJob;

impl Endpoint for CancelJob {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/runs/{job}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Job);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = JobResponse;

    async fn run(
        app: &App,
        request: &Request,
        job: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<JobResponse, OperationError> {
        Ok(app.operations.cancel_job(&request.call, job).await?.into())
    }
}
