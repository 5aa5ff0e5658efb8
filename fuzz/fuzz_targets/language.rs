// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fuzzes the lexer, the parser and the static checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakeward_fuzz::targets::language(data));
