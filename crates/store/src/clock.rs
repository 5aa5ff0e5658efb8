// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one place of this crate that reads the time.

/// Now, in epoch milliseconds.
pub(crate) fn now() -> i64 {
    let now = chrono::Utc::now().timestamp_millis();
    #[cfg(test)]
    let now = now + AHEAD.get();
    now
}

#[cfg(test)]
thread_local! {
    /// How far the clock of this node is ahead of the others, in milliseconds.
    pub(crate) static AHEAD: std::cell::Cell<i64> = const { std::cell::Cell::new(0) };
}
