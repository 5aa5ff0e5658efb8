// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials of objects.

use std::collections::BTreeMap;

use http::{Method, header};
use lakeward_authorization::{Authorized, Requirement};
use lakeward_catalog::storage_delegation::TemporaryCredential;
use lakeward_gravitino_api::credential::{CredentialDto, CredentialListResponse};
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<ListCredentials>()
}

/// `GET …/objects/{type}/{fullName}/credentials`
#[derive(Debug)]
pub struct ListCredentials;

impl Endpoint for ListCredentials {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/credentials";
    const REQUIRES: Requirement = Requirement::AccessTo;
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        let credentials = app.operations.credentials(&request.call, object).await?;
        let listed = CredentialListResponse {
            code: 0,
            credentials: credentials.into_iter().map(s3_token).collect(),
        };
        Reply::json(&listed)?.with_header(header::CACHE_CONTROL, "no-store")
    }
}

fn s3_token(credential: TemporaryCredential) -> CredentialDto {
    CredentialDto {
        credential_type: "s3-token".to_owned(),
        expire_time_in_ms: credential.expires_at,
        credential_info: BTreeMap::from([
            ("s3-access-key-id".to_owned(), credential.access_key_id),
            ("s3-secret-access-key".to_owned(), credential.secret_access_key),
            ("s3-session-token".to_owned(), credential.session_token),
        ]),
    }
}
