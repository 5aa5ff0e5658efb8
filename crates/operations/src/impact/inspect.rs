// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which tables a policy or a tag reaches, and what it does to each.
//!
//! The store is read in one short snapshot. Then the schemas are read from object storage, several at a time and without
//! a transaction. Both are bounded: a policy on the tag of a catalog reaches every table in it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt};
use lakeward_authorization::{Chain, Requirement, Target, authorize};
use lakeward_governance::impact::{Focus, ImpactInput, TableImpact, may_reach, table_impact};
use lakeward_governance::preview::Preview;
use lakeward_governance::resolve::GovernanceFacts;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{ChainRow, Page, Snapshot};
use tokio::time::{Instant, timeout_at};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::governed_facts::{governed_facts, levels};
use crate::preview::StandIns;
use crate::reading::Reading;
use crate::restrictions::CachedRules;

/// The most tables that one question examines.
const MOST_TABLES: usize = 1_000;
/// How many schemas are read at a time.
const AT_A_TIME: usize = 8;
/// How long schemas are read for one question.
const PATIENCE: Duration = Duration::from_secs(15);

/// A question about what would be.
pub(crate) struct Inspection<'a> {
    /// Whose effect is asked for.
    pub(crate) focus: Focus,
    /// What would be different.
    pub(crate) preview: Preview,
    /// Where to look: objects, and everything below them.
    pub(crate) roots: Vec<ObjectId>,
    /// The stored policies that drafts stand in for.
    pub(crate) stand_ins: StandIns,
    /// Policies whose rules must not be told, not even by comparing.
    pub(crate) is_hidden: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether tables that the caller may not see are examined too.
    pub(crate) examines_hidden: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Inspected {
    /// The tables that were examined, by full name.
    pub(crate) tables: Vec<InspectedTable>,
    /// How many more are reached, of which nothing else is known.
    pub(crate) hidden: usize,
    /// Whether there are more tables than one question examines.
    pub(crate) is_truncated: bool,
}

/// A table that is reached.
#[derive(Debug)]
pub(crate) struct InspectedTable {
    pub(crate) object: MetadataObject,
    pub(crate) rows: Vec<ChainRow>,
    pub(crate) is_visible: bool,
    /// `None` when its schema could not be read.
    pub(crate) impact: Option<TableImpact>,
}

/// A table that may be reached, with the facts as they would be.
struct Candidate {
    rows: Vec<ChainRow>,
    facts: GovernanceFacts,
    is_visible: bool,
}

impl Operations {
    /// Examines every table that is reached, up to a limit. Which these are is read from `snapshot`.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when a policy of a draft's name was made in between; what the store reports. A table
    /// whose schema cannot be read is among the answers.
    pub(crate) async fn inspect(
        &self,
        call: &Call,
        mut snapshot: Reading<'_>,
        inspection: &Inspection<'_>,
    ) -> Result<Inspected, OperationError> {
        let metalake_name = &call.facts.found()?.metalake;
        let Some((metalake, revision)) = snapshot.current(metalake_name).await? else {
            return Err(OperationError::not_found(ObjectKind::Metalake, metalake_name));
        };
        let groups = self
            .group_names(&mut snapshot, metalake, revision.identities)
            .await?;
        let (tables, is_truncated) = tables_below(&mut snapshot, &inspection.roots).await?;
        let mut inspected = Inspected {
            is_truncated,
            ..Inspected::default()
        };
        let mut candidates = Vec::new();
        for table in tables {
            let Some(candidate) = self.candidate(call, &mut snapshot, table, inspection).await? else {
                continue;
            };
            if candidate.is_visible || inspection.examines_hidden {
                candidates.push(candidate);
            } else {
                inspected.hidden += 1;
            }
        }
        drop(snapshot);
        let deadline = Instant::now() + PATIENCE;
        let mut examined = stream::iter(candidates)
            .map(|candidate| self.examine(metalake_name, candidate, inspection, &groups, deadline))
            .buffered(AT_A_TIME);
        while let Some(table) = examined.next().await {
            inspected.tables.extend(table);
        }
        drop(examined);
        inspected
            .tables
            .sort_by(|one, other| one.object.cmp(&other.object));
        Ok(inspected)
    }

    async fn candidate(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        table: ObjectId,
        inspection: &Inspection<'_>,
    ) -> Result<Option<Candidate>, OperationError> {
        let rows = snapshot.ancestors(table).await?;
        let stored = snapshot.governance_facts(table).await?;
        let facts = governed_facts(&rows, &stored, self.store().schema_separator())?;
        inspection.stand_ins.check(&inspection.preview.drafts, &facts)?;
        let facts = inspection.preview.apply(&facts);
        if !may_reach(&facts, &inspection.focus) {
            return Ok(None);
        }
        let chain = Chain::found(ObjectKind::Table, rows.iter().map(ChainRow::node).collect());
        let is_visible = authorize(
            Requirement::load(ObjectKind::Table),
            (),
            &Target::object(chain),
            call.facts.grants(),
        )
        .is_ok();
        Ok(Some(Candidate {
            rows,
            facts,
            is_visible,
        }))
    }

    /// What happens to one table; `None` when only a column that it does not have any more is reached.
    async fn examine(
        &self,
        metalake: &str,
        candidate: Candidate,
        inspection: &Inspection<'_>,
        groups: &Arc<BTreeSet<String>>,
        deadline: Instant,
    ) -> Option<InspectedTable> {
        let Candidate {
            rows,
            facts,
            is_visible,
        } = candidate;
        let fields = timeout_at(deadline, self.fields_of_table(metalake, &rows)).await;
        // A schema that is cached is there at once, but rules that tell many subjects apart take their time as well.
        let is_over = Instant::now() >= deadline;
        let impact = match fields {
            Ok(Ok(fields)) if !is_over => {
                let input = ImpactInput {
                    facts: &facts,
                    fields: &fields,
                    groups,
                    is_hidden: &|policy| (inspection.is_hidden)(policy),
                };
                let rules = CachedRules(self);
                let impact = table_impact(input, &inspection.focus, &inspection.preview.rules(&rules));
                if !impact.is_reached() {
                    return None;
                }
                Some(impact)
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, detail = error.detail(), "a table could not be examined");
                None
            }
            Ok(Ok(_)) | Err(_) => None,
        };
        Some(InspectedTable {
            object: levels(&rows, self.store().schema_separator()).pop()?,
            rows,
            is_visible,
            impact,
        })
    }
}

/// The tables on or below objects, each once, and whether there are more.
async fn tables_below(
    snapshot: &mut Snapshot,
    roots: &[ObjectId],
) -> Result<(BTreeSet<ObjectId>, bool), OperationError> {
    let mut tables = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open: VecDeque<(ObjectId, ObjectKind)> = VecDeque::new();
    for root in roots {
        if let Some(row) = snapshot.object(*root).await? {
            let object = row.object;
            // A column is reached through its table.
            if object.kind == ObjectKind::Column {
                open.push_back((object.parent_id, ObjectKind::Table));
            } else {
                open.push_back((object.id, object.kind));
            }
        }
    }
    while let Some((id, kind)) = open.pop_front() {
        if !seen.insert(id) {
            continue;
        }
        let below: &[ObjectKind] = match kind {
            ObjectKind::Table => {
                if tables.len() == MOST_TABLES {
                    return Ok((tables, true));
                }
                tables.insert(id);
                continue;
            }
            ObjectKind::Metalake => &[ObjectKind::Catalog],
            ObjectKind::Catalog => &[ObjectKind::Schema],
            ObjectKind::Schema => &[ObjectKind::Table, ObjectKind::Schema],
            ObjectKind::View
            | ObjectKind::Topic
            | ObjectKind::Fileset
            | ObjectKind::Model
            | ObjectKind::Function
            | ObjectKind::Column
            | ObjectKind::Role
            | ObjectKind::Tag
            | ObjectKind::Policy
            | ObjectKind::JobTemplate
            | ObjectKind::Job => &[],
        };
        for kind in below {
            let children = snapshot.children(id, *kind, &Page::ALL).await?;
            open.extend(children.into_iter().map(|child| (child.id, *kind)));
        }
    }
    Ok((tables, false))
}
