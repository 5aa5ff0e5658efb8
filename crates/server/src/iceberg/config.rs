// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/config`: what a client learns first.

use std::collections::BTreeMap;

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_iceberg_api::config::ConfigResponse;
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;

use super::prefix::PREFIXED;
use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<GetConfig>()
}

/// `GET /v1/config?warehouse=`
#[derive(Debug)]
pub struct GetConfig;

impl Endpoint for GetConfig {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/config";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = ConfigResponse;

    async fn run(
        app: &App,
        request: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<ConfigResponse, OperationError> {
        let mut prefix = BTreeMap::new();
        if let Some(warehouse) = request.parts.query("warehouse").filter(|text| !text.is_empty()) {
            app.operations
                .iceberg_configuration(&request.call.caller, warehouse)
                .await?;
            prefix.insert("prefix".to_owned(), warehouse.to_owned());
        }
        Ok(ConfigResponse {
            defaults: prefix.clone(),
            overrides: prefix,
            endpoints: endpoints(),
        })
    }
}

/// What this server has, from what is mounted: nothing is advertised that is not served.
fn endpoints() -> Vec<String> {
    super::routes()
        .mounted()
        .iter()
        .filter(|mounted| mounted.path.starts_with(PREFIXED))
        .map(|mounted| format!("{} {}", mounted.method, mounted.path))
        .collect()
}
