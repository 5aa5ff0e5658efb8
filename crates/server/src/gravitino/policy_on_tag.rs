// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies on tags, with the selector that says for which values.

use http::Method;
use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_governance::selector::Selector;
use lakeward_gravitino_api::policy_on_tag::{
    PolicyOnTagDto, PolicyOnTagListResponse, PolicyOnTagRequest, PolicyOnTagResponse, SelectedValue,
    SelectorDto,
};
use lakeward_gravitino_api::response::NameListResponse;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;
use lakeward_operations::policy_on_tag::{PolicyOnTag, PolicyOnTagPath, SHOWS_POLICY, SHOWS_TAG};

use super::tag::force;
use super::understand::understand;
use crate::app::App;
use crate::http::body::{NoBody, OptionalJson};
use crate::http::endpoint::{Endpoint, FromPath, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::reply::{NoContent, Reply};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListPoliciesOfTag>()
        .mount::<PutPolicyOnTag>()
        .mount::<LoadPolicyOnTag>()
        .mount::<RemovePolicyFromTag>()
        .list::<ListTagsOfPolicy>()
}

impl FromPath for PolicyOnTagPath {
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
            tag: parts.path("tag")?.to_owned(),
            policy: parts.path("policy")?.to_owned(),
        })
    }
}

/// A selector as the protocol writes it.
pub(super) fn selector_dto(selector: &Selector) -> SelectorDto {
    match selector {
        Selector::AllValues => SelectorDto::of(None),
        Selector::TagValue(value) => SelectorDto::of(Some(value)),
    }
}

fn relation_dto(relation: PolicyOnTag) -> PolicyOnTagDto {
    PolicyOnTagDto {
        selector: selector_dto(&relation.selector),
        policy: relation.policy,
        tag: relation.tag,
    }
}

/// Names, or with details the relations.
fn listed(
    request: &Request,
    relations: Vec<PolicyOnTag>,
    name: fn(PolicyOnTag) -> String,
) -> Result<Reply, OperationError> {
    if request.parts.flag("details", false) {
        return Reply::json(&PolicyOnTagListResponse {
            code: 0,
            associations: relations.into_iter().map(relation_dto).collect(),
        });
    }
    Reply::json(&NameListResponse::of(relations.into_iter().map(name).collect()))
}

/// `GET …/tags/{tag}/policies`
#[derive(Debug)]
pub struct ListPoliciesOfTag;

impl ListEndpoint for ListPoliciesOfTag {
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}/policies";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Tag);
    const SHOWS: Requirement = SHOWS_POLICY;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        tag: Authorized<ObjectPath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        let relations = app
            .operations
            .list_policies_of_tag(&request.call, tag, &shown)
            .await?;
        listed(request, relations, |relation| relation.policy)
    }
}

/// `GET …/policies/{policy}/tags`
#[derive(Debug)]
pub struct ListTagsOfPolicy;

impl ListEndpoint for ListTagsOfPolicy {
    const PATH: &'static str = "/metalakes/{metalake}/policies/{policy}/tags";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Policy);
    const SHOWS: Requirement = SHOWS_TAG;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        policy: Authorized<ObjectPath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        let relations = app
            .operations
            .list_tags_of_policy(&request.call, policy, &shown)
            .await?;
        listed(request, relations, |relation| relation.tag)
    }
}

/// `PUT …/tags/{tag}/policies/{policy}?force=`: idempotent, replaces the selector. No body selects every value.
#[derive(Debug)]
pub struct PutPolicyOnTag;

impl Endpoint for PutPolicyOnTag {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}/policies/{policy}";
    const REQUIRES: Requirement = Requirement::Instruments;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PolicyOnTagPath;
    type Body = OptionalJson<PolicyOnTagRequest>;
    type Reply = PolicyOnTagResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<PolicyOnTagPath>,
        OptionalJson(body): Self::Body,
    ) -> Result<PolicyOnTagResponse, OperationError> {
        let selected: SelectedValue = understand(body.unwrap_or_default())?;
        let selector = selected.map_or(Selector::AllValues, Selector::TagValue);
        let relation = app
            .operations
            .put_policy_on_tag(&request.call, path, selector, force(request))
            .await?;
        Ok(PolicyOnTagResponse {
            code: 0,
            association: relation_dto(relation),
        })
    }
}

/// `GET …/tags/{tag}/policies/{policy}`, ours.
#[derive(Debug)]
pub struct LoadPolicyOnTag;

impl Endpoint for LoadPolicyOnTag {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}/policies/{policy}";
    const REQUIRES: Requirement = Requirement::Instruments;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PolicyOnTagPath;
    type Body = NoBody;
    type Reply = PolicyOnTagResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<PolicyOnTagPath>,
        _: NoBody,
    ) -> Result<PolicyOnTagResponse, OperationError> {
        let relation = app.operations.load_policy_on_tag(&request.call, path).await?;
        Ok(PolicyOnTagResponse {
            code: 0,
            association: relation_dto(relation),
        })
    }
}

/// `DELETE …/tags/{tag}/policies/{policy}?force=`
#[derive(Debug)]
pub struct RemovePolicyFromTag;

impl Endpoint for RemovePolicyFromTag {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}/policies/{policy}";
    const REQUIRES: Requirement = Requirement::Instruments;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PolicyOnTagPath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<PolicyOnTagPath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        app.operations
            .remove_policy_from_tag(&request.call, path, force(request))
            .await?;
        Ok(NoContent)
    }
}
