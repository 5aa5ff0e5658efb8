// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Temporary credentials, kept by scope until they are nearly over. Requests for one scope wait for each other, so that the
//! token service is asked once.

use std::sync::Arc;
use std::time::Duration;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::{DelegationScope, TemporaryCredential};
use moka::sync::Cache;
use tokio::sync::Mutex;

use super::declared::Declared;
use super::session_policy::session_policy;
use super::token_service::TokenService;

/// How long a request waits for another one's question to the token service.
const PATIENCE: Duration = Duration::from_secs(15);

type Slot = Arc<Mutex<Option<Session>>>;

#[derive(Debug)]
struct Session {
    credential: TemporaryCredential,
    /// From when on another one is fetched, in epoch milliseconds.
    refresh_at: i64,
}

/// The credentials of a catalog.
#[derive(Debug)]
pub(super) struct Sessions {
    service: TokenService,
    /// The share of its time that a credential has left when another is fetched.
    expire_ratio: f64,
    slots: Cache<DelegationScope, Slot>,
}

impl Sessions {
    pub(super) fn new(service: TokenService, declared: &Declared) -> Self {
        Self {
            service,
            expire_ratio: declared.expire_ratio,
            slots: Cache::builder()
                .max_capacity(declared.cache_size)
                .time_to_idle(declared.lifetime)
                .build(),
        }
    }

    /// The credential of a scope at a time, in epoch milliseconds.
    ///
    /// # Errors
    /// As of [`lakeward_catalog::storage_delegation::StorageDelegation::credential`].
    pub(super) async fn credential(
        &self,
        scope: &DelegationScope,
        now: i64,
    ) -> Result<TemporaryCredential, CatalogError> {
        let policy = session_policy(scope, self.service.partition())?;
        let slot = self.slots.get_with_by_ref(scope, Slot::default);
        let mut session = tokio::time::timeout(PATIENCE, slot.lock())
            .await
            .map_err(|_| super::unexpected("the token service is slow to answer others"))?;
        if let Some(held) = session.as_ref().filter(|held| now < held.refresh_at) {
            return Ok(held.credential.clone());
        }
        // One that is nearly over is not given out for want of a new one: whoever may have none any more hears it at once.
        let credential = self
            .service
            .assume_role(&session_name(&scope.principal), &policy)
            .await?;
        let lifetime = credential.expires_at.saturating_sub(now);
        if lifetime <= 0 {
            return Err(super::unexpected(
                "the token service gave a credential that is over",
            ));
        }
        *session = Some(Session {
            refresh_at: credential
                .expires_at
                .saturating_sub(share(lifetime, self.expire_ratio)),
            credential: credential.clone(),
        });
        Ok(credential)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a share of a lifetime of days at most, in milliseconds, is exact enough and fits"
)]
fn share(lifetime: i64, ratio: f64) -> i64 {
    (lifetime as f64 * ratio) as i64
}

/// What the storage's own log calls the session: the user, as far as the names of sessions allow.
fn session_name(principal: &str) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() || "_+=,.@-".contains(character) {
            character
        } else {
            '-'
        }
    };
    "lakeward-"
        .chars()
        .chain(principal.chars().map(plain))
        .take(64)
        .collect()
}

#[cfg(test)]
mod tests;
