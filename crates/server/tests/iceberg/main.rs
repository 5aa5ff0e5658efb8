// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The Iceberg protocol as a client meets it: a server in this process with a real store and warehouse, asked over HTTP.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod access;
mod appends;
mod bad_input;
mod changed_outside;
mod closed_paths;
mod every_subject;
mod federation;
mod governed;
mod harness;
mod idempotency;
mod idempotency_faults;
mod interleavings;
mod maintenance;
mod metrics_reports;
mod names_and_pages;
mod namespaces;
#[path = "../next_server/mod.rs"]
mod next_server;
mod overtaken;
mod plans;
mod protection;
mod races;
mod tables;
mod transactions;
mod view_races;
mod views;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
mod writer;
