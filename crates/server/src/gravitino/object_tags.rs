// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags on objects. Version 1 of the request names whole tags, version 2 gives single values.

use http::{Method, header};
use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_governance::assignment::{AssignmentRequest, TagValue};
use lakeward_gravitino_api::object_tag::{
    NamesChange, TagAndValue, TagNamesRequest, TagValuesRequest, ValuesChange,
};
use lakeward_gravitino_api::response::NameListResponse;
use lakeward_gravitino_api::tag::{TagDto, TagListResponse, TagResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;
use lakeward_operations::tag_assignment::{ObjectTag, ObjectTagsPath};

use super::tag::{force, tag_dto};
use super::understand::understand;
use crate::app::App;
use crate::http::body::{NoBody, Versioned};
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, ListEndpoint, Request};
use crate::http::media::Versions;
use crate::http::parts::Parts;
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The media type of version 2, which answers in kind.
const VERSION_2: &str = "application/vnd.gravitino.v2+json";

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListTagsOfObject>()
        .mount::<LoadTagOfObject>()
        .mount::<ChangeTagsOfObject>()
}

/// The body of both versions.
type TagsBody = Versioned<TagNamesRequest, TagValuesRequest>;

fn object_tag_dto(found: ObjectTag) -> TagDto {
    TagDto {
        assignment_values: Some(found.values),
        inherited: Some(found.is_inherited),
        ..tag_dto(found.tag)
    }
}

impl FromCall<NoBody> for ObjectTagsPath {
    /// The object and the one tag in the path.
    fn from_call(_: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        Ok(Self {
            object: ObjectPath::from_path(parts)?,
            tags: vec![parts.path("tag")?.to_owned()],
        })
    }
}

impl FromCall<TagsBody> for ObjectTagsPath {
    /// The object, and every tag in the body.
    fn from_call(_: &App, parts: &Parts, body: Option<&TagsBody>) -> Result<Self, OperationError> {
        let mut tags: Vec<String> = match body {
            None => Vec::new(),
            Some(Versioned::V1(names)) => {
                let lists = [&names.tags_to_add, &names.tags_to_remove];
                lists.into_iter().flatten().flatten().cloned().collect()
            }
            Some(Versioned::V2(values)) => {
                let lists = [&values.tags_to_add, &values.tags_to_remove];
                lists
                    .into_iter()
                    .flatten()
                    .flatten()
                    .filter_map(|pair| pair.name.clone())
                    .collect()
            }
        };
        tags.sort_unstable();
        tags.dedup();
        Ok(Self {
            object: ObjectPath::from_path(parts)?,
            tags,
        })
    }
}

/// `GET …/objects/{type}/{fullName}/tags`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListTagsOfObject;

impl ListEndpoint for ListTagsOfObject {
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/tags";
    const REQUIRES: Requirement = Requirement::AccessTo;
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Tag);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        let tags = app
            .operations
            .list_tags_of_object(&request.call, object, &shown)
            .await?;
        if request.parts.flag("details", false) {
            return Reply::json(&TagListResponse {
                code: 0,
                tags: tags.into_iter().map(object_tag_dto).collect(),
            });
        }
        let names = tags.into_iter().map(|found| found.tag.tag.name).collect();
        Reply::json(&NameListResponse::of(names))
    }
}

/// `GET …/objects/{type}/{fullName}/tags/{tag}`
#[derive(Debug)]
pub struct LoadTagOfObject;

impl Endpoint for LoadTagOfObject {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/tags/{tag}";
    const REQUIRES: Requirement = Requirement::Instruments;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectTagsPath;
    type Body = NoBody;
    type Reply = TagResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ObjectTagsPath>,
        _: NoBody,
    ) -> Result<TagResponse, OperationError> {
        let found = app.operations.load_tag_of_object(&request.call, path).await?;
        Ok(TagResponse {
            code: 0,
            tag: object_tag_dto(found),
        })
    }
}

/// `POST …/objects/{type}/{fullName}/tags?force=`
#[derive(Debug)]
pub struct ChangeTagsOfObject;

impl Endpoint for ChangeTagsOfObject {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/tags";
    const REQUIRES: Requirement = Requirement::Instruments;
    const VERSIONS: Versions = Versions::OneAndTwo;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectTagsPath;
    type Body = TagsBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ObjectTagsPath>,
        body: TagsBody,
    ) -> Result<Reply, OperationError> {
        let pair = |TagAndValue { name, value }| TagValue { tag: name, value };
        let (change, in_version_2) = match body {
            Versioned::V1(names) => {
                let NamesChange { add, remove } = understand(names)?;
                (AssignmentRequest::Names { add, remove }, false)
            }
            Versioned::V2(values) => {
                let ValuesChange { add, remove } = understand(values)?;
                let add = add.into_iter().map(pair).collect();
                let remove = remove.into_iter().map(pair).collect();
                (AssignmentRequest::Values { add, remove }, true)
            }
        };
        let names = app
            .operations
            .change_tags_of_object(&request.call, path, &change, force(request))
            .await?;
        let reply = Reply::json(&NameListResponse::of(names))?;
        if in_version_2 {
            return reply.with_header(header::CONTENT_TYPE, VERSION_2);
        }
        Ok(reply)
    }
}
