// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `cache.json`: whether one answer may serve another request.

use lakeward_read_restrictions::cache_identity::CacheIdentity;
use serde_json::{Value, json};

use super::fixture::{Fixtures, member};

pub(super) fn run(_: &Fixtures, case: &Value) -> Result<Value, String> {
    let reusable = etag(member(case, "base")?)? == etag(member(case, "other")?)?;
    Ok(json!({"reusable": reusable}))
}

fn etag(inputs: &Value) -> Result<String, String> {
    let optional = |name: &str| member(inputs, name).map(Value::as_str);
    let revision = |name: &str| {
        member(inputs, name)?
            .as_i64()
            .ok_or_else(|| format!("the member `{name}` is no revision"))
    };
    let reader = match optional("reader")? {
        None => None,
        Some(reader) => Some(split_reader(reader)?),
    };
    let identity = CacheIdentity {
        metadata: &[optional("metadata")?.ok_or("the member `metadata` is no string")?],
        subject: optional("subject")?,
        groups: None,
        identity_revision: revision("identity-revision")?,
        policy_revision: revision("policy-revision")?,
        tag_revision: revision("tag-revision")?,
        schema_revision: revision("schema-revision")?,
        restriction_signature: optional("restriction-signature")?,
        capability: optional("capability")?,
        reader,
    };
    Ok(identity.etag())
}

/// `name@revision`.
fn split_reader(reader: &str) -> Result<(&str, i64), String> {
    reader
        .rsplit_once('@')
        .and_then(|(name, revision)| Some((name, revision.parse().ok()?)))
        .ok_or_else(|| format!("the reader `{reader}` is not of the form name@revision"))
}
