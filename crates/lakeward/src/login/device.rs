// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Logging in with a code that is entered in a browser anywhere (RFC 8628). PKCE goes along for providers that demand it here
//! too, as Keycloak does; others ignore what they do not know (section 3.1 there).

use std::time::Duration;

use anyhow::bail;
use serde::Deserialize;

use super::pkce::{self, Pkce};
use super::provider::{Provider, Refused, Tokens, shown};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// What a person and this command need (section 3.2 there).
#[derive(Deserialize)]
struct Code {
    device_code: String,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: Option<String>,
    expires_in: u64,
    interval: Option<u64>,
}

/// How long to wait between two questions where the provider does not say, and how much longer each time that it
/// complains (sections 3.2 and 3.5 there).
const INTERVAL: Duration = Duration::from_secs(5);

/// Shows the code, and waits until somebody has entered it or it expires.
///
/// # Errors
/// What the provider or the person refuses.
pub(super) async fn log_in(provider: &Provider, scope: &str) -> anyhow::Result<Tokens> {
    let pkce = Pkce::new();
    let request = [
        ("scope", scope),
        ("code_challenge", &pkce.challenge),
        ("code_challenge_method", pkce::METHOD),
    ];
    let code: Code = provider.device_code(&request).await?;
    eprintln!(
        "open {} and enter the code {}",
        shown(&code.verification_uri),
        shown(&code.user_code)
    );
    if let Some(complete) = &code.verification_uri_complete {
        eprintln!("or open {}", shown(complete));
    }
    let asked = ask(provider, &code, &pkce);
    match tokio::time::timeout(Duration::from_secs(code.expires_in), asked).await {
        Ok(tokens) => tokens,
        Err(_) => bail!("nobody entered the code in time; start again"),
    }
}

/// Asks until there is an answer.
async fn ask(provider: &Provider, code: &Code, pkce: &Pkce) -> anyhow::Result<Tokens> {
    let mut interval = code.interval.map_or(INTERVAL, Duration::from_secs);
    loop {
        tokio::time::sleep(interval).await;
        let grant = [
            ("grant_type", GRANT),
            ("device_code", &code.device_code),
            ("code_verifier", &pkce.verifier),
        ];
        let error = match provider.tokens(&grant).await {
            Ok(tokens) => return Ok(tokens),
            Err(error) => error,
        };
        match error
            .downcast_ref::<Refused>()
            .map(|refused| refused.error.as_str())
        {
            Some("authorization_pending") => {}
            Some("slow_down") => interval += INTERVAL,
            Some("expired_token") => bail!("nobody entered the code in time; start again"),
            Some("access_denied") => bail!("the login was refused in the browser"),
            _ => return Err(error),
        }
    }
}
