// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Paths of files as they are compared before something is deleted.
//!
//! [`Location`] refuses names that some client reads as something else. A table may have such files all the same, above all
//! in folders of partitions (`city=a%2Fb`); they must be known, though they can never be deleted here. So paths are
//! compared in a form of their own, in which more is the same than is the same for a storage.

use lakeward_catalog::error::CatalogError;
use lakeward_storage::Location;

/// A path with one spelling of its scheme and its authority.
///
/// # Errors
/// [`CatalogError::Unsupported`] for one that cannot be compared.
pub(super) fn plain(path: &str) -> Result<String, CatalogError> {
    if let Ok(location) = Location::parse(path) {
        return Ok(location.to_string());
    }
    odd(path).ok_or_else(|| {
        CatalogError::Unsupported(format!(
            "it is not known which files the table needs, so none is deleted: `{path}` cannot be compared with the names \
             of files"
        ))
    })
}

/// A path of a known scheme with segments that no location has.
fn odd(path: &str) -> Option<String> {
    let (scheme, rest) = match path.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => (scheme.to_ascii_lowercase(), rest),
        Some(_) | None => ("file".to_owned(), path),
    };
    let (root, rest) = match scheme.as_str() {
        "file" => {
            let rest = rest.strip_prefix("//").unwrap_or(rest);
            ("file://".to_owned(), rest.strip_prefix('/')?)
        }
        "s3" | "s3a" | "s3n" => {
            let (bucket, key) = rest.strip_prefix("//")?.split_once('/')?;
            (format!("s3://{bucket}"), key)
        }
        "gs" => {
            let (bucket, key) = rest.strip_prefix("//")?.split_once('/')?;
            (format!("gs://{bucket}"), key)
        }
        "abfs" | "abfss" => {
            let (container, key) = rest.strip_prefix("//")?.split_once('/')?;
            (format!("abfss://{}", container.to_ascii_lowercase()), key)
        }
        _ => return None,
    };
    // What a file system leaves out or follows makes two names of one file.
    let is_plain = |segment: &str| !segment.is_empty() && segment != "." && segment != "..";
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    rest.split('/').all(is_plain).then(|| format!("{root}/{rest}"))
}

/// A path whose percent signs are decoded once, as some clients do before they look for the file.
pub(super) fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = digit(at + 1).zip(digit(at + 2)).filter(|_| *byte == b'%');
        match digits.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(one) => {
                decoded.push(one);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{decoded, plain};

    #[test]
    fn one_file_has_one_name() {
        for (path, expected) in [
            ("s3a://b/t/data/x", "s3://b/t/data/x"),
            ("S3N://b/t/data/x/", "s3://b/t/data/x"),
            ("/w/t/x", "file:///w/t/x"),
            ("file:/w/t/x", "file:///w/t/x"),
            ("file:///w/t/p=a%2Fb/x", "file:///w/t/p=a%2Fb/x"),
            ("s3a://b/t/p=a%2Fb/x", "s3://b/t/p=a%2Fb/x"),
            ("gs://b/t/p=a%2Fb/x", "gs://b/t/p=a%2Fb/x"),
            (
                "abfs://c@A.dfs.core.windows.net/p=a%2Fb/x",
                "abfss://c@a.dfs.core.windows.net/p=a%2Fb/x",
            ),
            ("/w/t/p=a:b/x", "file:///w/t/p=a:b/x"),
            ("/w/t/p=a*b?/x", "file:///w/t/p=a*b?/x"),
        ] {
            assert_eq!(plain(path).as_deref(), Ok(expected), "{path}");
        }
        for path in [
            "hdfs://n/w/t/x",
            "wasbs://c@a.blob.core.windows.net/x",
            "gs://b//x",
            "relative/x",
            "file:///w//t/x",
            "/w/./t/x",
            "s3://b/t/../u/x",
            "s3://b//x",
            "",
        ] {
            assert!(plain(path).is_err(), "{path}");
        }
    }

    #[test]
    fn percent_signs_are_decoded_once() {
        for (path, expected) in [
            ("p=a%2Fb", "p=a/b"),
            ("p=a%252Fb", "p=a%2Fb"),
            ("100%", "100%"),
            ("a%2", "a%2"),
            ("a%zz", "a%zz"),
            ("%C3%BC", "ü"),
            ("%ff", "%ff"),
        ] {
            assert_eq!(decoded(path), expected, "{path}");
        }
    }
}
