// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fuzzes what a reader parses: `read-restrictions` and whole loadTable answers.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakeward_fuzz::targets::wire(data));
