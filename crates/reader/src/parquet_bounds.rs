// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a Parquet file claims is held against bounds before the Parquet library believes it.
//!
//! Whoever may write a table's files writes their footers too, and the library allocates what a footer or a page says:
//! a list of two billion elements, a page of 2 GiB, a schema nested until the stack is gone. One such file must end one
//! statement with an error, not the process of all statements. So the bytes of footers, page indexes and page headers
//! are walked here first, exactly as the library will read them: what the library would read as something else than
//! the format says is refused.

mod footer;
mod inflation;
mod page_index;
mod pages;
mod shapes;
mod thrift;

#[cfg(test)]
mod tests;

pub(crate) use self::footer::{TAIL_BYTES, footer_bytes, read_footer};
pub(crate) use self::page_index::{index_range, read_page_index};
pub(crate) use self::pages::{Chunk, check_pages, chunks};

/// The longest footer, in bytes.
const MOST_FOOTER_BYTES: u64 = 64 * MIB;
/// The longest range of a file in which its page indexes lie, in bytes.
const MOST_INDEX_BYTES: u64 = 64 * MIB;
/// The longest Bloom filter, in bytes; writers have a megabyte.
pub(crate) const MOST_BLOOM_BYTES: u64 = 32 * MIB;
/// The most that a footer or the page indexes of a file take once they are decoded, in bytes.
const MOST_DECODED_BYTES: u64 = 512 * MIB;
/// The most columns and groups of columns of a file.
const MOST_SCHEMA_ELEMENTS: u64 = 100_000;
/// Groups of columns within each other.
const MOST_NESTED: usize = 64;
/// The most bytes of the paths of all columns; each column holds its own.
const MOST_PATH_BYTES: u64 = 64 * MIB;
/// The longest value of fixed length, in bytes. Rows without a value take as much.
const MOST_FIXED_BYTES: i64 = 16 * 1024;
/// The largest page once it is uncompressed, in bytes; writers have one megabyte, and one value more at most.
const MOST_PAGE_BYTES: u64 = 256 * MIB;
/// The most values of a page. A few bytes can say that as many are null, and a single row of a list can have them all.
const MOST_PAGE_VALUES: i64 = 1 << 24;
/// What is read of a row group at once, in bytes as stored.
pub(crate) const MOST_FETCHED_BYTES: u64 = 2048 * MIB;
/// What is larger, decoded, has to fit into the memory of the query for itself; below, it is what a scan has in its
/// hands.
pub(crate) const IN_HAND_BYTES: u64 = 16 * MIB;

const MIB: u64 = 1024 * 1024;

/// What is wrong with a file; never with one of its values.
pub(crate) type Problem = String;
