// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is noticed beside requests: when a reader last loaded something restricted, and the groups that a user's token
//! named. Requests only put it down in memory; it is written behind their back, and no request waits for it or fails by
//! it. No decision reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_read_restrictions::admission::TrustedReader;
use lakeward_store::SeenGroups;
use moka::sync::Cache;
use tokio::sync::Notify;

use crate::Operations;
use crate::error::OperationError;

/// A load through the same reader is noticed again after this.
const LOAD_EVERY_MILLIS: i64 = 60_000;
/// Groups that did not change are noticed again after this, so that their time means something.
const GROUPS_EVERY_MILLIS: i64 = 3_600_000;
const READERS: u64 = 1_000;
const USERS: u64 = 100_000;
/// More users than this wait for nothing: they are noticed with their next request.
const MOST_WAITING: usize = 10_000;

/// What was noticed and is not written yet, and what was noticed last.
#[derive(Debug)]
pub(crate) struct Notices {
    waiting: Mutex<Waiting>,
    wake: Notify,
    loads: Cache<TrustedReader, i64>,
    groups: Cache<String, Arc<SeenGroups>>,
}

#[derive(Debug, Default)]
struct Waiting {
    loads: BTreeMap<String, Load>,
    groups: BTreeMap<String, Arc<SeenGroups>>,
}

/// A load through one revision of a reader's entry: a reader that is enrolled anew has not loaded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Load {
    revision: i64,
    at: i64,
}

impl Default for Notices {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            wake: Notify::new(),
            loads: Cache::new(READERS),
            groups: Cache::new(USERS),
        }
    }
}

impl Notices {
    /// Something restricted was loaded through a reader.
    pub(crate) fn load_through(&self, reader: &TrustedReader) {
        self.load_through_at(reader, now());
    }

    fn load_through_at(&self, reader: &TrustedReader, at: i64) {
        if self
            .loads
            .get(reader)
            .is_some_and(|last| at - last < LOAD_EVERY_MILLIS)
        {
            return;
        }
        self.loads.insert(reader.clone(), at);
        let load = Load {
            revision: reader.revision,
            at,
        };
        self.put_down(|waiting| {
            waiting.loads.insert(reader.name.clone(), load);
        });
    }

    fn groups_at(&self, user: &str, groups: &BTreeSet<String>, at: i64) {
        let last = self.groups.get(user);
        if last.is_some_and(|last| last.groups == *groups && at - last.at < GROUPS_EVERY_MILLIS) {
            return;
        }
        let seen = Arc::new(SeenGroups {
            groups: groups.clone(),
            at,
        });
        self.put_down(|waiting| {
            if waiting.groups.len() < MOST_WAITING {
                self.groups.insert(user.to_owned(), Arc::clone(&seen));
                waiting.groups.insert(user.to_owned(), seen);
            }
        });
    }

    fn put_down(&self, what: impl FnOnce(&mut Waiting)) {
        what(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_one();
    }

    fn take(&self) -> Waiting {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What could not be written is noticed again with the next request.
    fn forget(&self, waiting: &Waiting) {
        for (name, load) in &waiting.loads {
            self.loads.invalidate(&TrustedReader {
                name: name.clone(),
                revision: load.revision,
            });
        }
        for user in waiting.groups.keys() {
            self.groups.invalidate(user);
        }
    }
}

impl Operations {
    /// Remembers the groups that a validated token of this subject named. A subject whose groups are unknown leaves what
    /// was seen before.
    pub fn notice_groups(&self, subject: &Subject) {
        if let GroupClaim::Known(groups) = &subject.groups {
            self.notices().groups_at(&subject.user, groups, now());
        }
    }

    /// Waits until something was noticed that is not written.
    pub async fn something_noticed(&self) {
        self.notices().wake.notified().await;
    }

    /// Writes what was noticed. Call it when [`Self::something_noticed`] returns, and before the store is closed.
    ///
    /// # Errors
    /// What the store reports; the same is noticed again with the next request.
    pub async fn keep_notices(&self) -> Result<(), OperationError> {
        let waiting = self.notices().take();
        if waiting.loads.is_empty() && waiting.groups.is_empty() {
            return Ok(());
        }
        let kept = self.write_notices(&waiting).await;
        if kept.is_err() {
            self.notices().forget(&waiting);
        }
        kept
    }

    async fn write_notices(&self, waiting: &Waiting) -> Result<(), OperationError> {
        let mut write = self.store().write_uncounted().await?;
        for (reader, load) in &waiting.loads {
            write.note_load(reader, load.at).await?;
        }
        for (user, seen) in &waiting.groups {
            write.note_groups(user, seen).await?;
        }
        Ok(write.commit().await?)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place of this crate that reads the time"
)]
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
