// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/readers`: the readers that the operator trusts. Ours, not of the original. Operators only, in every mode: an
//! open server without operators has no trusted readers.

use chrono::{DateTime, SecondsFormat};
use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::response::RemoveResponse;
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use lakeward_operations::reader::ReaderName;
use lakeward_store::ReaderRow;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<EnrollReader>()
        .mount::<ListReaders>()
        .mount::<RemoveReader>()
}

/// `{"name":"gateway"}`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct EnrollRequest {
    name: String,
}

/// An entry, without anything secret.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReaderDto {
    name: String,
    fingerprint: String,
    revision: i64,
    enabled: bool,
    creator: String,
    create_time: String,
}

/// What an enrolled reader needs; the key is in this answer and nowhere else.
#[derive(Clone, Serialize)]
pub struct EnrolledResponse {
    code: i32,
    reader: ReaderDto,
    certificate: String,
    key: String,
    authority: String,
}

/// Every entry.
#[derive(Debug, Clone, Serialize)]
pub struct ReadersResponse {
    code: i32,
    readers: Vec<ReaderDto>,
}

impl From<ReaderRow> for ReaderDto {
    fn from(row: ReaderRow) -> Self {
        Self {
            name: row.name,
            fingerprint: row.fingerprint,
            revision: row.revision,
            enabled: row.is_enabled,
            creator: row.creator,
            create_time: DateTime::from_timestamp_millis(row.create_time)
                .unwrap_or_default()
                .to_rfc3339_opts(SecondsFormat::Millis, true),
        }
    }
}

impl FromCall<Json<EnrollRequest>> for ReaderName {
    fn from_call(_: &App, _: &Parts, body: Option<&Json<EnrollRequest>>) -> Result<Self, OperationError> {
        Ok(Self(body.map(|Json(body)| body.name.clone()).unwrap_or_default()))
    }
}

impl FromCall<NoBody> for ReaderName {
    fn from_call(_: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        Ok(Self(parts.path("reader")?.to_owned()))
    }
}

/// `POST /readers`: a certificate for a reader. Enrolling a name again replaces its certificate, and the earlier one is
/// refused from then on.
#[derive(Debug)]
pub struct EnrollReader;

impl Endpoint for EnrollReader {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/readers";
    const REQUIRES: Requirement = Requirement::Operator;
    type Target = ReaderName;
    type Body = Json<EnrollRequest>;
    type Reply = EnrolledResponse;

    async fn run(
        app: &App,
        request: &Request,
        reader: Authorized<ReaderName>,
        _: Json<EnrollRequest>,
    ) -> Result<EnrolledResponse, OperationError> {
        reader.check()?;
        let issued = app.authority.issue_reader(&reader.get().0)?;
        let row = app
            .operations
            .enroll_reader(&request.call, reader, &issued.fingerprint)
            .await?;
        Ok(EnrolledResponse {
            code: 0,
            reader: row.into(),
            certificate: issued.certificate_pem,
            key: issued.key_pem,
            authority: issued.authority_pem,
        })
    }
}

/// `GET /readers`
#[derive(Debug)]
pub struct ListReaders;

impl Endpoint for ListReaders {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/readers";
    const REQUIRES: Requirement = Requirement::Operator;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = ReadersResponse;

    async fn run(
        app: &App,
        _: &Request,
        server: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<ReadersResponse, OperationError> {
        let rows = app.operations.list_readers(server).await?;
        Ok(ReadersResponse {
            code: 0,
            readers: rows.into_iter().map(ReaderDto::from).collect(),
        })
    }
}

/// `DELETE /readers/{reader}`: its certificate is refused from the next request on.
#[derive(Debug)]
pub struct RemoveReader;

impl Endpoint for RemoveReader {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/readers/{reader}";
    const REQUIRES: Requirement = Requirement::Operator;
    type Target = ReaderName;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        reader: Authorized<ReaderName>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        let removed = app.operations.remove_reader(&request.call, reader).await?;
        Ok(RemoveResponse::of(removed))
    }
}
