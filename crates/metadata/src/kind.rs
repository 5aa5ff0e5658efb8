// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The kinds of metadata objects.

use std::fmt;
use std::str::FromStr;

/// A kind of metadata object (Gravitino `MetadataObject.Type`).
///
/// Matches over it are exhaustive everywhere, so a new kind is a list of compile errors, not a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// The top of a tree.
    Metalake,
    /// A data source.
    Catalog,
    /// A schema; schemas may nest where the catalog allows it.
    Schema,
    /// A table.
    Table,
    /// A view.
    View,
    /// A topic of a messaging catalog.
    Topic,
    /// A set of files.
    Fileset,
    /// A registered model.
    Model,
    /// A function.
    Function,
    /// A column of a table: tags may sit on it, privileges may not.
    Column,
    /// A role.
    Role,
    /// A tag.
    Tag,
    /// A policy.
    Policy,
    /// A job template.
    JobTemplate,
    /// A job.
    Job,
}

impl ObjectKind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Self; 15] = [
        Self::Metalake,
        Self::Catalog,
        Self::Schema,
        Self::Table,
        Self::View,
        Self::Topic,
        Self::Fileset,
        Self::Model,
        Self::Function,
        Self::Column,
        Self::Role,
        Self::Tag,
        Self::Policy,
        Self::JobTemplate,
        Self::Job,
    ];

    /// The upper-case name used in paths and requests (`JOB_TEMPLATE`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metalake => "METALAKE",
            Self::Catalog => "CATALOG",
            Self::Schema => "SCHEMA",
            Self::Table => "TABLE",
            Self::View => "VIEW",
            Self::Topic => "TOPIC",
            Self::Fileset => "FILESET",
            Self::Model => "MODEL",
            Self::Function => "FUNCTION",
            Self::Column => "COLUMN",
            Self::Role => "ROLE",
            Self::Tag => "TAG",
            Self::Policy => "POLICY",
            Self::JobTemplate => "JOB_TEMPLATE",
            Self::Job => "JOB",
        }
    }

    /// The lower-case name used in answers (`job_template`).
    pub fn lower_case(self) -> String {
        self.as_str().to_ascii_lowercase()
    }

    /// How many levels a full name of this kind has below the metalake: catalog 1, schema 2, table 3, column 4.
    /// Kinds that sit directly in a metalake have one level, even when their name contains dots.
    pub const fn levels(self) -> usize {
        match self {
            Self::Metalake
            | Self::Catalog
            | Self::Role
            | Self::Tag
            | Self::Policy
            | Self::JobTemplate
            | Self::Job => 1,
            Self::Schema => 2,
            Self::Table | Self::View | Self::Topic | Self::Fileset | Self::Model | Self::Function => 3,
            Self::Column => 4,
        }
    }

    /// Whether the kind is a leaf of a schema.
    pub const fn is_schema_leaf(self) -> bool {
        matches!(
            self,
            Self::Table | Self::View | Self::Topic | Self::Fileset | Self::Model | Self::Function
        )
    }

    /// Whether tags may be assigned to objects of this kind.
    pub const fn is_taggable(self) -> bool {
        matches!(
            self,
            Self::Catalog
                | Self::Schema
                | Self::Table
                | Self::View
                | Self::Topic
                | Self::Fileset
                | Self::Model
                | Self::Function
                | Self::Column
        )
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a type of metadata object")]
pub struct UnknownKind(pub String);

impl FromStr for ObjectKind {
    type Err = UnknownKind;

    /// Case does not matter (Gravitino accepts any).
    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownKind(text.to_owned()))
    }
}
