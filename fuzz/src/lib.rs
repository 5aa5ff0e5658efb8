// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is fuzzed, and what it begins with. The two modules are also tests of the crate `iceberg-api`, without a fuzzer.

pub mod seeds;
pub mod targets;
