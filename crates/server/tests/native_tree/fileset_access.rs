// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who may do what with filesets: the rows of the seed, the way to them, denials, ownership and strangers.

use serde_json::{Value, json};

use crate::filesets::{FILESETS, SCHEMAS, Scene};
use crate::scene::{FORBIDDEN, ILLEGAL, Place, on_both_stores};

on_both_stores!(
    each_call_takes_its_privilege,
    denials_and_the_way,
    nobody_gets_at_the_files_of_others
);

/// Gives `user` a role of its own with these privileges on objects; `DENY P` denies.
async fn may(scene: &Scene, user: &str, said: &[(&str, &str, &[&str])]) {
    let server = &scene.server;
    let (status, _) = server
        .call(
            "admin",
            "POST",
            "/api/metalakes/m/users",
            Some(json!({"name": user})),
        )
        .await;
    assert!([200, 409].contains(&status));
    let objects: Vec<Value> = said
        .iter()
        .map(|(kind, name, privileges)| {
            let privileges: Vec<Value> = privileges
                .iter()
                .map(|privilege| match privilege.strip_prefix("DENY ") {
                    Some(privilege) => json!({"name": privilege, "condition": "DENY"}),
                    None => json!({"name": privilege, "condition": "ALLOW"}),
                })
                .collect();
            json!({"type": kind, "fullName": name, "privileges": privileges})
        })
        .collect();
    let role = format!("of_{user}");
    server
        .done(
            "POST",
            "/api/metalakes/m/roles",
            json!({"name": role, "securableObjects": objects}),
        )
        .await;
    server
        .done(
            "PUT",
            &format!("/api/metalakes/m/permissions/users/{user}/grant"),
            json!({"roleNames": [role]}),
        )
        .await;
}

const WAY: (&str, &str, &[&str]) = ("METALAKE", "m", &["USE_CATALOG", "USE_SCHEMA"]);

/// The statuses of load, files, location, alter, create, drop, and the names in the list.
async fn what(scene: &Scene, user: &str) -> (Vec<u16>, Value) {
    let server = &scene.server;
    let f1 = format!("{FILESETS}/f1");
    let change = json!({"updates": [{"@type": "setProperty", "property": "by", "value": user}]});
    let mut statuses = Vec::new();
    for (method, path, body) in [
        ("GET", f1.clone(), None),
        ("GET", format!("{f1}/files"), None),
        ("GET", format!("{f1}/location?sub_path=x"), None),
        ("PUT", f1.clone(), Some(change)),
        (
            "POST",
            FILESETS.to_owned(),
            Some(json!({"name": format!("by_{user}")})),
        ),
        ("DELETE", f1, None),
    ] {
        statuses.push(server.call(user, method, &path, body).await.0);
    }
    let (status, listed) = server.call(user, "GET", FILESETS, None).await;
    if status != 200 {
        return (statuses, json!(status));
    }
    let names = listed["identifiers"].as_array().unwrap();
    (statuses, names.iter().map(|one| one["name"].clone()).collect())
}

async fn each_call_takes_its_privilege(place: Place) {
    let scene = Scene::new(&place).await;
    for name in ["f1", "f2"] {
        scene.create(json!({"name": name})).await;
    }
    const NO: u16 = 403;
    for (user, said, statuses, names) in [
        ("nobody", &[][..], [NO; 6], json!(NO)),
        ("passer", &[WAY][..], [NO; 6], json!([])),
        (
            "reader",
            &[WAY, ("FILESET", "files.s1.f1", &["READ_FILESET"][..])],
            [200, 200, 200, NO, NO, NO],
            json!(["f1"]),
        ),
        (
            "writer",
            &[WAY, ("FILESET", "files.s1.f1", &["WRITE_FILESET"])],
            [200, 200, 200, 200, NO, NO],
            json!(["f1"]),
        ),
        (
            "all_reader",
            &[WAY, ("SCHEMA", "files.s1", &["READ_FILESET"])],
            [200, 200, 200, NO, NO, NO],
            json!(["f1", "f2"]),
        ),
        (
            "maker",
            &[WAY, ("CATALOG", "files", &["CREATE_FILESET"])],
            [NO, NO, NO, NO, 200, NO],
            json!(["by_maker"]),
        ),
        (
            "lost",
            &[("FILESET", "files.s1.f1", &["READ_FILESET", "WRITE_FILESET"])],
            [NO; 6],
            json!(NO),
        ),
    ] {
        may(&scene, user, said).await;
        assert_eq!(what(&scene, user).await, (statuses.to_vec(), names), "{user}");
    }
    // Whoever made it owns it: alters, hands over, drops.
    let server = &scene.server;
    let made = format!("{FILESETS}/by_maker");
    let owner = "/api/metalakes/m/owners/fileset/files.s1.by_maker";
    let found = server.done("GET", owner, None).await;
    assert_eq!(found["owner"], json!({"name": "maker", "type": "user"}));
    let change = json!({"updates": [{"@type": "updateComment", "newComment": "z"}]});
    assert_eq!(server.call("maker", "PUT", &made, Some(change)).await.0, 200);
    let handed = json!({"name": "reader", "type": "USER"});
    assert_eq!(server.call("maker", "PUT", owner, Some(handed)).await.0, 200);
    server.refused(("maker", "GET", &made), None, FORBIDDEN).await;
    assert_eq!(server.call("reader", "DELETE", &made, None).await.0, 200);
    // To a stranger what is there and what is not look alike.
    for name in ["f2", "never"] {
        for what in ["", "/files", "/location?sub_path=x"] {
            let path = format!("{FILESETS}/{name}{what}");
            server.refused(("passer", "GET", &path), None, FORBIDDEN).await;
            server.refused(("reader", "GET", &path), None, FORBIDDEN).await;
        }
        let path = format!("{FILESETS}/{name}");
        server.refused(("reader", "DELETE", &path), None, FORBIDDEN).await;
    }
}

async fn denials_and_the_way(place: Place) {
    let scene = Scene::new(&place).await;
    for name in ["f1", "f2"] {
        scene.create(json!({"name": name})).await;
    }
    const NO: u16 = 403;
    for (user, said, statuses, names) in [
        // A denial of one of a pair leaves the other.
        (
            "only_reads",
            &[
                (
                    "METALAKE",
                    "m",
                    &["USE_CATALOG", "USE_SCHEMA", "READ_FILESET", "WRITE_FILESET"][..],
                ),
                ("FILESET", "files.s1.f1", &["DENY WRITE_FILESET"][..]),
            ][..],
            [200, 200, 200, NO, NO, NO],
            json!(["f1", "f2"]),
        ),
        (
            "neither",
            &[
                (
                    "METALAKE",
                    "m",
                    &["USE_CATALOG", "USE_SCHEMA", "READ_FILESET", "WRITE_FILESET"],
                ),
                (
                    "FILESET",
                    "files.s1.f1",
                    &["DENY READ_FILESET", "DENY WRITE_FILESET"],
                ),
            ],
            [NO; 6],
            json!(["f2"]),
        ),
        (
            "barred",
            &[
                ("METALAKE", "m", &["USE_CATALOG", "USE_SCHEMA", "WRITE_FILESET"]),
                ("SCHEMA", "files.s1", &["DENY USE_SCHEMA"]),
            ],
            [NO; 6],
            json!(NO),
        ),
    ] {
        may(&scene, user, said).await;
        assert_eq!(what(&scene, user).await, (statuses.to_vec(), names), "{user}");
    }
    // Whoever owns the schema owns what is in it.
    may(&scene, "keeper", &[WAY]).await;
    let owner = "/api/metalakes/m/owners/schema/files.s1";
    scene
        .server
        .done("PUT", owner, json!({"name": "keeper", "type": "USER"}))
        .await;
    let (statuses, names) = what(&scene, "keeper").await;
    assert_eq!(statuses, [200; 6]);
    assert_eq!(names, json!(["by_keeper", "f2"]));
}

async fn nobody_gets_at_the_files_of_others(place: Place) {
    let scene = Scene::new(&place).await;
    scene
        .create(
            json!({"name": "f1", "storageLocations": {"b": scene.at("secret/b")},
            "properties": {"default-location-name": "b"}}),
        )
        .await;
    scene.write("secret/b/file", "x");
    let all = &["USE_CATALOG", "USE_SCHEMA", "CREATE_FILESET", "CREATE_SCHEMA"];
    may(&scene, "maker", &[("METALAKE", "m", all)]).await;
    // Neither around the place of a fileset that is not one's own, nor in it: else its files could be listed, and
    // deleted with a managed one.
    for at in ["secret/b", "secret", "secret/b/in", "s1/f1"] {
        for kind in ["MANAGED", "EXTERNAL"] {
            let body = json!({"name": "thief", "type": kind, "storageLocation": scene.at(at)});
            scene
                .server
                .refused(("maker", "POST", FILESETS), body, ILLEGAL)
                .await;
        }
        let schema = json!({"name": "over", "properties": {"location": scene.at(at)}});
        assert_eq!(
            scene.server.call("maker", "POST", SCHEMAS, Some(schema)).await.0,
            200
        );
        let over = format!("{SCHEMAS}/over");
        let path = format!("{over}/filesets");
        let (status, _) = scene
            .server
            .call("maker", "POST", &path, Some(json!({"name": "in"})))
            .await;
        // Beside it is free.
        assert_eq!(status, if at == "secret" { 200 } else { 400 }, "{at}");
        let dropped = scene
            .server
            .call("maker", "DELETE", &format!("{over}?cascade=true"), None)
            .await;
        assert_eq!(dropped.0, 200);
    }
    assert!(scene.root().join("secret/b/file").exists());
    let own = json!({"name": "own", "storageLocation": scene.at("own")});
    assert_eq!(
        scene.server.call("maker", "POST", FILESETS, Some(own)).await.0,
        200
    );
    let inner = json!({"name": "inner", "storageLocation": scene.at("own/in")});
    assert_eq!(
        scene.server.call("maker", "POST", FILESETS, Some(inner)).await.0,
        200
    );
}
