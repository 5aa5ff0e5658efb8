// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/schemas/{schema}/topics`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_gravitino_api::topic::{TopicCreateRequest, TopicResponse, TopicUpdatesRequest};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{SchemaPath, TopicPath};

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListTopics>()
        .mount::<CreateTopic>()
        .mount::<LoadTopic>()
        .mount::<AlterTopic>()
        .mount::<DropTopic>()
}

/// `GET …/topics`
#[derive(Debug)]
pub struct ListTopics;

impl ListEndpoint for ListTopics {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Topic);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Reply = EntityListResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        shown: Visibility,
    ) -> Result<EntityListResponse, OperationError> {
        let path = schema.get().clone();
        let names = app.operations.list_topics(&request.call, schema, &shown).await?;
        Ok(EntityListResponse::under(
            &[&path.metalake, &path.catalog, &path.schema],
            names,
        ))
    }
}

/// `POST …/topics`
#[derive(Debug)]
pub struct CreateTopic;

impl Endpoint for CreateTopic {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::CreateTopic],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = Json<TopicCreateRequest>;
    type Reply = TopicResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<TopicResponse, OperationError> {
        let new = understand(body)?;
        let topic = app.operations.create_topic(&request.call, schema, new).await?;
        Ok((&topic).into())
    }
}

/// `GET …/topics/{topic}`
#[derive(Debug)]
pub struct LoadTopic;

impl Endpoint for LoadTopic {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics/{topic}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Topic);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TopicPath;
    type Body = NoBody;
    type Reply = TopicResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TopicPath>,
        _: NoBody,
    ) -> Result<TopicResponse, OperationError> {
        let topic = app.operations.load_topic(&request.call, path).await?;
        Ok((&topic).into())
    }
}

/// `PUT …/topics/{topic}`
#[derive(Debug)]
pub struct AlterTopic;

impl Endpoint for AlterTopic {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics/{topic}";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::Topic,
        holding: &[Privilege::ProduceTopic],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TopicPath;
    type Body = Json<TopicUpdatesRequest>;
    type Reply = TopicResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TopicPath>,
        Json(body): Self::Body,
    ) -> Result<TopicResponse, OperationError> {
        let changes = understand(body)?;
        let topic = app.operations.alter_topic(&request.call, path, changes).await?;
        Ok((&topic).into())
    }
}

/// `DELETE …/topics/{topic}`
#[derive(Debug)]
pub struct DropTopic;

impl Endpoint for DropTopic {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics/{topic}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Topic);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TopicPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TopicPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app.operations.drop_topic(&request.call, path).await?;
        Ok(DropResponse::of(dropped))
    }
}
