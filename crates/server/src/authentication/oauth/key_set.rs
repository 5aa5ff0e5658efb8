// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The keys that an issuer publishes (JWKS). Fetched when they are first needed, again every few minutes, and when a token
//! names a key that is not among them, but never in quick succession: anybody can send a token with any key id.
//!
//! Nobody who holds a good token is refused because of that: who names a new key waits until it may be asked for, and an
//! issuer that does not answer is served from the keys that are known, for a while.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::Jwk;
use lakeward_operations::OperationError;

use super::key::VerifyingKey;
use super::publication::{Publication, Published};
use super::refusal::TokenRefusal;
use crate::config::ConfigurationError;
use crate::config::oauth::PublishedAt;

/// How often keys are fetched.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Keys that are older are fetched again; from half of it on already, without anybody waiting.
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
    pause: Duration::from_secs(2),
};

/// See the module.
#[derive(Debug)]
pub(super) struct KeySet(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    publication: Publication,
    pace: Pace,
    known: RwLock<Option<Known>>,
    /// Held during an attempt, and while one is waited for.
    last: tokio::sync::Mutex<Option<Attempt>>,
}

#[derive(Debug, Clone)]
struct Known {
    keys: Arc<Keys>,
    at: Instant,
    /// Whether the issuer did not answer since.
    is_alone: bool,
}

/// An attempt to fetch keys.
#[derive(Debug, Clone)]
struct Attempt {
    began: Instant,
    failure: Option<String>,
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

impl KeySet {
    /// # Errors
    /// [`ConfigurationError::Combination`] when this machine cannot speak TLS.
    pub(super) fn new(at: PublishedAt) -> Result<Self, ConfigurationError> {
        Self::with_pace(at, PACE)
    }

    fn with_pace(at: PublishedAt, pace: Pace) -> Result<Self, ConfigurationError> {
        Ok(Self(Arc::new(Inner {
            pace,
            publication: Publication::new(at)?,
            known: RwLock::new(None),
            last: tokio::sync::Mutex::new(None),
        })))
    }

    /// The key with this id.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] when there is no such key; [`OperationError::Unavailable`] when no keys can be
    /// had.
    pub(super) async fn key(&self, id: Option<&str>) -> Result<VerifyingKey, OperationError> {
        let pace = self.0.pace;
        let known = self.0.known();
        let usable = known.filter(|known| known.is_alone || known.at.elapsed() < pace.fresh);
        if let Some(known) = usable {
            if known.at.elapsed() > pace.fresh / 2 {
                let inner = Arc::clone(&self.0);
                tokio::spawn(async move { inner.renew().await });
            }
            if let Some(key) = known.keys.of(id) {
                return Ok(key.clone());
            }
            if id.is_none() {
                // Other keys would be no answer to which of them is meant.
                return Err(TokenRefusal::Signature.into());
            }
        }
        // A task of its own: whoever sends a token and goes away must not break off the attempt that others wait for, nor
        // use it up.
        let inner = Arc::clone(&self.0);
        let wanted = id.map(str::to_owned);
        let fetching = tokio::spawn(async move { inner.fetched(wanted.as_deref()).await });
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

    /// Fetches keys again, unless somebody else does, or did a moment ago.
    async fn renew(&self) {
        if let Ok(mut last) = self.last.try_lock()
            && last
                .as_ref()
                .is_none_or(|last| last.began.elapsed() >= self.pace.pause)
        {
            *last = Some(self.attempt().await);
        }
    }

    /// The keys of an attempt that began after this call, or earlier ones that are fresh and hold what is wanted. They are
    /// those that were known before where the issuer does not answer.
    async fn fetched(&self, wanted: Option<&str>) -> Result<Arc<Keys>, OperationError> {
        let arrived = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(known) = self.known()
            && known.at.elapsed() < self.pace.fresh
            && known.keys.of(wanted).is_some()
        {
            // Another request fetched them meanwhile.
            return Ok(known.keys);
        }
        if last.as_ref().is_none_or(|last| last.began < arrived) {
            if let Some(last) = last.as_ref() {
                tokio::time::sleep_until((last.began + self.pace.pause).into()).await;
            }
            *last = Some(self.attempt().await);
        }
        if let Some(known) = self.known() {
            return Ok(known.keys);
        }
        let failure = last.as_ref().and_then(|last| last.failure.as_deref());
        Err(OperationError::Unavailable {
            message: "the keys of the token issuer cannot be fetched; try again in a moment".to_owned(),
            detail: format!(
                "`{}`: {}",
                self.publication.setting(),
                failure.unwrap_or("they are too old")
            ),
        })
    }

    async fn attempt(&self) -> Attempt {
        let began = Instant::now();
        let read = self.publication.read().await;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let failure = match read {
            Ok(published) => {
                *known = Some(Known {
                    keys: Arc::new(readable(published)),
                    at: Instant::now(),
                    is_alone: false,
                });
                None
            }
            Err(failure) => {
                let url = self.publication.url();
                tracing::warn!(%url, failure, "the keys of the token issuer cannot be fetched");
                if let Some(known) = known.as_mut() {
                    known.is_alone = true;
                }
                Some(failure)
            }
        };
        Attempt { began, failure }
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
