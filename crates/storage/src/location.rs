// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Canonical locations. Every location of a caller or of stored metadata is parsed into a [`Location`] before it
//! is compared or used, so that what was checked is what is opened.

use std::fmt;

use lakeward_catalog::error::CatalogError;
use sha2::{Digest, Sha256};

/// The storage systems that are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Files of this machine.
    File,
    /// Amazon S3 and what speaks like it.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Data Lake Storage.
    Adls,
}

/// What the host of an account's container ends with. No other host is reached: it would be sent what proves who the
/// server is.
const ADLS_HOST: &str = ".dfs.core.windows.net";

/// A canonical location: a scheme, a bucket (empty for files, `container@host` in Azure) and path segments, none
/// of which is empty, `.` or `..`, or hides a separator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    scheme: Scheme,
    bucket: String,
    segments: Vec<String>,
}

impl Location {
    /// Parses a location. `file:/a`, `file:///a` and `/a` are the same; `s3a` and `s3n` are `s3`, `abfs` is
    /// `abfss`; one slash at the end is dropped.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for another scheme, a relative path, a traversal however it is spelled, an
    /// empty segment, and characters that some client would read as something else than part of a name.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        let refuse = |reason: &str| {
            Err(CatalogError::LocationRefused(format!(
                "the location `{text}` is refused: {reason}"
            )))
        };
        let (scheme, rest) = match text.split_once(':') {
            None => (Scheme::File, text),
            Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
                "file" => (Scheme::File, rest),
                "s3" | "s3a" | "s3n" => (Scheme::S3, rest),
                "gs" => (Scheme::Gcs, rest),
                "abfs" | "abfss" => (Scheme::Adls, rest),
                "wasb" | "wasbs" | "adl" => {
                    return refuse(
                        "files in Azure are named `abfss://container@account.dfs.core.windows.net/path`",
                    );
                }
                _ => {
                    return refuse(
                        "only `file`, `s3`, `s3a`, `s3n`, `gs`, `abfs` and `abfss` locations are supported",
                    );
                }
            },
        };
        let (bucket, path) = match scheme {
            Scheme::File => {
                let path = match rest.strip_prefix("//") {
                    None => rest,
                    Some(after) if after.starts_with('/') => after,
                    Some(_) => return refuse("a file location has no host; write `file:///path`"),
                };
                ("", path)
            }
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => {
                let Some(after) = rest.strip_prefix("//") else {
                    return refuse(beginning(scheme));
                };
                match after.find('/') {
                    None => (after, ""),
                    Some(at) => after.split_at(at),
                }
            }
        };
        let bucket = match scheme {
            Scheme::File => String::new(),
            Scheme::S3 | Scheme::Gcs if is_bucket(bucket) => bucket.to_owned(),
            Scheme::S3 | Scheme::Gcs => {
                return refuse("the bucket name is missing or has characters that bucket names do not have");
            }
            Scheme::Adls => match container(bucket) {
                Some(canonical) => canonical,
                None => return refuse(beginning(scheme)),
            },
        };
        if scheme == Scheme::File && !path.starts_with('/') {
            return refuse("a file location is an absolute path");
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut segments = Vec::new();
        if !path.is_empty() {
            for segment in path.split('/') {
                if let Some(reason) = flaw(segment) {
                    return refuse(reason);
                }
                segments.push(segment.to_owned());
            }
        }
        Ok(Self {
            scheme,
            bucket,
            segments,
        })
    }

    /// The storage system.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The bucket; empty for files, `container@host` in Azure.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The container and the account of a place in Azure.
    pub(crate) fn container_and_account(&self) -> Option<(&str, &str)> {
        let (container, host) = self.bucket.split_once('@')?;
        Some((container, host.strip_suffix(ADLS_HOST)?))
    }

    /// The path without a leading slash, segments joined by slashes.
    pub fn key(&self) -> String {
        self.segments.join("/")
    }

    /// Whether the location is the root of a file system or of a bucket.
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether `self` is `outer` or lies inside it, segment by segment (`/a/b2` is not inside `/a/b`).
    pub fn is_within(&self, outer: &Self) -> bool {
        self.scheme == outer.scheme
            && self.bucket == outer.bucket
            && self.segments.len() >= outer.segments.len()
            && self
                .segments
                .iter()
                .zip(&outer.segments)
                .all(|(one, other)| one == other)
    }

    /// Whether one of the two lies inside the other or both are equal.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.is_within(other) || other.is_within(self)
    }

    /// The path segments, outermost first.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The location that this one lies directly in; `None` for a root.
    pub fn parent(&self) -> Option<Self> {
        let mut parent = self.clone();
        parent.segments.pop().map(|_| parent)
    }

    /// The location of what a path names inside this one. The path is always relative: slashes at its ends and doubled
    /// ones mean nothing, and an empty one is the location itself.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for a traversal however it is spelled and for characters that no segment has.
    pub fn inside(&self, path: &str) -> Result<Self, CatalogError> {
        let mut inside = self.clone();
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            if let Some(reason) = flaw(segment) {
                return Err(CatalogError::LocationRefused(format!(
                    "the path `{path}` is refused: {reason}"
                )));
            }
            inside.segments.push(segment.to_owned());
        }
        Ok(inside)
    }

    /// The location one segment further in.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] when the segment is none.
    pub fn child(&self, segment: &str) -> Result<Self, CatalogError> {
        if segment.contains('/') || flaw(segment).is_some() {
            return Err(CatalogError::LocationRefused(format!(
                "`{segment}` cannot be a segment of a location"
            )));
        }
        let mut child = self.clone();
        child.segments.push(segment.to_owned());
        Ok(child)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::File => "file",
            Scheme::S3 => "s3",
            Scheme::Gcs => "gs",
            Scheme::Adls => "abfss",
        };
        write!(f, "{scheme}://{}", self.bucket)?;
        if self.scheme == Scheme::File || !self.segments.is_empty() {
            write!(f, "/{}", self.key())?;
        }
        Ok(())
    }
}

/// How a location of a storage begins, for whom it begins otherwise.
fn beginning(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::File => "a file location starts with `file:/`",
        Scheme::S3 => "an S3 location starts with `s3://bucket`",
        Scheme::Gcs => "a location of Google Cloud Storage starts with `gs://bucket`",
        Scheme::Adls => "a location in Azure starts with `abfss://container@account.dfs.core.windows.net`",
    }
}

fn is_bucket(name: &str) -> bool {
    let mut bytes = name.bytes();
    !name.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
}

/// A container with its host, the host in the one spelling that is compared; `None` for what is none. Containers and
/// accounts have no upper case letters, but hosts are the same however they are spelled.
fn container(text: &str) -> Option<String> {
    let (container, host) = text.split_once('@')?;
    let host = host.to_ascii_lowercase();
    let account = host.strip_suffix(ADLS_HOST)?;
    let is_name = |name: &str, dash: bool| {
        let mut bytes = name.bytes();
        !name.is_empty()
            && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || (dash && byte == b'-'))
    };
    (is_name(container, true) && is_name(account, false)).then(|| format!("{container}@{host}"))
}

/// The scheme that a text begins with; `None` for a text without one.
pub fn scheme_of(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let mut characters = scheme.chars();
    let begins = characters.next().is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = characters.all(|next| next.is_ascii_alphanumeric() || matches!(next, '+' | '-' | '.'));
    (begins && goes_on).then_some(scheme)
}

/// A location as it is stored: as its owner spelled it, since clients compare what they said with what they are
/// answered; with a scheme and without a slash at the end. `canonical` is what the text was checked as.
pub fn spelled(text: &str, canonical: &Location) -> String {
    if text.contains(':') && !canonical.is_root() {
        return text.strip_suffix('/').unwrap_or(text).to_owned();
    }
    canonical.to_string()
}

/// What is wrong with one segment.
fn flaw(segment: &str) -> Option<&'static str> {
    if segment.is_empty() {
        return Some("it has an empty segment (`//`)");
    }
    if segment == "." || segment == ".." {
        return Some("it has a segment `.` or `..`");
    }
    if segment
        .chars()
        .any(|character| character.is_control() || matches!(character, '\\' | '?' | '#' | '*'))
    {
        return Some("it has a control character, `\\`, `?`, `#` or `*`");
    }
    // Some client decodes percent signs: then `%2e%2e` is a traversal and `%2f` a separator.
    let lower = segment.to_ascii_lowercase();
    if ["%2e", "%2f", "%5c", "%25", "%00"]
        .iter()
        .any(|hidden| lower.contains(hidden))
    {
        return Some("it has an encoded dot, separator or percent sign");
    }
    None
}

/// A folder name for an object name: the name itself where every storage and client reads it alike, otherwise a
/// readable form that is made distinct by a suffix.
pub fn folder_name(name: &str) -> String {
    let plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '=' | '.');
    if !name.is_empty() && !name.starts_with('.') && name.len() <= 128 && name.chars().all(plain) {
        return name.to_owned();
    }
    let readable: String = name
        .chars()
        .take(64)
        .map(|character| {
            if plain(character) && character != '.' {
                character
            } else {
                '_'
            }
        })
        .collect();
    // The same name must give the same folder, and another name another one.
    let digest = hex::encode(Sha256::digest(name.as_bytes()));
    format!("{readable}-{}", digest.get(..32).unwrap_or(&digest))
}

#[cfg(test)]
mod tests;
