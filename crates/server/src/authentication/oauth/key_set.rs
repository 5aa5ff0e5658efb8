// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The keys that an issuer publishes (JWKS). Fetched when they are first needed, again every few minutes, and when a token
//! names a key that is not among them, but never in quick succession: anybody can send a token with any key id.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::Jwk;
use lakeward_operations::OperationError;
use serde::Deserialize;
use url::Url;

use super::key::VerifyingKey;
use super::refusal::TokenRefusal;
use crate::config::ConfigurationError;

/// How often keys are fetched.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Keys that are older are fetched again.
    fresh: Duration,
    /// Keys that could not be fetched again are used no longer than this.
    usable: Duration,
    /// The least time between two attempts.
    pause: Duration,
}

/// Freshness is that of the original.
const PACE: Pace = Pace {
    fresh: Duration::from_secs(300),
    usable: Duration::from_secs(3600),
    pause: Duration::from_secs(10),
};
const TIMEOUT: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 1024 * 1024;

/// See the module.
#[derive(Debug)]
pub(super) struct KeySet(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    url: Url,
    client: reqwest::Client,
    pace: Pace,
    known: RwLock<Option<Known>>,
    /// Held while the keys are fetched, with the time of the last attempt.
    fetching: tokio::sync::Mutex<Option<Instant>>,
}

#[derive(Debug, Clone)]
struct Known {
    keys: Arc<Keys>,
    at: Instant,
}

#[derive(Debug, Default)]
struct Keys {
    by_id: HashMap<String, VerifyingKey>,
    without_id: Vec<VerifyingKey>,
}

impl Keys {
    /// A token without a key id is verified only where there is no choice.
    fn of(&self, id: Option<&str>) -> Option<&VerifyingKey> {
        if let Some(id) = id {
            return self.by_id.get(id);
        }
        let mut all = self.by_id.values().chain(&self.without_id);
        let only = all.next()?;
        all.next().is_none().then_some(only)
    }
}

#[derive(Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

impl KeySet {
    /// # Errors
    /// [`ConfigurationError::Combination`] when this machine cannot speak TLS.
    pub(super) fn new(url: Url) -> Result<Self, ConfigurationError> {
        Self::with_pace(url, PACE)
    }

    fn with_pace(url: Url, pace: Pace) -> Result<Self, ConfigurationError> {
        let client = reqwest::Client::builder()
            // No redirection leads from a protected address to one that is not.
            .https_only(url.scheme() == "https")
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| {
                ConfigurationError::Combination(format!(
                    "the keys of the token issuer cannot be fetched: {error}"
                ))
            })?;
        Ok(Self(Arc::new(Inner {
            pace,
            url,
            client,
            known: RwLock::new(None),
            fetching: tokio::sync::Mutex::new(None),
        })))
    }

    /// The key with this id.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] when there is no such key; [`OperationError::Unavailable`] when no keys can be
    /// had.
    pub(super) async fn key(&self, id: Option<&str>) -> Result<VerifyingKey, OperationError> {
        let known = self.0.known();
        if let Some(known) = &known
            && known.at.elapsed() < self.0.pace.fresh
            && let Some(key) = known.keys.of(id)
        {
            return Ok(key.clone());
        }
        // A task of its own: whoever sends a token and goes away must not break off the attempt that others wait for, nor
        // use it up.
        let inner = Arc::clone(&self.0);
        let fetching = tokio::spawn(async move { inner.fetched(known.map(|known| known.at)).await });
        let keys = fetching.await.map_err(OperationError::internal)??;
        keys.of(id).cloned().ok_or_else(|| TokenRefusal::Signature.into())
    }
}

impl Inner {
    fn known(&self) -> Option<Known> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known
            .clone()
            .filter(|known| known.at.elapsed() < self.pace.usable)
    }

    /// Keys that are newer than those of `before`, or the same when it is too soon to ask again or the issuer does not
    /// answer.
    async fn fetched(&self, before: Option<Instant>) -> Result<Arc<Keys>, OperationError> {
        let mut last_attempt = self.fetching.lock().await;
        let known = self.known();
        if let Some(known) = &known
            && before.is_none_or(|before| known.at > before)
        {
            // Another request fetched them meanwhile.
            return Ok(Arc::clone(&known.keys));
        }
        let failure = if last_attempt.is_some_and(|at| at.elapsed() < self.pace.pause) {
            "the last attempt was a moment ago".to_owned()
        } else {
            *last_attempt = Some(Instant::now());
            match self.fetch().await {
                Ok(keys) => {
                    let keys = Arc::new(keys);
                    *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(Known {
                        keys: Arc::clone(&keys),
                        at: Instant::now(),
                    });
                    return Ok(keys);
                }
                Err(failure) => {
                    tracing::warn!(url = %self.url, failure, "the keys of the token issuer cannot be fetched");
                    failure
                }
            }
        };
        known
            .map(|known| known.keys)
            .ok_or_else(|| OperationError::Unavailable {
                message: "the keys of the token issuer cannot be fetched; try again in a moment".to_owned(),
                detail: format!("`gravitino.authenticator.oauth.jwksUri`: {failure}"),
            })
    }

    async fn fetch(&self) -> Result<Keys, String> {
        let failed = |error: reqwest::Error| error.without_url().to_string();
        let request = self.client.get(self.url.clone());
        let answer = request.send().await.and_then(reqwest::Response::error_for_status);
        let mut answer = answer.map_err(failed)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST_BYTES {
                return Err(format!("more than {MOST_BYTES} bytes"));
            }
        }
        let published: Published = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        Ok(readable(published))
    }
}

/// The keys that verify tokens; keys of other kinds are for others.
fn readable(published: Published) -> Keys {
    let mut keys = Keys::default();
    for key in published.keys {
        let Ok(jwk) = serde_json::from_value::<Jwk>(key) else {
            continue;
        };
        let Some(key) = VerifyingKey::of_key_set(&jwk) else {
            continue;
        };
        match jwk.common.key_id {
            Some(id) => {
                keys.by_id.insert(id, key);
            }
            None => keys.without_id.push(key),
        }
    }
    keys
}

#[cfg(test)]
mod tests;
