// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fuzzes the capability header.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakeward_fuzz::targets::capabilities(data));
