// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The gate of read restrictions, over every operation that is governed: the list comes from the routes.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod audit;
mod faults;
mod observer;
mod outcomes;
mod requests;
mod scene;

#[path = "../next_server/mod.rs"]
mod next_server;

#[path = "../authorization/golden.rs"]
mod golden;

#[path = "../wire_schema/mod.rs"]
mod wire_schema;
