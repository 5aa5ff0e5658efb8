// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users, groups, owners.

use lakeward_metadata::kind::ObjectKind::{Catalog, Role};

use super::scene::{Scene, group, user};
use crate::{NewGroup, NewUser};

pub(super) async fn users_come_and_go(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let role = scene.object(metalake, metalake, Role, "r").await;
    let mut write = scene.write(metalake).await;
    let bob = write
        .add_user(&NewUser {
            name: "bob".to_owned(),
            external_id: Some("x-1".to_owned()),
            is_enabled: false,
        })
        .await
        .unwrap();
    write.grant_role(role, &user("bob")).await.unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.user(metalake, "bob").await.unwrap(), Some(bob.clone()));
    assert_eq!(snapshot.user(metalake, "Bob").await.unwrap(), None);
    let names: Vec<_> = snapshot
        .users(metalake)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(names, ["ann", "bob"]);
    assert_eq!(snapshot.roles_of_user(bob.id).await.unwrap(), ["r"]);
    assert_eq!(snapshot.roles_of_users(metalake).await.unwrap()[&bob.id], ["r"]);
    assert!(snapshot.metalakes_of_user("bob").await.unwrap().is_empty());
    drop(snapshot);

    let mut write = scene.write(metalake).await;
    let enabled = write.alter_user("bob", None, true).await.unwrap();
    assert!(enabled.is_enabled && enabled.external_id.is_none());
    assert!(
        write
            .alter_user("eve", None, true)
            .await
            .unwrap_err()
            .is_missing()
    );
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.user(metalake, "bob").await.unwrap(), Some(enabled));
    assert_eq!(snapshot.metalakes_of_user("bob").await.unwrap(), [metalake]);
    drop(snapshot);

    let mut write = scene.write(metalake).await;
    assert!(write.remove_user("bob").await.unwrap());
    assert!(!write.remove_user("bob").await.unwrap());
    let again = write.add_user(&NewUser::named("bob")).await.unwrap();
    assert_ne!(again.id, bob.id);
    assert!(
        write
            .add_user(&NewUser::named("bob"))
            .await
            .unwrap_err()
            .is_unique()
    );
    drop(write);
    let mut write = scene.write(metalake).await;
    assert!(write.remove_user("bob").await.unwrap());
    let again = write.add_user(&NewUser::named("bob")).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert!(snapshot.roles_of_user(again.id).await.unwrap().is_empty());
}

pub(super) async fn groups_come_and_go(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let role = scene.object(metalake, metalake, Role, "r").await;
    let mut write = scene.write(metalake).await;
    let staff = write
        .add_group(&NewGroup {
            name: "staff".to_owned(),
            external_id: Some("g-1".to_owned()),
        })
        .await
        .unwrap();
    assert!(write.grant_role(role, &group("staff")).await.unwrap());
    assert!(!write.grant_role(role, &group("staff")).await.unwrap());
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(
        snapshot.group(metalake, "staff").await.unwrap(),
        Some(staff.clone())
    );
    assert_eq!(
        snapshot.groups(metalake).await.unwrap(),
        std::slice::from_ref(&staff)
    );
    assert_eq!(snapshot.roles_of_group(staff.id).await.unwrap(), ["r"]);
    assert_eq!(
        snapshot.roles_of_groups(metalake).await.unwrap()[&staff.id],
        ["r"]
    );
    drop(snapshot);
    let mut write = scene.write(metalake).await;
    let touched = write.touch_group("staff").await.unwrap();
    assert_eq!(touched.audit.last_modifier.as_deref(), Some("ann"));
    assert_eq!(write.group(metalake, "staff").await.unwrap(), Some(touched));
    assert!(write.revoke_role(role, &group("staff")).await.unwrap());
    assert!(!write.revoke_role(role, &group("staff")).await.unwrap());
    assert!(write.remove_group("staff").await.unwrap());
    assert!(!write.remove_group("staff").await.unwrap());
    assert!(
        write
            .grant_role(role, &group("staff"))
            .await
            .unwrap_err()
            .is_missing()
    );
}

pub(super) async fn owners_are_users_or_groups(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let catalog = scene.object(metalake, metalake, Catalog, "c").await;
    let mut write = scene.write(metalake).await;
    write.add_user(&NewUser::named("bob")).await.unwrap();
    write.add_group(&NewGroup::named("staff")).await.unwrap();
    for owner in [user("bob"), group("staff"), user("bob"), group("staff")] {
        write.set_owner(catalog, &owner).await.unwrap();
        assert_eq!(write.owner(catalog).await.unwrap(), Some(owner.clone()));
        assert_eq!(write.object(catalog).await.unwrap().unwrap().owner, Some(owner));
    }
    for nobody in [user("staff"), group("bob")] {
        assert!(write.set_owner(catalog, &nobody).await.unwrap_err().is_missing());
    }
    write.remove_group("staff").await.unwrap();
    assert_eq!(write.owner(catalog).await.unwrap(), None);
    write.set_owner(catalog, &user("bob")).await.unwrap();
    write.remove_user("bob").await.unwrap();
    assert_eq!(write.owner(catalog).await.unwrap(), None);
    write.commit().await.unwrap();
}
