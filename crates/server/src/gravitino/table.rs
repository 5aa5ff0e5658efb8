// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/schemas/{schema}/tables`

use http::Method;
use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_gravitino_api::table::{TableCreateRequest, TableResponse};
use lakeward_gravitino_api::table_update::TableUpdatesRequest;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use lakeward_operations::paths::{SchemaPath, TablePath};
use lakeward_operations::table::{AlteredTable, LoadedTablePath};

use super::tag::force;
use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListTables>()
        .mount::<CreateTable>()
        .mount::<LoadTable>()
        .mount::<AlterTable>()
        .mount::<DropTable>()
}

/// What changing a table takes.
const MODIFY: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

/// What putting a table into a schema takes.
const CREATE: Requirement = Requirement::CreateIn {
    parent: ObjectKind::Schema,
    holding: &[Privilege::CreateTable],
};

/// `GET …/tables`
#[derive(Debug)]
pub struct ListTables;

impl ListEndpoint for ListTables {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Table);
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
        let names = app.operations.list_tables(&request.call, schema, &shown).await?;
        Ok(EntityListResponse::under(
            &[&path.metalake, &path.catalog, &path.schema],
            names,
        ))
    }
}

/// `POST …/tables`
#[derive(Debug)]
pub struct CreateTable;

impl Endpoint for CreateTable {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables";
    const REQUIRES: Requirement = CREATE;
    const GOVERNANCE: Governance = Governance::SchemaOnly;
    type Target = SchemaPath;
    type Body = Json<TableCreateRequest>;
    type Reply = TableResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<TableResponse, OperationError> {
        let new = understand(body)?;
        let table = app.operations.create_table(&request.call, schema, new).await?;
        Ok((&table).into())
    }
}

impl FromCall<NoBody> for LoadedTablePath {
    /// `?privileges=` lists what the caller wants to be allowed; only reading and modifying a table can be asked.
    fn from_call(_: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        let mut asks_to_modify = false;
        for name in parts.query("privileges").unwrap_or_default().split(',') {
            let name = name.trim();
            if name.is_empty() {
                continue;
            }
            match name.parse() {
                Ok(Privilege::SelectTable) => {}
                Ok(Privilege::ModifyTable) => asks_to_modify = true,
                Ok(_) | Err(_) => {
                    return Err(OperationError::mistake(
                        Mistake::Privilege,
                        format!(
                            "`{name}` cannot be asked of a table; `privileges` takes `SELECT_TABLE` and \
                             `MODIFY_TABLE`"
                        ),
                    ));
                }
            }
        }
        Ok(Self {
            path: TablePath::from_path(parts)?,
            asks_to_modify,
        })
    }
}

/// `GET …/tables/{table}?privileges=`
#[derive(Debug)]
pub struct LoadTable;

impl Endpoint for LoadTable {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}";
    const REQUIRES: Requirement = Requirement::IfRequest {
        says: Circumstance::AsksToModify,
        then: &MODIFY,
        otherwise: Requirement::load(ObjectKind::Table),
    };
    const GOVERNANCE: Governance = Governance::SchemaOnly;
    type Target = LoadedTablePath;
    type Body = NoBody;
    type Reply = TableResponse;

    async fn run(
        app: &App,
        request: &Request,
        loaded: Authorized<LoadedTablePath>,
        _: NoBody,
    ) -> Result<TableResponse, OperationError> {
        let table = app.operations.load_table(&request.call, loaded).await?;
        Ok((&table).into())
    }
}

impl FromCall<Json<TableUpdatesRequest>> for AlteredTable {
    fn from_call(
        _: &App,
        parts: &Parts,
        body: Option<&Json<TableUpdatesRequest>>,
    ) -> Result<Self, OperationError> {
        let path = TablePath::from_path(parts)?;
        let destination = body
            .and_then(|Json(body)| body.new_schema())
            .filter(|schema| *schema != path.schema)
            .map(|schema| SchemaPath {
                schema: schema.to_owned(),
                ..path.schema()
            });
        Ok(Self { path, destination })
    }
}

/// `PUT …/tables/{table}`. A rename into another schema takes ownership and the right to create there.
#[derive(Debug)]
pub struct AlterTable;

impl Endpoint for AlterTable {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}";
    const REQUIRES: Requirement = Requirement::IfRequest {
        says: Circumstance::LeavesItsSchema,
        then: &Requirement::All(&[
            Requirement::Owner(ObjectKind::Table),
            Requirement::Destination(&CREATE),
        ]),
        otherwise: &MODIFY,
    };
    const GOVERNANCE: Governance = Governance::SchemaOnly;
    type Target = AlteredTable;
    type Body = Json<TableUpdatesRequest>;
    type Reply = TableResponse;

    async fn run(
        app: &App,
        request: &Request,
        altered: Authorized<AlteredTable>,
        Json(body): Self::Body,
    ) -> Result<TableResponse, OperationError> {
        let changes = understand(body)?;
        let table = app
            .operations
            .alter_table(&request.call, altered, changes, force(request))
            .await?;
        Ok((&table).into())
    }
}

/// `DELETE …/tables/{table}?purge=&force=`
#[derive(Debug)]
pub struct DropTable;

impl Endpoint for DropTable {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Table);
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = TablePath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<TablePath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let purge = request.parts.flag("purge", false);
        let dropped = app
            .operations
            .drop_table(&request.call, path, purge, force(request))
            .await?;
        Ok(DropResponse::of(dropped))
    }
}
