// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How many statements run at once, of one user and of all. Those beyond wait, for a bounded time, in the order of their
//! arrival; a user's own statements wait behind each other before they wait with those of others, so that nobody fills
//! the queue.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;

/// Statements that wait; more are refused at once.
const WAITING: usize = 1024;
/// Those of one user among them, so that nobody fills the queue.
const WAITING_OF_USER: usize = 64;

/// The doors that statements pass.
#[derive(Debug)]
pub(crate) struct Admission {
    /// What passes, for messages.
    what: &'static str,
    all: Arc<Semaphore>,
    statements: usize,
    per_user: usize,
    wait: Duration,
    users: Arc<Users>,
    waiting: AtomicUsize,
}

/// The doors of users who have a statement that waits or runs.
#[derive(Debug, Default)]
struct Users(Mutex<HashMap<String, Door>>);

#[derive(Debug)]
struct Door {
    permits: Arc<Semaphore>,
    /// The user's statements that wait or run.
    inside: usize,
}

/// The right to run one statement; given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    _all: OwnedSemaphorePermit,
    _of_user: OfUser,
}

/// A user's right, or the wait for it.
#[derive(Debug)]
struct OfUser {
    user: String,
    users: Arc<Users>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for OfUser {
    fn drop(&mut self) {
        self.permit = None;
        let mut doors = self.users.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(door) = doors.get_mut(&self.user) {
            door.inside = door.inside.saturating_sub(1);
            if door.inside == 0 {
                doors.remove(&self.user);
            }
        }
    }
}

/// Counts one who waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Admission {
    pub(crate) fn new(what: &'static str, statements: usize, per_user: usize, wait: Duration) -> Self {
        let statements = statements.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            what,
            all: Arc::new(Semaphore::new(statements)),
            statements,
            per_user: per_user.clamp(1, statements),
            wait,
            users: Arc::default(),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Statements that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until the user may run one more statement.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` when that takes too long, or too many wait.
    pub(crate) async fn enter(&self, user: &str) -> Result<Slot, Status> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(Status::resource_exhausted(format!(
                "{WAITING} {} wait on this gateway already; try again later",
                self.what
            )));
        }
        let _waiting = Waiting(&self.waiting);
        let permits = {
            let mut doors = self.users.0.lock().unwrap_or_else(PoisonError::into_inner);
            let door = doors.entry(user.to_owned()).or_insert_with(|| Door {
                permits: Arc::new(Semaphore::new(self.per_user)),
                inside: 0,
            });
            if door.inside >= self.per_user.saturating_add(WAITING_OF_USER) {
                return Err(Status::resource_exhausted(format!(
                    "{WAITING_OF_USER} {} of yours wait on this gateway already; try again later",
                    self.what
                )));
            }
            door.inside += 1;
            Arc::clone(&door.permits)
        };
        let mut of_user = OfUser {
            user: user.to_owned(),
            users: Arc::clone(&self.users),
            permit: None,
        };
        let mut is_mine = false;
        let both = async {
            let permit = permits.acquire_owned().await;
            is_mine = true;
            (permit, Arc::clone(&self.all).acquire_owned().await)
        };
        match tokio::time::timeout(self.wait, both).await {
            Ok((Ok(permit), Ok(all))) => {
                of_user.permit = Some(permit);
                Ok(Slot {
                    _all: all,
                    _of_user: of_user,
                })
            }
            // Doors are never closed.
            Ok(_) => Err(Status::unavailable("the gateway is going down; run it again")),
            Err(_) => Err(self.refusal(is_mine)),
        }
    }

    fn refusal(&self, is_mine: bool) -> Status {
        let seconds = self.wait.as_secs_f64();
        Status::resource_exhausted(if is_mine {
            format!(
                "this gateway runs {} {} at once (`--statements`) and none ended within {seconds} s; try again later",
                self.statements, self.what
            )
        } else {
            format!(
                "you have {} {} running on this gateway, as many as one user may (`--statements-per-user`), and none \
                 ended within {seconds} s; try again when one has",
                self.per_user, self.what
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    #[tokio::test]
    async fn each_limit_is_kept_and_told() {
        let admission = Admission::new("statements", 3, 2, MOMENT);
        let first = admission.enter("ann").await.unwrap();
        let _second = admission.enter("ann").await.unwrap();
        let refused = admission.enter("ann").await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        assert!(refused.message().contains("--statements-per-user"), "{refused}");
        let bob = admission.enter("bob").await.unwrap();
        let refused = admission.enter("bob").await.unwrap_err();
        assert!(refused.message().contains("(`--statements`)"), "{refused}");
        drop(first);
        admission.enter("ann").await.unwrap();
        drop(bob);
        admission.enter("ann").await.unwrap();
        assert_eq!(admission.waiting(), 0);
    }

    #[tokio::test]
    async fn those_who_wait_come_in_when_there_is_room() {
        let admission = Arc::new(Admission::new("statements", 1, 1, Duration::from_secs(600)));
        let running = admission.enter("ann").await.unwrap();
        let waiting: Vec<_> = ["ann", "bob", "cid"]
            .map(|user| {
                let admission = Arc::clone(&admission);
                tokio::spawn(async move { admission.enter(user).await.map(drop) })
            })
            .into();
        while admission.waiting() < 3 {
            tokio::task::yield_now().await;
        }
        // One gives up.
        waiting.first().unwrap().abort();
        drop(running);
        for task in waiting.into_iter().skip(1) {
            task.await.unwrap().unwrap();
        }
        while admission.waiting() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn nobody_fills_the_queue() {
        let admission = Arc::new(Admission::new("statements", 1, 1, Duration::from_secs(600)));
        let running = admission.enter("ann").await.unwrap();
        let wait = |user: &'static str| {
            let admission = Arc::clone(&admission);
            tokio::spawn(async move { admission.enter(user).await.map(drop) })
        };
        let mut waiting: Vec<_> = (0..WAITING_OF_USER).map(|_| wait("ann")).collect();
        while admission.waiting() < WAITING_OF_USER {
            tokio::task::yield_now().await;
        }
        let refused = admission.enter("ann").await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        waiting.push(wait("bob"));
        drop(running);
        for task in waiting {
            task.await.unwrap().unwrap();
        }
        assert_eq!(admission.waiting(), 0);
        assert!(admission.users.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn nothing_is_kept_of_users_who_left() {
        let admission = Admission::new("statements", 2, 1, MOMENT);
        for number in 0..100 {
            let slot = admission.enter(&format!("user{number}")).await.unwrap();
            assert!(admission.enter(&format!("user{number}")).await.is_err());
            drop(slot);
        }
        assert!(admission.users.0.lock().unwrap().is_empty());
    }
}
