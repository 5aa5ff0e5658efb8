// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One change: in words, as a call, and its place in the order.

use std::collections::BTreeSet;

use lakeward_metadata::object::MetadataObject;
use reqwest::Method;
use serde_json::{Value, json};

use crate::policy::state::{Policy, Tag};

/// One change of a server. Each is one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// Makes a tag.
    CreateTag { tag: String, definition: Tag },
    /// Changes comment and properties of a tag.
    AlterTag { tag: String, updates: Vec<Value> },
    /// Makes a policy, disabled.
    CreatePolicy { policy: String, definition: Policy },
    /// Changes comment and content of a policy.
    AlterPolicy {
        policy: String,
        before: Box<Policy>,
        wanted: Box<Policy>,
        updates: Vec<Value>,
    },
    /// Puts a policy on a tag, or gives it another selector there.
    Put {
        policy: String,
        tag: String,
        /// The value that selects; `None` for all.
        value: Option<String>,
        /// The selector until now; `None` when the policy was not on the tag.
        before: Option<Option<String>>,
    },
    /// Assigns a tag to an object, or gives the assignment other values.
    Assign {
        object: MetadataObject,
        tag: String,
        before: Option<BTreeSet<String>>,
        values: BTreeSet<String>,
    },
    /// Lets a policy take effect.
    Enable { policy: String },
    /// Lets a policy take no effect.
    Disable { policy: String },
    /// Takes a policy from a tag.
    TakeOff { policy: String, tag: String },
    /// Takes a tag from an object.
    Unassign {
        object: MetadataObject,
        tag: String,
        values: BTreeSet<String>,
    },
    /// Drops a policy.
    DropPolicy { policy: String },
    /// Drops a tag.
    DropTag { tag: String },
}

/// A change in a plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) change: Change,
    /// What it takes an enabled restriction from, in words.
    pub(crate) widens: Option<String>,
    /// Whether it takes something away from what there is before the plan, and so comes after what is new.
    pub(crate) is_late: bool,
    /// Whether it alters a policy that takes effect.
    pub(crate) is_enabled: bool,
}

/// One call of the native API below the metalake.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// Segments after the metalake's name.
    pub(crate) path: Vec<String>,
    pub(crate) body: Option<Value>,
    pub(crate) tags_have_values: bool,
}

impl Step {
    /// The place in the order; within one place steps stay as they were planned.
    pub(crate) fn rank(&self) -> u8 {
        match (&self.change, self.is_late) {
            (Change::CreateTag { .. } | Change::AlterTag { .. }, _) => 0,
            (Change::CreatePolicy { .. }, _) => 1,
            (Change::AlterPolicy { .. }, _) if !self.is_enabled => 2,
            (Change::Put { .. }, false) => 3,
            // Without an assignment of its own an object may get another policy from above.
            (Change::Assign { .. } | Change::Unassign { .. }, false) => 4,
            (Change::Enable { .. }, _) => 5,
            // A policy that is about to be disabled is altered afterwards.
            (Change::AlterPolicy { wanted, .. }, _) => {
                if wanted.enabled {
                    6
                } else {
                    10
                }
            }
            (Change::Put { .. }, true) => 7,
            (Change::Assign { .. }, true) => 8,
            (Change::Disable { .. }, _) => 9,
            (Change::TakeOff { .. }, _) | (Change::Unassign { .. }, true) => 11,
            (Change::DropPolicy { .. }, _) => 12,
            (Change::DropTag { .. }, _) => 13,
        }
    }

    /// Whether `--force` goes with the call: where restrictions are taken away, and where one that takes effect may
    /// make loads fail, if only until a later step.
    pub(crate) fn takes_force(&self) -> bool {
        let may_fail = matches!(
            self.change,
            Change::Enable { .. } | Change::Put { .. } | Change::Assign { .. }
        );
        self.widens.is_some() || self.is_enabled || may_fail
    }

    /// The step for programs.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "step": self.change.to_string(), "kind": self.change.kind(), "widens": self.widens })
    }
}

impl Change {
    /// A stable name of the kind of change.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::CreateTag { .. } => "create-tag",
            Self::AlterTag { .. } => "alter-tag",
            Self::CreatePolicy { .. } => "create-policy",
            Self::AlterPolicy { .. } => "alter-policy",
            Self::Put { .. } => "put-policy-on-tag",
            Self::Assign { .. } => "assign-tag",
            Self::Enable { .. } => "enable-policy",
            Self::Disable { .. } => "disable-policy",
            Self::TakeOff { .. } => "take-policy-from-tag",
            Self::Unassign { .. } => "unassign-tag",
            Self::DropPolicy { .. } => "drop-policy",
            Self::DropTag { .. } => "drop-tag",
        }
    }

    /// `+` for what comes, `~` for what changes, `-` for what goes.
    pub(crate) fn mark(&self) -> char {
        match self {
            Self::CreateTag { .. }
            | Self::CreatePolicy { .. }
            | Self::Put { before: None, .. }
            | Self::Assign { before: None, .. } => '+',
            Self::AlterTag { .. }
            | Self::AlterPolicy { .. }
            | Self::Put { .. }
            | Self::Assign { .. }
            | Self::Enable { .. } => '~',
            Self::Disable { .. }
            | Self::TakeOff { .. }
            | Self::Unassign { .. }
            | Self::DropPolicy { .. }
            | Self::DropTag { .. } => '-',
        }
    }

    /// What stays when the change is not made.
    pub(crate) fn kept(&self) -> String {
        match self {
            Self::TakeOff { policy, tag } => format!("policy {policy} on tag {tag}"),
            Self::Unassign { object, tag, values } => format!("{} on {}", tagged(tag, values), place(object)),
            Self::DropPolicy { policy } => format!("policy {policy}"),
            Self::DropTag { tag } => format!("tag {tag}"),
            Self::CreateTag { .. }
            | Self::AlterTag { .. }
            | Self::CreatePolicy { .. }
            | Self::AlterPolicy { .. }
            | Self::Put { .. }
            | Self::Assign { .. }
            | Self::Enable { .. }
            | Self::Disable { .. } => self.to_string(),
        }
    }

    /// The call that makes the change.
    pub(crate) fn call(&self) -> Call {
        let simple = |method, path: &[&str], body| Call {
            method,
            path: path.iter().map(|segment| (*segment).to_owned()).collect(),
            body,
            tags_have_values: false,
        };
        match self {
            Self::CreateTag { tag, definition } => {
                let mut body = json!({
                    "name": tag, "comment": definition.comment, "properties": definition.properties,
                });
                if let (Some(values), Some(members)) = (&definition.allowed_values, body.as_object_mut()) {
                    members.insert("allowedValues".to_owned(), json!(values));
                }
                simple(Method::POST, &["tags"], Some(body))
            }
            Self::AlterTag { tag, updates } => {
                simple(Method::PUT, &["tags", tag], Some(json!({ "updates": updates })))
            }
            Self::CreatePolicy { policy, definition } => simple(
                Method::POST,
                &["policies"],
                Some(json!({
                    "name": policy, "comment": definition.comment, "policyType": definition.policy_type,
                    "enabled": false, "content": definition.content,
                })),
            ),
            Self::AlterPolicy { policy, updates, .. } => simple(
                Method::PUT,
                &["policies", policy],
                Some(json!({ "updates": updates })),
            ),
            Self::Put {
                policy, tag, value, ..
            } => {
                let selector = match value {
                    None => json!({"type": "ALL_VALUES"}),
                    Some(value) => json!({"type": "TAG_VALUE", "value": value}),
                };
                simple(
                    Method::PUT,
                    &["tags", tag, "policies", policy],
                    Some(json!({ "selector": selector })),
                )
            }
            Self::Enable { policy } => simple(
                Method::PATCH,
                &["policies", policy],
                Some(json!({"enable": true})),
            ),
            Self::Disable { policy } => simple(
                Method::PATCH,
                &["policies", policy],
                Some(json!({"enable": false})),
            ),
            Self::TakeOff { policy, tag } => simple(Method::DELETE, &["tags", tag, "policies", policy], None),
            Self::Assign {
                object,
                tag,
                before,
                values,
            } => {
                let nothing = Vec::new();
                let before = before.as_ref().map(pairs);
                let (before, after) = (before.as_ref().unwrap_or(&nothing), pairs(values));
                tag_change(object, tag, missing(&after, before), missing(before, &after))
            }
            Self::Unassign { object, tag, values } => tag_change(object, tag, Vec::new(), pairs(values)),
            Self::DropPolicy { policy } => simple(Method::DELETE, &["policies", policy], None),
            Self::DropTag { tag } => simple(Method::DELETE, &["tags", tag], None),
        }
    }
}

/// The rows of an assignment: one per value, or one without.
fn pairs(values: &BTreeSet<String>) -> Vec<Option<String>> {
    if values.is_empty() {
        return vec![None];
    }
    values.iter().cloned().map(Some).collect()
}

fn missing(all: &[Option<String>], known: &[Option<String>]) -> Vec<Option<String>> {
    all.iter()
        .filter(|value| !known.contains(value))
        .cloned()
        .collect()
}

fn tag_change(
    object: &MetadataObject,
    tag: &str,
    add: Vec<Option<String>>,
    remove: Vec<Option<String>>,
) -> Call {
    let written = |values: Vec<Option<String>>| -> Vec<Value> {
        values
            .into_iter()
            .map(|value| match value {
                None => json!({"name": tag}),
                Some(value) => json!({"name": tag, "value": value}),
            })
            .collect()
    };
    Call {
        method: Method::POST,
        path: vec![
            "objects".to_owned(),
            object.kind.lower_case(),
            object.full_name(),
            "tags".to_owned(),
        ],
        body: Some(json!({"tagsToAdd": written(add), "tagsToRemove": written(remove)})),
        tags_have_values: true,
    }
}

/// An object in words.
pub(super) fn place(object: &MetadataObject) -> String {
    format!(
        "{} {}",
        object.kind.lower_case().replace('_', " "),
        object.full_name()
    )
}

fn tagged(tag: &str, values: &BTreeSet<String>) -> String {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    match values.as_slice() {
        [] => tag.to_owned(),
        [value] => format!("{tag}={value}"),
        values => format!("{tag}=[{}]", values.join(", ")),
    }
}

fn selected(value: Option<&str>) -> String {
    match value {
        None => "for every value".to_owned(),
        Some(value) => format!("where the value is {value}"),
    }
}

fn updated(updates: &[Value]) -> String {
    let words: Vec<String> = updates
        .iter()
        .map(|update| {
            let member = |name: &str| update.get(name).and_then(Value::as_str).unwrap_or_default();
            match member("@type") {
                "updateContent" => "content".to_owned(),
                "updateComment" => "comment".to_owned(),
                _ => format!("property {}", member("property")),
            }
        })
        .collect();
    words.join(", ")
}

impl std::fmt::Display for Change {
    /// One line, or with the lines of a changed expression below it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CreateTag { tag, .. } => write!(f, "create tag {tag}"),
            Self::AlterTag { tag, updates } => write!(f, "alter tag {tag}: {}", updated(updates)),
            Self::CreatePolicy { policy, definition } => {
                write!(f, "create policy {policy} ({}), disabled", definition.policy_type)
            }
            Self::AlterPolicy { policy, updates, .. } => {
                write!(f, "alter policy {policy}: {}", updated(updates))
            }
            Self::Put {
                policy,
                tag,
                value,
                before: None,
            } => {
                write!(
                    f,
                    "put policy {policy} on tag {tag} {}",
                    selected(value.as_deref())
                )
            }
            Self::Put {
                policy,
                tag,
                value,
                before: Some(before),
            } => write!(
                f,
                "change policy {policy} on tag {tag}: {}, until now {}",
                selected(value.as_deref()),
                selected(before.as_deref())
            ),
            Self::Assign {
                object,
                tag,
                before: None,
                values,
            } => {
                write!(f, "assign {} to {}", tagged(tag, values), place(object))
            }
            Self::Assign {
                object,
                tag,
                before: Some(before),
                values,
            } => write!(
                f,
                "change {} to {} on {}",
                tagged(tag, before),
                tagged(tag, values),
                place(object)
            ),
            Self::Enable { policy } => write!(f, "enable policy {policy}"),
            Self::Disable { policy } => write!(f, "disable policy {policy}"),
            Self::TakeOff { policy, tag } => write!(f, "take policy {policy} from tag {tag}"),
            Self::Unassign { object, tag, values } => {
                write!(f, "take {} from {}", tagged(tag, values), place(object))
            }
            Self::DropPolicy { policy } => write!(f, "drop policy {policy}"),
            Self::DropTag { tag } => write!(f, "drop tag {tag}"),
        }
    }
}

impl Change {
    /// The lines of a changed expression, the old ones with `-` and the new ones with `+`.
    pub(crate) fn difference(&self) -> Vec<String> {
        let (before, after) = match self {
            Self::AlterPolicy { before, wanted, .. } if before.content != wanted.content => {
                (before.expression(), wanted.expression())
            }
            Self::CreatePolicy { definition, .. } => (None, definition.expression()),
            Self::CreateTag { .. }
            | Self::AlterTag { .. }
            | Self::AlterPolicy { .. }
            | Self::Put { .. }
            | Self::Assign { .. }
            | Self::Enable { .. }
            | Self::Disable { .. }
            | Self::TakeOff { .. }
            | Self::Unassign { .. }
            | Self::DropPolicy { .. }
            | Self::DropTag { .. } => (None, None),
        };
        let lines = |text: Option<&str>, mark: char| -> Vec<String> {
            text.into_iter()
                .flat_map(str::lines)
                .map(|line| format!("{mark} {line}"))
                .collect()
        };
        [lines(before, '-'), lines(after, '+')].concat()
    }
}
