// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Testing the connection of a catalog. A test that fails is answered with 200 and an error body; only a failure of
//! this server itself has another status.

use http::Method;
use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_gravitino_api::catalog::{CatalogCreateRequest, CatalogUpdatesRequest};
use lakeward_gravitino_api::error::ErrorResponse;
use lakeward_gravitino_api::response::BaseResponse;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::catalog::TestedCatalog;
use lakeward_operations::paths::{CatalogPath, MetalakePath};
use serde::Serialize;

use super::super::error::code_and_type;
use super::super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, OptionalJson};
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<TestNewConnection>()
        .mount::<TestStoredConnection>()
}

/// How a test ended.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum TestResult {
    /// The system answered.
    Passed(BaseResponse),
    /// It did not, or the configuration is wrong.
    Failed(ErrorResponse),
}

impl TestResult {
    fn of(outcome: Result<(), OperationError>) -> Result<Self, OperationError> {
        match outcome {
            Ok(()) => Ok(Self::Passed(BaseResponse::default())),
            Err(
                error @ (OperationError::Internal { .. }
                | OperationError::Unavailable { .. }
                | OperationError::UnknownOutcome { .. }),
            ) => Err(error),
            Err(error) => {
                let (code, error_type) = code_and_type(&error);
                Ok(Self::Failed(ErrorResponse::new(
                    code,
                    error_type,
                    error.to_string(),
                )))
            }
        }
    }
}

/// `POST …/catalogs/testConnection`: one that does not exist yet.
#[derive(Debug)]
pub struct TestNewConnection;

impl Endpoint for TestNewConnection {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/testConnection";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Metalake,
        holding: &[Privilege::CreateCatalog],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<CatalogCreateRequest>;
    type Reply = TestResult;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<TestResult, OperationError> {
        let new = understand(body)?;
        TestResult::of(app.operations.test_new_catalog(&request.call, parent, &new).await)
    }
}

impl FromCall<OptionalJson<CatalogUpdatesRequest>> for TestedCatalog {
    /// A malformed body counts as a proposal: that takes more.
    fn from_call(
        _: &App,
        parts: &Parts,
        body: Option<&OptionalJson<CatalogUpdatesRequest>>,
    ) -> Result<Self, OperationError> {
        Ok(Self {
            path: CatalogPath::from_path(parts)?,
            proposes_changes: body.is_none_or(|OptionalJson(body)| body.is_some()),
        })
    }
}

/// `POST …/catalogs/{catalog}/testConnection`: as stored, or with changes that are not saved.
#[derive(Debug)]
pub struct TestStoredConnection;

impl Endpoint for TestStoredConnection {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/testConnection";
    const REQUIRES: Requirement = Requirement::IfRequest {
        says: Circumstance::ProposesChanges,
        then: &Requirement::Owner(ObjectKind::Catalog),
        otherwise: Requirement::load(ObjectKind::Catalog),
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TestedCatalog;
    type Body = OptionalJson<CatalogUpdatesRequest>;
    type Reply = TestResult;

    async fn run(
        app: &App,
        request: &Request,
        tested: Authorized<TestedCatalog>,
        OptionalJson(body): Self::Body,
    ) -> Result<TestResult, OperationError> {
        let changes = match body {
            None => Vec::new(),
            Some(body) => understand(body)?,
        };
        match app
            .operations
            .test_stored_catalog(&request.call, tested, changes)
            .await
        {
            // A catalog that is not there is no outcome of a test.
            Err(error @ OperationError::NotFound { .. }) => Err(error),
            outcome => TestResult::of(outcome),
        }
    }
}
