// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The Iceberg REST protocol, below `/iceberg`. Paths that start with `/v1/{prefix}` are served without it too.

use crate::http::routes::{Routes, Tree};

pub mod error;

/// Every endpoint of the protocol.
pub fn routes() -> Routes {
    Routes::default().in_tree(Tree::Iceberg)
}
