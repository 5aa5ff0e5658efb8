// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a request was refused, for its record in the audit log. It costs only refusals, and where no role says anything
//! that was looked at (a stranger's request) it asks no database.

use lakeward_authorization::Requirement;
use lakeward_authorization::explain::{Explanation, explain};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::GroupClaim;
use serde_json::Value;

use super::words::{Holder, Words, names_of};
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

impl Operations {
    /// The explanation of a refusal, for those who may read everything. Roles are looked up as they are now; if they
    /// changed since the decision, the ones that are gone are not named.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn explain_refusal(
        &self,
        call: &Call,
        requires: &Requirement,
    ) -> Result<Value, OperationError> {
        let facts = &call.facts;
        let explanation = explain(requires, facts.target(), facts.grants());
        let separator = self.store().schema_separator();
        let found = facts
            .object
            .iter()
            .chain(&facts.instruments)
            .chain(&facts.destination)
            .chain(&facts.several);
        let names = found
            .flat_map(|found| names_of(&found.chain.rows, separator))
            .collect();
        let none = std::collections::BTreeSet::new();
        let groups = match &call.caller.subject.groups {
            GroupClaim::Known(groups) => groups,
            GroupClaim::Unknown | GroupClaim::Unreadable => &none,
        };
        let spoken_of = denied_by(&explanation);
        let words = match facts.metalake_id() {
            Ok(metalake) if !spoken_of.is_empty() => {
                let holder = Holder {
                    metalake,
                    user: call.user(),
                    groups,
                    active: &call.caller.active_roles,
                    shows_group: &|_| true,
                };
                let mut snapshot = self.store().snapshot().await?;
                Words::look_up(&mut snapshot, names, &holder, &spoken_of).await?
            }
            Ok(_) | Err(_) => Words::without_roles(names, &call.caller.active_roles, &|_| true),
        };
        let mut told = words.decision(&explanation);
        told.insert("requires".to_owned(), Value::String(requires.to_string()));
        Ok(Value::Object(told))
    }
}

/// The objects whose roles the record names: those on which something is denied that the decisive part looked for last. A
/// request that names much is weighed on much, and its refusal must not ask a database for all of it.
fn denied_by(explanation: &Explanation) -> Vec<ObjectId> {
    let decisive = explanation.decisive().and_then(|part| part.looks.last());
    let mut ids: Vec<ObjectId> = decisive
        .into_iter()
        .flat_map(|look| look.way.iter().chain(&look.holding))
        .flat_map(|looked_at| looked_at.denied.iter().copied())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
