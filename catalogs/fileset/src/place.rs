// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A location of a caller, understood: what is checked and used, and how answers show it.

use lakeward_catalog::error::CatalogError;
use lakeward_storage::{Location, Scheme, scheme_of};

/// The longest name of a file or folder, in bytes.
pub(crate) const MAX_SEGMENT_BYTES: usize = 255;

/// A location with its two spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// What is compared and opened.
    pub(crate) location: Location,
    /// What answers show: a file with one slash (`file:/a`), S3 with the scheme of the caller (`s3a://b/a`).
    pub(crate) shown: String,
}

impl Place {
    /// Understands a location without placeholders. A path without a scheme is one of this machine; where it is relative it
    /// begins in the folder that the server runs in.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    pub(crate) fn parse(text: &str) -> Result<Self, CatalogError> {
        let text = text.trim();
        let refuse = |reason: &str| {
            CatalogError::LocationRefused(format!("the location `{text}` is refused: {reason}"))
        };
        let location = if scheme_of(text).is_some() {
            Location::parse(text)?
        } else {
            let absolute = std::path::absolute(text).map_err(|error| refuse(&error.to_string()))?;
            let absolute = absolute.to_str().ok_or_else(|| refuse("it is no text"))?;
            Location::parse(&format!("file://{absolute}"))?
        };
        if location
            .segments()
            .iter()
            .any(|segment| segment.len() > MAX_SEGMENT_BYTES)
        {
            return Err(refuse("a name in it has more than 255 bytes"));
        }
        let shown = match location.scheme() {
            Scheme::File => format!("file:/{}", location.key()),
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => {
                let scheme = scheme_of(text).unwrap_or("s3").to_ascii_lowercase();
                let bucket = location.bucket();
                if location.is_root() {
                    format!("{scheme}://{bucket}")
                } else {
                    format!("{scheme}://{bucket}/{}", location.key())
                }
            }
        };
        Ok(Self { location, shown })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_shown_as_in_the_original() {
        for (text, canonical, shown) in [
            (
                "file:///srv/filesets/s1/f1",
                "file:///srv/filesets/s1/f1",
                "file:/srv/filesets/s1/f1",
            ),
            ("/srv/a/", "file:///srv/a", "file:/srv/a"),
            ("s3a://b/a/c", "s3://b/a/c", "s3a://b/a/c"),
            ("s3a://b", "s3://b", "s3a://b"),
        ] {
            let place = Place::parse(text).unwrap();
            assert_eq!(place.location.to_string(), canonical, "{text}");
            assert_eq!(place.shown, shown, "{text}");
            assert_eq!(Place::parse(shown).unwrap().location, place.location);
        }
        let here = std::env::current_dir().unwrap();
        let relative = Place::parse("rel/path").unwrap();
        assert_eq!(relative.shown, format!("file:{}/rel/path", here.display()));
    }

    #[test]
    fn nothing_climbs() {
        for text in [
            "../x",
            "/srv/../etc",
            "/srv/%2e%2e/etc",
            "file:///srv/./x",
            "hdfs://host/a",
            "file://host/a",
            "",
        ] {
            assert!(
                matches!(Place::parse(text), Err(CatalogError::LocationRefused(_))),
                "{text}"
            );
        }
        assert!(Place::parse(&format!("/srv/{}", "x".repeat(256))).is_err());
    }
}
