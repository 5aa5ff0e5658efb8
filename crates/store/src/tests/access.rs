// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where access comes from.

use std::collections::BTreeSet;

use lakeward_authorization::condition::Condition::{self, Allow, Deny};
use lakeward_authorization::privilege::Privilege::{self, ModifyTable, SelectTable, UseCatalog};
use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind::{Catalog, Role, Table};
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::Principal;

use super::scene::{Scene, group, named, user};
use crate::{NewGroup, Write};

async fn say(
    write: &mut Write,
    role: ObjectId,
    id: ObjectId,
    object: MetadataObject,
    privileges: &[(Privilege, Condition)],
) {
    let privileges = privileges
        .iter()
        .map(|(privilege, condition)| ConditionedPrivilege {
            privilege: *privilege,
            condition: *condition,
        })
        .collect();
    let securable = SecurableObject::new(object, privileges).unwrap();
    write.put_role_object(role, Some(id), &securable).await.unwrap();
}

fn groups(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(super) async fn it_is_told_how_each_role_is_held(scene: &Scene) {
    let tree = scene.table().await;
    let both = scene.object(tree.metalake, tree.metalake, Role, "both").await;
    let team_only = scene
        .object(tree.metalake, tree.metalake, Role, "team_only")
        .await;
    let nobody = scene.object(tree.metalake, tree.metalake, Role, "nobody").await;
    let mut write = scene.write(tree.metalake).await;
    write.add_group(&NewGroup::named("team")).await.unwrap();
    write.grant_role(both, &user("ann")).await.unwrap();
    write.grant_role(both, &group("team")).await.unwrap();
    write.grant_role(team_only, &group("team")).await.unwrap();
    let table = || named(Table, "c.s.t");
    say(&mut write, both, tree.table, table(), &[(SelectTable, Allow)]).await;
    say(&mut write, team_only, tree.table, table(), &[(ModifyTable, Deny)]).await;
    say(&mut write, nobody, tree.table, table(), &[(SelectTable, Deny)]).await;
    say(
        &mut write,
        both,
        tree.catalog,
        named(Catalog, "c"),
        &[(UseCatalog, Allow)],
    )
    .await;
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let mut told = async |held: &[&str], object| -> Vec<(String, Principal, Privilege, Condition)> {
        let sayings = snapshot
            .sayings(tree.metalake, "ann", &groups(held), &[object])
            .await
            .unwrap()
            .remove(&object)
            .unwrap_or_default();
        let row = |one: crate::Saying| (one.role, one.through, one.says.privilege, one.says.condition);
        sayings.into_iter().map(row).collect()
    };
    let by_user = |role: &str, privilege| (role.to_owned(), user("ann"), privilege, Allow);
    assert_eq!(told(&[], tree.table).await, [by_user("both", SelectTable)]);
    assert_eq!(
        told(&["team", "ghost"], tree.table).await,
        [
            by_user("both", SelectTable),
            ("both".to_owned(), group("team"), SelectTable, Allow),
            ("team_only".to_owned(), group("team"), ModifyTable, Deny),
        ]
    );
    assert_eq!(told(&[], tree.catalog).await, [by_user("both", UseCatalog)]);
    assert!(told(&["team"], tree.schema).await.is_empty());
    let several = [tree.table, tree.schema, tree.catalog];
    let told = snapshot
        .sayings(tree.metalake, "ann", &groups(&["team"]), &several)
        .await
        .unwrap();
    let counts: Vec<usize> = several
        .iter()
        .map(|object| told.get(object).map_or(0, Vec::len))
        .collect();
    assert_eq!(counts, [3, 0, 2]);
}

pub(super) async fn places_are_paged(scene: &Scene) {
    let tree = scene.table().await;
    let role = scene.object(tree.metalake, tree.metalake, Role, "r").await;
    let mut write = scene.write(tree.metalake).await;
    write.add_group(&NewGroup::named("team")).await.unwrap();
    write.add_user(&crate::NewUser::named("bob")).await.unwrap();
    write.grant_role(role, &user("bob")).await.unwrap();
    say(
        &mut write,
        role,
        tree.catalog,
        named(Catalog, "c"),
        &[(UseCatalog, Allow)],
    )
    .await;
    say(
        &mut write,
        role,
        tree.table,
        named(Table, "c.s.t"),
        &[(SelectTable, Deny)],
    )
    .await;
    let unbound = SecurableObject::new(
        named(Table, "c.s.later"),
        vec![ConditionedPrivilege {
            privilege: SelectTable,
            condition: Allow,
        }],
    );
    write
        .put_role_object(role, None, &unbound.unwrap())
        .await
        .unwrap();
    write.set_owner(tree.schema, &group("team")).await.unwrap();
    write.set_owner(tree.table, &user("bob")).await.unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let mut places = async |held: &[&str], after, limit| {
        snapshot
            .access_places(tree.metalake, "bob", &groups(held), after, limit)
            .await
            .unwrap()
    };
    assert_eq!(places(&[], 0, 10).await, [tree.catalog, tree.table]);
    assert_eq!(
        places(&["team"], 0, 10).await,
        [tree.catalog, tree.schema, tree.table]
    );
    assert_eq!(places(&["team"], 0, 2).await, [tree.catalog, tree.schema]);
    assert_eq!(places(&["team"], tree.schema.value(), 2).await, [tree.table]);
    assert!(places(&["team"], tree.table.value(), 2).await.is_empty());
}
