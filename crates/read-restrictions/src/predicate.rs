// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The closed row predicate over field ids.

use crate::literal::Literal;

/// A comparison of a field with a literal; the field is always on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`
    Eq,
    /// `not-eq`
    NotEq,
    /// `lt`
    Lt,
    /// `lt-eq`
    LtEq,
    /// `gt`
    Gt,
    /// `gt-eq`
    GtEq,
}

/// A predicate with Iceberg's two-valued meaning (every predicate is true or false for every row, null included).
///
/// `And` and `Or` are variadic here and binary on the wire (a balanced tree, language reference section 8).
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// `true` or `false`
    Constant(bool),
    /// `is-null`
    IsNull {
        /// Field id.
        field: i32,
    },
    /// `not-null`
    NotNull {
        /// Field id.
        field: i32,
    },
    /// `eq`, `not-eq`, `lt`, `lt-eq`, `gt`, `gt-eq`
    Compare {
        /// The operator.
        comparison: Comparison,
        /// Field id.
        field: i32,
        /// The right side; its type equals the field's.
        literal: Literal,
    },
    /// `in`
    In {
        /// Field id.
        field: i32,
        /// Values of one type, equal to the field's. An empty list keeps no row.
        values: Vec<Literal>,
    },
    /// `not`
    Not(Box<Predicate>),
    /// `and` of at least two
    And(Vec<Predicate>),
    /// `or` of at least two
    Or(Vec<Predicate>),
}
