// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The memory of a process, divided among users and queries.
//!
//! Half of it is divided equally among as many queries as may run at once: a query that begins has its part whatever the
//! others do. The other half is common: queries that need more than their part have equal shares of it. So a large query
//! alone may use most of the memory, gives back by spilling when others come, and never stops them from running.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::common::human_readable_size;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

use super::resources::{Disk, Limit};
use crate::error::ReaderError;

/// The memory of a process.
#[derive(Debug)]
pub(super) struct Memory {
    total: Limit,
    per_user: Limit,
    per_query: Limit,
    /// What a query has for sure.
    part: usize,
    /// How many can have it.
    parts: usize,
    disk: Arc<Disk>,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    queries: usize,
    parts_taken: usize,
    /// Queries beyond their part, and how far they are, all together.
    borrowers: usize,
    borrowed: usize,
    reserved: usize,
    users: HashMap<Arc<str>, UserShare>,
}

#[derive(Debug, Default)]
struct UserShare {
    queries: usize,
    reserved: usize,
}

impl Memory {
    pub(super) fn new(
        total: Limit,
        per_user: Limit,
        per_query: Limit,
        queries: usize,
        disk: Arc<Disk>,
    ) -> Self {
        let parts = queries.max(1);
        Self {
            total,
            per_user,
            per_query,
            part: total.bytes / 2 / parts,
            parts,
            disk,
            shared: Mutex::default(),
        }
    }

    /// Queries, and the bytes that they reserved.
    pub(super) fn in_use(&self) -> (usize, usize) {
        let shared = self.shared();
        (shared.queries, shared.reserved)
    }

    pub(super) fn limit(&self) -> usize {
        self.total.bytes
    }

    /// The most that one query can have while it is alone.
    pub(super) fn of_one_query(&self) -> usize {
        self.per_query
            .bytes
            .min(self.per_user.bytes)
            .min(self.total.bytes)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a query that has `reserved` may have altogether at this moment, and what limits it.
    fn allowance(&self, shared: &Shared, user: &str, part: usize, reserved: usize) -> (usize, Bound) {
        let borrowed = reserved.saturating_sub(part);
        let others = shared.borrowed.saturating_sub(borrowed);
        let borrowers = shared.borrowers + usize::from(borrowed == 0);
        // Parts that nobody could have are common too when fewer queries run; they are not given away, so that the next
        // query finds its part.
        let common = self
            .total
            .bytes
            .saturating_sub(self.total.bytes / 2 / self.parts * self.parts);
        let share = (common / borrowers.max(1)).min(common.saturating_sub(others));
        let of_user = shared.users.get(user).map_or(0, |user| user.reserved);
        let bounds = [
            (self.per_query.bytes, Bound::Query),
            (
                self.per_user
                    .bytes
                    .saturating_sub(of_user.saturating_sub(reserved)),
                Bound::User,
            ),
            (part.saturating_add(share), Bound::Process),
        ];
        bounds
            .into_iter()
            .min_by_key(|(bytes, _)| *bytes)
            .unwrap_or((0, Bound::Process))
    }

    fn refusal(&self, bound: Bound, can_spill: bool) -> String {
        let (whose, limit) = match bound {
            Bound::Query => ("one query", self.per_query),
            Bound::User => ("all queries of one user together", self.per_user),
            Bound::Process => ("all queries together", self.total),
        };
        let why = match (can_spill, self.disk.is_there()) {
            (_, false) => "there is no folder for what does not fit",
            (false, true) => "this step of the query cannot put it on the disk",
            (true, true) => "it does not suffice for the least that this step of the query holds at once",
        };
        let size = human_readable_size(limit.bytes);
        format!(
            "not enough memory: {whose} may use {size} ({}), and {why}",
            limit.setting
        )
    }
}

/// Which limit is in the way.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Query,
    User,
    Process,
}

/// Whether it gets along with a share: it can put its data on the disk, or merges sorted files, the more at a time the
/// more memory it has, and would take all of it.
fn is_elastic(consumer: &MemoryConsumer) -> bool {
    consumer.can_spill() || consumer.name().starts_with("ExternalSorterMerge")
}

/// The memory of one query.
#[derive(Debug)]
pub(super) struct QueryPool {
    memory: Arc<Memory>,
    user: Arc<str>,
    /// What it has for sure.
    part: usize,
    state: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Consumers that get along with little.
    elastic: usize,
    /// What those have reserved that can put their data on the disk.
    spillable: usize,
    /// What the others have.
    unspillable: usize,
    /// Why the last request was refused.
    refusal: Option<String>,
}

impl Held {
    fn reserved(&self) -> usize {
        self.spillable + self.unspillable
    }

    fn of(&mut self, consumer: &MemoryConsumer) -> &mut usize {
        if consumer.can_spill() {
            &mut self.spillable
        } else {
            &mut self.unspillable
        }
    }
}

impl QueryPool {
    pub(super) fn new(memory: Arc<Memory>, user: Arc<str>) -> Self {
        let mut shared = memory.shared();
        shared.queries += 1;
        shared.users.entry(Arc::clone(&user)).or_default().queries += 1;
        let part = if shared.parts_taken < memory.parts {
            shared.parts_taken += 1;
            memory.part
        } else {
            0
        };
        drop(shared);
        Self {
            memory,
            user,
            part,
            state: Mutex::default(),
        }
    }

    /// Why the last request was refused, if one was.
    pub(super) fn last_refusal(&self) -> Option<String> {
        self.held().refusal.clone()
    }

    /// The limit of spilled bytes that the engine's own check stands for.
    pub(super) fn disk_limit(&self) -> Option<Limit> {
        self.memory.disk.of_one_query()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the process's account from `before` to `after` bytes of this query.
    fn account(&self, shared: &mut Shared, before: usize, after: usize) {
        let beyond = |bytes: usize| bytes.saturating_sub(self.part);
        shared.reserved = shared.reserved.saturating_sub(before).saturating_add(after);
        shared.borrowed = shared
            .borrowed
            .saturating_sub(beyond(before))
            .saturating_add(beyond(after));
        shared.borrowers = (shared.borrowers + usize::from(beyond(after) > 0))
            .saturating_sub(usize::from(beyond(before) > 0));
        if let Some(user) = shared.users.get_mut(&self.user) {
            user.reserved = user.reserved.saturating_sub(before).saturating_add(after);
        }
    }
}

impl Drop for QueryPool {
    fn drop(&mut self) {
        let held = self.held().reserved();
        let mut shared = self.memory.shared();
        self.account(&mut shared, held, 0);
        shared.queries = shared.queries.saturating_sub(1);
        if self.part > 0 {
            shared.parts_taken = shared.parts_taken.saturating_sub(1);
        }
        if let Some(user) = shared.users.get_mut(&self.user) {
            user.queries = user.queries.saturating_sub(1);
            if user.queries == 0 {
                shared.users.remove(&self.user);
            }
        }
    }
}

impl MemoryPool for QueryPool {
    fn register(&self, consumer: &MemoryConsumer) {
        if is_elastic(consumer) {
            self.held().elastic += 1;
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if is_elastic(consumer) {
            let mut held = self.held();
            held.elastic = held.elastic.saturating_sub(1);
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let mut held = self.held();
        let before = held.reserved();
        let part = held.of(reservation.consumer());
        *part = part.saturating_add(additional);
        let after = held.reserved();
        self.account(&mut self.memory.shared(), before, after);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut held = self.held();
        let before = held.reserved();
        let part = held.of(reservation.consumer());
        *part = part.saturating_sub(shrink);
        let after = held.reserved();
        self.account(&mut self.memory.shared(), before, after);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<(), DataFusionError> {
        let can_spill = reservation.consumer().can_spill();
        if can_spill && let Some(limit) = self.memory.disk.exceeded() {
            // Not the error of lacking memory, to which more spilling would be the answer.
            return Err(DataFusionError::External(Box::new(ReaderError::Exhausted(
                disk_refusal("all queries together", limit),
            ))));
        }
        let mut held = self.held();
        let before = held.reserved();
        let mut shared = self.memory.shared();
        let (allowance, bound) = self.memory.allowance(&shared, &self.user, self.part, before);
        let fits = before.saturating_add(additional) <= allowance
            && (!is_elastic(reservation.consumer()) || {
                // An equal share of what the others leave: none starves the next one of the plan. Each may have what is
                // the least for it, one batch or two streams to merge.
                let size = reservation.size();
                let others = if can_spill { held.unspillable } else { 0 };
                let share = allowance.saturating_sub(others) / held.elastic.max(1);
                let least = if can_spill { size == 0 } else { size <= additional };
                least || size.saturating_add(additional) <= share
            });
        if !fits {
            let refusal = self.memory.refusal(bound, can_spill);
            held.refusal = Some(refusal.clone());
            return Err(DataFusionError::ResourcesExhausted(refusal));
        }
        *held.of(reservation.consumer()) += additional;
        self.account(&mut shared, before, before + additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.held().reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.memory.of_one_query())
    }
}

/// What is said when a limit of spilled bytes is reached.
pub(super) fn disk_refusal(whose: &str, limit: Limit) -> String {
    format!(
        "not enough disk for what does not fit into memory: {whose} may use {} ({})",
        human_readable_size(limit.bytes),
        limit.setting
    )
}

#[cfg(test)]
mod tests;
