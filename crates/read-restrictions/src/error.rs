// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a reader refuses restrictions, or stops applying them (category `reader`).

use crate::action::{MaskAction, NotApplicable};
use crate::field::FieldType;

/// The reader cannot apply a returned restriction completely, so it returns no row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReaderError {
    /// The text is no JSON, or a member of an object is repeated.
    #[error("read restrictions are not usable JSON: {problem}")]
    NotJson {
        /// What the parser says.
        problem: String,
    },
    /// A node is not of the closed profile.
    #[error("read restrictions at `{at}`: {problem}")]
    Malformed {
        /// JSON pointer of the node.
        at: String,
        /// What is wrong there.
        problem: String,
    },
    /// A member outside the closed profile: it might be a restriction that this reader does not know.
    #[error("read restrictions at `{at}`: unknown member `{member}`")]
    UnknownMember {
        /// JSON pointer of the object.
        at: String,
        /// The member.
        member: String,
    },
    /// A field id that no top-level field of the schema has, or that several have.
    #[error(
        "read restrictions at `{at}`: field id {field_id} is not exactly one top-level field of the table schema"
    )]
    UnknownField {
        /// JSON pointer of the reference.
        at: String,
        /// The id.
        field_id: i32,
    },
    /// A literal that is not exactly a value of the field's type.
    #[error("read restrictions at `{at}`: {problem}")]
    Literal {
        /// JSON pointer of the literal.
        at: String,
        /// What is wrong.
        problem: String,
    },
    /// A mask action that does not exist.
    #[error("read restrictions at `{at}`: unknown mask action `{action}`")]
    UnknownAction {
        /// JSON pointer of the projection.
        at: String,
        /// The name.
        action: String,
    },
    /// A mask action on a field that it does not apply to.
    #[error(transparent)]
    NotApplicable(#[from] NotApplicable),
    /// Two projections for one field.
    #[error("read restrictions have more than one projection for field id {field_id}")]
    DuplicateProjection {
        /// The field.
        field_id: i32,
    },
    /// The predicate is nested deeper than any server may send.
    #[error("read restrictions at `{at}`: nested deeper than {limit} levels")]
    TooDeep {
        /// JSON pointer of the node that is too deep.
        at: String,
        /// The limit.
        limit: usize,
    },
    /// A value has another type than the restriction was checked for.
    #[error("field id {field_id} holds a value of another type than {expected}")]
    ValueType {
        /// The field.
        field_id: i32,
        /// The type of the literal.
        expected: FieldType,
    },
    /// A mask action met a value that it has no meaning for.
    #[error("the mask action `{action}` cannot be applied to a value of this type")]
    MaskedValueType {
        /// The action.
        action: MaskAction,
    },
    /// A truncated nanosecond timestamp lies before the first one that 64 bits can hold.
    #[error("the mask action `{action}` leaves the range of nanosecond timestamps")]
    OutOfRange {
        /// The action.
        action: MaskAction,
    },
    /// `sha-256-query-local` without a salt of the query.
    #[error("the mask action `sha-256-query-local` needs a salt")]
    SaltMissing,
    /// The salt of the query is too short.
    #[error("the salt of a query needs at least 16 bytes, not {length}")]
    SaltTooShort {
        /// Its bytes.
        length: usize,
    },
}
