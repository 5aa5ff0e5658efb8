// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Roles, what they grant, to whom.

use std::collections::BTreeSet;

use lakeward_authorization::condition::Condition::{self, Allow, Deny};
use lakeward_authorization::grants::Membership;
use lakeward_authorization::privilege::Privilege::{self, ModifyTable, SelectTable, UseCatalog};
use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_metadata::kind::ObjectKind::{Catalog, Role, Table};
use lakeward_metadata::object::MetadataObject;

use super::scene::{Scene, group, named, user};
use crate::{NewGroup, NewObject, NewUser};

fn securable(object: MetadataObject, privileges: &[(Privilege, Condition)]) -> SecurableObject {
    let privileges = privileges
        .iter()
        .map(|(privilege, condition)| ConditionedPrivilege {
            privilege: *privilege,
            condition: *condition,
        })
        .collect();
    SecurableObject::new(object, privileges).unwrap()
}

fn groups(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(super) async fn roles_reach_users_and_groups(scene: &Scene) {
    let tree = scene.table().await;
    let direct = scene.object(tree.metalake, tree.metalake, Role, "direct").await;
    let indirect = scene.object(tree.metalake, tree.metalake, Role, "indirect").await;
    let mut write = scene.write(tree.metalake).await;
    for name in ["staff", "other"] {
        write.add_group(&NewGroup::named(name)).await.unwrap();
    }
    write.grant_role(direct, &user("ann")).await.unwrap();
    write.grant_role(indirect, &group("staff")).await.unwrap();
    let on_catalog = securable(named(Catalog, "c"), &[(UseCatalog, Allow)]);
    let on_table = securable(
        named(Table, "c.s.t"),
        &[(SelectTable, Allow), (ModifyTable, Deny)],
    );
    write
        .put_role_object(direct, Some(tree.catalog), &on_catalog)
        .await
        .unwrap();
    write
        .put_role_object(indirect, Some(tree.table), &on_table)
        .await
        .unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    for (token, known, roles, privileges) in [
        (groups(&[]), groups(&[]), vec!["direct"], 1),
        (
            groups(&["staff", "ghost"]),
            groups(&["staff"]),
            vec!["direct", "indirect"],
            3,
        ),
        (groups(&["other", "STAFF"]), groups(&["other"]), vec!["direct"], 1),
    ] {
        let holdings = snapshot.load_grants(tree.metalake, "ann", &token).await.unwrap();
        assert_eq!(holdings.membership, Membership::Member);
        assert_eq!(holdings.groups, known);
        let names: Vec<_> = holdings.roles.iter().map(|role| role.name.as_str()).collect();
        assert_eq!(names, roles);
        assert_eq!(holdings.privileges.len(), privileges);
    }
    let mentioning: Vec<_> = snapshot
        .roles_of_object(tree.table)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.object.name)
        .collect();
    assert_eq!(mentioning, ["indirect"]);
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    write.revoke_role(direct, &user("ann")).await.unwrap();
    write.drop_object(indirect).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let holdings = snapshot
        .load_grants(tree.metalake, "ann", &groups(&["staff"]))
        .await
        .unwrap();
    assert!(holdings.roles.is_empty() && holdings.privileges.is_empty());
    assert!(snapshot.roles_of_object(tree.table).await.unwrap().is_empty());
}

pub(super) async fn a_grant_binds_to_an_id(scene: &Scene) {
    let tree = scene.table().await;
    let role = scene.object(tree.metalake, tree.metalake, Role, "r").await;
    let mut write = scene.write(tree.metalake).await;
    write.grant_role(role, &user("ann")).await.unwrap();
    let bound = securable(named(Table, "c.s.t"), &[(SelectTable, Allow)]);
    write
        .put_role_object(role, Some(tree.table), &bound)
        .await
        .unwrap();
    let early = securable(named(Table, "c.s.later"), &[(SelectTable, Allow)]);
    write.put_role_object(role, None, &early).await.unwrap();
    write.rename_object(tree.table, "renamed").await.unwrap();
    write
        .create_object(&NewObject::named(tree.schema, Table, "t"))
        .await
        .unwrap();
    write
        .create_object(&NewObject::named(tree.schema, Table, "later"))
        .await
        .unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let holdings = snapshot
        .load_grants(tree.metalake, "ann", &groups(&[]))
        .await
        .unwrap();
    let objects: Vec<_> = holdings.privileges.iter().map(|held| held.object).collect();
    assert_eq!(objects, [tree.table]);
    let shown: Vec<_> = snapshot
        .role_objects(role)
        .await
        .unwrap()
        .into_iter()
        .map(|object| (object.object_id, object.securable.object().full_name()))
        .collect();
    assert_eq!(
        shown,
        [
            (Some(tree.table), "c.s.renamed".to_owned()),
            (None, "c.s.later".to_owned())
        ]
    );
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.table).await.unwrap();
    write
        .create_object(&NewObject::named(tree.schema, Table, "renamed"))
        .await
        .unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let holdings = snapshot
        .load_grants(tree.metalake, "ann", &groups(&[]))
        .await
        .unwrap();
    assert!(holdings.privileges.is_empty());
}

pub(super) async fn a_role_shows_what_it_says(scene: &Scene) {
    let tree = scene.table().await;
    let role = scene.object(tree.metalake, tree.metalake, Role, "r").await;
    let table = named(Table, "c.s.t");
    let ghost = named(Table, "c.s.ghost");
    let mut write = scene.write(tree.metalake).await;
    for (id, object) in [(Some(tree.table), &table), (None, &ghost)] {
        let first = securable(object.clone(), &[(SelectTable, Allow)]);
        let second = securable(object.clone(), &[(ModifyTable, Deny), (SelectTable, Allow)]);
        write.put_role_object(role, id, &first).await.unwrap();
        write.put_role_object(role, id, &second).await.unwrap();
        let shown = write.role_objects(role).await.unwrap();
        assert_eq!(shown.last().unwrap().securable.privileges().len(), 2);
    }
    assert_eq!(write.role_objects(role).await.unwrap().len(), 2);
    assert!(write.remove_role_object(role, None, &ghost).await.unwrap());
    assert!(!write.remove_role_object(role, None, &ghost).await.unwrap());
    assert_eq!(write.role_objects(role).await.unwrap().len(), 1);
    write.clear_role(role).await.unwrap();
    assert!(write.role_objects(role).await.unwrap().is_empty());
}

pub(super) async fn the_unknown_and_the_suspended_are_told_apart(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let mut write = scene.write(metalake).await;
    write
        .add_user(&NewUser {
            is_enabled: false,
            ..NewUser::named("bob")
        })
        .await
        .unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    for (name, expected) in [
        ("ann", Membership::Member),
        ("bob", Membership::Suspended),
        ("eve", Membership::Outsider),
    ] {
        let holdings = snapshot.load_grants(metalake, name, &groups(&[])).await.unwrap();
        assert_eq!(holdings.membership, expected, "{name}");
        assert_eq!(holdings.user, name);
    }
}
