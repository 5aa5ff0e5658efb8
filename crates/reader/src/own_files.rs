// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which files a table may be read from: its own.
//!
//! The reader reaches storage with rights that its users do not have. Whoever may write metadata of some table could
//! name another table's files in a manifest and read them through the reader without that table's restrictions, so a
//! file outside the location of its table is refused, however it is spelled.

use crate::error::ReaderError;

/// The folder of one table.
#[derive(Debug)]
pub(crate) struct OwnFiles<'a> {
    table: &'a str,
    location: Option<Place<'a>>,
}

/// A location in parts that can be compared.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    /// The scheme, one spelling for each system.
    scheme: String,
    /// Bucket and path, without empty segments.
    segments: Vec<&'a str>,
}

impl<'a> OwnFiles<'a> {
    /// The files below `location`, the location of the table that messages call `table`.
    pub(crate) fn new(table: &'a str, location: &'a str) -> Self {
        Self {
            table,
            // A table that says it lies in the root of everything has no files of its own.
            location: Place::parse(location).filter(|place| !place.segments.is_empty()),
        }
    }

    /// Refuses a file that is not the table's own.
    ///
    /// # Errors
    /// [`ReaderError::Unsupported`] that names the file.
    pub(crate) fn check(&self, file: &str) -> Result<(), ReaderError> {
        let holds = self
            .location
            .as_ref()
            .zip(Place::parse(file))
            .is_some_and(|(location, file)| file.is_below(location));
        if holds {
            return Ok(());
        }
        Err(ReaderError::Unsupported {
            table: self.table.to_owned(),
            problem: format!(
                "its metadata names the file `{}`, which does not lie below the location of the table",
                file.rsplit('/').next().unwrap_or(file)
            ),
        })
    }
}

impl<'a> Place<'a> {
    /// `None` for a text in which some storage could see a way out of a folder.
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once(':').unwrap_or(("file", text));
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "s3a" | "s3n" => "s3".to_owned(),
            other => other.to_owned(),
        };
        let segments: Vec<&str> = rest.split('/').filter(|segment| !segment.is_empty()).collect();
        let leads_out = |segment: &&str| {
            let decoded = segment.to_ascii_lowercase().replace("%2e", ".");
            matches!(decoded.as_str(), "." | "..")
                || decoded.contains("%2f") && decoded.split("%2f").any(|part| matches!(part, "." | ".."))
                || segment.contains('\\')
        };
        if segments.iter().any(leads_out) {
            return None;
        }
        Some(Self { scheme, segments })
    }

    fn is_below(&self, outer: &Place<'_>) -> bool {
        self.scheme == outer.scheme
            && self.segments.len() > outer.segments.len()
            && self.segments.starts_with(&outer.segments)
    }
}

#[cfg(test)]
mod tests {
    use super::OwnFiles;

    fn check(location: &str, file: &str, expected: bool) {
        let own = OwnFiles::new("t", location);
        assert_eq!(own.check(file).is_ok(), expected, "{location} {file}");
    }

    #[test]
    fn files_below_the_location_are_own() {
        check("file:///w/s/t", "file:///w/s/t/data/a.parquet", true);
        check("file:///w/s/t", "/w/s/t/data/a.parquet", true);
        check("/w/s/t/", "file:/w/s/t/data/a.parquet", true);
        check("s3://b/t", "s3a://b/t/data/p=a%20b/a.parquet", true);
        check("s3://b/t", "s3://b/t/data/p=..x/a.parquet", true);
    }

    #[test]
    fn all_others_are_not() {
        check("file:///w/s/t", "file:///w/s/t2/data/a.parquet", false);
        check("file:///w/s/t", "file:///w/s/t/../u/a.parquet", false);
        check("file:///w/s/t", "file:///w/s/t/%2E%2e/u/a.parquet", false);
        check("file:///w/s/t", "file:///w/s/t/x%2f..%2fu/a.parquet", false);
        check("file:///w/s/t", "file:///w/s/t", false);
        check("s3://b/t", "s3://c/t/a.parquet", false);
        check("s3://b/t", "file:///b/t/a.parquet", false);
        check("/", "/etc/passwd", false);
        check("s3://", "s3://b/t/a.parquet", false);
    }
}
