// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a change of tables and views is decided on. Deciding takes a while: metadata is read, and perhaps many manifests. A grant
//! that is taken away or a restriction that takes effect meanwhile must not be too late, so the counters of the state in
//! which the decision is taken go along and are compared once more when the change is made.

use std::borrow::Cow;

use lakeward_authorization::{Privilege, Requirement};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{ChainRow, Grounds, ObjectChain, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::governed_facts::governed_facts;

/// What it takes to change a table.
pub(crate) const MODIFY_TABLE: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

/// What it takes to put a table into a schema.
const CREATE_TABLE: Requirement = Requirement::CreateIn {
    parent: ObjectKind::Schema,
    holding: &[Privilege::CreateTable],
};

/// What it takes to change a view.
const CHANGE_VIEW: Requirement = Requirement::Owner(ObjectKind::View);

/// How often a decision is taken again while a change is made. On a store that others write to, too, everything may
/// change once more meanwhile.
const DECISIONS: usize = 4;

/// What a change was decided on.
#[derive(Debug)]
pub(crate) struct Decided<'a> {
    counters: Grounds,
    objects: Vec<Ground<'a>>,
}

/// An object of a decision: what is changed, or the schema that a table is put into.
#[derive(Debug)]
struct Ground<'a> {
    found: Cow<'a, Found>,
    takes: &'static Requirement,
}

impl<'a> Ground<'a> {
    const fn of(found: &'a Found, takes: &'static Requirement) -> Self {
        Self {
            found: Cow::Borrowed(found),
            takes,
        }
    }
}

impl Operations {
    /// The counters of now, in whose state the caller may change the tables. Take them before anything is looked at that
    /// a change is decided on.
    ///
    /// # Errors
    /// What refuses the caller since the request was authorized; what the store reports.
    pub(crate) async fn grounds<'a>(
        &self,
        call: &Call,
        tables: Vec<&'a Found>,
    ) -> Result<Decided<'a>, OperationError> {
        self.grounds_of_changes(call, tables, Vec::new()).await
    }

    /// The same, where tables are also put into schemas.
    ///
    /// # Errors
    /// As [`Self::grounds`].
    pub(crate) async fn grounds_of_changes<'a>(
        &self,
        call: &Call,
        tables: Vec<&'a Found>,
        schemas: Vec<Found>,
    ) -> Result<Decided<'a>, OperationError> {
        let schemas = schemas.into_iter().map(|schema| Ground {
            found: Cow::Owned(schema),
            takes: &CREATE_TABLE,
        });
        let tables = tables.into_iter().map(|table| Ground::of(table, &MODIFY_TABLE));
        self.grounds_of(call, tables.chain(schemas).collect()).await
    }

    /// The same, for a view.
    ///
    /// # Errors
    /// As [`Self::grounds`].
    pub(crate) async fn grounds_of_view<'a>(
        &self,
        call: &Call,
        view: &'a Found,
    ) -> Result<Decided<'a>, OperationError> {
        self.grounds_of(call, vec![Ground::of(view, &CHANGE_VIEW)]).await
    }

    async fn grounds_of<'a>(
        &self,
        call: &Call,
        objects: Vec<Ground<'a>>,
    ) -> Result<Decided<'a>, OperationError> {
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.store().snapshot().await?;
        let now = snapshot.revision(metalake).await?;
        if call.facts.revision() != Some(now) {
            for Ground { found, takes } in &objects {
                let chain = snapshot.chain(&found.metalake, &found.object).await?;
                // Something else of that name is not what is about to be changed, whoever may change it.
                if found.chain.is_found && !chain.object().is_some_and(|row| is_of(found, row)) {
                    return Err(found.gone());
                }
                self.decide_again(&mut snapshot, metalake, call, found, &chain, takes)
                    .await?;
            }
        }
        Ok(Decided {
            counters: Grounds::of(metalake, &now),
            objects,
        })
    }

    /// Whether a change may be made: nothing of what it was decided on has changed, or the decision is the same in the state
    /// that the change follows. Without that second look nobody could commit while grants are given, or tables made or
    /// dropped, anywhere in the metalake. Ask last: what changes after the question comes after the change.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn still_decided(
        &self,
        write: &mut Write,
        call: &Call,
        decided: &Decided<'_>,
    ) -> Result<bool, OperationError> {
        let mut counters = decided.counters;
        for _ in 0..DECISIONS {
            if write.still_stands(&counters).await? {
                return Ok(true);
            }
            let now = Grounds::of(counters.metalake, &write.revision(counters.metalake).await?);
            for object in &decided.objects {
                if !self
                    .would_decide_so(write, call, object, (&decided.counters, &now))
                    .await?
                {
                    return Ok(false);
                }
            }
            counters = now;
        }
        Ok(false)
    }

    /// Whether one object may be changed in the state of a write, `now`, too. Restrictions are not resolved anew: where any
    /// might apply, and what they are made of has changed, the answer is no.
    async fn would_decide_so(
        &self,
        write: &mut Write,
        call: &Call,
        Ground { found: object, takes }: &Ground<'_>,
        (before, now): (&Grounds, &Grounds),
    ) -> Result<bool, OperationError> {
        let chain = write.chain(&object.metalake, &object.object).await?;
        let Some(row) = chain.object().filter(|row| is_of(object, row)) else {
            return Ok(false);
        };
        let id = row.object.id;
        let again = self
            .decide_again(write, now.metalake, call, object, &chain, takes)
            .await;
        match again {
            Ok(()) => {}
            Err(
                OperationError::Refused { .. }
                | OperationError::Forbidden(_)
                | OperationError::NotFound { .. }
                | OperationError::Unauthenticated(_),
            ) => return Ok(false),
            Err(error) => return Err(error),
        }
        if object.object.kind != ObjectKind::Table {
            return Ok(true);
        }
        let restricts_alike = before.governance == now.governance
            && before.identities == now.identities
            && places(&chain).eq(places(&object.chain))
            && self.subject_in(write, &call.caller).await?.groups == call.caller.subject.groups;
        if restricts_alike {
            return Ok(true);
        }
        let stored = write.governance_facts(id).await?;
        let facts = governed_facts(&chain.rows, &stored, self.store().schema_separator())?;
        Ok(facts.associations.is_empty())
    }
}

/// The object and all that it lies in: what its restrictions come from.
fn places(chain: &ObjectChain) -> impl Iterator<Item = ObjectId> {
    chain.rows.iter().map(|row| row.object.id)
}

fn is_of(object: &Found, row: &ChainRow) -> bool {
    object
        .chain
        .object()
        .is_some_and(|found| found.object.id == row.object.id)
}

/// The answer when that is no longer so.
pub(crate) fn overtaken() -> OperationError {
    OperationError::Conflict(
        "names, owners, groups, privileges, tags or policies changed while this change was made, so nothing was changed; \
         retry"
            .to_owned(),
    )
}
