// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An OpenID provider, as it describes itself, and what it answers to those who log in. This command comes to it as a
//! public client: it has no secret.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::client::http_client;

const TIMEOUT: Duration = Duration::from_secs(30);
const MOST_BYTES: usize = 1024 * 1024;
/// The most of a provider's own words that are shown.
const MOST_SHOWN: usize = 500;

/// A provider, as one of its clients.
#[derive(Debug)]
pub(crate) struct Provider {
    said: Metadata,
    client_id: String,
    http: reqwest::Client,
}

/// What a provider says of itself (OpenID Connect Discovery 1.0, section 3; RFC 8414; RFC 8628; RFC 9207).
#[derive(Debug, Deserialize)]
struct Metadata {
    issuer: String,
    token_endpoint: String,
    authorization_endpoint: Option<String>,
    device_authorization_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// Tokens that a provider gave (RFC 6749, section 5.1).
#[derive(Deserialize)]
pub(crate) struct Tokens {
    #[serde(rename = "access_token")]
    pub(crate) access: String,
    #[serde(rename = "refresh_token")]
    pub(crate) refresh: Option<String>,
    /// How many seconds the first is good for, where the provider says so.
    #[serde(rename = "expires_in")]
    pub(crate) lasts: Option<u64>,
}

/// What a provider refused (RFC 6749, section 5.2).
#[derive(Debug, Deserialize, thiserror::Error)]
#[error("the identity provider refuses: {}", self.in_words())]
pub(crate) struct Refused {
    /// The code of the reason.
    pub(crate) error: String,
    error_description: Option<String>,
}

impl Refused {
    fn in_words(&self) -> String {
        match &self.error_description {
            Some(description) => format!("{} ({})", shown(description), shown(&self.error)),
            None => shown(&self.error),
        }
    }
}

/// What somebody else says, as a terminal may show it.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control())
        .take(MOST_SHOWN)
        .collect()
}

/// Whether nobody on the way reads what is sent there: TLS, or this machine.
pub(crate) fn is_protected(url: &Url) -> bool {
    let is_here = url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    });
    let is_plain = matches!(url.scheme(), "http" | "grpc");
    matches!(url.scheme(), "https" | "grpc+tls") || (is_plain && is_here)
}

impl Provider {
    /// Asks a provider for itself.
    ///
    /// # Errors
    /// When it does not answer, calls itself otherwise, or would have secrets sent in the open.
    pub(crate) async fn discover(issuer: &str, client_id: &str) -> anyhow::Result<Self> {
        let place = format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        );
        let url = protected(&place)?;
        let http = http_client().timeout(TIMEOUT).build()?;
        let failed = || format!("the identity provider `{issuer}` cannot be asked");
        let answer = http.get(url).send().await.with_context(failed)?;
        let answer = answer.error_for_status().with_context(failed)?;
        let said: Metadata = understood(&bounded(answer).await?)?;
        ensure!(
            said.issuer == issuer,
            "the identity provider calls itself `{}`, not `{issuer}`",
            shown(&said.issuer)
        );
        Ok(Self {
            said,
            client_id: client_id.to_owned(),
            http,
        })
    }

    /// What it calls itself.
    pub(crate) fn issuer(&self) -> &str {
        &self.said.issuer
    }

    /// As which client this command comes to it.
    pub(crate) fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Whether what it answers to browsers names it (RFC 9207).
    pub(super) fn names_itself(&self) -> bool {
        self.said.authorization_response_iss_parameter_supported
    }

    /// Where browsers log in.
    ///
    /// # Errors
    /// When it has no such place, or none that is protected.
    pub(super) fn authorization_endpoint(&self) -> anyhow::Result<Url> {
        let endpoint = self.said.authorization_endpoint.as_deref();
        protected(endpoint.context("the identity provider has no login by browser; use --device")?)
    }

    /// Asks for tokens, with this grant.
    ///
    /// # Errors
    /// [`Refused`]; everything that can go wrong on the way.
    pub(crate) async fn tokens(&self, grant: &[(&str, &str)]) -> anyhow::Result<Tokens> {
        self.post(&self.said.token_endpoint, grant).await
    }

    /// Begins a login by code (RFC 8628, section 3.1).
    ///
    /// # Errors
    /// As of [`Self::tokens`]; when it has no such login.
    pub(super) async fn device_code<T: DeserializeOwned>(
        &self,
        request: &[(&str, &str)],
    ) -> anyhow::Result<T> {
        let endpoint = self.said.device_authorization_endpoint.as_deref();
        let endpoint = endpoint.context("the identity provider has no login by code; leave --device out")?;
        self.post(endpoint, request).await
    }

    /// Gives a refresh token back (RFC 7009), and with it the login. Whether the provider takes any.
    ///
    /// # Errors
    /// As of [`Self::tokens`].
    pub(crate) async fn revoke(&self, refresh_token: &str) -> anyhow::Result<bool> {
        let Some(endpoint) = &self.said.revocation_endpoint else {
            return Ok(false);
        };
        let form = [("token", refresh_token), ("token_type_hint", "refresh_token")];
        let (is_success, body) = self.send(endpoint, &form).await?;
        if !is_success {
            bail!(refusal(&body));
        }
        Ok(true)
    }

    async fn post<T: DeserializeOwned>(&self, endpoint: &str, form: &[(&str, &str)]) -> anyhow::Result<T> {
        let (is_success, body) = self.send(endpoint, form).await?;
        if is_success {
            return understood(&body);
        }
        Err(refusal(&body))
    }

    async fn send(&self, endpoint: &str, form: &[(&str, &str)]) -> anyhow::Result<(bool, Vec<u8>)> {
        let request = self
            .http
            .post(protected(endpoint)?)
            .header(reqwest::header::ACCEPT, "application/json")
            .form(&[&[("client_id", self.client_id.as_str())], form].concat());
        let answer = request
            .send()
            .await
            .with_context(|| format!("the identity provider `{}` cannot be asked", self.issuer()))?;
        Ok((answer.status().is_success(), bounded(answer).await?))
    }
}

fn protected(address: &str) -> anyhow::Result<Url> {
    let url = Url::parse(address).with_context(|| format!("`{}` is no address", shown(address)))?;
    ensure!(
        is_protected(&url),
        "`{}` of the identity provider is neither `https://…` nor on this machine",
        shown(address)
    );
    Ok(url)
}

fn refusal(body: &[u8]) -> anyhow::Error {
    match serde_json::from_slice::<Refused>(body) {
        Ok(refused) => refused.into(),
        Err(_) => anyhow::anyhow!("the identity provider refuses, without a reason"),
    }
}

fn understood<T: DeserializeOwned>(body: &[u8]) -> anyhow::Result<T> {
    // The cause would quote the answer, in which there may be tokens.
    serde_json::from_slice(body)
        .map_err(|_| anyhow::anyhow!("the answer of the identity provider is not understood"))
}

/// An answer, read no further than is sensible.
async fn bounded(mut answer: reqwest::Response) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        bytes.extend_from_slice(&chunk);
        ensure!(
            bytes.len() <= MOST_BYTES,
            "the answer of the identity provider has no end"
        );
    }
    Ok(bytes)
}
