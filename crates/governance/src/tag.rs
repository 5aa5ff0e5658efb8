// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A tag: its definition, and which values its assignments may have.

use lakeward_metadata::Properties;

/// The longest value, in characters.
pub const MAX_VALUE_CHARS: usize = 256;

/// A tag of a metalake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The exact name. Only the empty name is refused (as recorded from the original).
    pub name: String,
    /// What people say of it.
    pub comment: Option<String>,
    /// Free properties.
    pub properties: Properties,
    /// Which values assignments may have; fixed when the tag is created.
    pub allowed_values: AllowedValues,
}

/// One change of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagChange {
    /// Another name; assignments and policies stay.
    Rename(String),
    /// Another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Sets a property.
    SetProperty {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes a property if it is there.
    RemoveProperty(String),
}

/// Which values an assignment of a tag may have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowedValues {
    /// Any value, or none.
    #[default]
    Any,
    /// Exactly these values, in the order they were given. Empty: assignments have no value at all.
    Only(Vec<String>),
}

/// Why a tag or a value of it is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// A tag needs a name.
    #[error("`name` is required and cannot be empty")]
    EmptyName,
    /// A value is empty.
    #[error("`{0}` cannot contain null or empty values")]
    EmptyValue(&'static str),
    /// A value is too long.
    #[error("a value of a tag must not have more than 256 characters")]
    ValueTooLong,
    /// The tag has a list of values and this is none of them.
    #[error("tag `{tag}`: value `{value}` is not one of the allowed values {allowed:?}")]
    ValueNotAllowed {
        /// The tag.
        tag: String,
        /// The refused value.
        value: String,
        /// The allowed values.
        allowed: Vec<String>,
    },
    /// The tag has a list of values and none was given.
    #[error("tag `{tag}` must be assigned with one of the allowed values {allowed:?}")]
    ValueRequired {
        /// The tag.
        tag: String,
        /// The allowed values.
        allowed: Vec<String>,
    },
}

impl AllowedValues {
    /// Takes the member `allowedValues` of a request: absent means any, repeated values collapse.
    ///
    /// # Errors
    /// [`TagError::EmptyValue`] or [`TagError::ValueTooLong`].
    pub fn new(values: Option<Vec<String>>) -> Result<Self, TagError> {
        let Some(values) = values else {
            return Ok(Self::Any);
        };
        let mut kept: Vec<String> = Vec::with_capacity(values.len());
        for value in values {
            check_value(&value, "allowedValues")?;
            if !kept.contains(&value) {
                kept.push(value);
            }
        }
        Ok(Self::Only(kept))
    }

    /// The member `allowedValues` of an answer.
    pub fn as_list(&self) -> Option<&[String]> {
        match self {
            Self::Any => None,
            Self::Only(values) => Some(values),
        }
    }

    /// Whether `tag` may be assigned with this value, or without one.
    ///
    /// # Errors
    /// [`TagError`] saying what is allowed.
    pub fn check(&self, tag: &str, value: Option<&str>) -> Result<(), TagError> {
        match (self, value) {
            (Self::Any, _) => Ok(()),
            (Self::Only(allowed), Some(value)) if allowed.iter().any(|known| known == value) => Ok(()),
            (Self::Only(allowed), Some(value)) => Err(TagError::ValueNotAllowed {
                tag: tag.to_owned(),
                value: value.to_owned(),
                allowed: allowed.clone(),
            }),
            (Self::Only(allowed), None) if allowed.is_empty() => Ok(()),
            (Self::Only(allowed), None) => Err(TagError::ValueRequired {
                tag: tag.to_owned(),
                allowed: allowed.clone(),
            }),
        }
    }
}

/// Whether a text can be a value at all; `member` names the list it came in.
///
/// # Errors
/// [`TagError::EmptyValue`] or [`TagError::ValueTooLong`].
pub fn check_value(value: &str, member: &'static str) -> Result<(), TagError> {
    if value.trim().is_empty() {
        return Err(TagError::EmptyValue(member));
    }
    if value.chars().count() > MAX_VALUE_CHARS {
        return Err(TagError::ValueTooLong);
    }
    Ok(())
}

impl Tag {
    /// Applies one change to the definition.
    ///
    /// # Errors
    /// [`TagError::EmptyName`] for a rename to nothing.
    pub fn apply(&mut self, change: TagChange) -> Result<(), TagError> {
        match change {
            TagChange::Rename(name) if name.trim().is_empty() => return Err(TagError::EmptyName),
            TagChange::Rename(name) => self.name = name,
            TagChange::UpdateComment(comment) => self.comment = comment,
            TagChange::SetProperty { property, value } => {
                self.properties.insert(property, value);
            }
            TagChange::RemoveProperty(property) => {
                self.properties.remove(&property);
            }
        }
        Ok(())
    }
}
