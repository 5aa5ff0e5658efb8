// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The closed language that a server may send as `read-restrictions` and that a reader must apply.
//!
//! The crate is pure: it knows neither where a restriction came from (tags, policies, subjects) nor how rows
//! are stored (Arrow, Parquet). Its meaning functions are the reference that every
//! faster implementation is compared with.

pub mod action;
pub mod admission;
pub mod cache_identity;
pub mod capabilities;
pub mod code;
pub mod decimal;
pub mod error;
pub mod evaluate;
pub mod field;
pub mod float;
pub mod json;
pub mod literal;
pub mod predicate;
pub mod restrictions;
pub mod schema;
pub mod signature;
pub mod specification;
pub mod temporal;
pub mod value;
pub mod wire;
