// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decisions, compared with the seed's tables, with what was recorded of the original, and with their own laws.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod laws;
mod recorded_matrix;
mod requests;
mod seed_tables;
mod world;
