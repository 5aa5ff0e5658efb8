// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The nine mask actions of the Iceberg REST specification: names, where they apply, and what they do to one value.

mod mask_alphanum;
mod mask_to_fixed_value;
mod replace_with_null;
mod sha_256_global;
mod sha_256_query_local;
mod show_first_4;
mod show_last_4;
mod truncate_to_month;
mod truncate_to_year;

use std::fmt;

use crate::error::ReaderError;
use crate::field::{Field, FieldType};
use crate::value::Value;

pub use mask_to_fixed_value::fixed_value;

/// What replaces the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MaskAction {
    /// `mask-alphanum`: digits become `n`, all but six punctuation marks become `x`
    MaskAlphanum,
    /// `mask-to-fixed-value`: one value per type, for null too
    MaskToFixedValue,
    /// `replace-with-null`
    ReplaceWithNull,
    /// `show-first-4`: the rest as `mask-alphanum`
    ShowFirst4,
    /// `show-last-4`: the rest as `mask-alphanum`
    ShowLast4,
    /// `truncate-to-year`
    TruncateToYear,
    /// `truncate-to-month`
    TruncateToMonth,
    /// `sha-256-global`: equal values have equal digests everywhere
    Sha256Global,
    /// `sha-256-query-local`: equal values have equal digests within one query
    Sha256QueryLocal,
}

/// An action that cannot be applied to a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the mask action `{action}` does not apply to {} field of type {field_type}", if *.required { "a required" } else { "an optional" })]
pub struct NotApplicable {
    /// The action.
    pub action: MaskAction,
    /// The type of the field.
    pub field_type: FieldType,
    /// Whether the field forbids null.
    pub required: bool,
}

/// The salt of one query for [`MaskAction::Sha256QueryLocal`]: random bytes that live as long as the query and never leave the reader.
#[derive(Clone)]
pub struct QuerySalt(Vec<u8>);

impl QuerySalt {
    /// The least number of bytes.
    pub const MINIMUM_LENGTH: usize = 16;

    /// Takes random bytes as salt.
    ///
    /// # Errors
    /// [`ReaderError::SaltTooShort`] below [`Self::MINIMUM_LENGTH`] bytes.
    pub fn new(bytes: Vec<u8>) -> Result<Self, ReaderError> {
        if bytes.len() < Self::MINIMUM_LENGTH {
            return Err(ReaderError::SaltTooShort { length: bytes.len() });
        }
        Ok(Self(bytes))
    }

    /// The bytes that precede the value in the digest.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for QuerySalt {
    /// Never shows the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QuerySalt(..)")
    }
}

impl MaskAction {
    /// All actions.
    pub const ALL: [Self; 9] = [
        Self::MaskAlphanum,
        Self::MaskToFixedValue,
        Self::ReplaceWithNull,
        Self::ShowFirst4,
        Self::ShowLast4,
        Self::TruncateToYear,
        Self::TruncateToMonth,
        Self::Sha256Global,
        Self::Sha256QueryLocal,
    ];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaskAlphanum => "mask-alphanum",
            Self::MaskToFixedValue => "mask-to-fixed-value",
            Self::ReplaceWithNull => "replace-with-null",
            Self::ShowFirst4 => "show-first-4",
            Self::ShowLast4 => "show-last-4",
            Self::TruncateToYear => "truncate-to-year",
            Self::TruncateToMonth => "truncate-to-month",
            Self::Sha256Global => "sha-256-global",
            Self::Sha256QueryLocal => "sha-256-query-local",
        }
    }

    /// The action of a wire name, exactly as written; `None` for every other text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// Whether the action can be applied to a field of this type and nullability.
    ///
    /// # Errors
    /// [`NotApplicable`] otherwise.
    pub fn applies_to(self, field: &Field) -> Result<(), NotApplicable> {
        let applies = match self {
            Self::MaskAlphanum | Self::ShowFirst4 | Self::ShowLast4 => {
                matches!(field.field_type, FieldType::String)
            }
            Self::MaskToFixedValue => mask_to_fixed_value::has_fixed_value(&field.field_type),
            Self::ReplaceWithNull => !field.required,
            Self::TruncateToYear | Self::TruncateToMonth => matches!(
                field.field_type,
                FieldType::Date
                    | FieldType::Timestamp
                    | FieldType::Timestamptz
                    | FieldType::TimestampNs
                    | FieldType::TimestamptzNs
            ),
            Self::Sha256Global | Self::Sha256QueryLocal => matches!(
                field.field_type,
                FieldType::String | FieldType::Int | FieldType::Long | FieldType::Binary
            ),
        };
        if applies {
            Ok(())
        } else {
            Err(NotApplicable {
                action: self,
                field_type: field.field_type.clone(),
                required: field.required,
            })
        }
    }

    /// The reference meaning: what is shown instead of `value` of a field of type `field_type`.
    ///
    /// # Errors
    /// [`ReaderError`] when the value is of another type than the action takes, when a truncated nanosecond timestamp
    /// leaves its range, or when a query-local digest has no salt (also for null).
    pub fn apply(
        self,
        field_type: &FieldType,
        value: &Value,
        salt: Option<&QuerySalt>,
    ) -> Result<Value, ReaderError> {
        match self {
            Self::MaskAlphanum => mask_alphanum::apply(value),
            Self::MaskToFixedValue => mask_to_fixed_value::apply(field_type),
            Self::ReplaceWithNull => Ok(replace_with_null::apply()),
            Self::ShowFirst4 => show_first_4::apply(value),
            Self::ShowLast4 => show_last_4::apply(value),
            Self::TruncateToYear => truncate_to_year::apply(value),
            Self::TruncateToMonth => truncate_to_month::apply(value),
            Self::Sha256Global => sha_256_global::apply(value),
            Self::Sha256QueryLocal => sha_256_query_local::apply(value, salt),
        }
    }
}

impl fmt::Display for MaskAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
