// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a caller and the names in a request to the facts on which it is decided.
//!
//! A cached answer is used only under the counters that hold now. On the embedded store these are in memory, so a
//! cached request asks no database; on a shared store they cost one query. What is not cached is read in one
//! snapshot together with its counters, and the snapshot ends here. What is read below the gate is of the same state, or
//! the request comes back to be decided on one state that stays open ([`crate::reading`]).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::{Membership, Mode, Standing};
use lakeward_authorization::{Grants, Requirement, Visibility};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_store::{Area, NewUser, ObjectChain, Revision, Snapshot};
use tokio::sync::Mutex;

use crate::Operations;
use crate::caller::{Call, Caller};
use crate::error::OperationError;
use crate::facts::{Facts, Found, facts};
use crate::identity_provider::{account_in_state, account_subject};
use crate::named::{Named, NamedWhat};
use crate::step::Step;

/// Under which a chain is cached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ChainKey {
    metalake: ObjectId,
    object: MetadataObject,
    objects: i64,
    /// The counter of the area that names and owners of roles, tags and policies are in; 0 for everything else.
    other: i64,
}

/// Under which grants are cached. Drops of objects count the grants area too, and what is bound to an ended object
/// meets no chain any more, so the objects area is not needed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GrantsKey {
    metalake: ObjectId,
    subject: Subject,
    active_roles: ActiveRoles,
    /// A token may narrow what the configuration says of its user.
    standing: Standing,
    identities: i64,
    grants: i64,
}

impl GrantsKey {
    pub(crate) fn of(caller: &Caller, subject: &Subject, metalake: ObjectId, revision: Revision) -> Self {
        Self {
            metalake,
            subject: subject.clone(),
            active_roles: caller.active_roles.clone(),
            standing: caller.standing,
            identities: revision.identities,
            grants: revision.grants,
        }
    }

    /// How many groups the subject's identity named; a token may name thousands.
    pub(crate) fn groups(&self) -> u32 {
        match &self.subject.groups {
            GroupClaim::Known(groups) => u32::try_from(groups.len()).unwrap_or(u32::MAX),
            GroupClaim::Unknown | GroupClaim::Unreadable => 0,
        }
    }
}

/// Grants with how many privileges they hold, by which the cache weighs them.
#[derive(Debug, Clone)]
pub(crate) struct CachedGrants {
    pub(crate) grants: Arc<Grants>,
    pub(crate) weight: u32,
}

/// What a request needs, looked up in the caches first.
struct Wanted<'a> {
    caller: &'a Caller,
    /// The caller in the state that is looked at.
    subject: Cow<'a, Subject>,
    metalake: &'a str,
    objects: Vec<MetadataObject>,
}

/// What was found of one state.
struct Seen {
    subject: Option<Subject>,
    current: Option<(ObjectId, Revision)>,
    chains: Vec<Arc<ObjectChain>>,
    grants: Arc<Grants>,
}

impl Operations {
    /// What the configuration says of a user.
    pub fn standing(&self, user: &str) -> Standing {
        Standing {
            service_administrator: self.settings().service_admins.contains(user),
            operator: self.settings().operators.contains(user),
            provisioner: self.settings().service_admins.contains(user)
                || self.settings().provisioners.contains(user),
        }
    }

    /// Establishes the facts of a request, and of which groups the caller's account is in their state.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for an active role that the caller does not hold, a metalake that its access token is
    /// not for, and whom the directory refuses; [`OperationError::Unauthenticated`] when its account has ended;
    /// [`OperationError::Unavailable`] or [`OperationError::Internal`] from the store.
    pub async fn open_gate(&self, caller: &mut Caller, named: &Named) -> Result<Facts, OperationError> {
        let Some(mut wanted) = Wanted::of(caller, named)? else {
            // Groups decide nothing there; who may not call at all is refused.
            self.directory_says(&caller.subject.user).await?.refuse()?;
            return Ok(self.facts_of_server(caller));
        };
        let metalake = wanted.metalake;
        let current = self
            .pass(Step::Revision, caller, async {
                Ok(self.store().current(metalake).await?)
            })
            .await?;
        let seen = self
            .pass(Step::Facts, caller, async {
                let cached = current.and_then(|(id, revision)| self.cached(&mut wanted, id, revision));
                match cached {
                    Some(seen) => Ok(seen),
                    None => {
                        let mut snapshot = self.store().snapshot().await?;
                        self.look_up(&mut snapshot, &mut wanted).await
                    }
                }
            })
            .await?;
        let (facts, subject) = self.facts_of(named, wanted, seen).await?;
        if let Some(subject) = subject {
            caller.subject = subject;
        }
        Ok(facts)
    }

    /// The same from a snapshot that stays open, for a request that found the state of its facts left behind when it read
    /// on ([`OperationError::Moved`]): whatever it reads now is of the state that it is decided in.
    ///
    /// # Errors
    /// As [`Self::open_gate`].
    pub async fn open_gate_on_one_state(
        &self,
        caller: &mut Caller,
        named: &Named,
    ) -> Result<Facts, OperationError> {
        let mut snapshot = self.store().lasting_snapshot().await?;
        let (mut facts, subject) = match Wanted::of(caller, named)? {
            None => {
                let says = self.read_directory(&mut snapshot, &caller.subject.user).await?;
                says.refuse()?;
                (self.facts_of_server(caller), None)
            }
            Some(mut wanted) => {
                let looking_up = self.look_up(&mut snapshot, &mut wanted);
                let seen = self.pass(Step::Facts, caller, looking_up).await?;
                self.facts_of(named, wanted, seen).await?
            }
        };
        if let Some(subject) = subject {
            caller.subject = subject;
        }
        facts.open = Some(Arc::new(Mutex::new(snapshot)));
        Ok(facts)
    }

    /// The facts of a request that concerns no metalake.
    fn facts_of_server(&self, caller: &Caller) -> Facts {
        let grants = Grants::outside_metalakes(self.settings().mode, &caller.subject.user, caller.standing);
        facts(&Named::server(), None, Arc::new(grants), Vec::new())
    }

    /// The facts from what was seen, and the caller as seen there, if it was looked up.
    async fn facts_of(
        &self,
        named: &Named,
        wanted: Wanted<'_>,
        seen: Seen,
    ) -> Result<(Facts, Option<Subject>), OperationError> {
        let grants = self
            .join_when_passed_through(&wanted, seen.current, seen.grants)
            .await?;
        let metalake = wanted.metalake;
        let found = wanted
            .objects
            .into_iter()
            .zip(seen.chains)
            .map(|(object, chain)| self.found(metalake, object, chain));
        Ok((facts(named, seen.current, grants, found.collect()), seen.subject))
    }

    /// What of a list the caller may see, from what each item requires.
    ///
    /// # Errors
    /// From the store, for the list of metalakes.
    pub async fn visibility(&self, call: &Call, shows: &Requirement) -> Result<Visibility, OperationError> {
        if let Some(parent) = call.facts.target().chain() {
            return Ok(Visibility::new(shows, call.facts.grants(), parent));
        }
        let mode = self.settings().mode;
        let mut metalakes = HashSet::new();
        if mode == Mode::Enforced {
            let mut snapshot = self.read(&call.facts).await?;
            metalakes.extend(snapshot.metalakes_of_user(call.user()).await?);
        }
        let Some(mut of_token) = self.metalakes_of_token(call).await? else {
            return Ok(Visibility::of_memberships(mode, metalakes));
        };
        if mode == Mode::Enforced {
            of_token.retain(|metalake| metalakes.contains(metalake));
        }
        Ok(Visibility::of_memberships(Mode::Enforced, of_token))
    }

    fn cached(&self, wanted: &mut Wanted<'_>, metalake: ObjectId, revision: Revision) -> Option<Seen> {
        if wanted.caller.proof.has_account() {
            let key = (wanted.caller.subject.user.clone(), revision.server);
            wanted.subject = Cow::Owned(account_subject(self.caches().accounts.get(&key)??));
        }
        let says = self.remembered_of_directory(&wanted.caller.subject.user, revision.server)?;
        if let Some(subject) = says.of(&wanted.subject).ok()? {
            wanted.subject = Cow::Owned(subject);
        }
        let grants = if self.settings().mode == Mode::Off {
            Arc::new(self.unchecked(wanted))
        } else {
            self.caches()
                .grants
                .get(&wanted.grants_key(metalake, revision))?
                .grants
        };
        let chains = wanted
            .objects
            .iter()
            .map(|object| self.caches().chains.get(&chain_key(metalake, object, revision)))
            .collect::<Option<Vec<_>>>()?;
        Some(Seen {
            subject: wanted.newer_subject(),
            current: Some((metalake, revision)),
            chains,
            grants,
        })
    }

    /// Reads what is not cached, all of it from one state.
    async fn look_up(
        &self,
        snapshot: &mut Snapshot,
        wanted: &mut Wanted<'_>,
    ) -> Result<Seen, OperationError> {
        let current = snapshot.current(wanted.metalake).await?;
        if wanted.caller.proof.has_account() {
            let user = &wanted.caller.subject.user;
            let account = snapshot.idp_user(user).await?;
            if let Some((_, revision)) = current {
                self.remember_account(user, revision.server, account.clone());
            }
            wanted.subject = Cow::Owned(account_in_state(account)?);
        }
        let user = &wanted.caller.subject.user;
        let revision = current.map(|(_, revision)| revision.server);
        let says = self.look_up_in_directory(snapshot, user, revision).await?;
        if let Some(subject) = says.of(&wanted.subject)? {
            wanted.subject = Cow::Owned(subject);
        }
        let mut chains = Vec::with_capacity(wanted.objects.len());
        for object in &wanted.objects {
            let key = current.map(|(id, revision)| chain_key(id, object, revision));
            let cached = key.as_ref().and_then(|key| self.caches().chains.get(key));
            let chain = match cached {
                Some(chain) => chain,
                None => Arc::new(snapshot.chain(wanted.metalake, object).await?),
            };
            if let Some(key) = key {
                self.caches().chains.insert(key, Arc::clone(&chain));
            }
            chains.push(chain);
        }
        let grants = match current {
            Some((id, revision)) if self.settings().mode != Mode::Off => {
                self.grants(snapshot, wanted.grants_key(id, revision)).await?
            }
            Some(_) | None => Arc::new(self.unchecked(wanted)),
        };
        Ok(Seen {
            subject: wanted.newer_subject(),
            current,
            chains,
            grants,
        })
    }

    /// What a caller holds in a metalake, in the state of a snapshot, which is that of the counters of the key.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for an active role that it does not hold; what the store reports.
    pub(crate) async fn grants(
        &self,
        snapshot: &mut Snapshot,
        key: GrantsKey,
    ) -> Result<Arc<Grants>, OperationError> {
        if let Some(cached) = self.caches().grants.get(&key) {
            return Ok(cached.grants);
        }
        let holdings = self.holdings(snapshot, key.metalake, &key.subject).await?;
        let grants = Grants::new(self.settings().mode, &holdings, &key.active_roles, key.standing)
            .map_err(|error| OperationError::Forbidden(error.to_string()))?;
        let cached = CachedGrants {
            grants: Arc::new(grants),
            weight: u32::try_from(holdings.privileges.len()).unwrap_or(u32::MAX),
        };
        self.caches().grants.insert(key, cached.clone());
        Ok(cached.grants)
    }

    /// What a subject holds in a metalake, in the state of a snapshot.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn holdings(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        subject: &Subject,
    ) -> Result<lakeward_authorization::grants::Holdings, OperationError> {
        let none = BTreeSet::new();
        let groups = match &subject.groups {
            GroupClaim::Known(groups) => groups,
            GroupClaim::Unknown | GroupClaim::Unreadable => &none,
        };
        Ok(snapshot.load_grants(metalake, &subject.user, groups).await?)
    }

    fn unchecked(&self, wanted: &Wanted<'_>) -> Grants {
        Grants::outside_metalakes(
            self.settings().mode,
            &wanted.caller.subject.user,
            wanted.caller.standing,
        )
    }

    /// While authorization is passed through, whoever calls becomes a user of the metalake, so that ownership can be
    /// given to it before checks are switched on.
    async fn join_when_passed_through(
        &self,
        wanted: &Wanted<'_>,
        current: Option<(ObjectId, Revision)>,
        grants: Arc<Grants>,
    ) -> Result<Arc<Grants>, OperationError> {
        let Some((metalake, _)) = current else {
            return Ok(grants);
        };
        if self.settings().mode != Mode::PassThrough || grants.membership() != Membership::Outsider {
            return Ok(grants);
        }
        let user = &wanted.caller.subject.user;
        let mut write = self.write_unasked(metalake, &[Area::Identities], user).await?;
        match write.add_user(&NewUser::named(user)).await {
            Ok(_) => write.commit().await?,
            // Another request of the same caller was faster.
            Err(error) if error.is_unique() => {}
            Err(error) => return Err(error.into()),
        }
        Ok(grants)
    }

    pub(crate) fn found(&self, metalake: &str, object: MetadataObject, chain: Arc<ObjectChain>) -> Found {
        let separator = self.store().schema_separator();
        let schema_levels = match object.path.get(1) {
            None => 0,
            Some(_) if separator.is_empty() => 1,
            Some(schema) => schema.split(separator).count(),
        };
        Found {
            object,
            metalake: metalake.to_owned(),
            chain,
            schema_levels,
        }
    }
}

impl<'a> Wanted<'a> {
    /// `None` when the names concern no metalake.
    fn of(caller: &'a Caller, named: &'a Named) -> Result<Option<Self>, OperationError> {
        let Some(metalake) = named.metalake.as_deref() else {
            return Ok(None);
        };
        caller.require_metalake(metalake)?;
        Ok(Some(Self {
            caller,
            subject: Cow::Borrowed(&caller.subject),
            metalake,
            objects: objects_of(metalake, &named.what),
        }))
    }

    /// The caller as it was looked up, where that was done.
    fn newer_subject(&self) -> Option<Subject> {
        match &self.subject {
            Cow::Borrowed(_) => None,
            Cow::Owned(subject) => Some(subject.clone()),
        }
    }

    fn grants_key(&self, metalake: ObjectId, revision: Revision) -> GrantsKey {
        GrantsKey::of(self.caller, &self.subject, metalake, revision)
    }
}

fn chain_key(metalake: ObjectId, object: &MetadataObject, revision: Revision) -> ChainKey {
    let other = match object.kind {
        ObjectKind::Role => revision.grants,
        ObjectKind::Tag | ObjectKind::Policy => revision.governance,
        ObjectKind::Metalake
        | ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Column
        | ObjectKind::JobTemplate
        | ObjectKind::Job => 0,
    };
    ChainKey {
        metalake,
        object: object.clone(),
        objects: revision.objects,
        other,
    }
}

/// The objects to look up, in the order in which [`facts`] takes them back.
pub(crate) fn objects_of(metalake: &str, what: &NamedWhat) -> Vec<MetadataObject> {
    let itself = || MetadataObject {
        kind: ObjectKind::Metalake,
        path: vec![metalake.to_owned()],
    };
    match what {
        NamedWhat::Server | NamedWhat::Principal(_) => vec![itself()],
        NamedWhat::Object(object) => vec![object.clone()],
        NamedWhat::Instruments { object, instruments } => {
            std::iter::once(object).chain(instruments).cloned().collect()
        }
        NamedWhat::Move { source, destination } => vec![source.clone(), destination.clone()],
        NamedWhat::Several(objects) => objects.iter().map(|(object, _)| object.clone()).collect(),
    }
}

mod refused;

#[cfg(test)]
mod tests;
