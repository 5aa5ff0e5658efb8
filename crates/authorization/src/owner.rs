// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Ownership: who may hold it, and of what.

use lakeward_metadata::kind::ObjectKind;
pub use lakeward_metadata::principal::Principal as Owner;

/// Whether objects of `kind` have an owner (seed 004, "Ownership"). Columns do not: they are reached through their
/// table.
pub const fn is_ownable(kind: ObjectKind) -> bool {
    match kind {
        ObjectKind::Metalake
        | ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Role
        | ObjectKind::Tag
        | ObjectKind::Policy
        | ObjectKind::JobTemplate
        | ObjectKind::Job => true,
        ObjectKind::Column => false,
    }
}
