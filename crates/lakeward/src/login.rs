// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward login`.

mod browser;
mod device;
pub(crate) mod kept;
mod pkce;
mod provider;
mod redirect;

use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::Value;
use url::Url;

use self::kept::{Keeping, KeptLogin};
use self::provider::{Provider, is_protected};
use crate::client::{NativeClient, understood};
use crate::credentials::Credentials;

/// Log in to a server at its identity provider, and stay logged in
///
/// The server says which provider it trusts and as which client this command may come there
/// (`gravitino.authenticator.oauth.authority`, `clientId` and `scope`); the options below say otherwise.
/// A browser opens; where there is none, use --device on any machine.
///
///   lakeward login --server https://lakeward.example.com
///   lakeward login --server https://lakeward.example.com --device
///
/// The tokens are kept in your configuration folder, readable for you alone, and renewed as long as the provider
/// allows. All commands that talk to this server use them when no other credentials are given.
/// `lakeward whoami` tells as whom; `lakeward logout` forgets them.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    /// Show a code to enter in a browser anywhere, instead of opening one here
    #[arg(long)]
    device: bool,
    /// Only show the address, open no browser
    #[arg(long, conflicts_with = "device")]
    no_browser: bool,
    /// The port on this machine that the browser comes back to; without it any free one
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "device")]
    port: u16,
    /// The identity provider, instead of what the server says
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    /// The client to come as, instead of what the server says
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// What to ask for, several with spaces between them, instead of what the server says
    #[arg(long, value_name = "SCOPES")]
    scope: Option<String>,
}

/// Where one logs in, and as what.
struct Place {
    issuer: String,
    client_id: String,
    scope: String,
}

/// Logs in, and keeps the login once the server has taken its token.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if !is_protected(&arguments.server) {
        bail!(
            "the token would go to `{}` unencrypted; use an `https://` address",
            arguments.server
        );
    }
    // Before anybody types a password: a folder that cannot be written is told first.
    let keeping = Keeping::open()?;
    let place = arguments.place().await?;
    let provider = Provider::discover(&place.issuer, &place.client_id).await?;
    let tokens = if arguments.device {
        device::log_in(&provider, &place.scope).await?
    } else {
        browser::log_in(&provider, &place.scope, arguments.port, !arguments.no_browser).await?
    };
    let credentials = Credentials::LoggedIn(tokens.access.clone());
    let client = NativeClient::new(arguments.server.clone(), credentials)?;
    let me = client.get(&["authn", "me"]).await;
    let me: Value = me.context("the provider let you in, but the server does not take its token")?;
    let user = me.get("principal").and_then(Value::as_str).unwrap_or_default();
    keeping.keep(KeptLogin::new(&arguments.server, user, &provider, tokens))?;
    println!("logged in to {} as {user}", arguments.server);
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// What the options and the server say.
    async fn place(&self) -> anyhow::Result<Place> {
        let said = match (&self.issuer, &self.client_id, &self.scope) {
            (Some(_), Some(_), Some(_)) => Value::Null,
            _ => self.configs().await?,
        };
        let say = |option: &Option<String>, name: &str| {
            option.clone().or_else(|| {
                said.get(format!("gravitino.authenticator.oauth.{name}"))
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            })
        };
        let missing = |name: &str, option: &str| {
            format!(
                "the server at {} does not say where to log in (`gravitino.authenticator.oauth.{name}` is not set): give {option}",
                self.server
            )
        };
        Ok(Place {
            issuer: say(&self.issuer, "authority").with_context(|| missing("authority", "--issuer URL"))?,
            client_id: say(&self.client_id, "clientId")
                .with_context(|| missing("clientId", "--client-id ID"))?,
            scope: say(&self.scope, "scope").unwrap_or_else(|| "openid".to_owned()),
        })
    }

    /// What the server tells everybody.
    async fn configs(&self) -> anyhow::Result<Value> {
        let configs = NativeClient::configs(&self.server).await?;
        let authenticators: Vec<String> = understood(
            configs
                .get("gravitino.authenticators")
                .cloned()
                .unwrap_or_default(),
        )?;
        if !authenticators.iter().any(|name| name == "oauth") {
            bail!(
                "the server at {} takes no tokens (it has the authenticators {}): give --user and a password instead",
                self.server,
                authenticators.join(", ")
            );
        }
        Ok(configs)
    }
}
