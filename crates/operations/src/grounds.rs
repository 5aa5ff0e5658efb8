// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a change is decided on, and the one place where its write is opened. Between the gate and the write somebody may
//! have taken away the right to it, or given what it names, or what that lies in, another name, and put something else in its
//! place. Once the write is open no other does, so there both are made sure of: that each name of the request means what the
//! gate found under it, by identity, and that the decision is the same.
//!
//! Where nothing has happened that costs a comparison of counters: in memory on an embedded store, one statement on a shared
//! one. Where any has moved, the request is decided again in the state that the write follows, and refused as it would be if
//! it came now. Without that second look nobody could change anything while grants are given, or tables made or dropped,
//! anywhere in the metalake.

use std::sync::Arc;

use lakeward_authorization::grants::Mode;
use lakeward_authorization::{Grants, authorize};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, Grounds, ObjectChain, Revision, Snapshot, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::{Facts, Found, facts};
use crate::gate::{GrantsKey, objects_of};
use crate::governed_facts::governed_facts;
use crate::step::Step;

/// What a change asks of the restrictions of the tables that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Restrictions {
    /// Nothing.
    MayChange,
    /// That the caller is restricted as it was when that was looked at.
    AsBefore,
}

impl Operations {
    /// Opens the write of a request: what it may change is what the gate found, and the caller may still change it.
    ///
    /// # Errors
    /// [`OperationError::Refused`], [`OperationError::Forbidden`] and [`OperationError::Unauthenticated`] where the caller may
    /// not any more; [`OperationError::NotFound`] where a name of the request means nothing any more, or something else;
    /// what the store reports.
    pub(crate) async fn write(&self, call: &Call, areas: &[Area]) -> Result<Write, OperationError> {
        self.open_write(call, areas, Restrictions::MayChange).await
    }

    /// As [`Self::write`], for what a caller may not do to a table that it sees only in part.
    ///
    /// # Errors
    /// As [`Self::write`]; also [`OperationError::Overtaken`] where what restricts the caller may have changed.
    pub(crate) async fn write_unless_restricted(
        &self,
        call: &Call,
        areas: &[Area],
    ) -> Result<Write, OperationError> {
        self.open_write(call, areas, Restrictions::AsBefore).await
    }

    async fn open_write(
        &self,
        call: &Call,
        areas: &[Area],
        restrictions: Restrictions,
    ) -> Result<Write, OperationError> {
        let open = async {
            let (metalake, revision) = call.facts.state()?;
            let mut write = self.write_on(call, areas).await?;
            let grounds = Grounds { metalake, revision };
            self.require(&mut write, call, &grounds, restrictions).await?;
            Ok(write)
        };
        self.pass(Step::Swap, &call.caller, open).await
    }

    /// Opens a write that asks nothing: what it does was begun in a write that asked, or it asks itself
    /// ([`Self::require_still_decided`]), or it only keeps what a provider says.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn write_on(&self, call: &Call, areas: &[Area]) -> Result<Write, OperationError> {
        self.write_unasked(call.facts.metalake_id()?, areas, call.user())
            .await
    }

    /// Opens the write of a request that concerns the server and no metalake. The configuration says who may do what there; but
    /// the caller must still be somebody.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] where the account of the caller has ended, [`OperationError::Forbidden`] where the
    /// directory refuses it; what the store reports.
    pub(crate) async fn write_server(&self, call: &Call) -> Result<Write, OperationError> {
        let open = async {
            let mut write = self.store().write_server(call.user()).await?;
            self.subject_in(&mut write, &call.caller).await?;
            Ok(write)
        };
        self.pass(Step::Swap, &call.caller, open).await
    }

    /// Opens a write that no request asks for.
    ///
    /// # Errors
    /// What the store reports.
    #[expect(
        clippy::disallowed_methods,
        reason = "every other way is one of those above, which make sure of what is authorized"
    )]
    pub(crate) async fn write_unasked(
        &self,
        metalake: ObjectId,
        areas: &[Area],
        actor: &str,
    ) -> Result<Write, OperationError> {
        Ok(self.store().write(metalake, areas, actor).await?)
    }

    /// The counters of now, in whose state the request may do what it asks for. Take them before anything is looked at that
    /// a change is decided on.
    ///
    /// # Errors
    /// What refuses the caller since the request was authorized; what the store reports.
    pub(crate) async fn grounds(&self, call: &Call) -> Result<Grounds, OperationError> {
        let (metalake, decided) = call.facts.state()?;
        let mut snapshot = self.store().snapshot().await?;
        let revision = snapshot.revision(metalake).await?;
        if revision != decided {
            let current = snapshot.current(name_of_metalake(call)).await?;
            self.decide_again(&mut snapshot, call, current).await?;
        }
        Ok(Grounds { metalake, revision })
    }

    /// Makes sure that a change may be made that metadata was read for since its `grounds`: none of them has changed, or the
    /// decision is the same in the state that the change follows.
    ///
    /// # Errors
    /// [`OperationError::Overtaken`]; what the store reports.
    pub(crate) async fn require_still_decided(
        &self,
        write: &mut Write,
        call: &Call,
        grounds: &Grounds,
    ) -> Result<(), OperationError> {
        match self.require(write, call, grounds, Restrictions::AsBefore).await {
            Err(
                OperationError::Refused { .. }
                | OperationError::Forbidden(_)
                | OperationError::NotFound { .. }
                | OperationError::Unauthenticated(_),
            ) => Err(OperationError::Overtaken),
            outcome => outcome,
        }
    }

    /// Makes sure that a request may be answered by a write that follows a later state than its grounds. While the write is
    /// open that state stays.
    async fn require(
        &self,
        write: &mut Write,
        call: &Call,
        grounds: &Grounds,
        restrictions: Restrictions,
    ) -> Result<(), OperationError> {
        let now = write.grounds_before(grounds.metalake).await?;
        if now == *grounds {
            return Ok(());
        }
        let current = write.current_before(name_of_metalake(call)).await?;
        let facts = self.decide_again(write, call, current).await?;
        if restrictions == Restrictions::MayChange {
            return Ok(());
        }
        let revisions = (&grounds.revision, &now.revision);
        for states in call.facts.founds().zip(facts.founds()) {
            if !self.is_restricted_alike(write, call, states, revisions).await? {
                return Err(OperationError::Overtaken);
            }
        }
        Ok(())
    }

    /// Decides a request once more, in a state that is newer than that of its gate, and gives the facts of that state.
    /// `current` is the metalake of the request in it.
    async fn decide_again(
        &self,
        snapshot: &mut Snapshot,
        call: &Call,
        current: Option<(ObjectId, Revision)>,
    ) -> Result<Facts, OperationError> {
        let named = &call.demand.named;
        let metalake = name_of_metalake(call);
        let mut found = Vec::new();
        for object in objects_of(metalake, &named.what) {
            let chain = Arc::new(snapshot.chain(metalake, &object).await?);
            found.push(self.found(metalake, object, chain));
        }
        let grants = self.grants_again(snapshot, call, current).await?;
        let facts = facts(named, current, grants, found);
        authorize(&call.demand.requires, (), facts.target(), facts.grants())
            .map_err(|refusal| call.demand.refused(&refusal))?;
        // Something else of that name is not what is about to be changed, whoever may change it.
        for (before, now) in call.facts.founds().zip(facts.founds()) {
            if !before.is_still(now) {
                return Err(before.gone());
            }
        }
        Ok(facts)
    }

    /// What the caller holds in a state.
    async fn grants_again(
        &self,
        snapshot: &mut Snapshot,
        call: &Call,
        current: Option<(ObjectId, Revision)>,
    ) -> Result<Arc<Grants>, OperationError> {
        let caller = &call.caller;
        let mode = self.settings().mode;
        let subject = self.subject_in(snapshot, caller).await?;
        match current.filter(|_| mode != Mode::Off) {
            // A write asks before it changes any grant.
            Some((metalake, revision)) => {
                let key = GrantsKey::of(caller, &subject, metalake, revision);
                self.grants(snapshot, key).await
            }
            None => Ok(Arc::new(Grants::outside_metalakes(
                mode,
                &subject.user,
                caller.standing,
            ))),
        }
    }

    /// Whether what restricts the caller on a table is what it was. Restrictions are not resolved anew: where any might
    /// apply, and what they are made of has changed, the answer is no.
    async fn is_restricted_alike(
        &self,
        write: &mut Write,
        call: &Call,
        (before, found): (&Found, &Found),
        (then, now): (&Revision, &Revision),
    ) -> Result<bool, OperationError> {
        let (ObjectKind::Table, Some(row)) = (found.object.kind, found.chain.object()) else {
            return Ok(true);
        };
        let is_alike = then.governance == now.governance
            && then.identities == now.identities
            && places(&found.chain).eq(places(&before.chain))
            && self.subject_in(write, &call.caller).await?.groups == call.caller.subject.groups;
        if is_alike {
            return Ok(true);
        }
        let stored = write.governance_facts(row.object.id).await?;
        let facts = governed_facts(&found.chain.rows, &stored, self.store().schema_separator())?;
        Ok(facts.associations.is_empty())
    }
}

/// The object and all that it lies in: what its restrictions come from.
fn places(chain: &ObjectChain) -> impl Iterator<Item = ObjectId> {
    chain.rows.iter().map(|row| row.object.id)
}

/// The metalake that a request names.
fn name_of_metalake(call: &Call) -> &str {
    call.demand.named.metalake.as_deref().unwrap_or_default()
}
