// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What belongs to no metalake.

use super::scene::Scene;
use crate::{AccessToken, Area, Class, ReaderChannel, SeenGroups, StoreError};

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

pub(super) async fn access_tokens(scene: &Scene) {
    let token = AccessToken {
        name: "etl".to_owned(),
        user: "ann".to_owned(),
        prefix: "lwpat_abc".to_owned(),
        metalakes: Some(vec!["m".to_owned()]),
        roles: None,
        is_read_only: true,
        created_at: 1,
        expires_at: 2,
    };
    let mut write = scene.store.write_server("root").await.unwrap();
    let error = write.create_access_token(&token, "h0").await.unwrap_err();
    assert_eq!(error.class(), Some(Class::ForeignKey));
    drop(write);
    let mut write = scene.store.write_server("root").await.unwrap();
    write.create_idp_user("ann", "hash").await.unwrap();
    write.create_access_token(&token, "h1").await.unwrap();
    let other = AccessToken {
        name: "other".to_owned(),
        metalakes: None,
        is_read_only: false,
        ..token.clone()
    };
    write.create_access_token(&other, "h2").await.unwrap();
    write.commit().await.unwrap();
    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(
        write
            .create_access_token(&token, "h3")
            .await
            .unwrap_err()
            .is_unique()
    );
    drop(write);
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.access_token("h1").await.unwrap(), Some(token.clone()));
    assert_eq!(snapshot.access_token("h3").await.unwrap(), None);
    assert_eq!(snapshot.access_tokens("ann").await.unwrap(), [token, other]);
    drop(snapshot);
    let mut write = scene.store.write_server("root").await.unwrap();
    write.remove_expired_access_tokens("ann", 1).await.unwrap();
    assert_eq!(write.access_tokens("ann").await.unwrap().len(), 2);
    write.remove_expired_access_tokens("ann", 2).await.unwrap();
    assert_eq!(write.access_tokens("ann").await.unwrap(), []);
    drop(write);
    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(write.remove_access_token("ann", "etl").await.unwrap());
    assert!(!write.remove_access_token("ann", "etl").await.unwrap());
    assert!(write.remove_idp_user("ann").await.unwrap());
    assert_eq!(write.access_token("h2").await.unwrap(), None);
    write.commit().await.unwrap();
}

pub(super) async fn readers_and_authority(scene: &Scene) {
    use ReaderChannel::{Actor, Certificate, OauthClient};
    let mut write = scene.store.write_server("root").await.unwrap();
    let first = write.put_reader("r1", Certificate, "aa", false).await.unwrap();
    write.commit().await.unwrap();
    let mut write = scene.store.write_server("root").await.unwrap();
    let second = write.put_reader("r1", Certificate, "bb", false).await.unwrap();
    write.commit().await.unwrap();
    assert!(second > first);
    let mut write = scene.store.write_server("root").await.unwrap();
    write.enable_reader("r1", false).await.unwrap();
    assert!(write.enable_reader("r2", false).await.unwrap_err().is_missing());
    let kept = write.keep_authority("cert", "key").await.unwrap();
    assert_eq!(write.keep_authority("cert-2", "key-2").await.unwrap(), kept);
    assert!(!format!("{kept:?}").contains("key\""));
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.authority().await.unwrap(), Some(kept));
    assert_eq!(snapshot.reader_of_proof(Certificate, "aa").await.unwrap(), None);
    assert_eq!(snapshot.reader_of_proof(OauthClient, "bb").await.unwrap(), None);
    let reader = snapshot
        .reader_of_proof(Certificate, "bb")
        .await
        .unwrap()
        .unwrap();
    assert!(reader.revision > second && !reader.is_enabled);
    assert_eq!(snapshot.reader("r1").await.unwrap(), Some(reader.clone()));
    assert_eq!(snapshot.readers().await.unwrap(), std::slice::from_ref(&reader));
    drop(snapshot);
    let mut write = scene.store.write_server("root").await.unwrap();
    let error = write
        .put_reader("r2", Certificate, "bb", false)
        .await
        .unwrap_err();
    assert!(error.is_unique());
    drop(write);
    let mut write = scene.store.write_server("root").await.unwrap();
    assert!(write.remove_reader("r1").await.unwrap());
    assert!(!write.remove_reader("r1").await.unwrap());
    write.commit().await.unwrap();

    let mut write = scene.store.write_server("root").await.unwrap();
    let again = write.put_reader("r1", OauthClient, "bb", true).await.unwrap();
    assert!(again > reader.revision, "a revision never comes again");
    // The same text over another channel is another proof.
    write.put_reader("r2", Actor, "bb", false).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let names = [
        snapshot.reader_of_proof(OauthClient, "bb").await.unwrap(),
        snapshot.reader_of_proof(Actor, "bb").await.unwrap(),
    ]
    .map(|reader| reader.map(|reader| (reader.name, reader.channel)));
    assert_eq!(
        names,
        [
            Some(("r1".to_owned(), OauthClient)),
            Some(("r2".to_owned(), Actor))
        ]
    );
}

/// What is only noticed makes no cache forget, and never goes back.
pub(super) async fn notices_count_nothing(scene: &Scene) {
    let mut write = scene.store.write_server("root").await.unwrap();
    write
        .put_reader("r1", ReaderChannel::Actor, "gateway", false)
        .await
        .unwrap();
    write.commit().await.unwrap();
    let counted = scene.store.server_revision().await.unwrap();
    let seen = |names: &[&str], at| SeenGroups {
        groups: names.iter().map(|name| (*name).to_owned()).collect(),
        at,
    };
    for (at, names) in [(200, &["hr", "it"][..]), (100, &["old"][..])] {
        let mut write = scene.store.write_uncounted().await.unwrap();
        write.note_load("r1", at).await.unwrap();
        write.note_load("nobody", at).await.unwrap();
        write.note_groups("ann", &seen(names, at)).await.unwrap();
        write.commit().await.unwrap();
    }
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let reader = snapshot.reader("r1").await.unwrap().unwrap();
    assert_eq!(reader.last_load_at, Some(200));
    let ann = snapshot.seen_groups("ann").await.unwrap();
    assert_eq!(ann, Some(seen(&["hr", "it"], 200)));
    assert_eq!(snapshot.seen_groups("Ann").await.unwrap(), None);
    drop(snapshot);
    let mut write = scene.store.write_uncounted().await.unwrap();
    write.note_groups("ann", &seen(&[], 300)).await.unwrap();
    assert_eq!(write.seen_groups("ann").await.unwrap(), Some(seen(&[], 300)));
    let undeclared = write.put_reader("r2", ReaderChannel::Actor, "x", false).await;
    assert!(matches!(undeclared, Err(StoreError::UndeclaredArea { .. })));
    drop(write);
    assert_eq!(scene.store.server_revision().await.unwrap(), counted);
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
