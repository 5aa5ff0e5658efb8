// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What must be equal for one answer to serve another request (the seed's nine parts; language reference, section 14).

use sha2::{Digest, Sha256};

/// Everything that shapes a governed answer. There is no default and no way to leave a part out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheIdentity<'a> {
    /// The table metadata representation: its location, then whatever else chose the representation (snapshots
    /// requested, access delegation).
    pub metadata: &'a [&'a str],
    /// The authenticated subject; `None` without one.
    pub subject: Option<&'a str>,
    /// The groups that the subject's identity brought, sorted, since no revision counts what a token says; `None` when it
    /// says nothing of groups.
    pub groups: Option<&'a [&'a str]>,
    /// Revision of users, groups and memberships that are stored.
    pub identity_revision: i64,
    /// Revision of policies and of their associations with tags.
    pub policy_revision: i64,
    /// Revision of tags and of their assignments.
    pub tag_revision: i64,
    /// The current schema's id or revision.
    pub schema_revision: i64,
    /// Signature of the resolved restrictions; `None` when nothing is restricted.
    pub restriction_signature: Option<&'a str>,
    /// The declared capability version, `read-restrictions.v1`; `None` when not declared.
    pub capability: Option<&'a str>,
    /// Name and revision of the trusted reader; `None` without one.
    pub reader: Option<(&'a str, i64)>,
}

impl CacheIdentity<'_> {
    /// An encoding that two different identities never share: every text is preceded by its length, every optional
    /// part by whether it is there.
    pub fn encode(&self) -> Vec<u8> {
        let Self {
            metadata,
            subject,
            groups,
            identity_revision,
            policy_revision,
            tag_revision,
            schema_revision,
            restriction_signature,
            capability,
            reader,
        } = self;
        let mut bytes = Vec::with_capacity(256);
        push_texts(&mut bytes, metadata);
        push_optional(&mut bytes, *subject);
        bytes.push(u8::from(groups.is_some()));
        push_texts(&mut bytes, groups.unwrap_or_default());
        for revision in [identity_revision, policy_revision, tag_revision, schema_revision] {
            bytes.extend_from_slice(&revision.to_be_bytes());
        }
        push_optional(&mut bytes, *restriction_signature);
        push_optional(&mut bytes, *capability);
        push_optional(&mut bytes, reader.map(|(name, _)| name));
        bytes.extend_from_slice(&reader.map_or(0, |(_, revision)| revision).to_be_bytes());
        bytes
    }

    /// The strong entity tag of the answer, with its quotes: SHA-256 of the encoding in hexadecimal digits.
    pub fn etag(&self) -> String {
        format!("\"{}\"", hex::encode(Sha256::digest(self.encode())))
    }
}

fn push_texts(bytes: &mut Vec<u8>, texts: &[&str]) {
    bytes.extend_from_slice(&(texts.len() as u64).to_be_bytes());
    for text in texts {
        push_text(bytes, text);
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

fn push_optional(bytes: &mut Vec<u8>, text: Option<&str>) {
    match text {
        None => bytes.push(0),
        Some(text) => {
            bytes.push(1);
            push_text(bytes, text);
        }
    }
}

#[cfg(test)]
mod tests;
