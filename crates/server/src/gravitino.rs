// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The native protocol: one file per object kind, each with its endpoints and a `routes()`.

use crate::http::routes::{Routes, Tree};

pub mod authn;
pub mod error;

/// Every endpoint below `/api`.
pub fn routes() -> Routes {
    Routes::default().and(authn::routes())
}

/// Every endpoint beside `/api`: health, metrics, configuration.
pub fn routes_beside() -> Routes {
    Routes::default().in_tree(Tree::Beside)
}
