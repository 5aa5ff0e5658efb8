// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The words that both protocols, the store, the decision engine and the providers share.
//!
//! Pure: no I/O, no JSON of a protocol, no SQL, no privileges, no tags.

pub mod audit;
pub mod catalog;
pub mod data_type;
pub mod directory;
pub mod distribution;
pub mod expression;
pub mod fileset;
pub mod function;
pub mod id;
pub mod index;
pub mod instant;
pub mod job;
pub mod job_template;
pub mod kind;
pub mod metalake;
pub mod model;
pub mod name;
pub mod object;
pub mod partitioning;
pub mod principal;
pub mod schema;
pub mod secret;
pub mod sort_order;
pub mod table;
pub mod topic;
pub mod view;

/// String properties of an object, ordered by key so that answers are stable.
pub type Properties = std::collections::BTreeMap<String, String>;
