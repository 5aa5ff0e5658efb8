// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The gateway over real sockets, with a client of Arrow Flight SQL, against a small Iceberg REST catalog.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod catalog;
mod connections;
mod hostile;
mod limits;
mod login;
mod prepared;
mod scene;
mod statements;
mod stopping;
