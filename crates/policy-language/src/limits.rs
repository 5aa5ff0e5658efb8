// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a program may cost (section 5). Save-time checks; nothing that folds away makes room for more.

/// Longest source, in UTF-8 bytes.
pub const SOURCE_BYTES: usize = 16 * 1024;

/// Longest decoded string literal (values, names, groups, actions), in UTF-8 bytes.
pub const STRING_BYTES: usize = 4 * 1024;

/// Longest number token, in characters, sign and point included.
pub const NUMBER_CHARS: usize = 256;

/// Most array elements, in one array and over the whole program, as written.
pub const ELEMENTS: usize = 256;

/// Deepest nesting of operations: in each result, condition and fallback as written, and in the deepest
/// predicate that any subject could get.
pub const DEPTH: usize = 8;

/// Most nodes over all results, conditions and the fallback together, as written.
pub const NODES: usize = 256;

/// Most parentheses open at the same time.
pub const OPEN_PARENTHESES: usize = 256;
