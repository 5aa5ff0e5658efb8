// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Models: names under which versions of a trained model are found, each version with the URIs of its artifacts.

use std::collections::{BTreeMap, BTreeSet};

use crate::Properties;
use crate::audit::Audit;
use crate::name::Name;

#[cfg(test)]
mod tests;

/// The property of a model, or of a version of it, that names the URI to give to who names none.
pub const DEFAULT_URI_NAME: &str = "default-uri-name";
/// The name of a URI that was given without one.
pub const URI_NAME_UNKNOWN: &str = "unknown";
/// The longest alias and the longest name of a URI, in characters.
pub const MAX_ALIAS_CHARS: usize = 128;

/// URIs by name, in the order of names.
pub type Uris = BTreeMap<String, String>;

/// A model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Its name in its schema.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
    /// How many versions were ever linked, deleted ones included: the number that the next version gets.
    pub latest_version: i64,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// A model that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewModel {
    /// Its name in its schema.
    pub name: Name,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
}

/// One change of a model; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChange {
    /// Gives it another name in its schema.
    Rename(Name),
    /// Changes the comment; `None` removes it.
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
}

/// What a version is, without its number and its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVersionBody {
    /// What people should know of it.
    pub comment: Option<String>,
    /// Further names of it, each unique in the model.
    pub aliases: BTreeSet<String>,
    /// Where its artifacts are; at least one.
    pub uris: Uris,
    /// Settings.
    pub properties: Properties,
}

/// A version of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVersion {
    /// Its number in the model, from 0; never given twice.
    pub version: i64,
    /// What it is.
    pub body: ModelVersionBody,
    /// Who linked and changed it, and when.
    pub audit: Audit,
}

/// How a request names a version of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelVersionName {
    /// By its number.
    Number(i64),
    /// By an alias.
    Alias(String),
}

/// One change of a version; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelVersionChange {
    /// Changes the comment; `None` removes it.
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
    /// Changes the URI of a name; nothing where there is none of that name.
    UpdateUri {
        /// The name.
        name: String,
        /// The new URI.
        uri: String,
    },
    /// Adds a URI; nothing where the name is taken.
    AddUri {
        /// The name.
        name: String,
        /// The URI.
        uri: String,
    },
    /// Removes a URI; a missing one is no error.
    RemoveUri(String),
    /// Adds and removes aliases; one that is in both stays as it is.
    UpdateAliases {
        /// The new ones.
        add: BTreeSet<String>,
        /// The ones to take away; missing ones are no error.
        remove: BTreeSet<String>,
    },
}

/// Why something makes no version of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelVersionError {
    /// An alias, or a name of a URI, of blanks alone.
    #[error("{0} must not be empty")]
    Blank(&'static str),
    /// One that is too long.
    #[error("{0} must not have more than {MAX_ALIAS_CHARS} characters")]
    TooLong(&'static str),
    /// One with a control character.
    #[error("{0} must not contain control characters")]
    Control(&'static str),
    /// An alias that a number of a version could be taken for.
    #[error("`{0}` is a number, which an alias must not be")]
    Number(String),
    /// There is nothing behind the version.
    #[error("a version has at least one URI")]
    NoUri,
}

/// Why the URI of a version cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// There are several and nothing says which.
    #[error(
        "the version has several URIs: name one with `uriName`, or set the property `{DEFAULT_URI_NAME}` of the version \
         or of its model"
    )]
    Ambiguous,
    /// There is none of this name.
    #[error("the version has no URI named `{0}`")]
    Unknown(String),
}

/// Checks a new alias.
///
/// # Errors
/// [`ModelVersionError`] for one that is blank, too long or a number.
pub fn check_alias(alias: &str) -> Result<(), ModelVersionError> {
    check_text("an alias", alias)?;
    if is_number(alias) {
        return Err(ModelVersionError::Number(alias.to_owned()));
    }
    Ok(())
}

/// Checks the name of a new URI.
///
/// # Errors
/// [`ModelVersionError`] for one that is blank or too long.
pub fn check_uri_name(name: &str) -> Result<(), ModelVersionError> {
    check_text("the name of a URI", name)
}

fn check_text(what: &'static str, text: &str) -> Result<(), ModelVersionError> {
    if text.trim().is_empty() {
        return Err(ModelVersionError::Blank(what));
    }
    if text.chars().count() > MAX_ALIAS_CHARS {
        return Err(ModelVersionError::TooLong(what));
    }
    if text.chars().any(char::is_control) {
        return Err(ModelVersionError::Control(what));
    }
    Ok(())
}

/// Whether a text is a number as the original's language writes them: decimal with an optional fraction, exponent and
/// type, or hexadecimal; with a sign or without.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_long = |digits: &str| digits.strip_suffix(['l', 'L']).map(str::to_owned);
    for prefix in ["0x", "0X", "#"] {
        if let Some(digits) = unsigned.strip_prefix(prefix) {
            let digits = is_long(digits).unwrap_or_else(|| digits.to_owned());
            return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        }
    }
    // `inf` and `nan`, which Rust reads, have no digit in front.
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return false;
    }
    let number = unsigned
        .strip_suffix(['l', 'L', 'f', 'F', 'd', 'D'])
        .unwrap_or(unsigned);
    number.parse::<f64>().is_ok()
}

impl ModelVersionBody {
    /// Checks what holds for every version.
    ///
    /// # Errors
    /// [`ModelVersionError`] with the first thing found wrong.
    pub fn check(&self) -> Result<(), ModelVersionError> {
        if self.uris.is_empty() {
            return Err(ModelVersionError::NoUri);
        }
        self.uris.keys().try_for_each(|name| check_uri_name(name))?;
        self.aliases.iter().try_for_each(|alias| check_alias(alias))
    }

    /// Applies one change.
    pub fn apply(&mut self, change: ModelVersionChange) {
        match change {
            ModelVersionChange::UpdateComment(comment) => self.comment = comment,
            ModelVersionChange::SetProperty { property, value } => {
                self.properties.insert(property, value);
            }
            ModelVersionChange::RemoveProperty(property) => {
                self.properties.remove(&property);
            }
            ModelVersionChange::UpdateUri { name, uri } => {
                if let Some(known) = self.uris.get_mut(&name) {
                    *known = uri;
                }
            }
            ModelVersionChange::AddUri { name, uri } => {
                self.uris.entry(name).or_insert(uri);
            }
            ModelVersionChange::RemoveUri(name) => {
                self.uris.remove(&name);
            }
            ModelVersionChange::UpdateAliases { add, remove } => {
                for alias in remove.difference(&add) {
                    self.aliases.remove(alias);
                }
                self.aliases.extend(add.difference(&remove).cloned());
            }
        }
    }

    /// The URI that a request means: the one it names; else the only one; else the one that the version, and then the
    /// model, has for its default.
    ///
    /// # Errors
    /// [`UriError`].
    pub fn uri(&self, named: Option<&str>, model: &Properties) -> Result<&str, UriError> {
        let name = match (named, self.uris.len()) {
            (Some(named), _) => named,
            (None, 1) => {
                return self
                    .uris
                    .values()
                    .next()
                    .map(String::as_str)
                    .ok_or(UriError::Ambiguous);
            }
            (None, _) => self
                .properties
                .get(DEFAULT_URI_NAME)
                .or_else(|| model.get(DEFAULT_URI_NAME))
                .ok_or(UriError::Ambiguous)?,
        };
        match self.uris.get(name) {
            Some(uri) => Ok(uri),
            None => Err(UriError::Unknown(name.to_owned())),
        }
    }
}
