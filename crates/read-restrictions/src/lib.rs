// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The closed language that a server may send as `read-restrictions` and that a reader must apply.
//!
//! The crate is pure: it knows neither where a restriction came from (tags, policies, subjects) nor how rows
//! are stored (Arrow, Parquet). Its meaning functions are the reference that every
//! faster implementation is compared with.

pub mod field;
pub mod literal;
pub mod predicate;
