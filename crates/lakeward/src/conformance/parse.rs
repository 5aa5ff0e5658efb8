// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `parse.json`: what may be saved.

use lakeward_governance::policy::PolicyType;
use lakeward_governance::policy_content::{ContentError, PolicyContent};
use lakeward_policy_language::{RuleHead, check};
use serde_json::{Value, json};

use super::fixture::{Fixtures, error, text};

pub(super) fn run(_: &Fixtures, case: &Value) -> Result<Value, String> {
    let policy_type: PolicyType = text(case, "policy_type")?
        .parse()
        .map_err(|error: lakeward_governance::policy::UnknownPolicyType| error.to_string())?;
    if case.get("source").is_some() {
        let head = match policy_type {
            PolicyType::RowFilter => RuleHead::Filter,
            PolicyType::ColumnMask => RuleHead::Mask,
            PolicyType::Custom | PolicyType::IcebergCompaction => {
                return Err("the policy type has no expression".to_owned());
            }
        };
        return Ok(match check(head, text(case, "source")?) {
            Ok(_) => json!({"ok": true}),
            Err(refusal) => error(refusal.category.as_str()),
        });
    }
    let content = match case.get("content") {
        Some(content) => content.to_string(),
        None => text(case, "request")?.to_owned(),
    };
    Ok(match PolicyContent::parse(policy_type, &content) {
        Ok(_) => json!({"ok": true}),
        // Only half a surrogate pair is no JSON here, and an unpaired surrogate anywhere is a syntax error.
        Err(ContentError::NotJson(_)) => error("syntax"),
        Err(refusal) => error(refusal.category().as_str()),
    })
}
