// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/schemas/{schema}/filesets`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::fileset::{
    FileInfoListResponse, FileLocationResponse, FilesetCreateRequest, FilesetResponse, FilesetUpdatesRequest,
};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::fileset_files::DataOperation;
use lakeward_operations::paths::{FilesetPath, SchemaPath};
use percent_encoding::percent_decode_str;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListFilesets>()
        .mount::<CreateFileset>()
        .mount::<LoadFileset>()
        .mount::<AlterFileset>()
        .mount::<DropFileset>()
        .mount::<ListFiles>()
        .mount::<GetFileLocation>()
}

/// The header with the generation of the client's protocol.
const CLIENT_VERSION: &str = "X-Client-Version";

/// A path inside a fileset as the request means it. Clients of the first generation encode it twice.
///
/// # Errors
/// [`OperationError::Invalid`] for what is no UTF-8 after that.
fn sub_path(parts: &Parts, text: &str) -> Result<String, OperationError> {
    let version = parts.header(CLIENT_VERSION)?.unwrap_or_default();
    if version.trim().parse::<u64>().is_ok_and(|version| version >= 1) {
        return Ok(text.to_owned());
    }
    percent_decode_str(&text.replace('+', " "))
        .decode_utf8()
        .map(String::from)
        .map_err(|_| OperationError::invalid(format!("`sub_path`: `{text}` is not valid UTF-8")))
}

/// The header in which virtual file systems say what they are about to do.
const DATA_OPERATION: &str = "FilesetDataOperation";

/// What the client is about to do; the original knows more words, none of which changes an answer.
fn data_operation(parts: &Parts) -> Result<DataOperation, OperationError> {
    Ok(match parts.header(DATA_OPERATION)? {
        Some("RENAME") => DataOperation::Rename,
        _ => DataOperation::Other,
    })
}

/// The name of a location; a blank one is none.
fn location_name(parts: &Parts) -> Option<&str> {
    parts
        .query("location_name")
        .filter(|name| !name.trim().is_empty())
}

/// `GET …/filesets`
#[derive(Debug)]
pub struct ListFilesets;

impl ListEndpoint for ListFilesets {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Fileset);
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
        let names = app
            .operations
            .list_filesets(&request.call, schema, &shown)
            .await?;
        Ok(EntityListResponse::under(
            &[&path.metalake, &path.catalog, &path.schema],
            names,
        ))
    }
}

/// `POST …/filesets`
#[derive(Debug)]
pub struct CreateFileset;

impl Endpoint for CreateFileset {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::CreateFileset],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = Json<FilesetCreateRequest>;
    type Reply = FilesetResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<FilesetResponse, OperationError> {
        let new = understand(body)?;
        let fileset = app.operations.create_fileset(&request.call, schema, new).await?;
        Ok((&fileset).into())
    }
}

/// `GET …/filesets/{fileset}`
#[derive(Debug)]
pub struct LoadFileset;

impl Endpoint for LoadFileset {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets/{fileset}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Fileset);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FilesetPath;
    type Body = NoBody;
    type Reply = FilesetResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FilesetPath>,
        _: NoBody,
    ) -> Result<FilesetResponse, OperationError> {
        let fileset = app.operations.load_fileset(&request.call, path).await?;
        Ok((&fileset).into())
    }
}

/// `PUT …/filesets/{fileset}`
#[derive(Debug)]
pub struct AlterFileset;

impl Endpoint for AlterFileset {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets/{fileset}";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::Fileset,
        holding: &[Privilege::WriteFileset],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FilesetPath;
    type Body = Json<FilesetUpdatesRequest>;
    type Reply = FilesetResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FilesetPath>,
        Json(body): Self::Body,
    ) -> Result<FilesetResponse, OperationError> {
        let changes = understand(body)?;
        let fileset = app.operations.alter_fileset(&request.call, path, changes).await?;
        Ok((&fileset).into())
    }
}

/// `DELETE …/filesets/{fileset}`
#[derive(Debug)]
pub struct DropFileset;

impl Endpoint for DropFileset {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets/{fileset}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Fileset);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FilesetPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FilesetPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app.operations.drop_fileset(&request.call, path).await?;
        Ok(DropResponse::of(dropped))
    }
}

/// `GET …/filesets/{fileset}/files?sub_path=&location_name=`
#[derive(Debug)]
pub struct ListFiles;

impl Endpoint for ListFiles {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets/{fileset}/files";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Fileset);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FilesetPath;
    type Body = NoBody;
    type Reply = FileInfoListResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FilesetPath>,
        _: NoBody,
    ) -> Result<FileInfoListResponse, OperationError> {
        let parts = &request.parts;
        let (catalog, schema, name) = (path.catalog.clone(), path.schema.clone(), path.name.clone());
        let sub_path = sub_path(parts, parts.query("sub_path").unwrap_or("/"))?;
        let files = app
            .operations
            .list_files(&request.call, path, &sub_path, location_name(parts))
            .await?;
        Ok(FileInfoListResponse::of(
            [&catalog, &schema, &name],
            &sub_path,
            files,
        ))
    }
}

/// `GET …/filesets/{fileset}/location?sub_path=&location_name=`
#[derive(Debug)]
pub struct GetFileLocation;

impl Endpoint for GetFileLocation {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets/{fileset}/location";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Fileset);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FilesetPath;
    type Body = NoBody;
    type Reply = FileLocationResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FilesetPath>,
        _: NoBody,
    ) -> Result<FileLocationResponse, OperationError> {
        let parts = &request.parts;
        let Some(given) = parts.query("sub_path") else {
            return Err(OperationError::invalid(
                "the query parameter `sub_path` is required; `/` is the fileset itself",
            ));
        };
        let sub_path = sub_path(parts, given)?;
        let file_location = app
            .operations
            .file_location(
                &request.call,
                path,
                &sub_path,
                location_name(parts),
                data_operation(parts)?,
            )
            .await?;
        Ok(FileLocationResponse {
            code: 0,
            file_location,
        })
    }
}
