// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What belongs to no metalake.

use super::scene::Scene;
use crate::{Area, Class};

pub(super) async fn local_accounts(scene: &Scene) {
    let mut write = scene.store.write_server("root").await.unwrap();
    write.create_idp_user("ann", "hash-1").await.unwrap();
    write.create_idp_group("staff", Some("all")).await.unwrap();
    assert!(write.add_idp_member("staff", "ann").await.unwrap());
    assert!(!write.add_idp_member("staff", "ann").await.unwrap());
    write.set_idp_password("ann", "hash-2").await.unwrap();
    assert!(write.set_idp_password("eve", "x").await.unwrap_err().is_missing());
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let ann = snapshot.idp_user("ann").await.unwrap().unwrap();
    assert_eq!(ann.groups, ["staff"]);
    assert_eq!(ann.password_hash, "hash-2");
    assert!(!format!("{ann:?}").contains("hash-2"));
    let staff = snapshot.idp_group("staff").await.unwrap().unwrap();
    assert_eq!(
        (staff.users, staff.comment.as_deref()),
        (vec!["ann".to_owned()], Some("all"))
    );
    assert_eq!(snapshot.idp_users().await.unwrap(), ["ann"]);
    assert_eq!(snapshot.idp_groups().await.unwrap(), ["staff"]);
    assert_eq!(snapshot.idp_user("Ann").await.unwrap(), None);
    assert_eq!(snapshot.idp_group("x").await.unwrap(), None);
    drop(snapshot);

    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(write.create_idp_user("ann", "x").await.unwrap_err().is_unique());
    drop(write);
    let mut write = scene.store.write_server("root").await.unwrap();
    let error = write.add_idp_member("staff", "eve").await.unwrap_err();
    assert_eq!(error.class(), Some(Class::ForeignKey));
    drop(write);
    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(write.remove_idp_member("staff", "ann").await.unwrap());
    assert!(!write.remove_idp_member("staff", "ann").await.unwrap());
    write.add_idp_member("staff", "ann").await.unwrap();
    assert!(write.remove_idp_user("ann").await.unwrap());
    assert!(!write.remove_idp_user("ann").await.unwrap());
    assert!(write.remove_idp_group("staff").await.unwrap());
    assert!(!write.remove_idp_group("staff").await.unwrap());
    write.commit().await.unwrap();
    let metalake = scene.metalake("m").await;
    let mut write = scene
        .store
        .write(metalake, &[Area::Objects], "ann")
        .await
        .unwrap();
    assert!(write.create_idp_user("bob", "x").await.is_err());
}

pub(super) async fn readers_and_authority(scene: &Scene) {
    let mut write = scene.store.write_server("root").await.unwrap();
    assert_eq!(write.put_reader("r1", "aa").await.unwrap(), 1);
    assert_eq!(write.put_reader("r1", "bb").await.unwrap(), 2);
    write.enable_reader("r1", false).await.unwrap();
    assert!(write.enable_reader("r2", false).await.unwrap_err().is_missing());
    let kept = write.keep_authority("cert", "key").await.unwrap();
    assert_eq!(write.keep_authority("cert-2", "key-2").await.unwrap(), kept);
    assert!(!format!("{kept:?}").contains("key\""));
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.authority().await.unwrap(), Some(kept));
    assert_eq!(snapshot.reader_of_fingerprint("aa").await.unwrap(), None);
    let reader = snapshot.reader_of_fingerprint("bb").await.unwrap().unwrap();
    assert_eq!((reader.revision, reader.is_enabled), (3, false));
    assert_eq!(snapshot.reader("r1").await.unwrap(), Some(reader.clone()));
    assert_eq!(snapshot.readers().await.unwrap(), [reader]);
    drop(snapshot);
    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(write.put_reader("r2", "bb").await.unwrap_err().is_unique());
    drop(write);
    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(write.remove_reader("r1").await.unwrap());
    assert!(!write.remove_reader("r1").await.unwrap());
}

pub(super) async fn settings(scene: &Scene) {
    let mut write = scene.store.write_server("root").await.unwrap();
    assert_eq!(write.setting("k").await.unwrap(), None);
    write.put_setting("k", "1").await.unwrap();
    write.put_setting("k", "2").await.unwrap();
    assert_eq!(write.setting("k").await.unwrap().as_deref(), Some("2"));
    assert!(write.remove_setting("k").await.unwrap());
    assert!(!write.remove_setting("k").await.unwrap());
}
