// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The trusted reader: SQL over governed Iceberg tables, with row filters and masks enforced.
//!
//! It works against any server that sends the standard `read-restrictions` member. What always holds:
//! - Nothing of a restricted table leaves the barrier unfiltered or unmasked, and nothing below it is open to an
//!   optimizer.
//! - Whatever an answer says that the reader does not understand, it refuses before any row is read.
//! - A table is read from files below its own location and from no others.
//! - Every query loads its tables anew, for its user; nothing is kept between queries.
//! - The server, the policy language and the store are unknown here.

mod barrier;
mod coalesce;
mod compact;
pub mod connection;
mod data_file;
mod deletes;
pub mod description;
pub mod error;
mod fields;
pub mod listing;
pub mod load_table;
pub mod masks;
mod own_files;
mod parquet_bounds;
mod planning;
#[cfg(test)]
mod reference_arrays;
#[cfg(test)]
mod reference_values;
pub mod restricted_table;
pub mod row_filter;
pub mod salt;
mod sample;
pub mod session;
pub mod table_name;
pub mod table_version;
pub mod text_views;
mod unreadable_columns;
mod user_filter;
mod views;
mod work;
#[cfg(test)]
mod written_tables;
