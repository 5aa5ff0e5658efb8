// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The server over HTTP, in-process: real listeners on loopback, a real store, no mocks.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod access_tokens;
mod authentication;
mod bad_input;
mod connections;
mod encrypted;
mod floods;
mod logins;
mod mutations;
mod pages;
mod passed_through;
mod protocols;
mod rates;
mod readers;
mod routes;
mod support;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
