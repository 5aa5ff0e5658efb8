// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters per metalake and area: what a cache is keyed by.
//!
//! A write names its areas, counts them first and holds the counters until it commits, so the order of revisions is the
//! order of commits, on one node and on many.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use lakeward_metadata::id::ObjectId;

/// What a write may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// The list of metalakes, the built-in identity provider, readers, authority, settings. Counted once for the
    /// whole server.
    Server,
    /// The tree with names, properties and owners.
    Objects,
    /// Users and groups.
    Identities,
    /// Roles, who holds them, what they grant.
    Grants,
    /// Tags, their assignments, policies and where they apply.
    Governance,
}

impl Area {
    /// The areas of one metalake.
    pub const OF_METALAKE: [Self; 4] = [Self::Objects, Self::Identities, Self::Grants, Self::Governance];

    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Objects => "objects",
            Self::Identities => "identities",
            Self::Grants => "grants",
            Self::Governance => "governance",
        }
    }

    /// The area of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Server]
            .into_iter()
            .chain(Self::OF_METALAKE)
            .find(|area| area.as_str() == name)
    }
}

/// The counters that a request of one metalake depends on. Two equal revisions mean the same stored state, except for
/// Iceberg table pointers, which have versions of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Revision {
    /// Counter of [`Area::Server`].
    pub server: i64,
    /// Counter of [`Area::Objects`].
    pub objects: i64,
    /// Counter of [`Area::Identities`].
    pub identities: i64,
    /// Counter of [`Area::Grants`].
    pub grants: i64,
    /// Counter of [`Area::Governance`].
    pub governance: i64,
}

impl Revision {
    /// The counter of one area.
    pub const fn of(&self, area: Area) -> i64 {
        match area {
            Area::Server => self.server,
            Area::Objects => self.objects,
            Area::Identities => self.identities,
            Area::Grants => self.grants,
            Area::Governance => self.governance,
        }
    }

    pub(crate) fn set(&mut self, area: Area, value: i64) {
        match area {
            Area::Server => self.server = value,
            Area::Objects => self.objects = value,
            Area::Identities => self.identities = value,
            Area::Grants => self.grants = value,
            Area::Governance => self.governance = value,
        }
    }
}

/// The counters in memory, where this process is the only writer.
///
/// A write raises them before it commits. Caches are filled only under a revision that was read inside a snapshot, so
/// a count that is ahead of the database for a moment, or for good after a failed commit, only costs a look-up and
/// never shows an old state.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    server: i64,
    metalakes: HashMap<ObjectId, Revision>,
    /// Metalake names seen at a server revision.
    names: HashMap<String, ObjectId>,
    names_at: i64,
}

impl Counters {
    /// Raises one counter.
    pub(crate) fn raise(&self, metalake: ObjectId, area: Area, value: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if area == Area::Server {
            state.server = state.server.max(value);
            return;
        }
        let revision = state.metalakes.entry(metalake).or_default();
        revision.set(area, revision.of(area).max(value));
    }

    /// The counters of a metalake, if it has any.
    pub(crate) fn revision(&self, metalake: ObjectId) -> Option<Revision> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut revision = *state.metalakes.get(&metalake)?;
        revision.server = state.server;
        Some(revision)
    }

    /// The counter of the server.
    pub(crate) fn server(&self) -> i64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).server
    }

    /// A metalake by name with its counters, if the name was seen since the list of metalakes last changed.
    pub(crate) fn named(&self, name: &str) -> Option<(ObjectId, Revision)> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.names_at != state.server {
            return None;
        }
        let id = *state.names.get(name)?;
        let mut revision = *state.metalakes.get(&id)?;
        revision.server = state.server;
        Some((id, revision))
    }

    /// Remembers a name read from the database at a server revision.
    pub(crate) fn remember(&self, name: &str, id: ObjectId, server: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if server < state.names_at {
            return;
        }
        if server > state.names_at {
            state.names.clear();
            state.names_at = server;
        }
        state.names.insert(name.to_owned(), id);
    }
}
