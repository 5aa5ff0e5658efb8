// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one clock of this crate.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time since 1970. A clock before that is taken for broken: nothing is valid then that ends.
#[expect(clippy::disallowed_methods, reason = "this is the one clock of the crate")]
pub(crate) fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::MAX)
}

/// The time for people and for records, in UTC with milliseconds.
pub(crate) fn text() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
