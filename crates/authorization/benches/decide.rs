// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A decision and a list, with a thousand and with a million grants: the number of grants must not show.

#![expect(clippy::expect_used, reason = "a benchmark may fail loudly")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::decide;
use lakeward_authorization::grants::{Grants, HeldPrivilege, HeldRole, Holdings, Membership, Mode, Standing};
use lakeward_authorization::{Chain, Condition, Node, Privilege, Requirement, Target, Visibility};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;

/// Grants on `count` tables besides the way to them; the last table is the one that is asked for.
fn grants(count: i64) -> Grants {
    let role = HeldRole {
        id: ObjectId::new(1),
        name: "reader".to_owned(),
    };
    let held = |object: i64, privilege| HeldPrivilege {
        role: role.id,
        object: ObjectId::new(object),
        privilege,
        condition: Condition::Allow,
    };
    let mut privileges = vec![held(2, Privilege::UseCatalog), held(3, Privilege::UseSchema)];
    privileges.extend((0..count).map(|table| held(10 + table, Privilege::SelectTable)));
    let holdings = Holdings {
        user: "caller".to_owned(),
        membership: Membership::Member,
        groups: Default::default(),
        roles: vec![role],
        privileges,
    };
    Grants::new(Mode::Enforced, &holdings, &ActiveRoles::All, Standing::default())
        .expect("every role is active")
}

fn node(id: i64, kind: ObjectKind) -> Node {
    Node {
        id: ObjectId::new(id),
        kind,
        owner: None,
    }
}

fn run(criterion: &mut Criterion) {
    let schema = vec![
        node(1, ObjectKind::Metalake),
        node(2, ObjectKind::Catalog),
        node(3, ObjectKind::Schema),
    ];
    for count in [1_000, 1_000_000] {
        let grants = grants(count);
        let mut nodes = schema.clone();
        nodes.push(node(10 + count - 1, ObjectKind::Table));
        let target = Target::object(Chain::found(ObjectKind::Table, nodes));
        let load = Requirement::load(ObjectKind::Table);
        criterion.bench_function(&format!("load a table, {count} grants"), |bencher| {
            bencher.iter(|| decide(black_box(load), black_box(&target), black_box(&grants)));
        });
        let parent = Chain::found(ObjectKind::Schema, schema.clone());
        criterion.bench_function(&format!("list 1000 tables, {count} grants"), |bencher| {
            bencher.iter(|| {
                let visibility = Visibility::new(black_box(load), black_box(&grants), black_box(&parent));
                (0..1_000)
                    .filter(|table| visibility.shows(ObjectId::new(10 + table), None))
                    .count()
            });
        });
    }
}

criterion_group!(benches, run);
criterion_main!(benches);
