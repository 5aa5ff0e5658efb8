// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `{"expression": "…"}`, the content of both restriction types.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Value, json};

use lakeward_policy_language::{Rule, RuleHead, check};

use super::{ContentError, members, wrong};
use crate::policy::PolicyType;

/// One authored expression and the rule it is.
#[derive(Debug, Clone)]
pub struct ExpressionContent {
    /// The checked rule; it keeps the authored text.
    pub rule: Arc<Rule>,
}

impl PartialEq for ExpressionContent {
    /// Equal text is equal content.
    fn eq(&self, other: &Self) -> bool {
        self.rule.head() == other.rule.head() && self.rule.source() == other.rule.source()
    }
}

impl ExpressionContent {
    /// Reads and checks the content of a restriction policy.
    ///
    /// # Errors
    /// [`ContentError`] for anything but exactly one member `expression`, a string that is a rule of the type.
    pub fn parse(policy_type: PolicyType, text: &str) -> Result<Self, ContentError> {
        let head = policy_type.rule_head().unwrap_or(RuleHead::Filter);
        let members = members(text, &["expression"], "`expression`")?;
        match members.as_slice() {
            [] => Err(ContentError::Missing("expression")),
            [(_, Value::String(source))] => Ok(Self {
                rule: Arc::new(check(head, source)?),
            }),
            _ => Err(wrong("expression", "a string")),
        }
    }

    /// The stored form.
    pub fn to_json(&self) -> Value {
        json!({ "expression": self.rule.source() })
    }
}

/// The members of an object in their order, repeated ones included.
pub(super) struct Members(pub(super) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}
