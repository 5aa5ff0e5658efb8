// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! No limit is passed, nobody starves, and nothing is left when queries end.

use proptest::prelude::*;

use super::*;
use crate::session::resources::{ResourceSettings, Resources};

fn limit(bytes: usize, setting: &'static str) -> Limit {
    Limit { bytes, setting }
}

fn memory(total: usize, per_user: usize, per_query: usize, queries: usize) -> Arc<Memory> {
    let disk = Resources::new(ResourceSettings {
        memory: limit(total, "--all"),
        memory_per_user: limit(per_user, "--user"),
        memory_per_query: limit(per_query, "--query"),
        queries,
        spill: None,
    })
    .disk();
    Arc::new(Memory::new(
        limit(total, "--all"),
        limit(per_user, "--user"),
        limit(per_query, "--query"),
        queries,
        disk,
    ))
}

fn query(memory: &Arc<Memory>, user: &str) -> Arc<dyn MemoryPool> {
    Arc::new(QueryPool::new(Arc::clone(memory), user.into()))
}

fn consumer(pool: &Arc<dyn MemoryPool>, can_spill: bool) -> MemoryReservation {
    MemoryConsumer::new("test")
        .with_can_spill(can_spill)
        .register(pool)
}

#[test]
fn each_limit_is_named_with_its_setting() {
    for (total, per_user, per_query, named) in [
        (1000, 2000, 2000, "--all"),
        (2000, 1000, 2000, "--user"),
        (2000, 2000, 1000, "--query"),
    ] {
        let memory = memory(total, per_user, per_query, 1);
        let pool = query(&memory, "ann");
        let held = consumer(&pool, false);
        held.try_grow(1000).unwrap();
        let error = held.try_grow(1).unwrap_err();
        assert!(matches!(error, DataFusionError::ResourcesExhausted(_)));
        let text = error.to_string();
        assert!(text.contains(named) && text.contains("1000.0 B"), "{text}");
        assert!(text.contains("no folder"), "{text}");
    }
}

#[test]
fn a_user_has_one_limit_for_all_queries() {
    let memory = memory(10_000, 500, 500, 4);
    let (first, second, other) = (
        query(&memory, "ann"),
        query(&memory, "ann"),
        query(&memory, "bob"),
    );
    let (first, second, other) = (
        consumer(&first, false),
        consumer(&second, false),
        consumer(&other, false),
    );
    first.try_grow(400).unwrap();
    assert!(second.try_grow(101).is_err());
    second.try_grow(100).unwrap();
    other.try_grow(500).unwrap();
    first.free();
    second.try_grow(400).unwrap();
}

/// Whatever large queries took before, one that begins gets its part.
#[test]
fn a_part_is_kept_for_each_query() {
    let memory = memory(8000, 8000, 8000, 4);
    let first = query(&memory, "ann");
    let large = consumer(&first, false);
    while large.try_grow(100).is_ok() {}
    assert_eq!(large.size(), 5000, "its part and what is common");
    for user in ["bob", "cid", "dan"] {
        let pool = query(&memory, user);
        let small = consumer(&pool, false);
        small.try_grow(1000).unwrap();
        assert!(small.try_grow(1).is_err());
    }
    // The one beyond those that may run at once has no part, and does not push the limit.
    let (_second, _third, _fourth) = (query(&memory, "x"), query(&memory, "x"), query(&memory, "x"));
    let fifth = query(&memory, "eve");
    assert!(consumer(&fifth, false).try_grow(1).is_err());
}

#[test]
fn what_is_common_is_shared_equally() {
    let memory = memory(8000, 8000, 8000, 4);
    let (first, second) = (query(&memory, "ann"), query(&memory, "bob"));
    let (first, second) = (consumer(&first, true), consumer(&second, true));
    second.try_grow(1001).unwrap();
    while first.try_grow(10).is_ok() {}
    assert_eq!(first.size(), 3000, "its part and half of what is common");
    second.try_grow(1999).unwrap();
    assert!(second.try_grow(1).is_err());
}

#[test]
fn those_that_spill_leave_room_for_each_other() {
    let memory = memory(2000, 2000, 1000, 1);
    let pool = query(&memory, "ann");
    let (first, second) = (consumer(&pool, true), consumer(&pool, true));
    let firm = consumer(&pool, false);
    firm.try_grow(200).unwrap();
    while first.try_grow(10).is_ok() {}
    assert_eq!(first.size(), 400);
    second.try_grow(400).unwrap();
    second.free();
    let third = consumer(&pool, true);
    third.try_grow(390).unwrap();
    assert!(third.try_grow(1).is_err(), "beyond its share of 266");
}

/// A query's pool, what it reserved and how much that is.
type Holder = (Arc<dyn MemoryPool>, MemoryReservation, usize);

proptest! {
    #[test]
    fn no_limit_is_passed_and_all_comes_back(
        steps in proptest::collection::vec((0_usize..6, 0_usize..700, any::<bool>()), 1..200),
    ) {
        let memory = memory(4000, 2500, 1500, 3);
        let users = ["ann", "bob"];
        let mut held: Vec<Option<Holder>> = Vec::new();
        held.resize_with(6, || None);
        for (slot, bytes, can_spill) in steps {
            let place = held.get_mut(slot).unwrap();
            match place.take() {
                None => {
                    let pool = query(&memory, users[slot % 2]);
                    let reservation = consumer(&pool, can_spill);
                    *place = Some((pool, reservation, slot % 2));
                }
                Some((pool, reservation, user)) if bytes > 100 => {
                    let _ = reservation.try_grow(bytes);
                    *place = Some((pool, reservation, user));
                }
                // The query ends.
                Some(_) => {}
            }
            let of = |user: usize| -> usize {
                held.iter().flatten().filter(|(_, _, whose)| *whose == user).map(|(_, held, _)| held.size()).sum()
            };
            prop_assert!(held.iter().flatten().all(|(_, held, _)| held.size() <= 1500));
            prop_assert!(of(0) <= 2500 && of(1) <= 2500);
            prop_assert!(of(0) + of(1) <= 4000);
            prop_assert_eq!(memory.in_use(), (held.iter().flatten().count(), of(0) + of(1)));
        }
        held.clear();
        let shared = memory.shared();
        prop_assert_eq!(
            (shared.queries, shared.reserved, shared.borrowed, shared.borrowers, shared.parts_taken, shared.users.len()),
            (0, 0, 0, 0, 0, 0)
        );
    }
}
