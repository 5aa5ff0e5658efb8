// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users of a metalake, many at once. The answer is 200 even where items failed; it says which, and why.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_gravitino_api::user::{
    BulkErrorDto, BulkSummaryDto, UsersAddRequest, UsersAddResponse, UsersRemoveRequest, UsersRemoveResponse,
};
use lakeward_operations::OperationError;
use lakeward_operations::paths::MetalakePath;
use lakeward_operations::user::BulkItem;

use super::error::code_and_type;
use super::user::{new_user, user_dto};
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

const MANAGE: Requirement = Requirement::Holds(&[Privilege::ManageUsers]);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<AddUsers>().mount::<RemoveUsers>()
}

/// `POST /api/bulk/metalakes/{metalake}/users/add`
#[derive(Debug)]
pub struct AddUsers;

impl Endpoint for AddUsers {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/bulk/metalakes/{metalake}/users/add";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<UsersAddRequest>;
    type Reply = UsersAddResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<UsersAddResponse, OperationError> {
        let given = some("users", body.users)?;
        let new = given.into_iter().map(new_user).collect::<Result<Vec<_>, _>>()?;
        let items = app.operations.add_users(&request.call, metalake, &new).await?;
        let (summary, errors, done) = sort(items);
        Ok(UsersAddResponse {
            code: 0,
            users: done.into_iter().map(|(_, user)| user_dto(user)).collect(),
            errors,
            summary,
        })
    }
}

/// `POST /api/bulk/metalakes/{metalake}/users/remove`
#[derive(Debug)]
pub struct RemoveUsers;

impl Endpoint for RemoveUsers {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/bulk/metalakes/{metalake}/users/remove";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<UsersRemoveRequest>;
    type Reply = UsersRemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<UsersRemoveResponse, OperationError> {
        let names = some("names", body.names)?;
        if let Some(position) = names.iter().position(|name| name.trim().is_empty()) {
            return Err(OperationError::invalid(format!(
                "`names[{position}]` must not be blank"
            )));
        }
        let items = app
            .operations
            .remove_users(&request.call, metalake, &names)
            .await?;
        let (summary, errors, done) = sort(items);
        Ok(UsersRemoveResponse {
            code: 0,
            names: done.into_iter().map(|(name, ())| name).collect(),
            errors,
            summary,
        })
    }
}

fn some<T>(member: &str, items: Option<Vec<T>>) -> Result<Vec<T>, OperationError> {
    items
        .filter(|items| !items.is_empty())
        .ok_or_else(|| OperationError::invalid(format!("`{member}` is required and must not be empty")))
}

/// Tells what was done from what was not.
fn sort<T>(items: Vec<BulkItem<T>>) -> (BulkSummaryDto, Vec<BulkErrorDto>, Vec<(String, T)>) {
    let total = items.len();
    let (mut errors, mut done) = (Vec::new(), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        match item.outcome {
            Ok(value) => done.push((item.name, value)),
            Err(error) => {
                let (code, error_type) = code_and_type(&error);
                errors.push(BulkErrorDto {
                    index,
                    name: item.name,
                    code: code.value(),
                    error_type,
                    message: error.to_string(),
                });
            }
        }
    }
    let summary = BulkSummaryDto {
        total,
        succeeded: done.len(),
        failed: errors.len(),
    };
    (summary, errors, done)
}
