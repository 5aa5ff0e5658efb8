// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a host remembers of a metadata file, so that nobody else's words are taken for those of the catalog.

/// A metadata file as the host remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataFile<'a> {
    /// Where it is.
    pub location: &'a str,
    /// The SHA-256 of its bytes as 64 hexadecimal digits in lower case; `None` where the host does not know it.
    pub digest: Option<&'a str>,
}

impl<'a> MetadataFile<'a> {
    /// A file of which nothing is known but its place.
    pub const fn at(location: &'a str) -> Self {
        Self {
            location,
            digest: None,
        }
    }

    /// Whether what was read before, with this digest, is surely the file that is remembered. Where no digest is known, only
    /// the file itself can say what it is.
    pub fn is(&self, digest: &str) -> bool {
        self.digest.is_some_and(|known| known == digest)
    }
}
