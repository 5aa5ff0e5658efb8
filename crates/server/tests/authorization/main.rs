// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Authorization as a client meets it: a server in this process with a real store, asked over HTTP.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod golden;
mod groups_of_identities;
mod harness;
mod matrix;
mod personas;
mod requirements;
mod roles_and_owners;
mod users_and_groups;
mod walkthrough;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
