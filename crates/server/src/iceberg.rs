// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The Iceberg REST protocol, below `/iceberg`. Paths that start with `/v1/{prefix}` are served without it too.

use crate::http::routes::{Routes, Tree};

pub mod config;
pub mod error;
pub mod namespace;
mod page;
pub mod plan;
mod plan_token;
pub mod prefix;
pub mod remote_sign;
mod request;
mod storage_access;
pub mod table;
pub mod table_change;
mod table_reply;
pub mod transaction;
pub mod view;

/// Every endpoint of the protocol.
pub fn routes() -> Routes {
    // Probes ask below this path too.
    Routes::default()
        .and(crate::gravitino::health::routes())
        .and(config::routes())
        .and(namespace::routes())
        .and(plan::routes())
        .and(table::routes())
        .and(remote_sign::routes())
        .and(table_change::routes())
        .and(transaction::routes())
        .and(view::routes())
        .in_tree(Tree::Iceberg)
}
