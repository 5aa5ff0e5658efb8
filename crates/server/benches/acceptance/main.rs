// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The relations that Lakeward promises about its own speed. `cargo bench -p lakeward-server --bench acceptance`,
//! with part of a name to run only some.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench may fail loudly"
)]

mod catalog;
mod decision;
mod explain;
mod hidden;
mod list;
mod load_table;
mod login_storm;
mod long_history;
mod measure;
mod memory;
mod scene;
mod tables;
mod throughput;
mod token;
#[expect(dead_code, reason = "a bench only adds rows")]
#[path = "../../tests/iceberg/writer.rs"]
mod writer;

#[tokio::main]
async fn main() {
    // `cargo bench` passes `--bench`; `cargo test` compiles benches but does not run this one.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    // First: in what others have left to the allocator its growth would hide.
    if runs("catalog_memory") {
        catalog::run_memory().await;
    }
    if runs("decision") {
        decision::run().await;
    }
    if runs("load_table") {
        load_table::run().await;
    }
    if runs("long_history") {
        long_history::run().await;
    }
    if runs("catalog") {
        catalog::run().await;
    }
    if runs("explain") {
        explain::run().await;
    }
    if runs("list") {
        list::run().await;
    }
    if runs("hidden") {
        hidden::run().await;
    }
    if runs("login_storm") {
        login_storm::run().await;
    }
    if runs("token") {
        token::run().await;
    }
    if runs("memory") {
        memory::run().await;
    }
}
