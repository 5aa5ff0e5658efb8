// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How often passwords may be guessed. After a few failures each further one doubles the time until the next attempt is
//! heard, up to a limit: guessing gets slow, and nobody is shut out for good.
//!
//! Failures are counted per account and per source address. An address from which somebody logged in to an account
//! lately is counted for that account by itself, so that strangers who guess at the account do not delay its owner.
//! Attempts at an account that are under way count as failures of it until they end: attempts at the same time cannot all
//! be the last free one. An address has many people behind it, who may all log in at once, so only what was wrong counts
//! for it. An attempt is judged by its address once more when its turn has come, and few passwords are checked at once:
//! guesses at the same time get no further than those few. Each node counts for itself.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use sha2::{Digest, Sha256};

/// Accounts and addresses whose failures are remembered, about a hundred bytes each; those that failed last are.
const REMEMBERED: u64 = 100_000;
/// The delay after the first failure that is not free, in milliseconds.
const FIRST_DELAY: i64 = 1_000;
/// Failures that were followed by none for so long are forgotten, in milliseconds.
const FORGOTTEN_AFTER: i64 = 15 * 60 * 1_000;
/// How long an address counts as one that an account logs in from, in milliseconds.
const FAMILIAR_FOR: i64 = 24 * 60 * 60 * 1_000;

/// How many failed logins are free, and how long the others delay the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginLimits {
    /// Free failures of an account.
    pub account_failures: u32,
    /// Free failures from an address.
    pub address_failures: u32,
    /// The longest delay.
    pub max_delay: Duration,
}

impl Default for LoginLimits {
    fn default() -> Self {
        Self {
            account_failures: 5,
            address_failures: 100,
            max_delay: Duration::from_secs(60),
        }
    }
}

/// A name as it is remembered: of fixed length, however long the name was.
type Account = [u8; 32];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    Account(Account),
    Address(IpAddr),
    /// An account, from an address that it logs in from.
    Familiar(Account, IpAddr),
}

#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    count: u32,
    last: i64,
    /// Attempts that are neither right nor wrong yet.
    under_way: u32,
    /// When the last of them came.
    came: i64,
}

impl Failures {
    /// Those that are not forgotten.
    fn count_at(&self, now: i64) -> u32 {
        if now - self.last < FORGOTTEN_AFTER {
            self.count
        } else {
            0
        }
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct LoginLimit {
    limits: LoginLimits,
    failures: Cache<Source, Failures>,
    /// When an account last logged in from an address.
    familiar: Cache<(Account, IpAddr), i64>,
    /// Judging and counting is one step.
    counting: Mutex<()>,
}

/// An attempt that counts as a failure of its account until it ends. One that is dropped after its check began was wrong,
/// for all that is known; one that is dropped before was none.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    limit: &'a LoginLimit,
    account: Account,
    address: Option<IpAddr>,
    /// What it counts for while it is under way.
    counted: Source,
    /// What else it counts for when it was wrong.
    judged: Option<Source>,
    /// When its check began.
    began: Option<i64>,
    has_ended: bool,
}

impl LoginLimit {
    pub(crate) fn new(limits: LoginLimits) -> Self {
        Self::with_room(limits, REMEMBERED)
    }

    /// Remembers so many accounts and addresses.
    fn with_room(limits: LoginLimits, remembered: u64) -> Self {
        Self {
            limits,
            failures: remembering(remembered),
            familiar: remembering(remembered),
            counting: Mutex::new(()),
        }
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// How long to wait until the next attempt is heard; this one is not counted then.
    pub(crate) fn attempt(
        &self,
        user: &str,
        remote: Option<IpAddr>,
        now: i64,
    ) -> Result<Attempt<'_>, Duration> {
        let account = Sha256::digest(user).into();
        let address = remote.map(network);
        let (counted, judged) = match address {
            Some(address) if self.is_familiar(account, address, now) => {
                (Source::Familiar(account, address), None)
            }
            _ => (Source::Account(account), address.map(Source::Address)),
        };
        let _counting = self.counting();
        self.hear([counted].into_iter().chain(judged), now)?;
        let known = self.failures.get(&counted).unwrap_or_default();
        let failures = Failures {
            under_way: known.under_way.saturating_add(1),
            came: now,
            ..known
        };
        self.failures.insert(counted, failures);
        Ok(Attempt {
            limit: self,
            account,
            address,
            counted,
            judged,
            began: None,
            has_ended: false,
        })
    }

    fn counting(&self) -> MutexGuard<'_, ()> {
        self.counting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, sources: impl IntoIterator<Item = Source>, now: i64) -> Result<(), Duration> {
        let longest = self.max_delay();
        let wait = sources
            .into_iter()
            .filter_map(|source| Some(self.until(source, &self.failures.get(&source)?, now)))
            // A clock that was put back must not make the delay longer.
            .map(|until| (until - now).clamp(0, longest))
            .max()
            .unwrap_or_default();
        if wait > 0 {
            return Err(Duration::from_millis(wait.unsigned_abs()));
        }
        Ok(())
    }

    /// When the next attempt is heard.
    fn until(&self, source: Source, failures: &Failures, now: i64) -> i64 {
        let count = failures.count_at(now);
        let until = failures.last + self.delay(source, count);
        match failures.under_way {
            0 => until,
            more => until.max(failures.came + self.delay(source, count.saturating_add(more))),
        }
    }

    fn count_failure(&self, source: Source, now: i64) {
        let known = self.failures.get(&source).unwrap_or_default();
        let failures = Failures {
            count: known.count_at(now).saturating_add(1),
            last: now,
            ..known
        };
        self.failures.insert(source, failures);
    }

    /// One attempt fewer is under way. An entry that says nothing any more takes no room from those that do.
    fn end_one(&self, source: Source, are_forgotten: bool) {
        let Some(mut failures) = self.failures.get(&source) else {
            return;
        };
        failures.under_way = failures.under_way.saturating_sub(1);
        if are_forgotten {
            failures.count = 0;
        }
        if failures.count == 0 && failures.under_way == 0 {
            self.failures.invalidate(&source);
        } else {
            self.failures.insert(source, failures);
        }
    }

    fn is_familiar(&self, account: Account, address: IpAddr, now: i64) -> bool {
        self.familiar
            .get(&(account, address))
            .is_some_and(|since| now - since < FAMILIAR_FOR)
    }

    /// How long the next attempt is not heard after so many failures, in milliseconds.
    fn delay(&self, source: Source, count: u32) -> i64 {
        let free = match source {
            Source::Account(_) | Source::Familiar(..) => self.limits.account_failures,
            Source::Address(_) => self.limits.address_failures,
        };
        match count.saturating_sub(free) {
            0 => 0,
            further => FIRST_DELAY
                .saturating_mul(1 << further.saturating_sub(1).min(30))
                .min(self.max_delay()),
        }
    }

    fn max_delay(&self) -> i64 {
        i64::try_from(self.limits.max_delay.as_millis()).unwrap_or(i64::MAX)
    }
}

impl Attempt<'_> {
    /// Its turn has come, and its password is looked at.
    ///
    /// # Errors
    /// How long to wait until the next attempt from the address is heard: others from there were wrong in the meantime.
    pub(crate) fn begin(&mut self, now: i64) -> Result<(), Duration> {
        let _counting = self.limit.counting();
        self.limit.hear(self.judged, now)?;
        self.began = Some(now);
        Ok(())
    }

    /// It was right: the account's failures are forgotten. Those of the address stay what they were.
    pub(crate) fn succeeded(mut self, now: i64) {
        self.has_ended = true;
        let _counting = self.limit.counting();
        self.limit.end_one(self.counted, true);
        if let Some(address) = self.address {
            self.limit.familiar.insert((self.account, address), now);
        }
    }

    /// It was wrong.
    pub(crate) fn failed(mut self, now: i64) {
        self.fail(now);
    }

    /// It was neither right nor wrong.
    pub(crate) fn take_back(mut self) {
        self.has_ended = true;
        let _counting = self.limit.counting();
        self.limit.end_one(self.counted, false);
    }

    fn fail(&mut self, now: i64) {
        self.has_ended = true;
        let _counting = self.limit.counting();
        self.limit.count_failure(self.counted, now);
        self.limit.end_one(self.counted, false);
        if let Some(address) = self.judged {
            self.limit.count_failure(address, now);
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        match self.began {
            Some(began) => self.fail(began),
            None => {
                let _counting = self.limit.counting();
                self.limit.end_one(self.counted, false);
            }
        }
    }
}

fn remembering<K, V>(remembered: u64) -> Cache<K, V>
where
    K: std::hash::Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder()
        .max_capacity(remembered)
        .eviction_policy(EvictionPolicy::lru())
        .build()
}

/// What one customer of a provider has: an address of version 4, or a network of 64 bits of version 6.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests;
