// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filesets: named folders of files, at one or several storage locations.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::Properties;
use crate::audit::Audit;
use crate::name::Name;
use crate::secret::NewSecrets;

/// The name of a storage location that was given without one (Gravitino `LOCATION_NAME_UNKNOWN`).
pub const UNNAMED_LOCATION: &str = "unknown";

/// The property of a fileset that names the location which is meant where a request names none.
pub const DEFAULT_LOCATION_NAME: &str = "default-location-name";

/// Whose files they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilesetType {
    /// The fileset's: dropping it deletes them.
    Managed,
    /// Somebody else's: dropping the fileset leaves them.
    External,
}

/// A text that names no type of fileset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a type of fileset: `managed` or `external`")]
pub struct UnknownFilesetType(pub String);

impl FilesetType {
    /// The name in answers, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::External => "external",
        }
    }
}

impl fmt::Display for FilesetType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FilesetType {
    type Err = UnknownFilesetType;

    /// Case does not matter (Gravitino accepts any).
    fn from_str(text: &str) -> Result<Self, UnknownFilesetType> {
        [Self::Managed, Self::External]
            .into_iter()
            .find(|kind| kind.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFilesetType(text.to_owned()))
    }
}

/// A fileset that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFileset {
    /// Its name in its schema.
    pub name: Name,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Whose its files are.
    pub fileset_type: FilesetType,
    /// Where its files lie, by the names of the locations, as the caller spelled them; may hold placeholders. What is
    /// not here comes from schema and catalog.
    pub storage_locations: BTreeMap<String, String>,
    /// Settings.
    pub properties: Properties,
    /// Settings whose values are secrets; none of them among [`Self::properties`].
    pub secrets: NewSecrets,
}

/// A fileset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fileset {
    /// Its name in its schema.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Whose its files are.
    pub fileset_type: FilesetType,
    /// Where its files lie, by the names of the locations.
    pub storage_locations: BTreeMap<String, String>,
    /// Settings.
    pub properties: Properties,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// One change of a fileset; a request carries several, applied in order, all or none. Its locations never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilesetChange {
    /// Gives it another name in its schema. Its files stay where they are.
    Rename(Name),
    /// Replaces or removes the comment.
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

/// A file or folder of a fileset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInfo {
    /// Its name in its folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// How many bytes a file has; 0 for a folder.
    pub size: u64,
    /// When it was last changed, in epoch milliseconds; 0 where the storage does not say.
    pub last_modified: i64,
}
