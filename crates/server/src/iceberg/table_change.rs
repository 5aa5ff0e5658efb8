// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of tables: create, stage, register, commit, rename.

use http::Method;
use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_catalog::table_catalog::{IcebergCommit, IcebergTableCreation};
use lakeward_iceberg_api::commit_table::CommitTableRequest;
use lakeward_iceberg_api::create_table::{CreateTableRequest, JsonObject, RegisterTableRequest};
use lakeward_iceberg_api::namespace::Namespace;
use lakeward_iceberg_api::table_identifier::RenameTableRequest;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::iceberg_commit::CommitPath;
use lakeward_operations::iceberg_table::{NewIcebergTable, TableMove};
use lakeward_operations::named::{Named, Names};
use lakeward_operations::paths::{CatalogPath, SchemaPath, TablePath};
use lakeward_store::RequestOutcome;
use serde_json::Value;

use super::prefix::full_name;
use super::request::refuse;
use super::table_reply::WantedForm;
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, Repeats, Request};
use crate::http::parts::Parts;
use crate::http::reply::{NoContent, Reply};
use crate::http::routes::Routes;

/// What it takes to put a table into a namespace.
const CREATE_TABLE: Requirement = Requirement::CreateIn {
    parent: ObjectKind::Schema,
    holding: &[Privilege::CreateTable],
};

/// What it takes to change a table.
const MODIFY_TABLE: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

/// What it takes to commit to a table.
pub(super) const COMMIT: Requirement = Requirement::IfRequest {
    says: Circumstance::Creates,
    then: &CREATE_TABLE,
    otherwise: &MODIFY_TABLE,
};

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<CreateTable>()
        .mount::<RegisterTable>()
        .mount::<CommitTable>()
        .mount::<RenameTable>()
}

/// `POST …/tables`
#[derive(Debug)]
pub struct CreateTable;

impl Endpoint for CreateTable {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables";
    const REQUIRES: Requirement = CREATE_TABLE;
    const APPENDS: bool = true;
    const GOVERNANCE: Governance = Governance::Gate;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = SchemaPath;
    type Body = Json<CreateTableRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let form = WantedForm::of_change(&request.parts);
        let is_staged = body.stage_create;
        let new = NewIcebergTable {
            name: body.name.as_str().to_owned(),
            stage: is_staged,
            creation: IcebergTableCreation {
                schema: body.schema.into_json(),
                location: body.location,
                partition_spec: body.partition_spec.map(JsonObject::into_json),
                write_order: body.write_order.map(JsonObject::into_json),
                properties: body.properties,
            },
        };
        let served = app
            .operations
            .create_iceberg_table(&request.call, schema, new, form.representation())
            .await?;
        form.reply(&served, &request.parts, is_staged)
    }

    async fn again(app: &App, request: &Request, earlier: &RequestOutcome) -> Result<Reply, OperationError> {
        let form = WantedForm::of_change(&request.parts);
        let served = app
            .operations
            .table_again(&request.call, earlier, form.representation())
            .await?;
        form.reply(&served, &request.parts, false)
    }
}

/// `POST …/register`
#[derive(Debug)]
pub struct RegisterTable;

impl Endpoint for RegisterTable {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/register";
    const REQUIRES: Requirement = CREATE_TABLE;
    const GOVERNANCE: Governance = Governance::Gate;
    const REPEATS: Repeats = Repeats::Decided;
    type Target = SchemaPath;
    type Body = Json<RegisterTableRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let form = WantedForm::of_change(&request.parts);
        if body.overwrite {
            return Err(OperationError::Unsupported(
                "registering over an existing table is not supported; drop it first".to_owned(),
            ));
        }
        let served = app
            .operations
            .register_iceberg_table(
                &request.call,
                schema,
                body.name.as_str(),
                &body.metadata_location,
                request.force(),
                form.representation(),
            )
            .await?;
        form.reply(&served, &request.parts, false)
    }

    async fn again(app: &App, request: &Request, earlier: &RequestOutcome) -> Result<Reply, OperationError> {
        let form = WantedForm::of_change(&request.parts);
        let served = app
            .operations
            .table_again(&request.call, earlier, form.representation())
            .await?;
        form.reply(&served, &request.parts, false)
    }
}

impl FromCall<Json<CommitTableRequest>> for CommitPath {
    fn from_call(
        _: &App,
        parts: &Parts,
        body: Option<&Json<CommitTableRequest>>,
    ) -> Result<Self, OperationError> {
        Ok(Self {
            table: TablePath::from_path(parts)?,
            creates: body.is_some_and(|Json(body)| body.creates()),
        })
    }
}

/// `POST …/tables/{table}`
#[derive(Debug)]
pub struct CommitTable;

impl Endpoint for CommitTable {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}";
    const REQUIRES: Requirement = COMMIT;
    const APPENDS: bool = true;
    const GOVERNANCE: Governance = Governance::Gate;
    const REPEATS: Repeats = Repeats::FilesKept;
    type Target = CommitPath;
    type Body = Json<CommitTableRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<CommitPath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let form = WantedForm::of_change(&request.parts);
        if let Some(identifier) = &body.identifier {
            let namespace = Namespace::from_decoded(request.parts.path("namespace")?).map_err(refuse)?;
            if identifier.namespace != namespace || identifier.name.as_str() != path.table.name {
                return Err(OperationError::invalid(
                    "`identifier` names another table than the path; leave it out or repeat the path",
                ));
            }
        }
        let commit = commit_of(body);
        let served = app
            .operations
            .commit_iceberg_table(&request.call, path, &commit, form.representation())
            .await?;
        form.reply(&served, &request.parts, false)
    }

    async fn again(app: &App, request: &Request, earlier: &RequestOutcome) -> Result<Reply, OperationError> {
        let form = WantedForm::of_change(&request.parts);
        let served = app
            .operations
            .committed_table_again(&request.call, earlier, form.representation())
            .await?;
        form.reply(&served, &request.parts, false)
    }
}

/// The commit that a body asks for.
pub(super) fn commit_of(body: CommitTableRequest) -> IcebergCommit {
    IcebergCommit {
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
    }
}

/// The target of a rename. A body that is malformed names no table: then the catalog stands for it, and only who may
/// rename everything in it learns what is wrong with the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Renamed {
    /// Source and destination.
    Table(TableMove),
    /// Nothing but the catalog.
    Unknown(CatalogPath),
}

impl Names for Renamed {
    fn named(&self) -> Named {
        match self {
            Self::Table(moved) => moved.named(),
            Self::Unknown(catalog) => catalog.named(),
        }
    }
}

impl FromCall<Json<RenameTableRequest>> for Renamed {
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
        Ok(Self::Table(TableMove {
            source: schema(&body.source.namespace)?.leaf(body.source.name.as_str()),
            destination: schema(&body.destination.namespace)?,
        }))
    }
}

/// `POST …/tables/rename`
#[derive(Debug)]
pub struct RenameTable;

impl Endpoint for RenameTable {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/tables/rename";
    const REQUIRES: Requirement = Requirement::IfRequest {
        says: Circumstance::LeavesItsSchema,
        then: &Requirement::All(&[
            Requirement::Owner(ObjectKind::Table),
            Requirement::Destination(&CREATE_TABLE),
        ]),
        otherwise: &MODIFY_TABLE,
    };
    const GOVERNANCE: Governance = Governance::Gate;
    const REPEATS: Repeats = Repeats::TargetGone;
    type Target = Renamed;
    type Body = Json<RenameTableRequest>;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        renamed: Authorized<Renamed>,
        Json(body): Self::Body,
    ) -> Result<NoContent, OperationError> {
        app.operations
            .rename_iceberg_table(
                &request.call,
                &renamed,
                body.destination.name.as_str(),
                request.force(),
            )
            .await?;
        Ok(NoContent)
    }

    async fn again(_: &App, _: &Request, _: &RequestOutcome) -> Result<NoContent, OperationError> {
        Ok(NoContent)
    }
}
