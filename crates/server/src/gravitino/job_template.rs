// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Job templates of a metalake.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::job_template::{
    JobTemplateListResponse, JobTemplateRegisterRequest, JobTemplateResponse, JobTemplateUpdatesRequest,
};
use lakeward_gravitino_api::response::{BaseResponse, DropResponse, NameListResponse};
use lakeward_metadata::job_template::{JobTemplateChange, NewJobTemplate};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{MetalakePath, ObjectPath};

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

const READ: Requirement = *Requirement::load(ObjectKind::JobTemplate);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListJobTemplates>()
        .mount::<RegisterJobTemplate>()
        .mount::<GetJobTemplate>()
        .mount::<AlterJobTemplate>()
        .mount::<DeleteJobTemplate>()
}

/// `GET …/jobs/templates`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListJobTemplates;

impl ListEndpoint for ListJobTemplates {
    const PATH: &'static str = "/metalakes/{metalake}/jobs/templates";
    const REQUIRES: Requirement = Requirement::Member;
    const SHOWS: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        let (call, operations) = (&request.call, &app.operations);
        if request.parts.flag("details", false) {
            let templates = operations.list_job_templates(call, metalake, &shown).await?;
            return Reply::json(&JobTemplateListResponse {
                code: 0,
                job_templates: templates.into_iter().map(Into::into).collect(),
            });
        }
        let names = operations.list_job_template_names(call, metalake, &shown).await?;
        Reply::json(&NameListResponse::of(names))
    }
}

/// `POST …/jobs/templates`
#[derive(Debug)]
pub struct RegisterJobTemplate;

impl Endpoint for RegisterJobTemplate {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/templates";
    const REQUIRES: Requirement = Requirement::Holds(&[Privilege::RegisterJobTemplate]);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<JobTemplateRegisterRequest>;
    type Reply = BaseResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<BaseResponse, OperationError> {
        let new: NewJobTemplate = understand(body)?;
        app.operations
            .register_job_template(&request.call, metalake, new)
            .await?;
        Ok(BaseResponse::default())
    }
}

/// `GET …/jobs/templates/{template}`
#[derive(Debug)]
pub struct GetJobTemplate;

impl Endpoint for GetJobTemplate {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/templates/{jobTemplate}";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = JobTemplateResponse;

    async fn run(
        app: &App,
        request: &Request,
        template: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<JobTemplateResponse, OperationError> {
        Ok(app
            .operations
            .load_job_template(&request.call, template)
            .await?
            .into())
    }
}

/// `PUT …/jobs/templates/{template}`
#[derive(Debug)]
pub struct AlterJobTemplate;

impl Endpoint for AlterJobTemplate {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/templates/{jobTemplate}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::JobTemplate);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = Json<JobTemplateUpdatesRequest>;
    type Reply = JobTemplateResponse;

    async fn run(
        app: &App,
        request: &Request,
        template: Authorized<ObjectPath>,
        Json(body): Self::Body,
    ) -> Result<JobTemplateResponse, OperationError> {
        let changes: Vec<JobTemplateChange> = understand(body)?;
        Ok(app
            .operations
            .alter_job_template(&request.call, template, changes)
            .await?
            .into())
    }
}

/// `DELETE …/jobs/templates/{template}`
#[derive(Debug)]
pub struct DeleteJobTemplate;

impl Endpoint for DeleteJobTemplate {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/jobs/templates/{jobTemplate}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::JobTemplate);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        template: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app
            .operations
            .delete_job_template(&request.call, template)
            .await?;
        Ok(DropResponse::of(dropped))
    }
}
