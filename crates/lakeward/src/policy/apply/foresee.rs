// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the policies of a plan would do once they take effect, as far as the server can say now.

use serde_json::{Value, json};

use crate::client::{NativeClient, Refused};
use crate::policy::impact::report::failures;
use crate::policy::plan::{Change, Plan};
use crate::policy::state::State;

/// The most drafts of one question.
const MOST_DRAFTS: usize = 100;

/// The impact of one policy of a plan.
pub(super) struct Foreseen {
    policy: String,
    /// The server's answer, or why there is none.
    impact: Result<Value, String>,
}

/// Asks for the impact of every policy that will take effect anew or with another content.
///
/// # Errors
/// When the server is not reached.
pub(super) async fn impacts(
    client: &NativeClient,
    metalake: &str,
    wanted: &State,
    plan: &Plan,
) -> anyhow::Result<Vec<Foreseen>> {
    let drafts: Vec<Value> = plan
        .steps
        .iter()
        .filter_map(|step| draft(wanted, plan, &step.change))
        .collect();
    let mut foreseen = Vec::new();
    for draft in &drafts {
        let policy = draft.get("name").and_then(Value::as_str).unwrap_or_default();
        // Together they show conflicts among themselves; a server takes only so many.
        let beside = if drafts.len() > MOST_DRAFTS {
            std::slice::from_ref(draft)
        } else {
            &drafts
        };
        let question = json!({"policy": policy, "drafts": beside});
        let path = ["metalakes", metalake, "read-restrictions", "impact"];
        let impact = match client.post(&path, question).await {
            Ok(mut answer) => Ok(answer.get_mut("impact").map(Value::take).unwrap_or_default()),
            Err(error) => match error.downcast_ref::<Refused>() {
                Some(refused) => Err(refused.to_string()),
                None => return Err(error),
            },
        };
        foreseen.push(Foreseen {
            policy: policy.to_owned(),
            impact,
        });
    }
    Ok(foreseen)
}

/// The policy of a change as a draft, on the tags that exist by now; each policy once.
fn draft(wanted: &State, plan: &Plan, change: &Change) -> Option<Value> {
    let name = if let Change::Enable { policy } = change {
        policy
    } else if let Change::AlterPolicy { policy, wanted, .. } = change
        && wanted.enabled
        && !plan.enables(policy)
    {
        policy
    } else {
        return None;
    };
    let policy = wanted.policies.get(name).filter(|policy| policy.restricts())?;
    let is_new = |tag: &str| {
        plan.steps
            .iter()
            .any(|step| matches!(&step.change, Change::CreateTag { tag: new, .. } if new == tag))
    };
    let tags: Vec<Value> = policy
        .on
        .iter()
        .filter(|(tag, _)| !is_new(tag))
        .map(|(tag, value)| match value {
            None => json!({"tag": tag, "selector": {"type": "ALL_VALUES"}}),
            Some(value) => json!({"tag": tag, "selector": {"type": "TAG_VALUE", "value": value}}),
        })
        .collect();
    Some(json!({
        "name": name, "policyType": policy.policy_type, "content": policy.content, "tags": tags,
    }))
}

impl Foreseen {
    /// What is worth knowing before; nothing when all is well.
    pub(super) fn text(&self) -> String {
        let lines = match &self.impact {
            Ok(impact) => failures(impact),
            Err(why) => vec![format!("its impact is not known: {why}")],
        };
        lines
            .into_iter()
            .map(|line| format!("! policy {}: {line}\n", self.policy))
            .collect()
    }

    pub(super) fn to_json(&self) -> Value {
        match &self.impact {
            Ok(impact) => json!({"policy": self.policy, "impact": impact}),
            Err(why) => json!({"policy": self.policy, "unknown": why}),
        }
    }
}
