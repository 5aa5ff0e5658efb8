// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a user may do, object by object.

use std::collections::HashMap;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::decide;
use lakeward_authorization::effective::{Effective, effective};
use lakeward_authorization::seen::is_seen;
use lakeward_authorization::{Authorized, Chain, Grants, Privilege, Requirement, Target};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{ChainRow, Snapshot};
use serde_json::Value;

use super::explain::{acting, subject_json};
use super::words::{Holder, Words, names_of};
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::explain::counters;
use crate::paths::PrincipalPath;

/// Which part of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessPage {
    /// Only objects with a greater id; 0 for the first page.
    pub after: i64,
    /// At most so many objects, and at least one.
    pub limit: u32,
}

/// A page of what a user may do.
#[derive(Debug)]
pub struct AccessList {
    /// The user with its groups, as explanations tell it.
    pub subject: Value,
    /// The objects of which something is said, in the order of their ids.
    pub items: Vec<AccessItem>,
    /// Where the next page begins, if there is one.
    pub next: Option<i64>,
    /// The counters of the state that it is of, for those who may see the grants of the metalake.
    pub revision: Value,
}

/// An object of which roles of the user say something, or which the user owns. Everything below that is not listed
/// itself follows from what is above it.
#[derive(Debug)]
pub struct AccessItem {
    /// The object.
    pub object: MetadataObject,
    /// Who of the user and its groups owns it, as explanations tell it; `None` when none of them does.
    pub owner: Option<Value>,
    /// Whether the user owns something above it.
    pub is_owned_above: bool,
    /// What roles say of it, each with how the role is held.
    pub says: Vec<Value>,
    /// The privileges that are effective here.
    pub held: Vec<Privilege>,
    /// The privileges that are denied here.
    pub denied: Vec<Privilege>,
    /// What is missing of the way here, without which nothing of it can be used.
    pub missing: Vec<Privilege>,
}

/// How many objects are looked at for one page: where the caller may see few of them, a page may be short.
const MOST_LOOKED_AT: usize = 5_000;

/// How many of them are looked at together after the first.
const LOOKED_AT_TOGETHER: u32 = 1_000;

impl Operations {
    /// A page of what a user may do. The user and others alike are told of objects that they may load; others only of
    /// those of them on which they may grant and revoke.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the metalake; [`OperationError::Disabled`]; what the store reports.
    pub async fn list_access(
        &self,
        call: &Call,
        path: Authorized<PrincipalPath>,
        page: AccessPage,
    ) -> Result<AccessList, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let (explained, is_own) = self.subject_of(call, Some(&path.principal.name), None).await?;
        let subject = acting(call, &explained, is_own);
        let active = if is_own {
            &call.caller.active_roles
        } else {
            &ActiveRoles::All
        };
        let shown = self.shown_principals(call).await?;
        let shows_group = |group: &str| explained.shows_group(call, &shown, group);

        let mut snapshot = self.read(&call.facts).await?;
        let revision = snapshot.revision(metalake).await?;
        let holdings = self.holdings(&mut snapshot, metalake, &subject).await?;
        let standing = self.standing(&subject.user);
        let grants = Grants::new(self.settings().mode, &holdings, active, standing)
            .map_err(|error| OperationError::Forbidden(error.to_string()))?;
        let holder = Holder {
            metalake,
            user: &subject.user,
            groups: grants.groups(),
            active,
            shows_group: &shows_group,
        };
        let mut items = Vec::new();
        let mut after = page.after;
        let mut next = None;
        let mut looked_at = 0;
        // One more than fits tells whether there is another page. Where the caller may see few of the first, more are looked
        // at together: a page costs a bounded number of statements.
        let mut together = page.limit.saturating_add(1);
        while next.is_none() {
            let ids = snapshot
                .access_places(metalake, &subject.user, grants.groups(), after, together)
                .await?;
            let mut ways = snapshot.ancestors_of(&ids).await?;
            let mut told = Vec::new();
            for id in &ids {
                if items.len() + told.len() >= page.limit as usize || looked_at >= MOST_LOOKED_AT {
                    next = Some(after);
                    break;
                }
                looked_at += 1;
                after = id.value();
                let Some((rows, chain)) = ways
                    .remove(id)
                    .and_then(|rows| chain_of(&rows).map(|chain| (rows, chain)))
                else {
                    continue;
                };
                if may_be_told(call, is_own, &chain, &grants) {
                    told.push((*id, rows, effective(&chain, &grants)));
                }
            }
            items.extend(self.items(&mut snapshot, &holder, told).await?);
            if ids.len() < together as usize {
                break;
            }
            together = LOOKED_AT_TOGETHER;
        }
        Ok(AccessList {
            subject: subject_json(&explained, call, &shown, holdings.membership),
            items,
            next,
            revision: counters(call, Some(&revision)),
        })
    }

    async fn items(
        &self,
        snapshot: &mut Snapshot,
        holder: &Holder<'_>,
        told: Vec<(ObjectId, Vec<ChainRow>, Effective)>,
    ) -> Result<Vec<AccessItem>, OperationError> {
        let mut names: HashMap<ObjectId, MetadataObject> = HashMap::new();
        for (_, rows, _) in &told {
            names.extend(names_of(rows, self.store().schema_separator()));
        }
        let ids: Vec<ObjectId> = told.iter().map(|(id, _, _)| *id).collect();
        let objects = names.clone();
        let words = Words::look_up(snapshot, names, holder, &ids).await?;
        told.into_iter()
            .map(|(id, _, effective)| {
                let object = objects
                    .get(&id)
                    .cloned()
                    .ok_or_else(|| OperationError::internal("an object is not on its own chain"))?;
                Ok(AccessItem {
                    object,
                    owner: effective
                        .owned
                        .iter()
                        .find(|owned| owned.id == id)
                        .map(|owned| words.principal(&owned.owner)),
                    is_owned_above: effective.owned.iter().any(|owned| owned.id != id),
                    says: words.all_said(id),
                    held: effective.held,
                    denied: effective.denied,
                    missing: effective.missing,
                })
            })
            .collect()
    }
}

fn chain_of(rows: &[ChainRow]) -> Option<Chain> {
    let last = rows.last()?;
    Some(Chain::found(
        last.object.kind,
        rows.iter().map(ChainRow::node).collect(),
    ))
}

/// Whether the caller may be told that the object exists and what is said of it.
fn may_be_told(call: &Call, is_own: bool, chain: &Chain, own: &Grants) -> bool {
    if is_own {
        return is_seen(chain, own);
    }
    let target = Target::object(chain.clone());
    let grants = call.facts.grants();
    is_seen(chain, grants) && decide(&Requirement::ManageGrants, &target, grants).is_allowed()
}
