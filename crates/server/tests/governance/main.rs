// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags, policies and explanations over the native protocol, against what was recorded from the original and what
//! `DESIGN` decides beyond it: the whole server in-process, real store, real HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod audit;
mod drafts;
mod effective_tags;
mod enabling;
mod explain;
mod explain_and_load;
mod impact;
mod native_table;
mod policies;
mod policy_contents;
mod server;
mod tags;
mod widening;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
