// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables dropped while their files stay: data left behind without its restrictions. (A masked column cannot be dropped:
//! a mask is for everybody, and whoever sees a table in part may only append to it.)

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::id::ObjectId;
use lakeward_store::{AssignmentFact, Snapshot};

use super::{Force, closing_policies};
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

impl Operations {
    /// Asks before a table is dropped whose files stay: whoever registers them again has them without the tags.
    ///
    /// # Errors
    /// [`OperationError::WouldWiden`] without `force`; what the store reports.
    pub(crate) async fn check_drop_that_keeps_files(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        table: ObjectId,
        force: Force,
    ) -> Result<(), OperationError> {
        let facts = snapshot.governance_facts(table).await?;
        if facts.policies.is_empty() {
            return Ok(());
        }
        let name = snapshot.full_name(table).await?;
        let name = name.map(|object| object.to_string()).unwrap_or_default();
        let mut lost = Vec::new();
        for ((tag, _), values) in effective(&facts.assignments) {
            for closing in closing_policies(snapshot, tag).await? {
                if closing.closes(Some(&values)) {
                    lost.push(closing.lost_on(name.as_str()));
                }
            }
        }
        self.check_widening(call, &lost, force)
    }
}

/// A tag of the table, or of the column with this field id.
type Site = (ObjectId, Option<i32>);

/// The effective values of each tag: of the table, and of each of its columns that has the tag itself.
fn effective(assignments: &[AssignmentFact]) -> BTreeMap<Site, BTreeSet<&str>> {
    let mut nearest: BTreeMap<Site, u32> = BTreeMap::new();
    for assignment in assignments {
        let distance = nearest.entry(site(assignment)).or_insert(assignment.distance);
        *distance = assignment.distance.min(*distance);
    }
    let mut effective: BTreeMap<Site, BTreeSet<&str>> = BTreeMap::new();
    for assignment in assignments {
        let site = site(assignment);
        if nearest.get(&site) == Some(&assignment.distance) {
            effective
                .entry(site)
                .or_default()
                .extend(assignment.value.as_deref());
        }
    }
    effective
}

fn site(assignment: &AssignmentFact) -> Site {
    (assignment.tag_id, assignment.field_id)
}
