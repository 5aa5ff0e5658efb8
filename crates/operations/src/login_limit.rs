// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How often passwords may be guessed. After a few failures each further one doubles the time until the next attempt is
//! heard, up to a limit: guessing gets slow, and nobody is shut out for good.
//!
//! Failures are counted per account and per source address. An address from which somebody logged in to an account
//! lately is counted for that account by itself, so that strangers who guess at the account do not delay its owner.
//! An attempt is counted before its password is looked at, and taken back when it was right: attempts at the same time
//! cannot all be the last free one. Each node counts for itself.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
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
    /// When the next attempt is heard.
    until: i64,
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

/// An attempt that was counted as a failure until it is known to be none.
#[derive(Debug)]
pub(crate) struct Attempt {
    account: Account,
    address: Option<IpAddr>,
    sources: Vec<Source>,
}

impl LoginLimit {
    pub(crate) fn new(limits: LoginLimits) -> Self {
        Self {
            limits,
            failures: remembering(),
            familiar: remembering(),
            counting: Mutex::new(()),
        }
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// How long to wait until the next attempt is heard; this one is not counted then.
    pub(crate) fn attempt(&self, user: &str, remote: Option<IpAddr>, now: i64) -> Result<Attempt, Duration> {
        let account = Sha256::digest(user).into();
        let address = remote.map(network);
        let sources = match address {
            Some(address) if self.is_familiar(account, address, now) => {
                vec![Source::Familiar(account, address)]
            }
            Some(address) => vec![Source::Account(account), Source::Address(address)],
            None => vec![Source::Account(account)],
        };
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = self.max_delay();
        let wait = sources
            .iter()
            .filter_map(|source| self.failures.get(source))
            // A clock that was put back must not make the delay longer.
            .map(|failures| (failures.until - now).clamp(0, longest))
            .max()
            .unwrap_or_default();
        if wait > 0 {
            return Err(Duration::from_millis(wait.unsigned_abs()));
        }
        for source in &sources {
            let known = self.failures.get(source).unwrap_or_default();
            let is_recent = now - known.last < FORGOTTEN_AFTER;
            let count = if is_recent {
                known.count.saturating_add(1)
            } else {
                1
            };
            let failures = Failures {
                count,
                last: now,
                until: now + self.delay(*source, count),
            };
            self.failures.insert(*source, failures);
        }
        Ok(Attempt {
            account,
            address,
            sources,
        })
    }

    /// The attempt was right: the account's failures are forgotten, and the address has one less.
    pub(crate) fn succeeded(&self, attempt: &Attempt, now: i64) {
        self.take_back(attempt);
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        for source in &attempt.sources {
            match source {
                Source::Account(_) | Source::Familiar(..) => self.failures.invalidate(source),
                Source::Address(_) => {}
            }
        }
        if let Some(address) = attempt.address {
            self.familiar.insert((attempt.account, address), now);
        }
    }

    /// The attempt was neither right nor wrong.
    pub(crate) fn take_back(&self, attempt: &Attempt) {
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        for source in &attempt.sources {
            let Some(mut failures) = self.failures.get(source) else {
                continue;
            };
            failures.count = failures.count.saturating_sub(1);
            failures.until = failures.last + self.delay(*source, failures.count);
            self.failures.insert(*source, failures);
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

fn remembering<K, V>() -> Cache<K, V>
where
    K: std::hash::Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder()
        .max_capacity(REMEMBERED)
        .eviction_policy(EvictionPolicy::lru())
        .build()
}

/// What one customer of a provider has: an address of version 4, or a network of 64 bits of version 6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests;
