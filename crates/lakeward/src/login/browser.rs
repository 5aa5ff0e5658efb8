// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Logging in with a browser on this machine: authorization code with PKCE (RFC 7636), back to a port here (RFC 8252).

use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::net::TcpListener;

use super::pkce::{self, Pkce, secret};
use super::provider::{Provider, Tokens};
use super::redirect;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Opens a browser, and waits until it comes back.
///
/// # Errors
/// What the provider or the person refuses.
pub(super) async fn log_in(
    provider: &Provider,
    scope: &str,
    port: u16,
    opens: bool,
) -> anyhow::Result<Tokens> {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .with_context(|| format!("port {port} of this machine cannot be listened on"))?;
    let here = format!("http://{}{}", socket.local_addr()?, redirect::PATH);
    let (state, pkce) = (secret(), Pkce::new());
    let mut url = provider.authorization_endpoint()?;
    url.query_pairs_mut().extend_pairs([
        ("response_type", "code"),
        ("client_id", provider.client_id()),
        ("redirect_uri", &here),
        ("scope", scope),
        ("state", &state),
        ("code_challenge", &pkce.challenge),
        ("code_challenge_method", pkce::METHOD),
    ]);
    eprintln!("log in at {url}");
    if opens && open::that_detached(url.as_str()).is_err() {
        eprintln!("no browser can be opened here; open the address yourself, or use --device");
    }
    let expected = redirect::Expected {
        state: &state,
        issuer: provider.issuer(),
        names_itself: provider.names_itself(),
    };
    let code = tokio::select! {
        code = redirect::code(&socket, &expected) => code?,
        () = tokio::time::sleep(PATIENCE) => bail!("nobody logged in within {} minutes", PATIENCE.as_secs() / 60),
    };
    provider
        .tokens(&[
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &here),
            ("code_verifier", &pkce.verifier),
        ])
        .await
}
