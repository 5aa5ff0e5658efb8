// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/{prefix}/namespaces`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_iceberg_api::namespace::{
    CreateNamespaceRequest, ListNamespacesResponse, Namespace, NamespaceResponse,
    UpdateNamespacePropertiesRequest, UpdateNamespacePropertiesResponse,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use lakeward_operations::namespace::{ChangedProperties, ListPage, NamespaceParent};
use lakeward_operations::paths::SchemaPath;
use lakeward_operations::schema::SchemaParentPath;
use lakeward_store::RequestOutcome;

use super::page::{page, token};
use super::prefix::full_name;
use super::request::refuse;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, Governance, ListEndpoint, Repeats, Request};
use crate::http::parts::Parts;
use crate::http::reply::NoContent;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListNamespaces>()
        .mount::<CreateNamespace>()
        .mount::<LoadNamespace>()
        .mount::<NamespaceExists>()
        .mount::<DropNamespace>()
        .mount::<UpdateNamespaceProperties>()
}

fn target(app: &App, parts: &Parts, parent: Option<&Namespace>) -> Result<NamespaceParent, OperationError> {
    Ok(NamespaceParent(SchemaParentPath {
        metalake: parts.path("metalake")?.to_owned(),
        catalog: parts.path("catalog")?.to_owned(),
        parent: parent.map(|parent| full_name(app, parent)).transpose()?,
    }))
}

/// The namespace in the query parameter `parent`.
fn parent_of(parts: &Parts) -> Result<Option<Namespace>, OperationError> {
    parts
        .query("parent")
        .filter(|parent| !parent.is_empty())
        .map(Namespace::from_decoded)
        .transpose()
        .map_err(refuse)
}

impl FromCall<NoBody> for NamespaceParent {
    fn from_call(app: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        target(app, parts, parent_of(parts)?.as_ref())
    }
}

impl FromCall<Json<CreateNamespaceRequest>> for NamespaceParent {
    fn from_call(
        app: &App,
        parts: &Parts,
        body: Option<&Json<CreateNamespaceRequest>>,
    ) -> Result<Self, OperationError> {
        let parent = body
            .and_then(|Json(body)| body.namespace.levels().split_last())
            .filter(|(_, above)| !above.is_empty())
            .map(|(_, above)| Namespace::new(above.to_vec()))
            .transpose()
            .map_err(refuse)?;
        target(app, parts, parent.as_ref())
    }
}

/// `GET …/namespaces?parent=&pageToken=&pageSize=`
#[derive(Debug)]
pub struct ListNamespaces;

impl ListEndpoint for ListNamespaces {
    const PATH: &'static str = "/v1/{prefix}/namespaces";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Catalog);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = NamespaceParent;
    type Reply = ListNamespacesResponse;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<NamespaceParent>,
        shown: Visibility,
    ) -> Result<ListNamespacesResponse, OperationError> {
        let above = parent_of(&request.parts)?
            .map(Namespace::into_levels)
            .unwrap_or_default();
        let wanted: ListPage = page("namespaces", &request.parts)?;
        let listed = app
            .operations
            .list_namespaces(&request.call, parent, &shown, &wanted)
            .await?;
        let namespaces = listed
            .names
            .into_iter()
            .map(|name| {
                let mut levels = above.clone();
                levels.push(name);
                Namespace::new(levels).map_err(refuse)
            })
            .collect::<Result<_, _>>()?;
        Ok(ListNamespacesResponse {
            namespaces,
            next_page_token: listed.next.map(|last| token("namespaces", &last)),
        })
    }
}

/// `POST …/namespaces`
#[derive(Debug)]
pub struct CreateNamespace;

impl Endpoint for CreateNamespace {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Catalog,
        holding: &[Privilege::CreateSchema],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = NamespaceParent;
    type Body = Json<CreateNamespaceRequest>;
    type Reply = NamespaceResponse;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<NamespaceParent>,
        Json(body): Self::Body,
    ) -> Result<NamespaceResponse, OperationError> {
        let properties = app
            .operations
            .create_namespace(&request.call, parent, body.namespace.levels(), body.properties)
            .await?;
        Ok(NamespaceResponse {
            namespace: body.namespace,
            properties,
        })
    }

    async fn again(
        app: &App,
        request: &Request,
        earlier: &RequestOutcome,
    ) -> Result<NamespaceResponse, OperationError> {
        let (levels, properties) = app.operations.namespace_again(&request.call, earlier).await?;
        Ok(NamespaceResponse {
            namespace: Namespace::new(levels).map_err(refuse)?,
            properties,
        })
    }
}

/// `GET …/namespaces/{namespace}`
#[derive(Debug)]
pub struct LoadNamespace;

impl Endpoint for LoadNamespace {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = NoBody;
    type Reply = NamespaceResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        _: NoBody,
    ) -> Result<NamespaceResponse, OperationError> {
        let namespace = Namespace::from_decoded(request.parts.path("namespace")?).map_err(refuse)?;
        let schema = app.operations.load_schema(&request.call, path).await?;
        Ok(NamespaceResponse {
            namespace,
            properties: schema.properties,
        })
    }
}

/// `HEAD …/namespaces/{namespace}`: also for those who may create here, since engines probe before they create.
#[derive(Debug)]
pub struct NamespaceExists;

impl Endpoint for NamespaceExists {
    const METHOD: Method = Method::HEAD;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::Schema,
        holding: &[Privilege::UseSchema, Privilege::CreateSchema],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        app.operations.load_schema(&request.call, path).await?;
        Ok(NoContent)
    }
}

/// `DELETE …/namespaces/{namespace}`
#[derive(Debug)]
pub struct DropNamespace;

impl Endpoint for DropNamespace {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::Refuse;
    const REPEATS: Repeats = Repeats::TargetGone;
    type Target = SchemaPath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        let name = path.schema.clone();
        if app.operations.drop_schema(&request.call, path, false).await? {
            return Ok(NoContent);
        }
        Err(OperationError::not_found(ObjectKind::Schema, name))
    }

    async fn again(_: &App, _: &Request, _: &RequestOutcome) -> Result<NoContent, OperationError> {
        Ok(NoContent)
    }
}

fn changed(properties: ChangedProperties) -> UpdateNamespacePropertiesResponse {
    let ChangedProperties {
        removed,
        updated,
        missing,
    } = properties;
    UpdateNamespacePropertiesResponse {
        removed,
        updated,
        missing,
    }
}

/// `POST …/namespaces/{namespace}/properties`
#[derive(Debug)]
pub struct UpdateNamespaceProperties;

impl Endpoint for UpdateNamespaceProperties {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/properties";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = SchemaPath;
    type Body = Json<UpdateNamespacePropertiesRequest>;
    type Reply = UpdateNamespacePropertiesResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<UpdateNamespacePropertiesResponse, OperationError> {
        let contradictions = body.contradictions();
        if !contradictions.is_empty() {
            return Err(OperationError::mistake(
                Mistake::Contradiction,
                format!(
                    "properties cannot be both set and removed: `{}`",
                    contradictions.join("`, `")
                ),
            ));
        }
        app.operations
            .update_namespace_properties(&request.call, path, &body.removals, &body.updates)
            .await
            .map(changed)
    }

    async fn again(
        _: &App,
        _: &Request,
        earlier: &RequestOutcome,
    ) -> Result<UpdateNamespacePropertiesResponse, OperationError> {
        ChangedProperties::of_outcome(earlier).map(changed)
    }
}
