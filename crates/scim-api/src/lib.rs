// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The exact JSON of SCIM 2.0 (RFC 7643 and RFC 7644): resources, filters, changes, lists and errors.
//!
//! One table of attributes ([`schema`]) says what a resource has; bodies, filters, paths of changes and the choice of
//! attributes are all read by it, and `/Schemas` shows it. Names of attributes are read in any case. What the table does
//! not have is not kept.

pub mod discovery;
pub mod error;
pub mod filter;
pub mod group;
pub mod list;
pub mod patch;
pub mod projection;
pub mod resource;
pub mod schema;
pub mod user;

pub use error::{ScimError, ScimType};

/// A resource, or a part of one: canonical names of attributes with values of their types.
pub type Attributes = serde_json::Map<String, serde_json::Value>;
