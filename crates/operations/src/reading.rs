// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request reads beside its facts, the names of a list for instance, is of the state that it was decided in.
//!
//! Facts may come from caches, and the snapshot they were read from has ended. Who reads on asks here, and gets a snapshot
//! of the same state, or [`OperationError::Moved`] when that state was left behind. The request is then decided again in a
//! snapshot that stays open for everything that it reads ([`Operations::open_gate_on_one_state`]), so it is overtaken at
//! most once.

use std::ops::{Deref, DerefMut};

use lakeward_store::Snapshot;
use tokio::sync::MutexGuard;

use crate::Operations;
use crate::error::OperationError;
use crate::facts::Facts;

/// A snapshot to read from.
#[derive(Debug)]
pub(crate) enum Reading<'a> {
    /// One of its own.
    Own(Snapshot),
    /// The one that the facts are from.
    OfFacts(MutexGuard<'a, Snapshot>),
}

impl Deref for Reading<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        match self {
            Self::Own(snapshot) => snapshot,
            Self::OfFacts(snapshot) => snapshot,
        }
    }
}

impl DerefMut for Reading<'_> {
    fn deref_mut(&mut self) -> &mut Snapshot {
        match self {
            Self::Own(snapshot) => snapshot,
            Self::OfFacts(snapshot) => snapshot,
        }
    }
}

impl Operations {
    /// A snapshot of the state that the facts are of. End one before the next is asked for.
    ///
    /// # Errors
    /// [`OperationError::Moved`]; [`OperationError::Unavailable`] or [`OperationError::Internal`] from the store.
    pub(crate) async fn read<'a>(&self, facts: &'a Facts) -> Result<Reading<'a>, OperationError> {
        // Without a metalake nothing tells whether two snapshots are of one state.
        if facts.metalake.is_none() && facts.open.is_none() {
            return Err(OperationError::Moved);
        }
        let mut reading = self.read_newest(facts).await?;
        if let (Reading::Own(snapshot), Some((metalake, decided))) = (&mut reading, facts.metalake)
            && snapshot.revision(metalake).await? != decided
        {
            return Err(OperationError::Moved);
        }
        Ok(reading)
    }

    /// A snapshot of that state or of a newer one, for who compares what is the same in both.
    ///
    /// # Errors
    /// [`OperationError::Unavailable`] or [`OperationError::Internal`] from the store.
    pub(crate) async fn read_newest<'a>(&self, facts: &'a Facts) -> Result<Reading<'a>, OperationError> {
        match &facts.open {
            // One request does one thing after the other: to wait here would be to wait for oneself.
            Some(open) => open
                .try_lock()
                .map(Reading::OfFacts)
                .map_err(|_| OperationError::internal("a request reads twice at once")),
            None => Ok(Reading::Own(self.store().snapshot().await?)),
        }
    }
}
