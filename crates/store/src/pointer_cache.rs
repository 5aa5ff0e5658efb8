// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Table pointers in memory, where this process is the only writer.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use lakeward_metadata::id::ObjectId;

use crate::iceberg_table::TablePointer;

/// More pointers than this are not kept; a store that large reads the rest from the database.
const MAX_POINTERS: usize = 100_000;

/// Pointers as they were read, and the versions that writers announced before they committed.
///
/// A pointer counts only while no higher version is announced. A writer announces before it commits, so a reader may
/// look in vain for a moment, but never sees a pointer that was replaced before it asked.
#[derive(Debug, Default)]
pub(crate) struct PointerCache {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    announced: HashMap<ObjectId, i64>,
    read: HashMap<ObjectId, TablePointer>,
}

impl PointerCache {
    /// The pointer, if what was read is still the newest.
    pub(crate) fn current(&self, table: ObjectId) -> Option<TablePointer> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let pointer = state.read.get(&table)?;
        match state.announced.get(&table) {
            Some(version) if *version > pointer.version => None,
            Some(_) | None => Some(pointer.clone()),
        }
    }

    /// Says that a version is about to be committed.
    pub(crate) fn announce(&self, table: ObjectId, version: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let announced = state.announced.entry(table).or_default();
        *announced = (*announced).max(version);
    }

    /// Keeps what a committed state holds.
    pub(crate) fn remember(&self, pointer: &TablePointer) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let is_older = state
            .read
            .get(&pointer.table_id)
            .is_some_and(|known| known.version > pointer.version);
        if is_older || (state.read.len() >= MAX_POINTERS && !state.read.contains_key(&pointer.table_id)) {
            return;
        }
        state.read.insert(pointer.table_id, pointer.clone());
    }
}
