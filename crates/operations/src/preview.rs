// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Drafts of policies inside a question. A draft is as good as a policy that its author stores: it takes what storing it
//! would take, so that trying drafts tells nobody more than writing policies would.

use std::collections::HashMap;

use lakeward_authorization::decide::{Decision, decide};
use lakeward_authorization::{Chain, Privilege, Requirement, Target};
use lakeward_governance::preview::Draft;
use lakeward_governance::resolve::GovernanceFacts;
use lakeward_governance::selector::Selector;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{ChainRow, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::tag::{allowed_values, invalid};

/// The stored policies that drafts stand in for, by name.
#[derive(Debug, Default)]
pub(crate) struct StandIns(HashMap<String, ObjectId>);

impl StandIns {
    /// A draft of this name stands in for this policy.
    pub(crate) fn of(draft: &str, policy: ObjectId) -> Self {
        Self(HashMap::from([(draft.to_owned(), policy)]))
    }

    /// The id of the stored policy of this name.
    pub(crate) fn stored(&self, draft: &str) -> Option<ObjectId> {
        self.0.get(draft).copied()
    }

    /// Refuses when a draft meets a policy of its name that it was not allowed to stand in for: it was made in between.
    ///
    /// # Errors
    /// [`OperationError::Conflict`].
    pub(crate) fn check(&self, drafts: &[Draft], facts: &GovernanceFacts) -> Result<(), OperationError> {
        for draft in drafts {
            let met = facts.policies.get(&draft.name).map(|policy| policy.id);
            if met.is_some() && met != self.stored(&draft.name).map(ObjectId::value) {
                return Err(OperationError::Conflict(format!(
                    "policy `{}` was changed by somebody else in between; try again",
                    draft.name
                )));
            }
        }
        Ok(())
    }
}

impl Operations {
    /// Refuses drafts that are not the caller's to make: `CREATE_POLICY`, or for one that stands in for a stored policy
    /// its ownership or `APPLY_POLICY`; the owner of the metalake has all of it. The tags of the drafts are instruments
    /// of the request and were authorized with it.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`]; [`OperationError::Invalid`] for another type than the stored policy has; what the
    /// store reports.
    pub(crate) async fn authorize_drafts(
        &self,
        call: &Call,
        drafts: &[Draft],
    ) -> Result<StandIns, OperationError> {
        let mut stand_ins = StandIns::default();
        if drafts.is_empty() {
            return Ok(stand_ins);
        }
        let grants = call.facts.grants();
        let create = Requirement::Holds(&[Privilege::CreatePolicy]);
        let may_create = matches!(decide(&create, call.facts.target(), grants), Decision::Allowed(_));
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.store().snapshot().await?;
        let mut types = Vec::new();
        for draft in drafts {
            let stored = snapshot.child(metalake, ObjectKind::Policy, &draft.name).await?;
            let may = match &stored {
                None => may_create,
                Some(row) => may_apply(call, &mut snapshot, row).await?,
            };
            if !may {
                // One message for policies that exist and those that do not.
                return Err(OperationError::Forbidden(format!(
                    "draft `{}`: a draft takes CREATE_POLICY on the metalake, and one with the name of a stored policy \
                     that policy's ownership or APPLY_POLICY",
                    draft.name
                )));
            }
            if let Some(row) = stored {
                stand_ins.0.insert(draft.name.clone(), row.object.id);
                types.extend(snapshot.policy(row.object.id).await?.map(|row| (draft, row)));
            }
        }
        for (draft, row) in types {
            if row.state.policy_type != draft.policy_type.as_str() {
                return Err(OperationError::invalid(format!(
                    "draft `{}`: the stored policy is of type `{}`; its content cannot become one of type `{}`",
                    draft.name, row.state.policy_type, draft.policy_type
                )));
            }
        }
        Ok(stand_ins)
    }

    /// Refuses selectors of drafts that could never match. The tags must exist.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for a tag; [`OperationError::Invalid`] for a value that its tag does not allow.
    pub(crate) fn check_selectors(&self, call: &Call, drafts: &[Draft]) -> Result<(), OperationError> {
        for (tag, selector) in drafts.iter().flat_map(|draft| &draft.tags) {
            let found = call
                .facts
                .instruments()
                .iter()
                .find(|found| found.object.kind == ObjectKind::Tag && found.object.path == [tag.as_str()])
                .ok_or_else(|| OperationError::internal("a tag of a draft was not authorized"))?;
            let row = &found.row()?.object;
            if let Selector::TagValue(value) = selector {
                allowed_values(row)?
                    .check(&row.name, Some(value))
                    .map_err(invalid)?;
            }
        }
        Ok(())
    }
}

/// Whether the caller owns a policy or may apply it.
async fn may_apply(call: &Call, snapshot: &mut Snapshot, row: &ChainRow) -> Result<bool, OperationError> {
    let rows = snapshot.ancestors(row.object.id).await?;
    let chain = Chain::found(ObjectKind::Policy, rows.iter().map(ChainRow::node).collect());
    let decision = decide(
        Requirement::load(ObjectKind::Policy),
        &Target::object(chain),
        call.facts.grants(),
    );
    Ok(matches!(decision, Decision::Allowed(_)))
}
