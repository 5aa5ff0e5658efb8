// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The policies of a test file, as a server would keep them.

use std::path::{Path, PathBuf};

use lakeward_governance::policy::{PolicyType, StoredPolicy};
use lakeward_governance::resolve::PolicyOnTag;
use lakeward_governance::selector::Selector;
use serde_json::json;
use serde_saphyr::Spanned;

use super::file::{PolicyUse, StatedPolicy, TestFile};
use crate::policy::malformed::Malformed;
use crate::policy::tree::{OnTag, read_policy};

/// What stands for the table in `for`.
const TABLE: &str = "table";

/// A policy, and where it applies.
#[derive(Debug)]
pub(super) struct TestedPolicy {
    pub(super) stored: StoredPolicy,
    pub(super) on: Vec<PolicyOnTag>,
    /// A tag made for the policy, and the columns that have it; `None` for the table.
    pub(super) applies_to: Vec<(String, Option<String>)>,
}

/// Reads the policies; those of files are read from there.
pub(super) fn policies(path: &Path, file: &TestFile) -> Result<Vec<TestedPolicy>, Malformed> {
    let mut policies: Vec<TestedPolicy> = Vec::new();
    for (entry, id) in file.policies.iter().zip(1_i64..) {
        let wrong = |problem: String| Malformed::at(path, entry, problem);
        let stated = match &entry.value {
            PolicyUse::File(file) => StatedPolicy {
                policy: None,
                file: Some(file.clone()),
                policy_type: None,
                expression: None,
                on: Vec::new(),
                applies_to: super::file::Names::default(),
                enabled: true,
            },
            PolicyUse::Stated(stated) => StatedPolicy::clone(stated),
        };
        let policy = match &stated.file {
            Some(_) => of_file(path, entry, &stated)?,
            None => stated_here(&stated, id).map_err(wrong)?,
        };
        let policy = placed(policy, &stated, file, id).map_err(wrong)?;
        if policies
            .iter()
            .any(|known| known.stored.name == policy.stored.name)
        {
            return Err(wrong(format!(
                "the policy `{}` is there twice",
                policy.stored.name
            )));
        }
        policies.push(policy);
    }
    Ok(policies)
}

/// The path of a file that a test names: from the folder of the test.
pub(super) fn beside(test: &Path, named: &str) -> PathBuf {
    test.parent()
        .map_or_else(|| PathBuf::from(named), |folder| folder.join(named))
}

struct Found {
    name: String,
    policy_type: PolicyType,
    content: String,
    on: Vec<OnTag>,
}

fn of_file(path: &Path, entry: &Spanned<PolicyUse>, stated: &StatedPolicy) -> Result<Found, Malformed> {
    let named = stated.file.as_deref().unwrap_or_default();
    if stated.policy.is_some() || stated.expression.is_some() || stated.policy_type.is_some() {
        return Err(Malformed::at(
            path,
            entry,
            "a policy of a file has its name, type and expression there, so only `for`, `tags` and `enabled` may be given",
        ));
    }
    let at = beside(path, named);
    let file = read_policy(&at).map_err(|problem| {
        if at.exists() {
            problem
        } else {
            Malformed::at(path, entry, format!("there is no file `{}`", at.display()))
        }
    })?;
    Ok(Found {
        name: file.policy.value.clone(),
        policy_type: file.policy_type(&at)?,
        content: file.stated_content(&at)?.to_string(),
        on: if stated.on.is_empty() {
            file.on().cloned().collect()
        } else {
            stated.on.clone()
        },
    })
}

fn stated_here(stated: &StatedPolicy, id: i64) -> Result<Found, String> {
    let Some(expression) = &stated.expression else {
        return Err("a policy needs an `expression`, or a `file` that has it".to_owned());
    };
    let policy_type = match &stated.policy_type {
        Some(stated) => stated.parse().map_err(|error| format!("{error}"))?,
        None if expression.trim_start().starts_with("mask") => PolicyType::ColumnMask,
        None => PolicyType::RowFilter,
    };
    if !policy_type.is_restriction() {
        return Err(format!("a policy of type `{policy_type}` restricts nothing"));
    }
    Ok(Found {
        name: stated.policy.clone().unwrap_or_else(|| format!("unnamed-{id}")),
        policy_type,
        content: json!({ "expression": expression }).to_string(),
        on: stated.on.clone(),
    })
}

fn placed(found: Found, stated: &StatedPolicy, file: &TestFile, id: i64) -> Result<TestedPolicy, String> {
    let Found {
        name,
        policy_type,
        content,
        on,
    } = found;
    let mut on: Vec<PolicyOnTag> = on
        .into_iter()
        .map(|on| PolicyOnTag {
            tag: on.tag,
            policy: name.clone(),
            selector: Ok(on.value.map_or(Selector::AllValues, Selector::TagValue)),
        })
        .collect();
    if on.is_empty() && stated.applies_to.0.is_empty() {
        return Err(format!(
            "the policy `{name}` is on no tag; say `tags: [{{tag: NAME}}]`, or what it is `for`: `table` or columns"
        ));
    }
    let mut applies_to = Vec::new();
    let own_tag = format!("for {name}");
    for target in &stated.applies_to.0 {
        let column = if target == TABLE {
            None
        } else {
            Some(target.clone())
        };
        if column.is_some() && policy_type == PolicyType::RowFilter {
            return Err("a row filter is for the table, so write `for: table`".to_owned());
        }
        if let Some(column) = &column
            && !file.columns.contains_key(column)
        {
            return Err(format!("the table has no column `{column}`"));
        }
        applies_to.push((own_tag.clone(), column));
    }
    if !applies_to.is_empty() {
        on.push(PolicyOnTag {
            tag: own_tag,
            policy: name.clone(),
            selector: Ok(Selector::AllValues),
        });
    }
    Ok(TestedPolicy {
        stored: StoredPolicy {
            id,
            name,
            policy_type,
            enabled: stated.enabled,
            revision: 1,
            content: content.into(),
        },
        on,
        applies_to,
    })
}
