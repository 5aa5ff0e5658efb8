// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/{prefix}/namespaces/{namespace}/views`: the views of the native protocol, by other words.

use http::Method;
use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_catalog::view_catalog::{IcebergViewCreation, LoadedView};
use lakeward_iceberg_api::namespace::Namespace;
use lakeward_iceberg_api::table_identifier::{
    ListTablesResponse, RenameTableRequest, TableIdentifier, TableName,
};
use lakeward_iceberg_api::view::{CommitViewRequest, CreateViewRequest, LoadViewResult, RegisterViewRequest};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::iceberg_view::ViewMove;
use lakeward_operations::named::{Named, Names};
use lakeward_operations::paths::{CatalogPath, SchemaPath, ViewPath};
use lakeward_store::RequestOutcome;
use serde_json::Value;

use super::page::{page, token};
use super::prefix::full_name;
use super::request::refuse;
use super::table_reply::with_cache_headers;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, ListEndpoint, Repeats, Request};
use crate::http::parts::Parts;
use crate::http::reply::{NoContent, Reply};
use crate::http::routes::Routes;

/// What it takes to put a view into a namespace.
const CREATE_VIEW: Requirement = Requirement::CreateIn {
    parent: ObjectKind::Schema,
    holding: &[Privilege::CreateView],
};

/// What it takes to change or drop a view.
const OWN_VIEW: Requirement = Requirement::Owner(ObjectKind::View);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListViews>()
        .mount::<CreateView>()
        .mount::<RegisterView>()
        .mount::<LoadView>()
        .mount::<ViewExists>()
        .mount::<ReplaceView>()
        .mount::<RenameView>()
        .mount::<DropView>()
}

/// The answer that shows a view. It is for one caller, as that of a table.
fn reply(view: &LoadedView) -> Result<Reply, OperationError> {
    with_cache_headers(Reply::json(&LoadViewResult {
        metadata_location: &view.metadata_location,
        metadata: &view.metadata.json,
    })?)
}

/// `GET …/views?pageToken=&pageSize=`
#[derive(Debug)]
pub struct ListViews;

impl ListEndpoint for ListViews {
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/views";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::View);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Reply = ListTablesResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        shown: Visibility,
    ) -> Result<ListTablesResponse, OperationError> {
        let namespace = Namespace::from_decoded(request.parts.path("namespace")?).map_err(refuse)?;
        let wanted = page("views", &request.parts)?;
        let listed = app
            .operations
            .list_iceberg_views(&request.call, path, &shown, &wanted)
            .await?;
        let identifiers = listed
            .names
            .into_iter()
            .map(|name| {
                Ok(TableIdentifier {
                    namespace: namespace.clone(),
                    name: TableName::new(name).map_err(refuse)?,
                })
            })
            .collect::<Result<_, OperationError>>()?;
        Ok(ListTablesResponse {
            identifiers,
            next_page_token: listed.next.map(|last| token("views", &last)),
        })
    }
}

/// `POST …/views`
#[derive(Debug)]
pub struct CreateView;

impl Endpoint for CreateView {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/views";
    const REQUIRES: Requirement = CREATE_VIEW;
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = SchemaPath;
    type Body = Json<CreateViewRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let creation = IcebergViewCreation {
            schema: body.schema.into_json(),
            location: body.location,
            view_version: body.view_version.into_json(),
            properties: body.properties,
        };
        let view = app
            .operations
            .create_iceberg_view(&request.call, schema, body.name.as_str(), &creation)
            .await?;
        reply(&view)
    }

    async fn again(app: &App, request: &Request, earlier: &RequestOutcome) -> Result<Reply, OperationError> {
        reply(&app.operations.view_again(&request.call, earlier).await?)
    }
}

/// `POST …/register-view`
#[derive(Debug)]
pub struct RegisterView;

impl Endpoint for RegisterView {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/register-view";
    const REQUIRES: Requirement = CREATE_VIEW;
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = SchemaPath;
    type Body = Json<RegisterViewRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let view = app
            .operations
            .register_iceberg_view(
                &request.call,
                schema,
                body.name.as_str(),
                &body.metadata_location,
                request.force(),
            )
            .await?;
        reply(&view)
    }

    async fn again(app: &App, request: &Request, earlier: &RequestOutcome) -> Result<Reply, OperationError> {
        reply(&app.operations.view_again(&request.call, earlier).await?)
    }
}

/// `GET …/views/{view}`
#[derive(Debug)]
pub struct LoadView;

impl Endpoint for LoadView {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/views/{view}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::View);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ViewPath;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        reply(&app.operations.load_iceberg_view(&request.call, &path).await?)
    }
}

/// `HEAD …/views/{view}`: also for those who may create here, since engines probe before they create. It says whether the
/// name is there, nothing of the view.
#[derive(Debug)]
pub struct ViewExists;

impl Endpoint for ViewExists {
    const METHOD: Method = Method::HEAD;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/views/{view}";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::View,
        holding: &[Privilege::SelectView, Privilege::CreateView],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ViewPath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        app.operations.require_iceberg_view(&request.call, &path)?;
        Ok(NoContent)
    }
}

/// `POST …/views/{view}`
#[derive(Debug)]
pub struct ReplaceView;

impl Endpoint for ReplaceView {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/views/{view}";
    const REQUIRES: Requirement = OWN_VIEW;
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = ViewPath;
    type Body = Json<CommitViewRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        if let Some(identifier) = &body.identifier {
            let namespace = Namespace::from_decoded(request.parts.path("namespace")?).map_err(refuse)?;
            if identifier.namespace != namespace || identifier.name.as_str() != path.name {
                return Err(OperationError::invalid(
                    "`identifier` names another view than the path; leave it out or repeat the path",
                ));
            }
        }
        let commit = IcebergCommit {
            requirements: body
                .requirements
                .into_iter()
                .map(|requirement| Value::Object(requirement.body))
                .collect(),
            updates: body
                .updates
                .into_iter()
                .map(|update| Value::Object(update.body))
                .collect(),
        };
        let view = app
            .operations
            .replace_iceberg_view(&request.call, path, &commit)
            .await?;
        reply(&view)
    }

    async fn again(app: &App, request: &Request, earlier: &RequestOutcome) -> Result<Reply, OperationError> {
        reply(&app.operations.view_again(&request.call, earlier).await?)
    }
}

/// The target of a rename. A body that is malformed names no view: then the catalog stands for it, and only who may rename
/// everything in it learns what is wrong with the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RenamedView {
    /// Source and destination.
    View(ViewMove),
    /// Nothing but the catalog.
    Unknown(CatalogPath),
}

impl Names for RenamedView {
    fn named(&self) -> Named {
        match self {
            Self::View(moved) => moved.named(),
            Self::Unknown(catalog) => catalog.named(),
        }
    }
}

impl FromCall<Json<RenameTableRequest>> for RenamedView {
    fn from_call(
        app: &App,
        parts: &Parts,
        body: Option<&Json<RenameTableRequest>>,
    ) -> Result<Self, OperationError> {
        let catalog = CatalogPath::from_path(parts)?;
        let Some(Json(body)) = body else {
            return Ok(Self::Unknown(catalog));
        };
        let schema = |namespace: &Namespace| -> Result<SchemaPath, OperationError> {
            Ok(SchemaPath {
                metalake: catalog.metalake.clone(),
                catalog: catalog.catalog.clone(),
                schema: full_name(app, namespace)?,
            })
        };
        Ok(Self::View(ViewMove {
            source: schema(&body.source.namespace)?.leaf(body.source.name.as_str()),
            destination: schema(&body.destination.namespace)?,
        }))
    }
}

/// `POST …/views/rename`
#[derive(Debug)]
pub struct RenameView;

impl Endpoint for RenameView {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/views/rename";
    const REQUIRES: Requirement = Requirement::IfRequest {
        says: Circumstance::LeavesItsSchema,
        then: &Requirement::All(&[OWN_VIEW, Requirement::Destination(&CREATE_VIEW)]),
        otherwise: &OWN_VIEW,
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::TargetGone;
    type Target = RenamedView;
    type Body = Json<RenameTableRequest>;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        renamed: Authorized<RenamedView>,
        Json(body): Self::Body,
    ) -> Result<NoContent, OperationError> {
        app.operations
            .rename_iceberg_view(&request.call, &renamed, body.destination.name.as_str())
            .await?;
        Ok(NoContent)
    }

    async fn again(_: &App, _: &Request, _: &RequestOutcome) -> Result<NoContent, OperationError> {
        Ok(NoContent)
    }
}

/// `DELETE …/views/{view}`
#[derive(Debug)]
pub struct DropView;

impl Endpoint for DropView {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/views/{view}";
    const REQUIRES: Requirement = OWN_VIEW;
    const GOVERNANCE: Governance = Governance::NoTable;
    const REPEATS: Repeats = Repeats::TargetGone;
    type Target = ViewPath;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        if app.operations.drop_view(&request.call, path).await? {
            return Ok(NoContent);
        }
        Err(request.call.facts.found()?.missing())
    }

    async fn again(_: &App, _: &Request, _: &RequestOutcome) -> Result<NoContent, OperationError> {
        Ok(NoContent)
    }
}
