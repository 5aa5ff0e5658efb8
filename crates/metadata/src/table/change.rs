// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of tables.

use crate::data_type::DataType;
use crate::expression::{Expression, FieldPath};
use crate::index::Index;
use crate::name::Name;

/// One change of a table; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableChange {
    /// Another name, and another schema where one is given.
    Rename {
        /// The new name.
        new_name: Name,
        /// The schema it moves to; `None` stays.
        new_schema: Option<String>,
    },
    /// Another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Sets one property.
    SetProperty {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes one property; a missing one is no error.
    RemoveProperty(String),
    /// Adds a column, or a member of a struct.
    AddColumn {
        /// Where: the last entry is the new name.
        field: FieldPath,
        /// Its type.
        data_type: DataType,
        /// Its comment.
        comment: Option<String>,
        /// Its place among its siblings.
        position: ColumnPosition,
        /// Whether null is allowed.
        nullable: bool,
        /// Whether the source counts it up.
        auto_increment: bool,
        /// Its default.
        default_value: Option<Expression>,
    },
    /// Another name for a column.
    RenameColumn {
        /// Which.
        field: FieldPath,
        /// The new last entry of its path.
        new_name: String,
    },
    /// Another default.
    UpdateColumnDefaultValue {
        /// Which.
        field: FieldPath,
        /// The new default.
        default_value: Expression,
    },
    /// Another type.
    UpdateColumnType {
        /// Which.
        field: FieldPath,
        /// The new type.
        data_type: DataType,
    },
    /// Another comment; `None` removes it.
    UpdateColumnComment {
        /// Which.
        field: FieldPath,
        /// The new comment.
        comment: Option<String>,
    },
    /// Another place.
    UpdateColumnPosition {
        /// Which.
        field: FieldPath,
        /// Where to.
        position: ColumnPosition,
    },
    /// Whether null is allowed.
    UpdateColumnNullability {
        /// Which.
        field: FieldPath,
        /// From now on.
        nullable: bool,
    },
    /// Whether the source counts it up.
    UpdateColumnAutoIncrement {
        /// Which.
        field: FieldPath,
        /// From now on.
        auto_increment: bool,
    },
    /// Removes a column.
    DeleteColumn {
        /// Which.
        field: FieldPath,
        /// Whether a missing one is no error.
        if_exists: bool,
    },
    /// Adds an index.
    AddIndex(Index),
    /// Removes an index.
    DeleteIndex {
        /// Its name.
        name: String,
        /// Whether a missing one is no error.
        if_exists: bool,
    },
}

/// A place among columns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ColumnPosition {
    /// Where the source puts it: at the end.
    Default,
    /// Before all others.
    First,
    /// Behind a sibling, named by the last entry of its path.
    After(String),
}
