// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags of a metalake.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_governance::tag::{AllowedValues, Tag, TagChange};
use lakeward_gravitino_api::metadata_object::MetadataObjectListResponse;
use lakeward_gravitino_api::response::{DropResponse, NameListResponse};
use lakeward_gravitino_api::tag::{
    TagCreateRequest, TagDto, TagListResponse, TagResponse, TagToCreate, TagUpdate, TagUpdatesRequest,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{MetalakePath, ObjectPath};
use lakeward_operations::tag::AuditedTag;
use lakeward_operations::widening::Force;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

const READ: Requirement = *Requirement::load(ObjectKind::Tag);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListTags>()
        .mount::<CreateTag>()
        .mount::<LoadTag>()
        .mount::<AlterTag>()
        .mount::<DropTag>()
        .mount::<ListObjectsOfTag>()
}

/// A tag as the protocol shows it, without what only an assignment has.
pub(super) fn tag_dto(AuditedTag { tag, audit }: AuditedTag) -> TagDto {
    TagDto {
        name: tag.name,
        comment: tag.comment,
        properties: tag.properties,
        allowed_values: match tag.allowed_values {
            AllowedValues::Any => None,
            AllowedValues::Only(values) => Some(values),
        },
        assignment_values: None,
        audit: (&audit).into(),
        inherited: None,
    }
}

fn tag_response(tag: AuditedTag) -> TagResponse {
    TagResponse {
        code: 0,
        tag: tag_dto(tag),
    }
}

/// Whether the query says `force=true`.
pub(super) fn force(request: &Request) -> Force {
    request.force()
}

/// `GET …/tags`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListTags;

impl ListEndpoint for ListTags {
    const PATH: &'static str = "/metalakes/{metalake}/tags";
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
            let tags = app.operations.list_tags(&request.call, metalake, &shown).await?;
            return Reply::json(&TagListResponse {
                code: 0,
                tags: tags.into_iter().map(tag_dto).collect(),
            });
        }
        let names = app
            .operations
            .list_tag_names(&request.call, metalake, &shown)
            .await?;
        Reply::json(&NameListResponse::of(names))
    }
}

/// `POST …/tags`
#[derive(Debug)]
pub struct CreateTag;

impl Endpoint for CreateTag {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/tags";
    const REQUIRES: Requirement = Requirement::Holds(&[Privilege::CreateTag]);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<TagCreateRequest>;
    type Reply = TagResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<TagResponse, OperationError> {
        let new: TagToCreate = understand(body)?;
        let tag = Tag {
            name: new.name,
            comment: new.comment,
            properties: new.properties,
            allowed_values: AllowedValues::new(new.allowed_values)
                .map_err(|error| OperationError::invalid(error.to_string()))?,
        };
        let created = app.operations.create_tag(&request.call, metalake, tag).await?;
        Ok(tag_response(created))
    }
}

/// `GET …/tags/{tag}`
#[derive(Debug)]
pub struct LoadTag;

impl Endpoint for LoadTag {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = TagResponse;

    async fn run(
        app: &App,
        request: &Request,
        tag: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<TagResponse, OperationError> {
        Ok(tag_response(app.operations.load_tag(&request.call, tag).await?))
    }
}

/// `PUT …/tags/{tag}`
#[derive(Debug)]
pub struct AlterTag;

impl Endpoint for AlterTag {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Tag);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = Json<TagUpdatesRequest>;
    type Reply = TagResponse;

    async fn run(
        app: &App,
        request: &Request,
        tag: Authorized<ObjectPath>,
        Json(body): Self::Body,
    ) -> Result<TagResponse, OperationError> {
        let updates: Vec<TagUpdate> = understand(body)?;
        let changes = updates
            .into_iter()
            .map(|update| match update {
                TagUpdate::Rename(name) => TagChange::Rename(name),
                TagUpdate::UpdateComment(comment) => TagChange::UpdateComment(comment),
                TagUpdate::SetProperty { property, value } => TagChange::SetProperty { property, value },
                TagUpdate::RemoveProperty(property) => TagChange::RemoveProperty(property),
            })
            .collect();
        Ok(tag_response(
            app.operations.alter_tag(&request.call, tag, changes).await?,
        ))
    }
}

/// `DELETE …/tags/{tag}?force=`
#[derive(Debug)]
pub struct DropTag;

impl Endpoint for DropTag {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Tag);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        tag: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app
            .operations
            .drop_tag(&request.call, tag, force(request))
            .await?;
        Ok(DropResponse::of(dropped))
    }
}

/// `GET …/tags/{tag}/objects?value=`: direct associations, as far as the caller has access to the objects.
#[derive(Debug)]
pub struct ListObjectsOfTag;

impl Endpoint for ListObjectsOfTag {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{tag}/objects";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = MetadataObjectListResponse;

    async fn run(
        app: &App,
        request: &Request,
        tag: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<MetadataObjectListResponse, OperationError> {
        let objects = app
            .operations
            .list_objects_of_tag(&request.call, tag, request.parts.query("value"))
            .await?;
        Ok(objects.iter().collect())
    }
}
