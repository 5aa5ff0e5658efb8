// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Namespaces: their names in paths, queries and bodies, and the requests about them.

use std::collections::BTreeMap;
use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::request::RequestError;

/// Between the levels of a namespace in a path or a query parameter.
pub const LEVEL_SEPARATOR: char = '\u{1f}';

/// Everything but the unreserved characters of RFC 3986, so that no level can be taken for syntax.
const PATH_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The levels of a namespace, outermost first; at least one, none empty, none with the separator in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Namespace(Vec<String>);

impl Namespace {
    /// Takes levels.
    ///
    /// # Errors
    /// [`RequestError::Namespace`] when there is no level, an empty one, or one with the separator in it.
    pub fn new(levels: Vec<String>) -> Result<Self, RequestError> {
        let problem = if levels.is_empty() {
            Some("a namespace has at least one level")
        } else if levels.iter().any(String::is_empty) {
            Some("a level of a namespace is not empty")
        } else if levels.iter().any(|level| level.contains(LEVEL_SEPARATOR)) {
            Some("a level of a namespace does not contain U+001F")
        } else {
            None
        };
        match problem {
            None => Ok(Self(levels)),
            Some(problem) => Err(RequestError::Namespace {
                text: levels.join("."),
                problem,
            }),
        }
    }

    /// From a path segment or query parameter that was percent-decoded exactly once. It is not decoded again: a
    /// level may well be called `%1F`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn from_decoded(text: &str) -> Result<Self, RequestError> {
        Self::new(text.split(LEVEL_SEPARATOR).map(str::to_owned).collect())
    }

    /// From a path segment as it stands in the request line. A plus sign is a plus sign.
    ///
    /// # Errors
    /// As [`Self::new`], and when the bytes are not UTF-8.
    pub fn from_path_segment(segment: &str) -> Result<Self, RequestError> {
        let decoded = percent_decode_str(segment)
            .decode_utf8()
            .map_err(|_| RequestError::Namespace {
                text: segment.to_owned(),
                problem: "the percent-encoded bytes are not UTF-8",
            })?;
        Self::from_decoded(&decoded)
    }

    /// The path segment of this namespace, levels joined by `%1F`.
    pub fn to_path_segment(&self) -> String {
        let levels: Vec<String> = self.0.iter().map(|level| encode_path_segment(level)).collect();
        levels.join("%1F")
    }

    /// The levels, outermost first.
    pub fn levels(&self) -> &[String] {
        &self.0
    }

    /// The levels, outermost first.
    pub fn into_levels(self) -> Vec<String> {
        self.0
    }
}

/// A name as one path segment.
pub fn encode_path_segment(name: &str) -> String {
    utf8_percent_encode(name, PATH_SEGMENT).to_string()
}

impl fmt::Display for Namespace {
    /// Levels joined by dots, as error messages of the protocol show them. Not reversible.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

impl TryFrom<Vec<String>> for Namespace {
    type Error = RequestError;

    fn try_from(levels: Vec<String>) -> Result<Self, RequestError> {
        Self::new(levels)
    }
}

impl From<Namespace> for Vec<String> {
    fn from(namespace: Namespace) -> Self {
        namespace.0
    }
}

/// Body of `POST …/namespaces`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateNamespaceRequest {
    /// The namespace to create.
    pub namespace: Namespace,
    /// Its properties.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// Answer of `POST …/namespaces` and `GET …/namespaces/{namespace}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceResponse {
    /// The namespace.
    pub namespace: Namespace,
    /// Its properties.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// Answer of `GET …/namespaces`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListNamespacesResponse {
    /// Full namespaces, also below a parent.
    pub namespaces: Vec<Namespace>,
    /// How to ask for the next page; `null` on the last.
    #[serde(default)]
    pub next_page_token: Option<String>,
}

/// Body of `POST …/namespaces/{namespace}/properties`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateNamespacePropertiesRequest {
    /// Properties to remove.
    #[serde(default)]
    pub removals: Vec<String>,
    /// Properties to set.
    #[serde(default)]
    pub updates: BTreeMap<String, String>,
}

impl UpdateNamespacePropertiesRequest {
    /// The properties that are both set and removed, which the protocol answers with 422.
    pub fn contradictions(&self) -> Vec<&str> {
        self.removals
            .iter()
            .filter(|name| self.updates.contains_key(*name))
            .map(String::as_str)
            .collect()
    }
}

/// Answer of `POST …/namespaces/{namespace}/properties`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpdateNamespacePropertiesResponse {
    /// Properties that were removed.
    pub removed: Vec<String>,
    /// Properties that were set.
    pub updated: Vec<String>,
    /// Properties that were to be removed and did not exist.
    #[serde(default)]
    pub missing: Vec<String>,
}

#[cfg(test)]
mod tests;
