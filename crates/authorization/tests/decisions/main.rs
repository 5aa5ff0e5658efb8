// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decisions, compared with the seed's tables, with a model of it, with what was recorded of the original, and with their
//! own laws.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a model reads like the page it is written after, which speaks of everything else too"
)]

mod histories;
mod history;
mod laws;
mod model;
mod recorded_matrix;
mod recording;
mod requests;
mod seed_tables;
mod world;
