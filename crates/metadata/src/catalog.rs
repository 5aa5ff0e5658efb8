// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Catalogs: data sources.

use std::fmt;
use std::str::FromStr;

use crate::Properties;
use crate::audit::Audit;
use crate::name::Name;
use crate::secret::NewSecrets;

/// What a catalog holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CatalogType {
    /// Tables and views.
    Relational,
    /// Sets of files.
    Fileset,
    /// Topics.
    Messaging,
    /// Models.
    Model,
}

/// A text that is no type of catalog.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a type of catalog: `relational`, `fileset`, `messaging` or `model`")]
pub struct UnknownCatalogType(pub String);

impl CatalogType {
    /// The lower-case word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relational => "relational",
            Self::Fileset => "fileset",
            Self::Messaging => "messaging",
            Self::Model => "model",
        }
    }

    /// The provider of a catalog that names none; relational and messaging ones must name theirs.
    pub const fn default_provider(self) -> Option<&'static str> {
        match self {
            Self::Fileset => Some("fileset"),
            Self::Model => Some("model"),
            Self::Relational | Self::Messaging => None,
        }
    }
}

impl fmt::Display for CatalogType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for CatalogType {
    type Err = UnknownCatalogType;

    /// Case does not matter.
    fn from_str(text: &str) -> Result<Self, UnknownCatalogType> {
        [Self::Relational, Self::Fileset, Self::Messaging, Self::Model]
            .into_iter()
            .find(|catalog_type| catalog_type.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownCatalogType(text.to_owned()))
    }
}

/// A catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub catalog_type: CatalogType,
    /// What drives it, for instance `lakehouse-iceberg`.
    pub provider: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings, without the reserved `in-use`.
    pub properties: Properties,
    /// Whether it is in use; what is below one out of use cannot be reached.
    pub in_use: bool,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// A catalog that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCatalog {
    /// Its name.
    pub name: Name,
    /// What it holds.
    pub catalog_type: CatalogType,
    /// What drives it.
    pub provider: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
    /// Settings whose values are secrets; none of them among [`Self::properties`].
    pub secrets: NewSecrets,
}

/// One change of a catalog; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogChange {
    /// Another name.
    Rename(Name),
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
}

#[cfg(test)]
mod tests {
    use super::{CatalogType, UnknownCatalogType};

    #[test]
    fn types_are_read_in_any_case() {
        assert_eq!("RELATIONAL".parse(), Ok(CatalogType::Relational));
        assert_eq!(
            "BOGUS".parse::<CatalogType>(),
            Err(UnknownCatalogType("BOGUS".to_owned()))
        );
    }
}
