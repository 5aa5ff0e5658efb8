// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens of an issuer over HTTP: who gets in, and which readers are trusted by them. The whole server in this process,
//! real store, real tables; the tokens are signed by a key of this test.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod capabilities;
mod exchange;
mod exchange_refusals;
mod explained;
mod issuer;
mod login;
mod notices;
mod readers;
mod refusals;
mod rotation;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
mod world;
