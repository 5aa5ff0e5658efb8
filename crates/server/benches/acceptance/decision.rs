// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How long a decision takes when the subject holds a thousand grants, and when it holds a million.

use std::hint::black_box;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::chain::{Chain, Node};
use lakeward_authorization::condition::Condition;
use lakeward_authorization::decide::decide;
use lakeward_authorization::grants::{HeldPrivilege, HeldRole, Holdings, Membership, Mode, Standing};
use lakeward_authorization::privilege::Privilege;
use lakeward_authorization::{Grants, Requirement, Target};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;

use crate::measure::{compare, size};

/// The first id of the granted tables.
const FIRST_TABLE: i64 = 1_000;

/// The grants of somebody who may select so many tables, one by one.
pub(crate) fn grants(count: i64) -> Grants {
    let role = ObjectId::new(4);
    let held = |object: i64, privilege| HeldPrivilege {
        role,
        object: ObjectId::new(object),
        privilege,
        condition: Condition::Allow,
    };
    let mut privileges = vec![held(2, Privilege::UseCatalog), held(3, Privilege::UseSchema)];
    privileges.extend((0..count).map(|number| held(FIRST_TABLE + number, Privilege::SelectTable)));
    let holdings = Holdings {
        user: "ann".to_owned(),
        membership: Membership::Member,
        groups: std::collections::BTreeSet::new(),
        roles: vec![HeldRole {
            id: role,
            name: "reader".to_owned(),
        }],
        privileges,
    };
    Grants::new(Mode::Enforced, &holdings, &ActiveRoles::All, Standing::default()).unwrap()
}

fn target(table: i64) -> Target {
    let node = |id: i64, kind| Node {
        id: ObjectId::new(id),
        kind,
        owner: None,
    };
    Target::object(Chain::found(
        ObjectKind::Table,
        vec![
            node(1, ObjectKind::Metalake),
            node(2, ObjectKind::Catalog),
            node(3, ObjectKind::Schema),
            node(table, ObjectKind::Table),
        ],
    ))
}

pub(crate) async fn run() {
    const LOAD: Requirement = Requirement::On {
        kind: ObjectKind::Table,
        holding: &[Privilege::SelectTable, Privilege::ModifyTable],
    };
    let few = 1_000;
    let many = i64::try_from(size(1_000_000)).unwrap();
    // Different tables each time, so that the memory of many grants is really visited.
    let targets = |count: i64| -> Vec<Target> {
        (0..512)
            .map(|number| target(FIRST_TABLE + number * 7_919 % count))
            .collect()
    };
    let granted = many;
    let (few, many) = ((grants(few), targets(few)), (grants(many), targets(many)));
    let decide_all = |side: &(Grants, Vec<Target>)| {
        for target in &side.1 {
            black_box(decide(&LOAD, black_box(target), &side.0));
        }
    };
    compare(async || decide_all(&many), async || decide_all(&few))
        .await
        .print(
            "512 decisions",
            [&format!("{granted} grants"), "1000 grants"],
            "below 2",
        );
}
