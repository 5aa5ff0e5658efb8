// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/{prefix}/transactions/commit`: several tables of a catalog change together or not at all. Each passes the gate
//! as if it were committed to alone, all of them before anything is written.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_iceberg_api::commit_table::CommitTransactionRequest;
use lakeward_operations::OperationError;
use lakeward_operations::iceberg_commit::{CommitPath, TransactionPath};
use lakeward_operations::paths::{CatalogPath, SchemaPath};
use lakeward_store::RequestOutcome;

use super::prefix::full_name;
use super::table_change::{COMMIT, commit_of};
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, Repeats, Request};
use crate::http::parts::Parts;
use crate::http::reply::NoContent;
use crate::http::routes::Routes;

/// The most tables of one transaction: each is looked up before anything is decided.
const MAX_TABLES: usize = 1_000;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<CommitTransaction>()
}

impl FromCall<Json<CommitTransactionRequest>> for TransactionPath {
    fn from_call(
        app: &App,
        parts: &Parts,
        body: Option<&Json<CommitTransactionRequest>>,
    ) -> Result<Self, OperationError> {
        let catalog = CatalogPath::from_path(parts)?;
        let Some(Json(body)) = body else {
            return Ok(Self::unknown(catalog));
        };
        if body.table_changes.len() > MAX_TABLES {
            return Err(OperationError::invalid(format!(
                "a transaction changes at most {MAX_TABLES} tables"
            )));
        }
        let tables = body.table_changes.iter().map(|change| {
            let identifier = change.identifier.as_ref().ok_or_else(|| {
                OperationError::invalid("each of `table-changes` names its table in `identifier`")
            })?;
            let schema = SchemaPath {
                metalake: catalog.metalake.clone(),
                catalog: catalog.catalog.clone(),
                schema: full_name(app, &identifier.namespace)?,
            };
            Ok(CommitPath {
                table: schema.leaf(identifier.name.as_str()),
                creates: change.creates(),
            })
        });
        let tables = tables.collect::<Result<Vec<_>, OperationError>>()?;
        Self::new(catalog, tables)
    }
}

/// `POST …/transactions/commit`
#[derive(Debug)]
pub struct CommitTransaction;

impl Endpoint for CommitTransaction {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/{prefix}/transactions/commit";
    const REQUIRES: Requirement = Requirement::Each(&COMMIT);
    const APPENDS: bool = true;
    const GOVERNANCE: Governance = Governance::Gate;
    const REPEATS: Repeats = Repeats::FilesKept;
    type Target = TransactionPath;
    type Body = Json<CommitTransactionRequest>;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        tables: Authorized<TransactionPath>,
        Json(body): Self::Body,
    ) -> Result<NoContent, OperationError> {
        let commits: Vec<IcebergCommit> = body.table_changes.into_iter().map(commit_of).collect();
        app.operations
            .commit_iceberg_transaction(&request.call, tables, &commits)
            .await?;
        Ok(NoContent)
    }

    async fn again(_: &App, _: &Request, _: &RequestOutcome) -> Result<NoContent, OperationError> {
        Ok(NoContent)
    }
}
