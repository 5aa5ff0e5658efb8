// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Authorization as a client meets it: a server in this process with a real store, asked over HTTP.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a model reads like the page it is written after, which speaks of everything else too"
)]

mod access_list;
mod concurrency;
mod explain;
mod golden;
mod groups_of_identities;
mod harness;
mod hidden_and_absent;
mod histories;
#[path = "../../../authorization/tests/decisions/history.rs"]
mod history;
mod java_client;
mod matrix;
#[path = "../../../authorization/tests/decisions/model.rs"]
mod model;
mod page;
mod personas;
mod recorded_matrix;
#[path = "../../../authorization/tests/decisions/recording.rs"]
mod recording;
mod requirements;
mod roles_and_owners;
mod users_and_groups;
mod walkthrough;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
