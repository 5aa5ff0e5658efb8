// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fuzzes binding of a subject and a schema, lowering and the canonical form.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakeward_fuzz::targets::bind(data));
