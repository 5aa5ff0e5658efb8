// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Passwords: argon2id, slow on purpose, and never faster for a name that does not exist.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use argon2::password_hash::SaltString;
use argon2::password_hash::rand_core::OsRng;
use argon2::{Argon2, PasswordHash, PasswordHasher, PasswordVerifier};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::OperationError;

/// Each verification takes 19 MiB and a core; half of the cores are left to those who need none.
static AT_ONCE: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Arc::new(Semaphore::new((cores / 2).max(1)))
});

/// How many verifications wait or run; whoever comes then is told to come again.
const MOST: usize = 256;
static ROOM: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(MOST)));

/// When whoever found no room may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Hashes of passwords that nobody has, to compare with when there is no account.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash_now(&uuid::Uuid::new_v4().to_string()).ok());

/// A place in the line of those whose passwords are checked.
#[derive(Debug)]
pub(crate) struct Room {
    _place: OwnedSemaphorePermit,
}

/// The right to check a password now. It lasts as long as the work, whoever still waits for that.
#[derive(Debug)]
pub(crate) struct Turn {
    _room: Room,
    _permit: OwnedSemaphorePermit,
}

/// Gets in line.
///
/// # Errors
/// [`OperationError::TooManyRequests`].
pub(crate) fn room() -> Result<Room, OperationError> {
    let room = Arc::clone(&ROOM).try_acquire_owned();
    room.map(|_place| Room { _place })
        .map_err(|_| OperationError::TooManyRequests {
            message: "too many passwords are being checked".to_owned(),
            retry_after: RETRY_AFTER,
        })
}

impl Room {
    /// Waits for its turn.
    pub(crate) async fn turn(self) -> Result<Turn, OperationError> {
        let permit = Arc::clone(&AT_ONCE).acquire_owned().await;
        Ok(Turn {
            _room: self,
            _permit: permit.map_err(OperationError::internal)?,
        })
    }
}

/// Makes the hash of a password, with a salt of its own.
///
/// # Errors
/// [`OperationError::TooManyRequests`]; [`OperationError::Internal`].
pub(crate) async fn hash(password: &str) -> Result<String, OperationError> {
    let password = password.to_owned();
    on_a_worker(room()?.turn().await?, move || hash_now(&password)).await?
}

/// Whether the password is the one that was hashed. Without a hash the same work is done, and the answer is no.
///
/// # Errors
/// [`OperationError::Internal`] when the stored hash cannot be read.
pub(crate) async fn verify(turn: Turn, password: &str, hash: Option<&str>) -> Result<bool, OperationError> {
    let password = password.to_owned();
    let hash = hash.map(str::to_owned);
    on_a_worker(turn, move || {
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
    turn: Turn,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OperationError> {
    let worked = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    worked.await.map_err(OperationError::internal)
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

    async fn check(password: &str, hash: Option<&str>) -> Result<bool, OperationError> {
        verify(room()?.turn().await?, password, hash).await
    }

    #[tokio::test]
    async fn who_hangs_up_gives_no_turn_away_while_the_work_goes_on() {
        let [room, at_once] = [1, 1].map(|permits| Arc::new(Semaphore::new(permits)));
        let turn = Turn {
            _room: Room {
                _place: Arc::clone(&room).try_acquire_owned().unwrap(),
            },
            _permit: Arc::clone(&at_once).try_acquire_owned().unwrap(),
        };
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let mut work = Box::pin(on_a_worker(turn, move || ended.recv()));
        assert!(futures::poll!(&mut work).is_pending());
        drop(work);
        assert_eq!([room.available_permits(), at_once.available_permits()], [0, 0]);
        end.send(()).unwrap();
        for permits in [room, at_once] {
            let _free = permits.acquire().await.unwrap();
        }
    }

    #[tokio::test]
    async fn only_the_right_password_of_an_account_is_right() {
        let hash = hash("correct horse").await.unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(check("correct horse", Some(&hash)).await.unwrap());
        assert!(!check("correct hors", Some(&hash)).await.unwrap());
        assert!(!check("correct horse", None).await.unwrap());
        assert!(check("x", Some("no hash")).await.is_err());
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
