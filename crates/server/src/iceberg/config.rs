// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/v1/config`: what a client learns first.

use std::collections::BTreeMap;

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_iceberg_api::access_delegation::ACCESS_DELEGATION_HEADER;
use lakeward_iceberg_api::config::{ConfigResponse, iso_duration};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;

use super::prefix::PREFIXED;
use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The member of the defaults that names, separated by commas, the catalogs that the caller may name as warehouse. Not
/// of the protocol: it is what a reader shows to tools that ask which catalogs there are.
const CATALOGS: &str = "lakeward.catalogs";

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
        let caller = &request.call.caller;
        let Some(warehouse) = request.parts.query("warehouse").filter(|text| !text.is_empty()) else {
            // Who names a warehouse has chosen; a client would carry the list along as one of its properties.
            let catalogs = app.operations.iceberg_warehouses(caller).await?.join(",");
            return Ok(ConfigResponse {
                defaults: BTreeMap::from([(CATALOGS.to_owned(), catalogs)]),
                overrides: BTreeMap::new(),
                endpoints: endpoints(),
                idempotency_key_lifetime: lifetime(app),
            });
        };
        let wanted = app.operations.iceberg_configuration(caller, warehouse).await?;
        let prefix = BTreeMap::from([("prefix".to_owned(), warehouse.to_owned())]);
        let mut defaults = prefix.clone();
        if let Some(ways) = wanted {
            // Clients send what such properties name with every request.
            defaults.insert(format!("header.{ACCESS_DELEGATION_HEADER}"), ways);
        }
        Ok(ConfigResponse {
            defaults,
            overrides: prefix,
            endpoints: endpoints(),
            idempotency_key_lifetime: lifetime(app),
        })
    }
}

fn lifetime(app: &App) -> Option<String> {
    Some(iso_duration(
        app.settings.iceberg.idempotency_key_lifetime.as_secs(),
    ))
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
