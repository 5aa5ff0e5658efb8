// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a table is restricted for a subject. Ours.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::draft::{drafts, tags_of};
use lakeward_gravitino_api::explain::{ExplainRequest, ExplainResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_operations::OperationError;
use lakeward_operations::explain::{ExplainPath, ExplainQuestion};
use lakeward_operations::paths::ObjectPath;

use super::body_error::body_error;
use super::draft::checked;
use crate::app::App;
use crate::http::body::OptionalJson;
use crate::http::endpoint::{Endpoint, FromCall, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<ExplainRestrictions>()
}

impl FromCall<OptionalJson<ExplainRequest>> for ExplainPath {
    /// The table, the policies to preview and the tags that drafts are put on: each must be the caller's to apply.
    fn from_call(
        _: &App,
        parts: &Parts,
        body: Option<&OptionalJson<ExplainRequest>>,
    ) -> Result<Self, OperationError> {
        let request = body.and_then(|OptionalJson(request)| request.as_ref());
        let policies = request.and_then(|request| request.policies.clone());
        let drafts = request.and_then(|request| request.drafts.as_deref());
        Ok(Self {
            table: ObjectPath {
                metalake: parts.path("metalake")?.to_owned(),
                object: MetadataObject::parse(ObjectKind::Table, parts.path("fullName")?)?,
            },
            policies: policies.unwrap_or_default(),
            tags: drafts.map(tags_of).unwrap_or_default(),
        })
    }
}

/// `POST …/objects/table/{fullName}/read-restrictions/explain`: for the caller, or for another subject when the caller
/// may apply every policy that takes part; with disabled policies treated as enabled and with drafts, a preview.
#[derive(Debug)]
pub struct ExplainRestrictions;

impl Endpoint for ExplainRestrictions {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/objects/table/{fullName}/read-restrictions/explain";
    const REQUIRES: Requirement = Requirement::Instruments;
    const READS: bool = true;
    const GOVERNANCE: Governance = Governance::Explain;
    type Target = ExplainPath;
    type Body = OptionalJson<ExplainRequest>;
    type Reply = ExplainResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ExplainPath>,
        OptionalJson(body): Self::Body,
    ) -> Result<ExplainResponse, OperationError> {
        let body = body.unwrap_or_default();
        let question = ExplainQuestion {
            user: body.user,
            groups: body.groups,
            reader: body.reader,
            capabilities: body.capabilities,
            drafts: checked(drafts(body.drafts).map_err(body_error)?)?,
        };
        let explanation = app
            .operations
            .explain_restrictions(&request.call, path, &question)
            .await?;
        Ok(ExplainResponse { code: 0, explanation })
    }
}
