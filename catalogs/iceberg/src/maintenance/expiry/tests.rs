// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What may go, by examples and against a model that reads like the specification.

use std::collections::BTreeSet;

use lakeward_catalog::table_maintenance::Expiry;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{DEFAULT_MAX_SNAPSHOT_AGE_MS, LEAST_STAGED_AGE_MS, plan};
use crate::document::Document;

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A snapshot: id, parent, age in days.
type Made = (i64, Option<i64>, i64);

fn document(snapshots: &[Made], refs: Value, properties: Value) -> Document {
    let snapshots: Vec<Value> = snapshots
        .iter()
        .map(|(id, parent, age)| {
            json!({"snapshot-id": id, "parent-snapshot-id": parent, "timestamp-ms": NOW - age * DAY,
                "manifest-list": format!("s3://b/t/metadata/snap-{id}.avro")})
        })
        .collect();
    let current = refs.pointer("/main/snapshot-id").cloned().unwrap_or(json!(-1));
    let members = json!({"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "s3://b/t", "current-snapshot-id": current, "snapshots": snapshots, "refs": refs,
        "properties": properties});
    Document::of(members.as_object().unwrap().clone())
}

fn expiry(older_than_days: Option<i64>, retain_last: Option<u64>) -> Expiry {
    Expiry {
        now: NOW,
        older_than: older_than_days.map(|days| NOW - days * DAY),
        retain_last,
        allow_recent: false,
    }
}

const LINE: [Made; 4] = [
    (1, None, 40),
    (2, Some(1), 30),
    (3, Some(2), 20),
    (4, Some(3), 10),
];

fn main_at(id: i64) -> Value {
    json!({"main": {"type": "branch", "snapshot-id": id}})
}

#[track_caller]
fn check(refs: Value, properties: Value, of: Expiry, expected: &[i64]) {
    let planned = plan(&document(&LINE, refs, properties), &of).unwrap();
    assert_eq!(planned.snapshots, expected);
}

#[test]
fn a_line_of_snapshots() {
    check(main_at(4), json!({}), expiry(None, None), &[1, 2, 3]);
    check(main_at(4), json!({}), expiry(None, Some(3)), &[1]);
    check(main_at(4), json!({}), expiry(Some(25), None), &[1, 2]);
    check(main_at(4), json!({}), expiry(Some(0), Some(100)), &[]);
    let keep = json!({"history.expire.min-snapshots-to-keep": "2"});
    check(main_at(4), keep.clone(), expiry(None, None), &[1, 2]);
    check(main_at(4), keep, expiry(None, Some(1)), &[1, 2, 3]);
    let age = json!({"history.expire.max-snapshot-age-ms": (25 * DAY).to_string()});
    check(main_at(4), age, expiry(None, None), &[1, 2]);
    // What lies ahead of a branch that was rolled back is of no branch.
    check(main_at(2), json!({}), expiry(None, None), &[1, 3, 4]);
    check(main_at(2), json!({}), expiry(Some(15), None), &[1, 3]);
}

#[test]
fn what_was_staged_today_stays() {
    let made = [(1, None, 3), (2, Some(1), 0), (3, Some(1), 1), (4, Some(1), 2)];
    let document = document(&made, main_at(1), json!({}));
    let planned = |of: Expiry| plan(&document, &of).unwrap().snapshots;
    assert_eq!(planned(expiry(Some(0), None)), [4]);
    let allowing = |older_than| Expiry {
        allow_recent: true,
        ..expiry(older_than, None)
    };
    assert_eq!(planned(allowing(Some(-1))), [2, 3, 4]);
    // It lets nothing go that is not old enough.
    assert_eq!(planned(allowing(Some(1))), [4]);
    assert_eq!(planned(allowing(None)), Vec::<i64>::new());
}

#[test]
fn branches_and_tags_keep_what_they_say() {
    let with = |more: Value| {
        let mut refs = main_at(4);
        refs.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        refs
    };
    check(
        with(json!({"old": {"type": "tag", "snapshot-id": 1}})),
        json!({}),
        expiry(None, None),
        &[2, 3],
    );
    check(
        with(json!({"b": {"type": "branch", "snapshot-id": 3, "min-snapshots-to-keep": 2}})),
        json!({}),
        expiry(None, None),
        &[1],
    );
    check(
        with(json!({"b": {"type": "branch", "snapshot-id": 3, "max-snapshot-age-ms": 35 * DAY}})),
        json!({}),
        expiry(None, None),
        &[1],
    );
    let refs = with(json!({
        "old": {"type": "tag", "snapshot-id": 1, "max-ref-age-ms": 39 * DAY},
        "young": {"type": "tag", "snapshot-id": 2, "max-ref-age-ms": 31 * DAY}}));
    let planned = plan(&document(&LINE, refs, json!({})), &expiry(None, None)).unwrap();
    assert_eq!(
        (planned.references, planned.snapshots),
        (vec!["old".to_owned()], vec![1, 3])
    );
    assert_eq!(
        planned.commit.updates,
        [
            json!({"action": "remove-snapshot-ref", "ref-name": "old"}),
            json!({"action": "remove-snapshots", "snapshot-ids": [1, 3]})
        ]
    );
    assert_eq!(
        planned.commit.requirements.len(),
        4,
        "the table, and each branch and tag"
    );
    // The main branch never goes.
    let main = json!({"main": {"type": "branch", "snapshot-id": 4, "max-ref-age-ms": 1}});
    check(main, json!({}), expiry(None, None), &[1, 2, 3]);
}

#[test]
fn what_cannot_be_read_expires_nothing() {
    for (refs, properties) in [
        (
            main_at(4),
            json!({"history.expire.max-snapshot-age-ms": "five days"}),
        ),
        (main_at(4), json!({"history.expire.min-snapshots-to-keep": "0"})),
        (json!({"main": {"type": "branch"}}), json!({})),
        (json!({"main": {"type": "twig", "snapshot-id": 4}}), json!({})),
        (
            json!({"main": {"type": "branch", "snapshot-id": 4, "min-snapshots-to-keep": "2"}}),
            json!({}),
        ),
    ] {
        let planned = plan(&document(&LINE, refs.clone(), properties), &expiry(None, None));
        assert!(planned.is_err(), "{refs}");
    }
}

/// A branch or tag: its snapshot, whether it is a branch, and what it keeps.
#[derive(Debug, Clone)]
struct Reference {
    snapshot: i64,
    is_branch: bool,
    min: Option<i64>,
    age: Option<i64>,
    ref_age: Option<i64>,
}

/// Every snapshot that the specification keeps, one sentence of it after the other.
fn model(snapshots: &[Made], refs: &[(String, Reference)], of: &Expiry) -> BTreeSet<i64> {
    let find = |id: i64| snapshots.iter().find(|(known, _, _)| *known == id);
    let history = |id: i64| {
        let mut line = Vec::new();
        let mut next = find(id);
        while let Some(made) = next {
            line.push(*made);
            next = made.1.and_then(find);
        }
        line
    };
    let default_age = of
        .older_than
        .map_or(DEFAULT_MAX_SNAPSHOT_AGE_MS, |older_than| NOW - older_than);
    let living = refs.iter().filter(|(name, reference)| {
        let age = find(reference.snapshot).unwrap().2 * DAY;
        name == "main" || reference.ref_age.is_none_or(|most| age <= most)
    });
    let mut kept = BTreeSet::new();
    let mut of_some = BTreeSet::new();
    for (_, reference) in living {
        kept.insert(reference.snapshot);
        of_some.insert(reference.snapshot);
        if reference.is_branch {
            let line = history(reference.snapshot);
            let least = reference
                .min
                .unwrap_or(of.retain_last.map_or(1, u64::cast_signed));
            let most = reference.age.unwrap_or(default_age);
            let long = line
                .iter()
                .zip(0_i64..)
                .take_while(|((_, _, age), at)| *at < least || age * DAY <= most);
            kept.extend(long.map(|((id, _, _), _)| *id));
            of_some.extend(line.iter().map(|(id, _, _)| *id));
        }
    }
    let unreferenced = snapshots
        .iter()
        .filter(|(id, _, age)| !of_some.contains(id) && age * DAY <= default_age.max(LEAST_STAGED_AGE_MS));
    kept.extend(unreferenced.map(|(id, _, _)| *id));
    kept
}

prop_compose! {
    fn references(count: i64)(
        made in proptest::collection::vec(
            (1..=count, any::<bool>(), proptest::option::of(1_i64..5), proptest::option::of(1_i64..60),
                proptest::option::of(1_i64..60)), 0..4),
        main in 1..=count,
        main_min in proptest::option::of(1_i64..5),
    ) -> Vec<(String, Reference)> {
        let main = Reference { snapshot: main, is_branch: true, min: main_min, age: None, ref_age: Some(1) };
        let named = made.into_iter().enumerate().map(|(at, (snapshot, is_branch, min, age, ref_age))| {
            let reference = Reference {
                snapshot, is_branch,
                min: min.filter(|_| is_branch),
                age: age.filter(|_| is_branch).map(|days| days * DAY),
                ref_age: ref_age.map(|days| days * DAY),
            };
            (format!("r{at}"), reference)
        });
        std::iter::once(("main".to_owned(), main)).chain(named).collect()
    }
}

proptest! {
    #[test]
    fn what_stays_is_what_the_specification_keeps(
        (parents, ages, refs) in (1_usize..12).prop_flat_map(|count| (
            proptest::collection::vec(any::<proptest::sample::Index>(), count),
            proptest::collection::vec(0_i64..60, count),
            references(i64::try_from(count).unwrap()),
        )),
        older_than in proptest::option::of(0_i64..60),
        retain_last in proptest::option::of(1_u64..5),
    ) {
        // The parent of a snapshot is one before it, or none.
        let snapshots: Vec<Made> = (1_i64..).zip(parents.iter().zip(&ages)).map(|(id, (parent, age))| {
            let parent = i64::try_from(parent.index(usize::try_from(id).unwrap())).unwrap();
            (id, Some(parent).filter(|id| *id > 0), *age)
        }).collect();
        let members: Map<String, Value> = refs.iter().map(|(name, reference)| {
            let mut value = json!({"snapshot-id": reference.snapshot,
                "type": if reference.is_branch { "branch" } else { "tag" }});
            for (member, number) in [("min-snapshots-to-keep", reference.min),
                ("max-snapshot-age-ms", reference.age), ("max-ref-age-ms", reference.ref_age)] {
                if let Some(number) = number {
                    value[member] = json!(number);
                }
            }
            (name.clone(), value)
        }).collect();
        let of = expiry(older_than, retain_last);
        let planned = plan(&document(&snapshots, Value::Object(members), json!({})), &of).unwrap();
        let kept = model(&snapshots, &refs, &of);
        let expected: Vec<i64> = snapshots.iter().map(|made| made.0).filter(|id| !kept.contains(id)).collect();
        prop_assert_eq!(planned.snapshots, expected);
    }
}
