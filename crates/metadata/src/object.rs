// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request names: a kind and a full name.

use std::fmt;

use crate::kind::ObjectKind;

/// A metadata object as callers name it: its kind, and the path below the metalake.
///
/// The path has one entry per level (`["c", "s", "t"]`); a nested schema is one level whose text contains the
/// schema separator (`a:b:c`). A metalake's path holds its own name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetadataObject {
    /// The kind.
    pub kind: ObjectKind,
    /// The names from the catalog down; never empty.
    pub path: Vec<String>,
}

/// Why a dotted text is no full name of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{full_name}` is not the full name of a {kind}: {expected} levels separated by dots are expected, none of them empty"
)]
pub struct FullNameError {
    /// The kind in lower case.
    pub kind: String,
    /// The refused text.
    pub full_name: String,
    /// How many levels the kind has.
    pub expected: usize,
}

impl MetadataObject {
    /// Reads a dotted full name. Kinds with one level keep dots in their name.
    ///
    /// # Errors
    /// [`FullNameError`] when the number of levels is not the kind's, or one is empty.
    pub fn parse(kind: ObjectKind, full_name: &str) -> Result<Self, FullNameError> {
        let levels = kind.levels();
        let path: Vec<String> = if levels == 1 {
            vec![full_name.to_owned()]
        } else {
            full_name.split('.').map(str::to_owned).collect()
        };
        if path.len() != levels || path.iter().any(String::is_empty) {
            return Err(FullNameError {
                kind: kind.lower_case(),
                full_name: full_name.to_owned(),
                expected: levels,
            });
        }
        Ok(Self { kind, path })
    }

    /// The dotted full name.
    pub fn full_name(&self) -> String {
        self.path.join(".")
    }
}

impl fmt::Display for MetadataObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind.lower_case(), self.full_name())
    }
}
