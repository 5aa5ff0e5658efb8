// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Passwords: argon2id, slow on purpose, and never faster for a name that does not exist.

use std::sync::LazyLock;
use std::time::Duration;

use argon2::password_hash::SaltString;
use argon2::password_hash::rand_core::OsRng;
use argon2::{Argon2, PasswordHash, PasswordHasher, PasswordVerifier};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use crate::error::OperationError;

/// Each verification takes 19 MiB and a core; half of the cores are left to those who need none.
static AT_ONCE: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Semaphore::new((cores / 2).max(1))
});

/// How many verifications wait or run; whoever comes then is told to come again.
const MOST: usize = 256;
static ROOM: Semaphore = Semaphore::const_new(MOST);

/// When whoever found no room may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Hashes of passwords that nobody has, to compare with when there is no account.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash_now(&uuid::Uuid::new_v4().to_string()).ok());

/// Makes the hash of a password, with a salt of its own.
///
/// # Errors
/// [`OperationError::TooManyRequests`]; [`OperationError::Internal`].
pub(crate) async fn hash(password: &str) -> Result<String, OperationError> {
    let password = password.to_owned();
    on_a_worker(move || hash_now(&password)).await?
}

/// Whether the password is the one that was hashed. Without a hash the same work is done, and the answer is no.
///
/// # Errors
/// [`OperationError::TooManyRequests`]; [`OperationError::Internal`] when the stored hash cannot be read.
pub(crate) async fn verify(password: &str, hash: Option<&str>) -> Result<bool, OperationError> {
    let password = password.to_owned();
    let hash = hash.map(str::to_owned);
    on_a_worker(move || {
        let exists = hash.is_some();
        let Some(hash) = hash.or_else(|| NOBODY.clone()) else {
            return Ok(false);
        };
        let parsed = PasswordHash::new(&hash).map_err(OperationError::internal)?;
        let right = Argon2::default()
            .verify_password(password.as_bytes(), &parsed)
            .is_ok();
        Ok(right && exists)
    })
    .await?
}

/// The key under which a successful verification is remembered: a digest that only this process can make.
pub(crate) fn remembered_as(user: &str, password: &str) -> [u8; 32] {
    static SECRET: LazyLock<[u8; 16]> = LazyLock::new(|| uuid::Uuid::new_v4().into_bytes());
    let mut digest = Sha256::new();
    digest.update(*SECRET);
    for part in [user, password] {
        digest.update(part.len().to_be_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().into()
}

async fn on_a_worker<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OperationError> {
    let _room = ROOM.try_acquire().map_err(|_| OperationError::TooManyRequests {
        message: "too many passwords are being checked".to_owned(),
        retry_after: RETRY_AFTER,
    })?;
    let _permit = AT_ONCE.acquire().await.map_err(OperationError::internal)?;
    tokio::task::spawn_blocking(work)
        .await
        .map_err(OperationError::internal)
}

fn hash_now(password: &str) -> Result<String, OperationError> {
    let salt = SaltString::generate(&mut OsRng);
    Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .map(|hash| hash.to_string())
        .map_err(OperationError::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_of_an_account_is_right() {
        let hash = hash("correct horse").await.unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(verify("correct horse", Some(&hash)).await.unwrap());
        assert!(!verify("correct hors", Some(&hash)).await.unwrap());
        assert!(!verify("correct horse", None).await.unwrap());
        assert!(verify("x", Some("no hash")).await.is_err());
    }

    /// The time of a verification is that of the parameters in the hash, so equal ones say what a clock would.
    #[tokio::test]
    async fn an_unknown_name_costs_what_a_wrong_password_costs() {
        let real = hash("correct horse").await.unwrap();
        let nobody = NOBODY.clone().unwrap();
        let cost = |hash: &str| {
            let parsed = PasswordHash::new(hash).unwrap();
            (
                parsed.algorithm.to_string(),
                parsed.version,
                parsed.params.clone(),
            )
        };
        assert_eq!(cost(&real), cost(&nobody));
    }

    #[test]
    fn parts_of_the_key_do_not_run_into_each_other() {
        assert_ne!(remembered_as("a", "bc"), remembered_as("ab", "c"));
    }
}
