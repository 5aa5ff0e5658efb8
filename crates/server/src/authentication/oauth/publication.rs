// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where an issuer publishes its keys, and how they are read: over TLS or on this machine, and never much or for long.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::config::ConfigurationError;
use crate::config::oauth::{PublishedAt, is_protected};

const TIMEOUT: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 1024 * 1024;

/// See the module.
#[derive(Debug)]
pub(super) struct Publication {
    at: PublishedAt,
    client: reqwest::Client,
}

/// A JSON Web Key Set (RFC 7517, section 5), its keys not yet read.
#[derive(Deserialize)]
pub(super) struct Published {
    pub(super) keys: Vec<Value>,
}

/// What is needed of the metadata of an OpenID provider (OpenID Connect Discovery 1.0, section 3).
#[derive(Deserialize)]
struct Provider {
    issuer: String,
    jwks_uri: String,
}

impl Publication {
    /// # Errors
    /// [`ConfigurationError::Combination`] when this machine cannot speak TLS.
    pub(super) fn new(at: PublishedAt) -> Result<Self, ConfigurationError> {
        let protected = at.url().scheme() == "https";
        let redirects = if protected {
            reqwest::redirect::Policy::default()
        } else {
            reqwest::redirect::Policy::none()
        };
        let client = reqwest::Client::builder()
            // Nothing leads from a protected address to one that is not, nor from this machine to another.
            .https_only(protected)
            .redirect(redirects)
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| {
                ConfigurationError::Combination(format!(
                    "the keys of the token issuer cannot be fetched: {error}"
                ))
            })?;
        Ok(Self { at, client })
    }

    /// Where reading begins, for the log.
    pub(super) fn url(&self) -> &Url {
        self.at.url()
    }

    /// The setting that says so.
    pub(super) fn setting(&self) -> &'static str {
        match &self.at {
            PublishedAt::Keys(_) => "gravitino.authenticator.oauth.jwksUri",
            PublishedAt::Provider { .. } => "gravitino.authenticator.oauth.authority",
        }
    }

    /// The keys as they are published now. `Err` says why not, for the log.
    pub(super) async fn read(&self) -> Result<Published, String> {
        match &self.at {
            PublishedAt::Keys(url) => self.get(url).await,
            PublishedAt::Provider { issuer, metadata } => {
                let provider: Provider = self.get(metadata).await?;
                // Whoever answers for that address may speak for itself only.
                if provider.issuer != *issuer {
                    return Err(format!(
                        "the provider calls itself `{}`, not `{issuer}`",
                        provider.issuer
                    ));
                }
                let keys = Url::parse(&provider.jwks_uri).ok().filter(is_protected);
                let keys = keys.ok_or("its `jwks_uri` is neither `https://…` nor on this machine")?;
                self.get(&keys).await
            }
        }
    }

    async fn get<T: DeserializeOwned>(&self, url: &Url) -> Result<T, String> {
        let failed = |error: reqwest::Error| error.without_url().to_string();
        let answer = self.client.get(url.clone()).send().await;
        let answer = answer.and_then(reqwest::Response::error_for_status);
        let mut answer = answer.map_err(failed)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST_BYTES {
                return Err(format!("more than {MOST_BYTES} bytes"));
            }
        }
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    }
}
