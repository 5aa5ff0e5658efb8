// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A restriction that would make loads fail, or that no reader could enforce, asks before it takes effect.
//!
//! The question is asked before the change is begun, on a state that may be a moment old: it is advice to people, and
//! whatever it misses fails closed when the table is loaded.

use lakeward_governance::impact::{Focus, TableImpact};
use lakeward_governance::policy_content::{ExpressionContent, PolicyContent};
use lakeward_governance::preview::{Draft, Preview};
use lakeward_governance::resolve::PolicyOnTag;
use lakeward_governance::selector::Selector;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{ChainRow, PolicyRow, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::explain::VisibleNames;
use crate::governed_facts::stored_policy;
use crate::impact::inspect::{Inspected, InspectedTable, Inspection};
use crate::impact::{assigning, tagged, told};
use crate::preview::StandIns;
use crate::widening::{Force, is_closing};

/// How many tables a question names.
const NAMED: usize = 3;

/// What is about to take effect.
pub(crate) struct Change {
    focus: Focus,
    preview: Preview,
    roots: Vec<ObjectId>,
    stand_ins: StandIns,
}

impl Change {
    /// A stored policy takes effect.
    pub(crate) async fn enable(snapshot: &mut Snapshot, row: &PolicyRow) -> Result<Self, OperationError> {
        let name = row.object.object.name.clone();
        Ok(Self {
            preview: Preview {
                enabled: [name.clone()].into(),
                ..Preview::default()
            },
            focus: Focus::Policy(name),
            roots: roots_of_policy(snapshot, row.object.object.id).await?,
            stand_ins: StandIns::default(),
        })
    }

    /// A policy that is enabled gets another content; `None` when it restricts nothing.
    pub(crate) async fn alter(
        snapshot: &mut Snapshot,
        row: &PolicyRow,
        content: &PolicyContent,
    ) -> Result<Option<Self>, OperationError> {
        let (PolicyContent::RowFilter(ExpressionContent { rule })
        | PolicyContent::ColumnMask(ExpressionContent { rule })) = content
        else {
            return Ok(None);
        };
        let (id, name) = (row.object.object.id, row.object.object.name.clone());
        Ok(Some(Self {
            preview: Preview {
                drafts: vec![Draft {
                    name: name.clone(),
                    policy_type: content.policy_type(),
                    rule: rule.clone(),
                    tags: Vec::new(),
                }],
                ..Preview::default()
            },
            roots: roots_of_policy(snapshot, id).await?,
            stand_ins: StandIns::of(&name, id),
            focus: Focus::Policy(name),
        }))
    }

    /// A policy is put on a tag, or gets another selector there.
    pub(crate) async fn associate(
        snapshot: &mut Snapshot,
        row: &PolicyRow,
        tag: &ChainRow,
        selector: &Selector,
    ) -> Result<Self, OperationError> {
        let name = row.object.object.name.clone();
        Ok(Self {
            preview: Preview {
                policies: stored_policy(row.object.object.id, &name, &row.state)
                    .into_iter()
                    .collect(),
                associations: vec![PolicyOnTag {
                    tag: tag.object.name.clone(),
                    policy: name.clone(),
                    selector: Ok(selector.clone()),
                }],
                ..Preview::default()
            },
            focus: Focus::Policy(name),
            roots: tagged(snapshot, tag.object.id).await?,
            stand_ins: StandIns::default(),
        })
    }

    /// A tag is put on an object with these values; `object` is its name as facts have it, `row` it or its table.
    pub(crate) async fn assign(
        snapshot: &mut Snapshot,
        tag: &ChainRow,
        (object, row): (MetadataObject, ObjectId),
        values: Vec<String>,
    ) -> Result<Self, OperationError> {
        let mut preview = Preview::default();
        assigning(snapshot, tag, object.clone(), values, &mut preview).await?;
        Ok(Self {
            preview,
            focus: Focus::Tag {
                tag: tag.object.name.clone(),
                assigned_on: Some(object),
            },
            roots: vec![row],
            stand_ins: StandIns::default(),
        })
    }
}

async fn roots_of_policy(snapshot: &mut Snapshot, policy: ObjectId) -> Result<Vec<ObjectId>, OperationError> {
    let mut roots = Vec::new();
    for on_tag in snapshot.tags_of_policy(policy).await? {
        roots.extend(tagged(snapshot, on_tag.tag_id).await?);
    }
    Ok(roots)
}

impl Operations {
    /// Asks before a change after which loads would fail.
    ///
    /// # Errors
    /// [`OperationError::WouldFail`] without `force`; what the store reports.
    pub(crate) async fn check_loads(
        &self,
        call: &Call,
        change: Change,
        force: Force,
    ) -> Result<(), OperationError> {
        let question = self.about_loads(call, change).await?;
        Self::ask(call, &question, force)
    }

    /// Asks before a restriction policy takes effect: whether loads would fail, when that is known, and whether anybody
    /// could enforce it.
    ///
    /// # Errors
    /// As [`Self::check_loads`].
    pub(crate) async fn check_enabling(
        &self,
        call: &Call,
        change: Option<Change>,
        force: Force,
    ) -> Result<(), OperationError> {
        let mut question = Vec::new();
        if let Some(change) = change {
            question = self.about_loads(call, change).await?;
        }
        let mut snapshot = self.store().snapshot().await?;
        if !snapshot.readers().await?.iter().any(|reader| reader.is_enabled) {
            question.push("no reader is enrolled, so nobody could load what is restricted".to_owned());
        }
        drop(snapshot);
        Self::ask(call, &question, force)
    }

    /// What there is to say of the loads that a change would make fail.
    async fn about_loads(&self, call: &Call, change: Change) -> Result<Vec<String>, OperationError> {
        let inspection = Inspection {
            focus: change.focus,
            preview: change.preview,
            roots: change.roots,
            stand_ins: change.stand_ins,
            // Whoever makes the change gets to see what comes of it when the tables are loaded.
            is_hidden: &|_| false,
            examines_hidden: true,
        };
        // Nothing decides a change again as it does what only reads.
        let snapshot = self.read_newest(&call.facts).await?;
        let inspected = self.inspect(call, snapshot, &inspection).await?;
        let is_quiet = |table: &InspectedTable| {
            let impact = table.impact.as_ref();
            impact.is_some_and(|impact| impact.failures.is_empty())
        };
        if !inspected.is_truncated && inspected.tables.iter().all(is_quiet) {
            return Ok(Vec::new());
        }
        let mut snapshot = self.read_newest(&call.facts).await?;
        let visible = self.visible_names(call, &mut snapshot, []).await?;
        Ok(say(inspected, &visible))
    }

    fn ask(call: &Call, question: &[String], force: Force) -> Result<(), OperationError> {
        if question.is_empty() {
            return Ok(());
        }
        if force == Force::Ask {
            return Err(OperationError::WouldFail(format!(
                "{}; repeat with `force=true` if that is meant",
                question.join("; ")
            )));
        }
        call.notes.disregard(question);
        Ok(())
    }

    /// The policy of a request as it is now, when it is a restriction.
    pub(crate) async fn restriction(
        &self,
        snapshot: &mut Snapshot,
        policy: ObjectId,
    ) -> Result<Option<PolicyRow>, OperationError> {
        Ok(snapshot.policy(policy).await?.filter(is_restriction))
    }
}

/// Whether a policy would restrict readers if it were enabled.
fn is_restriction(row: &PolicyRow) -> bool {
    let mut enabled = row.clone();
    enabled.state.is_enabled = true;
    is_closing(&enabled)
}

/// What is found, in words: names of visible tables, numbers of others.
fn say(inspected: Inspected, visible: &VisibleNames) -> Vec<String> {
    let mut said = Vec::new();
    let (mut failing, mut hidden, mut unchecked) = (Vec::new(), 0, 0);
    for table in inspected.tables {
        let is_visible = table.is_visible;
        match table.impact {
            None => unchecked += 1,
            Some(impact) if impact.failures.is_empty() => {}
            Some(_) if !is_visible => hidden += 1,
            Some(impact) => failing.push(one_table(&table.object, impact, visible)),
        }
    }
    if !failing.is_empty() || hidden > 0 {
        let more = failing.len().saturating_sub(NAMED);
        failing.truncate(NAMED);
        if more > 0 {
            failing.push(format!("{more} more"));
        }
        if hidden > 0 {
            failing.push(format!("{hidden} that you may not see"));
        }
        said.push(format!("loads would fail of {}", failing.join(", ")));
    }
    if unchecked > 0 {
        said.push(format!(
            "{unchecked} table{} could not be examined",
            if unchecked == 1 { "" } else { "s" }
        ));
    }
    if inspected.is_truncated {
        said.push("not all tables were checked, because there are too many".to_owned());
    }
    said
}

fn one_table(object: &MetadataObject, impact: TableImpact, visible: &VisibleNames) -> String {
    let name = object.full_name();
    let Some(failure) = impact.failures.into_iter().next() else {
        return format!("`{name}`");
    };
    let failure = told(failure, visible);
    let for_whom = if failure.is_certain {
        ""
    } else {
        " for some subjects"
    };
    let code = failure.code;
    let detail = failure.detail;
    if detail.is_empty() {
        format!("`{name}`{for_whom} ({code})")
    } else {
        format!("`{name}`{for_whom} ({code}: {detail})")
    }
}
