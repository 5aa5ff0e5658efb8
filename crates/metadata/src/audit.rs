// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who made and who last changed an object.

/// Times are milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Who created the object.
    pub creator: String,
    /// When, in epoch milliseconds.
    pub create_time: i64,
    /// Who changed it last; `None` until the first change.
    pub last_modifier: Option<String>,
    /// When, in epoch milliseconds; `None` until the first change.
    pub last_modified_time: Option<i64>,
}
