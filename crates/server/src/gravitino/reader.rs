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
use lakeward_operations::reader::{ReaderName, ReaderProof};
use lakeward_store::{ReaderChannel, ReaderRow};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::config::Settings;
use crate::config::settings::AuthenticatorKind;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<EnrollReader>()
        .mount::<ListReaders>()
        .mount::<RemoveReader>()
}

/// `{"name":"gateway"}` for a certificate, `{"name":"trino","oauthClient":"trino-prod"}`, or
/// `{"name":"notebooks","actor":"svc-notebooks"}`; each with `"tokenExchange":true` if it may have tokens exchanged.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct EnrollRequest {
    name: String,
    oauth_client: Option<String>,
    actor: Option<String>,
    /// Whether it may have tokens of its users exchanged for tokens of this server.
    #[serde(default)]
    token_exchange: bool,
}

/// An entry, without anything secret. Of the three proofs it has the one of its channel.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReaderDto {
    name: String,
    channel: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oauth_client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
    token_exchange: bool,
    revision: i64,
    enabled: bool,
    creator: String,
    create_time: String,
    last_load: Option<String>,
}

/// What an enrolled reader needs. Who is known by a certificate gets it here with its key, which is in this answer and
/// nowhere else.
#[derive(Clone, Serialize)]
pub struct EnrolledResponse {
    code: i32,
    reader: ReaderDto,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
}

/// Every entry.
#[derive(Debug, Clone, Serialize)]
pub struct ReadersResponse {
    code: i32,
    readers: Vec<ReaderDto>,
}

impl From<ReaderRow> for ReaderDto {
    fn from(row: ReaderRow) -> Self {
        let proof = |channel| (row.channel == channel).then(|| row.proof.clone());
        let time = |millis| {
            DateTime::from_timestamp_millis(millis)
                .unwrap_or_default()
                .to_rfc3339_opts(SecondsFormat::Millis, true)
        };
        Self {
            channel: row.channel.as_str(),
            fingerprint: proof(ReaderChannel::Certificate),
            oauth_client: proof(ReaderChannel::OauthClient),
            actor: proof(ReaderChannel::Actor),
            name: row.name,
            token_exchange: row.may_exchange,
            revision: row.revision,
            enabled: row.is_enabled,
            creator: row.creator,
            create_time: time(row.create_time),
            last_load: row.last_load_at.map(time),
        }
    }
}

impl EnrollRequest {
    /// What the token of the reader will say; `None` for a reader with a certificate.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for two proofs at once, and where no authenticator reads tokens.
    fn token_proof(self, settings: &Settings) -> Result<Option<ReaderProof>, OperationError> {
        let (channel, value) = match (self.oauth_client, self.actor) {
            (None, None) => return Ok(None),
            (Some(client), None) => (ReaderChannel::OauthClient, client),
            (None, Some(actor)) => (ReaderChannel::Actor, actor),
            (Some(_), Some(_)) => {
                return Err(OperationError::invalid(
                    "give `oauthClient` or `actor`, not both: a reader is known by one of them",
                ));
            }
        };
        if !settings.authenticators.contains(&AuthenticatorKind::Oauth) {
            return Err(OperationError::invalid(
                "no token is read on this server: add `oauth` to `gravitino.authenticators`, or enroll the reader with a \
                 certificate",
            ));
        }
        Ok(Some(ReaderProof { channel, value }))
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

/// `POST /readers`: trusts a reader, and gives it a certificate unless its token proves it. Enrolling a name again replaces
/// what proves it, and the earlier proof is refused from then on.
#[derive(Debug)]
pub struct EnrollReader;

impl Endpoint for EnrollReader {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/readers";
    const REQUIRES: Requirement = Requirement::Operator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ReaderName;
    type Body = Json<EnrollRequest>;
    type Reply = EnrolledResponse;

    async fn run(
        app: &App,
        request: &Request,
        reader: Authorized<ReaderName>,
        Json(body): Json<EnrollRequest>,
    ) -> Result<EnrolledResponse, OperationError> {
        reader.check()?;
        let may_exchange = body.token_exchange;
        let reads_tokens = app.settings.authenticators.contains(&AuthenticatorKind::Oauth);
        if may_exchange && !reads_tokens {
            return Err(OperationError::invalid(
                "no token is read on this server, so none can be exchanged: add `oauth` to `gravitino.authenticators`",
            ));
        }
        if let Some(proof) = body.token_proof(&app.settings)? {
            let row = app
                .operations
                .enroll_reader(&request.call, reader, &proof, may_exchange)
                .await?;
            return Ok(EnrolledResponse {
                code: 0,
                reader: row.into(),
                certificate: None,
                key: None,
                authority: None,
            });
        }
        let issued = app.authority.issue_reader(&reader.get().0)?;
        let proof = ReaderProof {
            channel: ReaderChannel::Certificate,
            value: issued.fingerprint,
        };
        let row = app
            .operations
            .enroll_reader(&request.call, reader, &proof, may_exchange)
            .await?;
        Ok(EnrolledResponse {
            code: 0,
            reader: row.into(),
            certificate: Some(issued.certificate_pem),
            key: Some(issued.key_pem),
            authority: Some(issued.authority_pem),
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
    const GOVERNANCE: Governance = Governance::NoTable;
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

/// `DELETE /readers/{reader}`: what proves it is refused from the next request on.
#[derive(Debug)]
pub struct RemoveReader;

impl Endpoint for RemoveReader {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/readers/{reader}";
    const REQUIRES: Requirement = Requirement::Operator;
    const GOVERNANCE: Governance = Governance::NoTable;
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
