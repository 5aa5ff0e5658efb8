// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies of objects, each with how it came.

use http::Method;
use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_governance::object_policy::Origin;
use lakeward_gravitino_api::object_policy::{
    ObjectPolicyDto, ObjectPolicyListResponse, ObjectPolicyResponse, OriginDto, PolicyNamesRequest,
};
use lakeward_gravitino_api::object_tag::NamesChange;
use lakeward_gravitino_api::policy::PolicyDto;
use lakeward_gravitino_api::response::NameListResponse;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::object_policy::{ObjectPoliciesPath, PolicyOfObject, ShownOrigin};
use lakeward_operations::paths::ObjectPath;

use super::policy::policy_dto;
use super::policy_on_tag::selector_dto;
use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListPoliciesOfObject>()
        .mount::<LoadPolicyOfObject>()
        .mount::<ChangePoliciesOfObject>()
}

fn object_policy_dto(found: PolicyOfObject) -> ObjectPolicyDto {
    ObjectPolicyDto {
        origins: found.origins.into_iter().map(origin_dto).collect(),
        policy: PolicyDto {
            inherited: Some(found.is_inherited),
            ..policy_dto(found.policy)
        },
    }
}

fn origin_dto(origin: ShownOrigin) -> OriginDto {
    match origin {
        ShownOrigin::HiddenTag => OriginDto::Tag {
            tag: None,
            assigned_on: None,
            selector: None,
        },
        ShownOrigin::Known(Origin::Direct) => OriginDto::Direct,
        ShownOrigin::Known(Origin::Inherited { from }) => OriginDto::Inherited { from: (&from).into() },
        ShownOrigin::Known(Origin::Tag {
            tag,
            assigned_on,
            selector,
        }) => OriginDto::Tag {
            tag: Some(tag),
            assigned_on: Some((&assigned_on).into()),
            selector: Some(selector_dto(&selector)),
        },
    }
}

impl FromCall<NoBody> for ObjectPoliciesPath {
    /// The object and the one policy in the path.
    fn from_call(_: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        Ok(Self {
            object: ObjectPath::from_path(parts)?,
            policies: vec![parts.path("policy")?.to_owned()],
        })
    }
}

impl FromCall<Json<PolicyNamesRequest>> for ObjectPoliciesPath {
    /// The object, and every policy in the body.
    fn from_call(
        _: &App,
        parts: &Parts,
        body: Option<&Json<PolicyNamesRequest>>,
    ) -> Result<Self, OperationError> {
        let mut policies: Vec<String> = body
            .into_iter()
            .flat_map(|Json(names)| [&names.policies_to_add, &names.policies_to_remove])
            .flatten()
            .flatten()
            .cloned()
            .collect();
        policies.sort_unstable();
        policies.dedup();
        Ok(Self {
            object: ObjectPath::from_path(parts)?,
            policies,
        })
    }
}

/// `GET …/objects/{type}/{fullName}/policies`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListPoliciesOfObject;

impl ListEndpoint for ListPoliciesOfObject {
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/policies";
    const REQUIRES: Requirement = Requirement::AccessTo;
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Policy);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        let policies = app
            .operations
            .list_policies_of_object(&request.call, object, &shown)
            .await?;
        if request.parts.flag("details", false) {
            return Reply::json(&ObjectPolicyListResponse {
                code: 0,
                policies: policies.into_iter().map(object_policy_dto).collect(),
            });
        }
        let names = policies.into_iter().map(|found| found.policy.name).collect();
        Reply::json(&NameListResponse::of(names))
    }
}

/// `GET …/objects/{type}/{fullName}/policies/{policy}`
#[derive(Debug)]
pub struct LoadPolicyOfObject;

impl Endpoint for LoadPolicyOfObject {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/policies/{policy}";
    const REQUIRES: Requirement = Requirement::Instruments;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPoliciesPath;
    type Body = NoBody;
    type Reply = ObjectPolicyResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ObjectPoliciesPath>,
        _: NoBody,
    ) -> Result<ObjectPolicyResponse, OperationError> {
        let found = app.operations.load_policy_of_object(&request.call, path).await?;
        Ok(ObjectPolicyResponse {
            code: 0,
            policy: object_policy_dto(found),
        })
    }
}

/// `POST …/objects/{type}/{fullName}/policies`
#[derive(Debug)]
pub struct ChangePoliciesOfObject;

impl Endpoint for ChangePoliciesOfObject {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/policies";
    const REQUIRES: Requirement = Requirement::Instruments;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPoliciesPath;
    type Body = Json<PolicyNamesRequest>;
    type Reply = NameListResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ObjectPoliciesPath>,
        Json(body): Self::Body,
    ) -> Result<NameListResponse, OperationError> {
        let NamesChange { add, remove } = understand(body)?;
        let names = app
            .operations
            .change_policies_of_object(&request.call, path, &add, &remove)
            .await?;
        Ok(NameListResponse::of(names))
    }
}
