// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is fuzzed. The targets are also a test of the crate `iceberg-api`, without a fuzzer; what they begin with (`seeds.rs`)
//! is written by `cargo xtask fuzz`, which is not instrumented.

pub mod targets;
