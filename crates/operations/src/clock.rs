// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The time by which delays and expiries are judged. Tests put it forward instead of waiting, and are not in a hurry.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clock of one server. Cloning gives the same.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// The milliseconds since 1970 at which it stands; 0 while it runs with the machine's.
    stands_at: Arc<AtomicI64>,
}

impl Clock {
    /// Milliseconds since 1970 in UTC.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock of what tests set the time of"
    )]
    pub fn millis(&self) -> i64 {
        match self.stands_at.load(Ordering::Relaxed) {
            0 => millis(
                SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or(Duration::ZERO),
            ),
            stands_at => stands_at,
        }
    }

    /// Puts it forward by so much and leaves it there: from now on it moves only by this.
    pub fn advance(&self, by: Duration) {
        self.stands_at
            .store(self.millis().saturating_add(millis(by)), Ordering::Relaxed);
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
