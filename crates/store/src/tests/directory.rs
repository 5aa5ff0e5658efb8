// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users and groups that an identity provider pushes.

use lakeward_metadata::directory::{DirectoryGroup, DirectoryUser};
use lakeward_metadata::principal::PrincipalKind;

use super::scene::Scene;
use crate::{Area, DirectoryKey, DirectoryPage, FormerName, NewGroup, NewUser, Write};

fn user(name: &str) -> DirectoryUser {
    DirectoryUser {
        name: name.to_owned(),
        external_id: Some(format!("x-{name}")),
        is_active: true,
        profile: "{}".to_owned(),
    }
}

fn group(name: &str, members: &[&str]) -> DirectoryGroup {
    DirectoryGroup {
        name: name.to_owned(),
        external_id: None,
        members: members.iter().map(|member| (*member).to_owned()).collect(),
    }
}

async fn writing(scene: &Scene) -> Write {
    scene.store.write_server("provisioner").await.unwrap()
}

pub(super) async fn users_and_groups_are_pushed(scene: &Scene) {
    let before = scene.store.server_revision().await.unwrap();
    let mut write = writing(scene).await;
    write.add_directory_user("1", &user("Ann")).await.unwrap();
    write.add_directory_user("2", &user("ben")).await.unwrap();
    write
        .add_directory_group("g", &group("Staff", &["1", "2"]))
        .await
        .unwrap();
    write.commit().await.unwrap();
    assert!(
        scene.store.server_revision().await.unwrap() > before,
        "caches are keyed by it"
    );

    let mut snapshot = scene.store.snapshot().await.unwrap();
    for key in [
        DirectoryKey::Id("1"),
        DirectoryKey::Name("ANN"),
        DirectoryKey::ExternalId("x-Ann"),
    ] {
        let ann = snapshot.directory_user(key).await.unwrap().unwrap();
        assert_eq!(
            (ann.id.as_str(), &ann.content, ann.version),
            ("1", &user("Ann"), 1)
        );
    }
    for key in [
        DirectoryKey::Id("3"),
        DirectoryKey::Name("an"),
        DirectoryKey::ExternalId("X-ANN"),
    ] {
        assert_eq!(snapshot.directory_user(key).await.unwrap(), None);
    }
    for key in [DirectoryKey::Id("g"), DirectoryKey::Name("staff")] {
        assert_eq!(
            snapshot.directory_group(key).await.unwrap().unwrap().content,
            group("Staff", &[])
        );
    }
    let by_external_id = DirectoryKey::ExternalId("g");
    assert_eq!(snapshot.directory_group(by_external_id).await.unwrap(), None);
    let named = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    assert_eq!(
        snapshot.members_of_directory_group("g").await.unwrap(),
        [named("1", "Ann"), named("2", "ben")]
    );
    assert_eq!(
        snapshot.groups_of_directory_user("1").await.unwrap(),
        [named("g", "Staff")]
    );
    assert_eq!(snapshot.count_directory_users().await.unwrap(), 2);
    assert_eq!(snapshot.count_directory_groups().await.unwrap(), 1);
    let page = DirectoryPage { offset: 1, limit: 1 };
    let second = snapshot.directory_users(page).await.unwrap();
    assert_eq!(
        second.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(),
        ["2"]
    );
    assert_eq!(
        snapshot.directory_users(DirectoryPage::ALL).await.unwrap().len(),
        2
    );
    assert_eq!(
        snapshot.directory_groups(DirectoryPage::ALL).await.unwrap().len(),
        1
    );
    drop(snapshot);

    let mut write = writing(scene).await;
    let away = DirectoryUser {
        is_active: false,
        ..user("ann-2")
    };
    write.alter_directory_user("1", &away).await.unwrap();
    assert!(
        write
            .alter_directory_user("3", &away)
            .await
            .unwrap_err()
            .is_missing()
    );
    write
        .alter_directory_group("g", &group("staff", &["1"]))
        .await
        .unwrap();
    assert!(
        write
            .alter_directory_group("h", &group("h", &[]))
            .await
            .unwrap_err()
            .is_missing()
    );
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let ann = snapshot
        .directory_user(DirectoryKey::Id("1"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((&ann.content, ann.version), (&away, 2));
    assert_eq!(
        snapshot.directory_user(DirectoryKey::Name("Ann")).await.unwrap(),
        None
    );
    let staff = snapshot
        .directory_group(DirectoryKey::Id("g"))
        .await
        .unwrap()
        .unwrap();
    // Once because it shows the name of a member, once for itself.
    assert_eq!((staff.content.name.as_str(), staff.version), ("staff", 3));
    assert_eq!(
        snapshot.members_of_directory_group("g").await.unwrap(),
        [named("1", "ann-2")]
    );
    assert_eq!(snapshot.groups_of_directory_user("2").await.unwrap(), []);
}

pub(super) async fn names_and_external_ids_are_of_one(scene: &Scene) {
    let mut write = writing(scene).await;
    write.add_directory_user("1", &user("Ann")).await.unwrap();
    write
        .add_directory_group("g", &group("Staff", &[]))
        .await
        .unwrap();
    write.commit().await.unwrap();
    let renamed = DirectoryUser {
        external_id: None,
        ..user("ANN")
    };
    let same_external_id = DirectoryUser {
        name: "bea".to_owned(),
        ..user("Ann")
    };
    for taken in [&renamed, &same_external_id] {
        let mut write = writing(scene).await;
        assert!(
            write
                .add_directory_user("2", taken)
                .await
                .unwrap_err()
                .is_unique()
        );
    }
    let mut write = writing(scene).await;
    assert!(
        write
            .add_directory_group("h", &group("sTAFF", &[]))
            .await
            .unwrap_err()
            .is_unique()
    );
    drop(write);
    let mut write = writing(scene).await;
    let unknown = write
        .alter_directory_group("g", &group("Staff", &["9"]))
        .await
        .unwrap_err();
    assert!(unknown.is_missing());
    drop(write);
    let metalake = scene.metalake("m").await;
    let mut write = scene
        .store
        .write(metalake, &[Area::Identities], "ann")
        .await
        .unwrap();
    assert!(
        write.add_directory_user("2", &user("bea")).await.is_err(),
        "not declared"
    );
    drop(write);
    let mut write = writing(scene).await;
    // Several without an external id.
    for name in ["x", "y"] {
        let user = DirectoryUser {
            external_id: None,
            ..user(name)
        };
        write.add_directory_user(name, &user).await.unwrap();
    }
}

pub(super) async fn former_names_are_remembered(scene: &Scene) {
    let mut write = writing(scene).await;
    write.add_directory_user("1", &user("Ann")).await.unwrap();
    write
        .add_directory_group("g", &group("Staff", &["1"]))
        .await
        .unwrap();
    assert!(write.remove_directory_user("1").await.unwrap());
    assert!(!write.remove_directory_user("1").await.unwrap());
    assert_eq!(write.members_of_directory_group("g").await.unwrap(), []);
    assert!(write.remove_directory_group("g").await.unwrap());
    assert!(!write.remove_directory_group("g").await.unwrap());
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let ann = FormerName {
        name: "Ann".to_owned(),
        id: "1".to_owned(),
        external_id: Some("x-Ann".to_owned()),
    };
    assert_eq!(
        snapshot.former_name(PrincipalKind::User, "ANN").await.unwrap(),
        Some(ann.clone())
    );
    assert_eq!(
        snapshot.former_name(PrincipalKind::Group, "ann").await.unwrap(),
        None
    );
    let staff = snapshot.former_name(PrincipalKind::Group, "staff").await.unwrap();
    assert_eq!(staff.map(|former| former.id), Some("g".to_owned()));
    drop(snapshot);

    let metalake = scene.metalake("m").await;
    let mut write = scene
        .store
        .write(metalake, &[Area::Identities], "root")
        .await
        .unwrap();
    write.add_user(&NewUser::named("aNN")).await.unwrap();
    write.add_group(&NewGroup::named("Staff")).await.unwrap();
    write.commit().await.unwrap();
    let mut write = writing(scene).await;
    for (kind, name, former, expected) in [
        (PrincipalKind::User, "ann", "Ann", true),
        (PrincipalKind::User, "aNN", "x", true),
        (PrincipalKind::User, "Staff", "Staff", false),
        (PrincipalKind::Group, "Staff", "Staff", true),
        (PrincipalKind::Group, "ann", "Ann", false),
    ] {
        assert_eq!(
            write.is_name_of_metalake(kind, name, former).await.unwrap(),
            expected,
            "{name}"
        );
    }
    let later = FormerName {
        id: "2".to_owned(),
        ..ann
    };
    write.keep_former_name(PrincipalKind::User, &later).await.unwrap();
    assert_eq!(
        write.former_name(PrincipalKind::User, "ann").await.unwrap(),
        Some(later)
    );
    write
        .forget_former_name(PrincipalKind::User, "aNn")
        .await
        .unwrap();
    assert_eq!(write.former_name(PrincipalKind::User, "ann").await.unwrap(), None);
    write.commit().await.unwrap();
}

/// However many members a group gets or loses at once, it has those that it should.
pub(super) async fn many_members_come_and_go(scene: &Scene) {
    let mut write = writing(scene).await;
    let ids: Vec<String> = (1000..1200).map(|number| number.to_string()).collect();
    for id in &ids {
        write.add_directory_user(id, &user(id)).await.unwrap();
    }
    write.add_directory_group("g", &group("g", &[])).await.unwrap();
    for (from, to) in [
        (0, 1),
        (0, 64),
        (1, 65),
        (0, 0),
        (0, 200),
        (63, 128),
        (199, 200),
        (10, 75),
    ] {
        let members: Vec<&str> = ids[from..to].iter().map(String::as_str).collect();
        write
            .alter_directory_group("g", &group("g", &members))
            .await
            .unwrap();
        let present = write.members_of_directory_group("g").await.unwrap();
        let present: Vec<&str> = present.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(present, members);
    }
    let one_unknown: Vec<&str> = ids.iter().map(String::as_str).chain(["0"]).collect();
    let unknown = write.alter_directory_group("g", &group("g", &one_unknown)).await;
    assert!(unknown.unwrap_err().is_missing());
}
