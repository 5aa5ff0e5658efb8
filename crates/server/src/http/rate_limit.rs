// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How many requests a user or an address may make, where the operator limits them: a steady rate, with a burst of what ten
//! seconds allow. Each node counts for itself.

use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use lakeward_operations::OperationError;
use lakeward_operations::login_limit::network;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use sha2::{Digest, Sha256};

use crate::config::limits::RateSettings;

/// How many seconds of requests may come at once.
const BURST_SECONDS: i64 = 10;
/// Users and addresses that are remembered, each: those that asked last.
const REMEMBERED: u64 = 100_000;
const MICROS: i64 = 1_000_000;

/// See the module.
#[derive(Debug)]
pub struct RateLimits {
    /// By a digest, which is of fixed length however long the name is.
    users: Option<Rate<[u8; 32]>>,
    addresses: Option<Rate<IpAddr>>,
}

impl RateLimits {
    /// With these limits.
    pub fn new(settings: RateSettings) -> Self {
        Self {
            users: settings.per_user.map(Rate::new),
            addresses: settings.per_address.map(Rate::new),
        }
    }

    /// Counts a request from an address; `now` in milliseconds.
    ///
    /// # Errors
    /// [`OperationError::TooManyRequests`]; the request is not counted then.
    pub fn count_address(&self, address: Option<IpAddr>, now: i64) -> Result<(), OperationError> {
        match (&self.addresses, address) {
            (Some(rate), Some(address)) => rate.count(network(address), now, "your address"),
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Counts a request of a user; `now` in milliseconds.
    ///
    /// # Errors
    /// [`OperationError::TooManyRequests`]; the request is not counted then.
    pub fn count_user(&self, user: &str, now: i64) -> Result<(), OperationError> {
        match &self.users {
            Some(rate) => rate.count(Sha256::digest(user).into(), now, "you"),
            None => Ok(()),
        }
    }
}

/// The generic cell rate algorithm: of each asker one time is kept, at which its requests so far would be through at the
/// steady rate.
#[derive(Debug)]
struct Rate<K: std::hash::Hash + Eq + Send + Sync + 'static> {
    /// Microseconds of one request.
    interval: i64,
    through: Cache<K, i64>,
    counting: Mutex<()>,
}

impl<K: std::hash::Hash + Eq + Send + Sync + 'static> Rate<K> {
    fn new(per_second: u32) -> Self {
        Self {
            interval: (MICROS / i64::from(per_second.max(1))).max(1),
            through: Cache::builder()
                .max_capacity(REMEMBERED)
                .eviction_policy(EvictionPolicy::lru())
                .build(),
            counting: Mutex::new(()),
        }
    }

    fn count(&self, asker: K, now: i64, who: &str) -> Result<(), OperationError> {
        let now = now.saturating_mul(1_000);
        let burst = BURST_SECONDS * MICROS;
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        // A time beyond the burst is that of a clock that was put back, which must not shut anybody out.
        let known = self.through.get(&asker).filter(|through| *through <= now + burst);
        let through = known.unwrap_or(now).max(now);
        let next = through + self.interval;
        let over = next - now - burst;
        if over > 0 {
            return Err(OperationError::TooManyRequests {
                message: format!("too many requests come from {who}"),
                retry_after: Duration::from_micros(over.unsigned_abs()),
            });
        }
        self.through.insert(asker, next);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_a_steady_rate() {
        let rate: Rate<&str> = Rate::new(2);
        let heard = |now: i64| (0..100).filter(|_| rate.count("ann", now, "you").is_ok()).count();
        assert_eq!(heard(1_000_000), 20);
        assert_eq!(heard(1_000_499), 0);
        assert_eq!(heard(1_000_500), 1);
        assert_eq!(heard(1_003_000), 5);
        assert_eq!(heard(1_100_000), 20);
        // A clock that was put back.
        assert_eq!(heard(500), 20);
        assert_eq!(heard(1_000), 1);
        assert!(rate.count("bob", 500, "you").is_ok());
        let refused = rate.count("ann", 1_000, "you").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "too many requests come from you; try again in 1 s"
        );
    }

    #[test]
    fn a_network_of_version_6_is_one_address() {
        let settings = RateSettings {
            per_address: Some(1),
            ..RateSettings::default()
        };
        let limits = RateLimits::new(settings);
        let heard = |address: &str| limits.count_address(Some(address.parse().unwrap()), 0).is_ok();
        assert_eq!(
            (0..100)
                .filter(|number| heard(&format!("2001:db8::{number:x}")))
                .count(),
            10
        );
        assert!(heard("2001:db8:0:1::1"));
    }

    #[test]
    fn no_limit_unless_there_is_one() {
        let limits = RateLimits::new(RateSettings::default());
        for _ in 0..1_000 {
            assert!(limits.count_user("ann", 0).is_ok());
            assert!(
                limits
                    .count_address(Some(IpAddr::from([192, 0, 2, 1])), 0)
                    .is_ok()
            );
        }
    }
}
