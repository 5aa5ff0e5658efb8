// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The session policy of a scope: what of its role's rights a temporary credential keeps.

use std::fmt::Write;
use std::io;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::{DelegationScope, FileAccess};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Serializer, Value, json};

use super::metadata_names::METADATA_FILES;
use crate::location::{Location, Scheme};

/// The longest policy that token services take, in characters.
const MAX_CHARACTERS: usize = 2048;

/// The policy of a scope, as JSON of ASCII characters. `partition` is the part of Amazon's clouds that the bucket is in, as
/// ARNs name it (`aws`).
///
/// # Errors
/// [`CatalogError::LocationRefused`] for a location that is none of S3 or a whole bucket, [`CatalogError::Invalid`] where the
/// policy gets too long.
pub(super) fn session_policy(scope: &DelegationScope, partition: &str) -> Result<String, CatalogError> {
    let mut files = Vec::new();
    let mut statements = Vec::new();
    for location in &scope.locations {
        let location = Location::parse(location)?;
        if location.scheme() != Scheme::S3 || location.is_root() {
            return Err(CatalogError::LocationRefused(format!(
                "no credential is given out for `{location}`: it is no folder in a bucket of S3"
            )));
        }
        // A bucket's name has nothing that means something else in a policy.
        let bucket = format!("arn:{partition}:s3:::{}", location.bucket());
        // The slash keeps out the neighbours whose names begin alike.
        let below = format!("{}/*", literal(&location.key()));
        files.push(Value::String(format!("{bucket}/{below}")));
        statements.push(json!({
            "Effect": "Allow",
            "Action": ["s3:ListBucket"],
            "Resource": [bucket],
            "Condition": {"StringLike": {"s3:prefix": [below]}},
        }));
    }
    let actions: &[&str] = match scope.access {
        FileAccess::Read => &["s3:GetObject"],
        FileAccess::ReadWrite => &[
            "s3:GetObject",
            "s3:PutObject",
            "s3:DeleteObject",
            "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts",
        ],
    };
    statements.insert(
        0,
        json!({"Effect": "Allow", "Action": actions, "Resource": files}),
    );
    if scope.is_table && scope.access == FileAccess::ReadWrite {
        statements.push(json!({
            "Effect": "Deny",
            "Action": ["s3:PutObject", "s3:DeleteObject"],
            // In any place: nothing else is allowed anyway, and a policy may not be long.
            "Resource": METADATA_FILES.map(|end| format!("arn:{partition}:s3:::*{end}")),
        }));
    }
    let policy = ascii(&json!({"Version": "2012-10-17", "Statement": statements}))?;
    if policy.len() > MAX_CHARACTERS {
        return Err(CatalogError::Invalid(format!(
            "no credential is given out: the policy for the location would have {} characters, and token services take \
             {MAX_CHARACTERS}; choose a shorter location",
            policy.len()
        )));
    }
    Ok(policy)
}

/// A text that stands for itself in a policy, where `*` and `?` are wildcards and `${` begins a variable. Other dollar signs are
/// none, and stay: not every store knows their escape.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '*' => escaped.push_str("${*}"),
            '?' => escaped.push_str("${?}"),
            '$' if characters.peek() == Some(&'{') => escaped.push_str("${$}"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn ascii(policy: &Value) -> Result<String, CatalogError> {
    let mut bytes = Vec::new();
    policy
        .serialize(&mut Serializer::with_formatter(&mut bytes, Ascii))
        .ok()
        .and_then(|()| String::from_utf8(bytes).ok())
        .ok_or_else(|| super::unexpected("a session policy could not be written"))
}

/// Writes every other character as an escape: the parameter of the token service takes Latin ones alone.
struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut escaped = String::with_capacity(fragment.len());
        let mut units = [0; 2];
        for character in fragment.chars() {
            if character.is_ascii() {
                escaped.push(character);
            } else {
                for unit in character.encode_utf16(&mut units) {
                    write!(escaped, "\\u{unit:04x}").map_err(io::Error::other)?;
                }
            }
        }
        CompactFormatter.write_string_fragment(writer, &escaped)
    }
}

#[cfg(test)]
mod tests;
