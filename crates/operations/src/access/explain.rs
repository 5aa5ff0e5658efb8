// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One decision, told.

use std::collections::BTreeSet;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::{Decision, Objection};
use lakeward_authorization::explain::explain;
use lakeward_authorization::grants::{Membership, Mode};
use lakeward_authorization::seen::{is_seen, seen};
use lakeward_authorization::target::Shape;
use lakeward_authorization::{Authorized, Grants, Target};
use lakeward_metadata::principal::{GroupClaim, Subject};
use serde_json::{Map, Value, json};

use super::words::{Holder, Words, names_of, object};
use super::{AccessPath, AccessQuestion};
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::explain::{About, Explained, ShownPrincipals, counters};

impl Operations {
    /// Explains whether a subject may do something to an object, and why. It says of what the caller may not load what it
    /// would say if that did not exist.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the metalake; [`OperationError::Disabled`]; what the store reports.
    pub async fn explain_access(
        &self,
        call: &Call,
        path: Authorized<AccessPath>,
        question: &AccessQuestion,
    ) -> Result<Map<String, Value>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let (explained, is_own) = self
            .subject_of(call, question.user.as_deref(), question.groups.as_deref())
            .await?;
        let subject = acting(call, &explained, is_own);
        let active = if is_own {
            &call.caller.active_roles
        } else {
            &ActiveRoles::All
        };
        let shown = self.shown_principals(call).await?;

        // From here on everything is of one state.
        let mut snapshot = self.store().snapshot().await?;
        let revision = snapshot.revision(metalake).await?;
        let mut chains = Vec::with_capacity(1 + path.instruments.len());
        for named in std::iter::once(&path.object.object).chain(&path.instruments) {
            chains.push(snapshot.chain(&path.object.metalake, named).await?);
        }
        let holdings = self.holdings(&mut snapshot, metalake, &subject).await?;
        let standing = self.standing(&subject.user);
        let grants = Grants::new(self.settings().mode, &holdings, active, standing)
            .map_err(|error| OperationError::Forbidden(error.to_string()))?;
        let mut decided = chains.iter().map(lakeward_store::ObjectChain::to_decide);
        let acted_on = decided
            .next()
            .ok_or_else(|| OperationError::internal("an explanation names no object"))?;
        let may_tell = is_seen(&acted_on, if is_own { &grants } else { call.facts.grants() });
        let is_found = acted_on.is_found() && may_tell;
        let instruments: Vec<_> = decided.collect();
        let target = if instruments.is_empty() {
            Target::object(acted_on)
        } else {
            Target::of(Shape::Instruments {
                object: acted_on,
                instruments,
            })
        };
        let target = if is_own {
            target
        } else {
            seen(&target, call.facts.grants())
        };
        let mut explanation = explain(&question.requires, &target, &grants);
        if is_own && !explanation.decision.is_allowed() {
            let worded = explain(&question.requires, &seen(&target, &grants), &grants);
            if !worded.decision.is_allowed() {
                explanation = worded;
            }
        }
        let separator = self.store().schema_separator();
        let names = chains
            .iter()
            .flat_map(|chain| names_of(&chain.rows, separator))
            .collect();
        let shows_group = |group: &str| explained.shows_group(call, &shown, group);
        let holder = Holder {
            metalake,
            user: &subject.user,
            groups: grants.groups(),
            active,
            shows_group: &shows_group,
        };
        let words = Words::look_up(&mut snapshot, names, &holder, &explanation.spoken_of()).await?;
        drop(snapshot);

        let is_allowed = explanation.decision.is_allowed();
        // How a request of the caller is decided is known; of others only where it is known in which groups they are.
        let is_known =
            is_own || explained.context.member_of.is_some() || self.settings().mode != Mode::Enforced;
        let mut told = Map::new();
        let mut tell = |member: &str, value: Value| drop(told.insert(member.to_owned(), value));
        let mut about = object(&path.object.object);
        if let Some(members) = about.as_object_mut() {
            members.insert("found".to_owned(), json!(is_found));
        }
        tell("object", about);
        tell("operation", json!(question.operation));
        tell("requires", json!(question.requires.to_string()));
        tell(
            "subject",
            subject_json(&explained, call, &shown, explanation.membership),
        );
        tell("allowed", if is_known { json!(is_allowed) } else { Value::Null });
        if !is_known {
            tell("without-groups", json!(is_allowed));
        }
        tell("revision", counters(call, Some(&revision)));
        if let Some(weighing) = &explanation.weighing {
            tell("weighing", words.weighing(weighing));
        }
        told.extend(words.decision(&explanation));
        let reason = if is_about_membership(&explanation.decision) && !explained.shows_user(call, &shown) {
            "the user has no access to the metalake".to_owned()
        } else {
            super::words::reason(&explanation.decision)
        };
        let reason = if is_known {
            reason
        } else {
            format!("it is not known in which groups the user is; in none: {reason}")
        };
        told.insert("reason".to_owned(), json!(reason));
        Ok(told)
    }

    /// The subject of a question with its groups, and whether it is the caller as it is.
    pub(super) async fn subject_of(
        &self,
        call: &Call,
        user: Option<&str>,
        groups: Option<&[String]>,
    ) -> Result<(Explained, bool), OperationError> {
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.read(&call.facts).await?;
        let revision = snapshot.revision(metalake).await?;
        let known = self
            .group_names(&mut snapshot, metalake, revision.identities)
            .await?;
        drop(snapshot);
        let explained = self
            .explained(call, About { user, groups }, &known)
            .await?
            .or_in_none(&known);
        let is_own = groups.is_none() && user.is_none_or(|user| user == call.user());
        Ok((explained, is_own))
    }
}

/// The subject as its requests are decided: the caller by the identity that it came with.
pub(super) fn acting(call: &Call, explained: &Explained, is_own: bool) -> Subject {
    if is_own {
        return call.caller.subject.clone();
    }
    let subject = explained.with_groups();
    match subject.groups {
        GroupClaim::Known(_) => subject,
        // A decision without groups is told as one.
        GroupClaim::Unknown | GroupClaim::Unreadable => Subject {
            groups: GroupClaim::Known(BTreeSet::new()),
            ..subject
        },
    }
}

/// Whether the reason of a decision tells whether there is such a user.
const fn is_about_membership(decision: &Decision) -> bool {
    matches!(
        decision,
        Decision::Refused(Objection::NotMember | Objection::Suspended)
    )
}

/// The subject as part of an answer. Its membership is null where the caller may not read the user.
pub(super) fn subject_json(
    explained: &Explained,
    call: &Call,
    shown: &ShownPrincipals,
    membership: Membership,
) -> Value {
    let mut subject = explained.to_json(call, shown);
    let membership = match membership {
        Membership::Member => "member",
        Membership::Suspended => "suspended",
        Membership::Outsider => "outsider",
    };
    if let Some(members) = subject.as_object_mut() {
        let membership = explained.shows_user(call, shown).then_some(membership);
        members.insert("membership".to_owned(), json!(membership));
    }
    subject
}
