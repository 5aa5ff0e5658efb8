// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /configs`: what a client may know of the configuration before it authenticates.

use http::Method;
use lakeward_authorization::grants::Mode;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::configs::{ConfigsResponse, SecretProviderDto, SecretProvidersResponse};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use serde_json::{Value, json};

use crate::app::App;
use crate::config::Settings;
use crate::config::settings::AuthenticatorKind;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file; they lie beside `/api`.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<GetConfigs>()
        .mount::<ListSecretProviders>()
}

/// `GET /configs`
#[derive(Debug)]
pub struct GetConfigs;

impl Endpoint for GetConfigs {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/configs";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = ConfigsResponse;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<ConfigsResponse, OperationError> {
        Ok(configs(&app.settings))
    }
}

/// `GET /configs/secrets/providers`
#[derive(Debug)]
pub struct ListSecretProviders;

impl Endpoint for ListSecretProviders {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/configs/secrets/providers";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = SecretProvidersResponse;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<SecretProvidersResponse, OperationError> {
        let providers = app.settings.secret_providers.iter();
        Ok(SecretProvidersResponse {
            providers: providers
                .map(|provider| SecretProviderDto {
                    name: provider.name.clone(),
                    provider_type: provider.kind.as_str().to_owned(),
                    uri: provider.uri.clone(),
                })
                .collect(),
        })
    }
}

/// The keys of the original, typed, and those that the operator made visible. What an operator did not choose to show
/// beyond that is not here: the endpoint is open to the world.
fn configs(settings: &Settings) -> ConfigsResponse {
    let mut shown = ConfigsResponse::default();
    let mut put = |key: &str, value: Value| {
        shown.configs.insert(key.to_owned(), value);
    };
    let is_on = settings.authorization.mode != Mode::Off;
    put(
        "gravitino.schema.separator",
        json!(settings.server.schema_separator),
    );
    put("gravitino.authorization.enable", json!(is_on));
    put("gravitino.authenticators", json!(authenticators(settings)));
    if is_on {
        put(
            "gravitino.authorization.serviceAdmins",
            json!(settings.authorization.service_admins),
        );
    }
    if settings.oauth.is_some() {
        for name in [
            "serverUri",
            "tokenPath",
            "provider",
            "clientId",
            "authority",
            "scope",
        ] {
            let key = format!("gravitino.authenticator.oauth.{name}");
            if let Some(value) = settings.properties.get(&key) {
                put(&key, json!(value));
            }
        }
    }
    for key in &settings.server.visible_configs {
        if let Some(value) = settings.properties.get(key) {
            put(key, typed(value));
        }
    }
    shown
}

fn authenticators(settings: &Settings) -> Vec<&'static str> {
    settings
        .authenticators
        .iter()
        .map(|kind| match kind {
            AuthenticatorKind::Simple => "simple",
            AuthenticatorKind::Basic => "basic",
            AuthenticatorKind::Oauth => "oauth",
            AuthenticatorKind::Kerberos => "kerberos",
        })
        .collect()
}

/// Booleans and whole numbers as such, everything else as text.
fn typed(value: &str) -> Value {
    match value {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => value
            .parse::<i64>()
            .map_or_else(|_| Value::String(value.to_owned()), Value::from),
    }
}
