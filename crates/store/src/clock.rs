// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one place of this crate that reads the time.

/// Now, in epoch milliseconds.
pub(crate) fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}
