// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which read restrictions a table has for the caller of a request, or for another subject.
//!
//! Facts are used only under the counters that the gate saw. When the store moved on in between, the caller's access is
//! decided again in the newer state: otherwise a request that was authorized before a grant was taken away could be
//! answered with restrictions that were loosened after it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_authorization::{Grants, Requirement, Target, authorize};
use lakeward_governance::policy::StoredPolicy;
use lakeward_governance::policy_content::ContentError;
use lakeward_governance::resolve::{
    GovernanceFacts, Resolution, ResolutionError, ResolutionInput, RuleSource, Uncached, resolve, select,
};
use lakeward_governance::{Rule, SubjectContext};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{ANONYMOUS, GroupClaim, Subject};
use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_store::Snapshot;

use crate::Operations;
use crate::caller::Call;
use crate::directory::DirectorySays;
use crate::error::OperationError;
use crate::facts::Found;
use crate::governed_facts::governed_facts;
use crate::load_governed_table::Current;
use crate::named::Named;
use crate::step::Step;

/// What governs one table, and the groups that its metalake knows, of one state of the store.
#[derive(Debug, Clone)]
pub(crate) struct Governed {
    pub(crate) facts: Arc<GovernanceFacts>,
    pub(crate) groups: Arc<BTreeSet<String>>,
    /// The caller of that state, where it is newer than the state on which the request was authorized.
    newer_caller: Option<Subject>,
}

impl Governed {
    /// The caller of that state.
    fn caller<'a>(&'a self, call: &'a Call) -> &'a Subject {
        self.newer_caller.as_ref().unwrap_or(&call.caller.subject)
    }

    /// Whether both are the very same facts of the very same state, not only equal ones.
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.facts, &other.facts) && Arc::ptr_eq(&self.groups, &other.groups)
    }
}

/// What fixes restrictions, beside the facts of one state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ResolutionKey {
    table: ObjectId,
    metadata_location: String,
    user: Option<String>,
    member_of: Option<BTreeSet<String>>,
}

/// Restrictions with the facts that they were made of, which it keeps alive so that no others can take their place.
#[derive(Debug, Clone)]
pub(crate) struct KnownResolution {
    governed: Governed,
    restrictions: ReadRestrictions,
}

impl KnownResolution {
    /// By what the cache weighs it: a table may have a mask on each of a thousand columns.
    pub(crate) fn weight(key: &ResolutionKey, known: &Self) -> u32 {
        let groups = key.member_of.as_ref().map_or(0, BTreeSet::len);
        let parts = known.restrictions.projections().len() + groups + 5;
        u32::try_from(parts).unwrap_or(u32::MAX)
    }
}

impl Operations {
    /// The restrictions of the table that the request names, for its caller. `fields` are the top-level fields of the
    /// schema that will be answered.
    ///
    /// # Errors
    /// As [`Self::restrictions_of`].
    pub async fn restrictions(&self, call: &Call, fields: &[Field]) -> Result<Resolution, OperationError> {
        self.restrictions_of(call, call.facts.found()?, fields).await
    }

    /// The restrictions of any table for the caller of a request: ownership, privileges and administration exempt
    /// nobody.
    ///
    /// # Errors
    /// [`OperationError::Restriction`] when they cannot be resolved, or apply while the feature is switched off;
    /// [`OperationError::NotFound`] when the table does not exist; what the store reports.
    pub async fn restrictions_of(
        &self,
        call: &Call,
        table: &Found,
        fields: &[Field],
    ) -> Result<Resolution, OperationError> {
        let governed = self.governed(call, table).await?;
        if governed.facts.associations.is_empty() {
            return Ok(Resolution::unrestricted());
        }
        let subject = self
            .context(call, governed.caller(call), &governed.groups)
            .await?;
        self.pass(Step::Resolution, &call.caller, async {
            self.resolve_for(&governed, &subject, fields)
        })
        .await
    }

    /// As [`Self::restrictions_of`] for the version of a table that was loaded, kept until anything changes that they
    /// are made of. Only what could be resolved is kept.
    ///
    /// # Errors
    /// As [`Self::restrictions_of`].
    pub(crate) async fn restrictions_of_version(
        &self,
        call: &Call,
        found: &Found,
        current: &Current,
    ) -> Result<ReadRestrictions, OperationError> {
        if let Some((theirs, _)) = &current.upstream {
            // Nothing of what an upstream says fixes anything for longer than its answer.
            let ours = self.restrictions_of(call, found, &current.fields()).await?;
            return self.with_those_of_upstream(ours.restrictions, theirs);
        }
        let governed = self.governed(call, found).await?;
        if governed.facts.associations.is_empty() {
            return Ok(ReadRestrictions::none());
        }
        let subject = self
            .context(call, governed.caller(call), &governed.groups)
            .await?;
        self.pass(Step::Resolution, &call.caller, async {
            self.resolve_version(governed, &subject, current)
        })
        .await
    }

    fn resolve_version(
        &self,
        governed: Governed,
        subject: &SubjectContext,
        current: &Current,
    ) -> Result<ReadRestrictions, OperationError> {
        let key = ResolutionKey {
            table: current.row.id,
            // What is at a location never changes: it fixes the fields.
            metadata_location: current.pointer.metadata_location.clone(),
            user: subject.user.clone(),
            member_of: subject.member_of.clone(),
        };
        let known = self.caches().resolutions.get(&key);
        if let Some(known) = known.filter(|known| known.governed.is_same(&governed)) {
            return Ok(known.restrictions);
        }
        let resolution = self.resolve_for(&governed, subject, &current.fields())?;
        let known = KnownResolution {
            governed,
            restrictions: resolution.restrictions,
        };
        let restrictions = known.restrictions.clone();
        self.caches().resolutions.insert(key, known);
        Ok(restrictions)
    }

    fn resolve_for(
        &self,
        governed: &Governed,
        subject: &SubjectContext,
        fields: &[Field],
    ) -> Result<Resolution, OperationError> {
        self.check_switched_on(&governed.facts, fields)?;
        let input = ResolutionInput {
            subject,
            fields,
            facts: Some(&governed.facts),
        };
        Ok(resolve(input, &CachedRules(self))?)
    }

    /// While the feature is off, a table to which an enabled restriction policy applies is not served at all.
    fn check_switched_on(&self, facts: &GovernanceFacts, fields: &[Field]) -> Result<(), OperationError> {
        if self.settings().read_restrictions_enabled {
            return Ok(());
        }
        let selection = select(facts, fields)?;
        if selection.row_filters.is_empty() && selection.masks.is_empty() {
            return Ok(());
        }
        Err(OperationError::Restriction {
            code: RestrictionCode::Disabled,
            message: "read restrictions apply to this table and are switched off on this server".to_owned(),
            transient: false,
            detail: "enabled restriction policies exist while `lakeward.read-restrictions.enabled` is false"
                .to_owned(),
        })
    }

    /// What governs a table, in a state that is not older than this question. The metadata was read after the gate, so
    /// what the gate saw may be too old for it: a column that was added and masked in between would be shown.
    pub(crate) async fn governed(&self, call: &Call, table: &Found) -> Result<Governed, OperationError> {
        self.pass(Step::Policies, &call.caller, self.look_up_governed(call, table))
            .await
    }

    async fn look_up_governed(&self, call: &Call, table: &Found) -> Result<Governed, OperationError> {
        let row = table.row()?;
        let table_id = row.object.id;
        let current = self.store().current(&table.metalake).await?;
        if let Some((metalake, revision)) = current.filter(|(_, now)| call.facts.revision() == Some(*now)) {
            let facts = self
                .caches()
                .governed
                .get(&(table_id, revision.objects, revision.governance));
            let groups = self.caches().group_names.get(&(metalake, revision.identities));
            if let (Some(facts), Some(groups)) = (facts, groups) {
                return Ok(Governed {
                    facts,
                    groups,
                    newer_caller: None,
                });
            }
        }
        let mut snapshot = self.store().snapshot().await?;
        let Some((metalake, now)) = snapshot.current(&table.metalake).await? else {
            return Err(OperationError::not_found(ObjectKind::Metalake, &table.metalake));
        };
        let chain = if call.facts.revision() == Some(now) {
            Arc::clone(&table.chain)
        } else {
            let chain = Arc::new(snapshot.chain(&table.metalake, &table.object).await?);
            self.decide_load_again(&mut snapshot, metalake, call, table, &chain)
                .await?;
            chain
        };
        let Some(row) = chain.object().filter(|row| row.object.id == table_id) else {
            return Err(table.missing());
        };
        let stored = snapshot.governance_facts(row.object.id).await?;
        let separator = self.store().schema_separator();
        let facts = Arc::new(governed_facts(&chain.rows, &stored, separator)?);
        self.caches()
            .governed
            .insert((table_id, now.objects, now.governance), Arc::clone(&facts));
        let groups = self.group_names(&mut snapshot, metalake, now.identities).await?;
        let newer_caller = match self.subject_in(&mut snapshot, &call.caller).await? {
            Cow::Borrowed(_) => None,
            Cow::Owned(subject) => Some(subject),
        };
        Ok(Governed {
            facts,
            groups,
            newer_caller,
        })
    }

    /// Access to the table in the state of `snapshot`, which is newer than what the request was authorized on.
    async fn decide_load_again(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        call: &Call,
        table: &Found,
        chain: &lakeward_store::ObjectChain,
    ) -> Result<(), OperationError> {
        let caller = &call.caller;
        let subject = self.subject_in(snapshot, caller).await?;
        let holdings = self.holdings(snapshot, metalake, &subject).await?;
        let grants = Grants::new(
            self.settings().mode,
            &holdings,
            &caller.active_roles,
            caller.standing,
        )
        .map_err(|error| OperationError::Forbidden(error.to_string()))?;
        let target = Target::object(chain.to_decide());
        authorize(Requirement::load(table.object.kind), (), &target, &grants)
            .map(drop)
            .map_err(|refusal| {
                let named = Named::object(&table.metalake, table.object.clone());
                OperationError::refused(&refusal, &named, &call.demand.operation)
            })
    }

    pub(crate) async fn group_names(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        identities: i64,
    ) -> Result<Arc<BTreeSet<String>>, OperationError> {
        if let Some(groups) = self.caches().group_names.get(&(metalake, identities)) {
            return Ok(groups);
        }
        let groups = snapshot.groups(metalake).await?;
        let names: Arc<BTreeSet<String>> = Arc::new(groups.into_iter().map(|group| group.name).collect());
        self.caches()
            .group_names
            .insert((metalake, identities), Arc::clone(&names));
        Ok(names)
    }

    /// A subject as rules see it. Groups that the metalake does not know are ignored; groups that nobody knows are a
    /// failed lookup, not none; an anonymous caller is no subject.
    pub(crate) async fn context(
        &self,
        call: &Call,
        subject: &Subject,
        groups: &Arc<BTreeSet<String>>,
    ) -> Result<SubjectContext, OperationError> {
        self.pass(Step::Subject, &call.caller, self.look_up_subject(subject, groups))
            .await
    }

    async fn look_up_subject(
        &self,
        subject: &Subject,
        groups: &Arc<BTreeSet<String>>,
    ) -> Result<SubjectContext, OperationError> {
        let known = |claimed: &BTreeSet<String>| claimed.intersection(groups).cloned().collect();
        let is_somebody = !subject.user.is_empty() && subject.user != ANONYMOUS;
        let member_of = match &subject.groups {
            GroupClaim::Known(claimed) => Some(known(claimed)),
            GroupClaim::Unknown if is_somebody => match self.directory_says(&subject.user).await? {
                DirectorySays::Groups(groups) => Some(known(&groups)),
                DirectorySays::Refused(_) => None,
                DirectorySays::Nothing => self
                    .local_account(&subject.user)
                    .await?
                    .map(|account| known(&account.groups.into_iter().collect())),
            },
            GroupClaim::Unknown | GroupClaim::Unreadable => None,
        };
        Ok(SubjectContext {
            user: is_somebody.then(|| subject.user.clone()),
            groups: Some(Arc::clone(groups)),
            member_of,
        })
    }
}

/// Parses each policy revision once per process.
pub(crate) struct CachedRules<'a>(pub(crate) &'a Operations);

impl RuleSource for CachedRules<'_> {
    fn rule(&self, policy: &StoredPolicy) -> Result<Arc<Rule>, ContentError> {
        self.0
            .caches()
            .rules
            .get_with((policy.id, policy.revision), || Uncached.rule(policy))
    }
}

impl From<ResolutionError> for OperationError {
    fn from(error: ResolutionError) -> Self {
        Self::Restriction {
            code: error.restriction_code(),
            message: error.to_string(),
            transient: error.transient,
            detail: error.detail,
        }
    }
}

#[cfg(test)]
mod tests;
