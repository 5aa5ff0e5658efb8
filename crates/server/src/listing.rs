// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every mounted route with what it requires, for people, for the golden list, and for the authorization matrix.

use crate::http::routes::{Routes, Tree};

/// Every endpoint of the server.
pub fn all_routes() -> Routes {
    crate::gravitino::routes()
        .in_tree(Tree::Native)
        .and(crate::gravitino::routes_beside().in_tree(Tree::Beside))
        .and(crate::token_exchange::routes().in_tree(Tree::Oauth))
        .and(crate::iceberg::routes().in_tree(Tree::Iceberg))
        .and(crate::scim::routes().in_tree(Tree::Scim))
}

/// One line per route: method, path, requirement; for lists also what each item must fulfil. Sorted.
pub fn listing() -> String {
    let routes = all_routes();
    let mut lines: Vec<String> = routes
        .mounted()
        .iter()
        .map(|mounted| {
            let shows = mounted
                .shows
                .map(|shows| format!("\tshows {shows}"))
                .unwrap_or_default();
            format!(
                "{}\t{}{}\t{}{shows}",
                mounted.method,
                mounted.tree.base(),
                mounted.path,
                mounted.requires
            )
        })
        .collect();
    lines.sort();
    lines.join("\n") + "\n"
}
