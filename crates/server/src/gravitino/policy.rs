// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies of a metalake.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_governance::policy::{PolicyChange, PolicyType};
use lakeward_governance::policy_content::PolicyContent;
use lakeward_gravitino_api::audit::instant;
use lakeward_gravitino_api::metadata_object::MetadataObjectListResponse;
use lakeward_gravitino_api::policy::{
    PolicyCreateRequest, PolicyDto, PolicyListResponse, PolicyResponse, PolicyRevisionDto,
    PolicyRevisionListResponse, PolicySetRequest, PolicyToCreate, PolicyUpdate, PolicyUpdatesRequest,
};
use lakeward_gravitino_api::response::{BaseResponse, DropResponse, NameListResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{MetalakePath, ObjectPath};
use lakeward_operations::policy::{Policy, PolicyDefinition, PolicyRevision};
use serde_json::Value;

use super::tag::force;
use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

const READ: Requirement = *Requirement::load(ObjectKind::Policy);
const OWN: Requirement = Requirement::Owner(ObjectKind::Policy);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListPolicies>()
        .mount::<CreatePolicy>()
        .mount::<LoadPolicy>()
        .mount::<AlterPolicy>()
        .mount::<EnablePolicy>()
        .mount::<DropPolicy>()
        .mount::<ListPolicyRevisions>()
        .mount::<ListObjectsOfPolicy>()
}

/// A policy as the protocol shows it, without what only an object's policy has.
pub(super) fn policy_dto(policy: Policy) -> PolicyDto {
    PolicyDto {
        name: policy.name,
        comment: policy.comment,
        policy_type: policy.policy_type,
        enabled: policy.is_enabled,
        content: policy.content,
        inherited: None,
        audit: (&policy.audit).into(),
    }
}

fn policy_response(policy: Policy) -> PolicyResponse {
    PolicyResponse {
        code: 0,
        policy: policy_dto(policy),
    }
}

fn policy_type(name: &str) -> Result<PolicyType, OperationError> {
    name.parse()
        .map_err(|error: lakeward_governance::policy::UnknownPolicyType| {
            OperationError::invalid(error.to_string())
        })
}

fn content(policy_type: PolicyType, content: &Value) -> Result<PolicyContent, OperationError> {
    Ok(PolicyContent::parse(policy_type, &content.to_string())?)
}

/// `GET …/policies`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListPolicies;

impl ListEndpoint for ListPolicies {
    const PATH: &'static str = "/metalakes/{metalake}/policies";
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
        if request.parts.flag("details", false) {
            let policies = app
                .operations
                .list_policies(&request.call, metalake, &shown)
                .await?;
            return Reply::json(&PolicyListResponse {
                code: 0,
                policies: policies.into_iter().map(policy_dto).collect(),
            });
        }
        let names = app
            .operations
            .list_policy_names(&request.call, metalake, &shown)
            .await?;
        Reply::json(&NameListResponse::of(names))
    }
}

/// `POST …/policies?force=`
#[derive(Debug)]
pub struct CreatePolicy;

impl Endpoint for CreatePolicy {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/policies";
    const REQUIRES: Requirement = Requirement::Holds(&[Privilege::CreatePolicy]);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<PolicyCreateRequest>;
    type Reply = PolicyResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<PolicyResponse, OperationError> {
        let new: PolicyToCreate = understand(body)?;
        let definition = PolicyDefinition {
            content: content(policy_type(&new.policy_type)?, &new.content)?,
            name: new.name,
            comment: new.comment,
            is_enabled: new.enabled,
        };
        Ok(policy_response(
            app.operations
                .create_policy(&request.call, metalake, definition, force(request))
                .await?,
        ))
    }
}

/// `GET …/policies/{policy}`
#[derive(Debug)]
pub struct LoadPolicy;

impl Endpoint for LoadPolicy {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = PolicyResponse;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<PolicyResponse, OperationError> {
        Ok(policy_response(
            app.operations.load_policy(&request.call, policy).await?,
        ))
    }
}

/// `PUT …/policies/{policy}?force=`
#[derive(Debug)]
pub struct AlterPolicy;

impl Endpoint for AlterPolicy {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}";
    const REQUIRES: Requirement = OWN;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = Json<PolicyUpdatesRequest>;
    type Reply = PolicyResponse;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        Json(body): Self::Body,
    ) -> Result<PolicyResponse, OperationError> {
        let updates: Vec<PolicyUpdate> = understand(body)?;
        let changes = updates
            .into_iter()
            .map(|update| {
                Ok(match update {
                    PolicyUpdate::Rename(name) => PolicyChange::Rename(name),
                    PolicyUpdate::UpdateComment(comment) => PolicyChange::UpdateComment(comment),
                    PolicyUpdate::UpdateContent {
                        policy_type: given,
                        content: new,
                    } => {
                        let policy_type = policy_type(&given)?;
                        PolicyChange::UpdateContent {
                            policy_type,
                            content: content(policy_type, &new)?,
                        }
                    }
                })
            })
            .collect::<Result<_, OperationError>>()?;
        Ok(policy_response(
            app.operations
                .alter_policy(&request.call, policy, changes, force(request))
                .await?,
        ))
    }
}

/// `PATCH …/policies/{policy}?force=`
#[derive(Debug)]
pub struct EnablePolicy;

impl Endpoint for EnablePolicy {
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}";
    const REQUIRES: Requirement = OWN;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = Json<PolicySetRequest>;
    type Reply = BaseResponse;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        Json(body): Self::Body,
    ) -> Result<BaseResponse, OperationError> {
        let is_enabled = understand(body)?;
        app.operations
            .enable_policy(&request.call, policy, is_enabled, force(request))
            .await?;
        Ok(BaseResponse::default())
    }
}

/// `DELETE …/policies/{policy}?force=`
#[derive(Debug)]
pub struct DropPolicy;

impl Endpoint for DropPolicy {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}";
    const REQUIRES: Requirement = OWN;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app
            .operations
            .drop_policy(&request.call, policy, force(request))
            .await?;
        Ok(DropResponse::of(dropped))
    }
}

fn revision_dto(revision: PolicyRevision) -> PolicyRevisionDto {
    PolicyRevisionDto {
        revision: revision.revision,
        content_schema: revision.content_schema,
        content: revision.content,
        enabled: revision.is_enabled,
        author: revision.author,
        create_time: instant(revision.created_at),
    }
}

/// `GET …/policies/{policy}/revisions`, ours: the newest first.
#[derive(Debug)]
pub struct ListPolicyRevisions;

impl Endpoint for ListPolicyRevisions {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}/revisions";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = PolicyRevisionListResponse;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<PolicyRevisionListResponse, OperationError> {
        let revisions = app
            .operations
            .list_policy_revisions(&request.call, policy)
            .await?;
        Ok(PolicyRevisionListResponse {
            code: 0,
            revisions: revisions.into_iter().map(revision_dto).collect(),
        })
    }
}

/// `GET …/policies/{policy}/objects`: direct associations, as far as the caller has access to the objects.
#[derive(Debug)]
pub struct ListObjectsOfPolicy;

impl Endpoint for ListObjectsOfPolicy {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}/objects";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = MetadataObjectListResponse;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<MetadataObjectListResponse, OperationError> {
        let objects = app
            .operations
            .list_objects_of_policy(&request.call, policy)
            .await?;
        Ok(objects.iter().collect())
    }
}
