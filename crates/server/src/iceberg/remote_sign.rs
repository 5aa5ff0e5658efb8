// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `POST …/tables/{table}/sign`: a client that has no credential for the storage has its requests signed, each through the
//! gate of a load.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_catalog::storage_delegation::UnsignedRequest;
use lakeward_iceberg_api::remote_sign::{RemoteSignRequest, RemoteSignResult};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::TablePath;

use super::table_reply::{unstored, with_cache_headers};
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<SignRequest>()
}

/// `POST …/tables/{table}/sign`
#[derive(Debug)]
pub struct SignRequest;

impl Endpoint for SignRequest {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/namespaces/{namespace}/tables/{table}/sign";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Table);
    const READS: bool = true;
    const GOVERNANCE: Governance = Governance::Gate;
    type Target = TablePath;
    type Body = Json<RemoteSignRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        table: Authorized<TablePath>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        if body.provider.as_deref().is_some_and(|provider| provider != "s3") {
            return Err(OperationError::Unsupported(
                "only requests to S3 are signed (`provider` = `s3`)".to_owned(),
            ));
        }
        let headers = body
            .headers
            .into_iter()
            .flat_map(|(name, values)| values.into_iter().map(move |value| (name.clone(), value)));
        let unsigned = UnsignedRequest {
            method: body.method,
            uri: body.uri,
            region: body.region,
            headers: headers.collect(),
        };
        let signed = app
            .operations
            .sign_storage_request(&request.call, &table, &unsigned)
            .await?;
        // Never `private` alone: a client that keeps signatures would use them after the right is gone.
        unstored(with_cache_headers(Reply::json(&RemoteSignResult::new(
            unsigned.uri,
            signed,
        ))?)?)
    }
}
