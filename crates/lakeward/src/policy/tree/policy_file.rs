// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A policy and the tags that it is on, as one file.

use std::collections::BTreeMap;
use std::path::Path;

use lakeward_governance::policy::PolicyType;
use lakeward_governance::policy_content::{ContentError, PolicyContent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serde_saphyr::{LitStr, Spanned};

use crate::policy::malformed::Malformed;
use crate::policy::state::Policy;

/// The file of one policy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyFile {
    pub(crate) policy: Spanned<String>,
    #[serde(rename = "type")]
    policy_type: Spanned<String>,
    #[serde(default)]
    comment: Option<String>,
    enabled: bool,
    /// The tags that it is on. Not `on`, which some readers of YAML take for a truth value.
    #[serde(default)]
    tags: Vec<Spanned<OnTag>>,
    /// What a restriction policy says.
    #[serde(default)]
    expression: Option<Spanned<String>>,
    /// What a policy of another type says.
    #[serde(default)]
    content: Option<Spanned<Value>>,
}

/// A tag that selects a policy.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnTag {
    pub(crate) tag: String,
    /// The value that selects; without it every assignment does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    policy: &'a str,
    #[serde(rename = "type")]
    policy_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
    enabled: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<OnTag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<LitStr<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a Value>,
}

/// A policy as YAML, always the same for the same policy.
///
/// # Errors
/// When the policy has text that YAML cannot hold.
pub(crate) fn write(name: &str, policy: &Policy) -> anyhow::Result<String> {
    let on = policy.on.iter().map(|(tag, value)| OnTag {
        tag: tag.clone(),
        value: value.clone(),
    });
    let expression = policy.expression();
    Ok(serde_saphyr::to_string(&Written {
        policy: name,
        policy_type: &policy.policy_type,
        comment: policy.comment.as_deref(),
        enabled: policy.enabled,
        tags: on.collect(),
        expression: expression.map(LitStr),
        content: expression.is_none().then_some(&policy.content),
    })?)
}

impl PolicyFile {
    /// The type that the file states.
    pub(crate) fn policy_type(&self, path: &Path) -> Result<PolicyType, Malformed> {
        self.policy_type
            .value
            .parse()
            .map_err(|error| Malformed::at(path, &self.policy_type, format!("{error}")))
    }

    /// The content as the server keeps it; not checked beyond its members.
    pub(crate) fn stated_content(&self, path: &Path) -> Result<Value, Malformed> {
        let is_restriction = self.policy_type(path)?.is_restriction();
        match (&self.expression, &self.content) {
            (Some(expression), None) if is_restriction => Ok(json!({ "expression": expression.value })),
            (None, Some(content)) if !is_restriction => Ok(content.value.clone()),
            _ if is_restriction => Err(Malformed::at(
                path,
                &self.policy,
                "a restriction policy says what it does in `expression`, and has no `content`",
            )),
            _ => Err(Malformed::at(
                path,
                &self.policy,
                "a policy of this type says what it does in `content`, and has no `expression`",
            )),
        }
    }

    /// The tags that it is on.
    pub(crate) fn on(&self) -> impl Iterator<Item = &OnTag> {
        self.tags.iter().map(|on| &on.value)
    }

    /// The policy, everything checked that the server checks when it is saved.
    pub(crate) fn checked(&self, path: &Path) -> Result<Policy, Malformed> {
        let policy_type = self.policy_type(path)?;
        let content = self.stated_content(path)?;
        let parsed = PolicyContent::parse(policy_type, &content.to_string()).map_err(|error| {
            let place = self.expression.as_ref().map_or_else(
                || Malformed::at(path, &self.policy, error.to_string()),
                |expression| Malformed::at(path, expression, error.to_string()),
            );
            with_code(place, &error)
        })?;
        if self.policy.value.trim().is_empty() {
            return Err(Malformed::at(path, &self.policy, "a policy needs a name"));
        }
        let mut on = BTreeMap::new();
        for tag in &self.tags {
            if on
                .insert(tag.value.tag.clone(), tag.value.value.clone())
                .is_some()
            {
                return Err(Malformed::at(
                    path,
                    tag,
                    format!(
                        "the tag `{}` is there twice; a policy is on a tag once",
                        tag.value.tag
                    ),
                ));
            }
        }
        Ok(Policy {
            policy_type: policy_type.as_str().to_owned(),
            comment: self.comment.clone().filter(|comment| !comment.is_empty()),
            enabled: self.enabled,
            content: parsed.to_json(),
            on,
        })
    }
}

/// The code of the error too, by which its page is found.
fn with_code(mut place: Malformed, error: &ContentError) -> Malformed {
    place.problem = format!("{} [{}/{}]", place.problem, error.category(), error.code());
    place
}
