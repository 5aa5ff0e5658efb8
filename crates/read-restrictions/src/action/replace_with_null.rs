// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `replace-with-null`.

use crate::value::Value;

/// Null.
pub(super) fn apply() -> Value {
    Value::Null
}
