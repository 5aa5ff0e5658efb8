// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! No fileset lies where a table, a view, the server or a stranger's fileset does, and no table where a fileset does.

use serde_json::{Value, json};

use crate::filesets::{FILESETS, SCHEMAS, Scene};
use crate::scene::{ILLEGAL, Place, Server, on_both_stores};

on_both_stores!(tables_and_filesets_keep_apart, racers_never_share_a_place);

const TABLES: &str = "/api/metalakes/m/catalogs/ice/schemas/db/tables";

/// With an Iceberg catalog whose warehouse is the same folder.
async fn scene(place: &Place) -> Scene {
    let scene = Scene::new(place).await;
    let catalog = json!({"name": "ice", "type": "RELATIONAL", "provider": "lakehouse-iceberg",
        "properties": {"warehouse": scene.at("")}});
    scene
        .server
        .done("POST", "/api/metalakes/m/catalogs", catalog)
        .await;
    scene
        .server
        .done(
            "POST",
            "/api/metalakes/m/catalogs/ice/schemas",
            json!({"name": "db"}),
        )
        .await;
    scene
}

fn table(name: &str, location: &str) -> Value {
    json!({"name": name, "columns": [{"name": "id", "type": "long"}], "properties": {"location": location}})
}

fn fileset(name: &str, location: &str) -> Value {
    json!({"name": name, "type": "EXTERNAL", "storageLocation": location})
}

async fn tables_and_filesets_keep_apart(place: Place) {
    let scene = scene(&place).await;
    let server = &scene.server;
    server
        .done("POST", TABLES, table("t", &scene.at("shared/t")))
        .await;
    let view = json!({"name": "v", "columns": [], "properties": {"location": scene.at("shared/v")},
        "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1"}]});
    server
        .done("POST", "/api/metalakes/m/catalogs/ice/schemas/db/views", view)
        .await;
    for at in [
        "shared/t",
        "shared",
        "shared/t/data",
        "shared/v",
        "shared/v/metadata",
    ] {
        for location in [
            scene.at(at),
            scene.shown(at),
            format!("{}/{at}", scene.root().display()),
        ] {
            server
                .refused(("admin", "POST", FILESETS), fileset("f", &location), ILLEGAL)
                .await;
        }
        let several = json!({"name": "f", "storageLocations": {"a": scene.at("free"), "b": scene.at(at)},
            "properties": {"default-location-name": "a"}});
        server
            .refused(("admin", "POST", FILESETS), several, ILLEGAL)
            .await;
        assert!(!scene.root().join("free").exists());
    }
    // By another name of the place.
    std::os::unix::fs::symlink(scene.root().join("shared"), scene.root().join("link")).unwrap();
    for location in [
        scene.at("link/t"),
        format!("file:///proc/self/root{}/shared/t", scene.root().display()),
    ] {
        server
            .refused(("admin", "POST", FILESETS), fileset("f", &location), ILLEGAL)
            .await;
    }
    server
        .done("POST", FILESETS, fileset("f", &scene.at("shared/f")))
        .await;
    server
        .done("POST", FILESETS, fileset("f2", &scene.at("shared/t2")))
        .await;
    // And the other way round, in both protocols.
    let tables = format!(
        "http://{}/iceberg/v1/ice/namespaces/db",
        server.running.iceberg_addr
    );
    let iceberg = async |path: &str, body: Value| {
        let request = reqwest::Client::new().post(format!("{tables}/{path}"));
        let answer = request
            .basic_auth("admin", Some("x"))
            .json(&body)
            .send()
            .await
            .unwrap();
        answer.status().as_u16()
    };
    for at in ["shared/f", "shared", "shared/f/t"] {
        server
            .refused(("admin", "POST", TABLES), table("u", &scene.at(at)), ILLEGAL)
            .await;
        let body = json!({"name": "u", "location": scene.at(at), "schema": {"type": "struct", "fields": []}});
        assert_eq!(iceberg("tables", body).await, 400, "{at}");
        let body =
            json!({"requirements": [], "updates": [{"action": "set-location", "location": scene.at(at)}]});
        assert_eq!(iceberg("tables/t", body).await, 400, "{at}");
    }
    // A dropped fileset frees its place.
    server.done("DELETE", &format!("{FILESETS}/f"), None).await;
    server
        .done("POST", TABLES, table("u", &scene.at("shared/f")))
        .await;
}

async fn racers_never_share_a_place(place: Place) {
    let scene = scene(&place).await;
    let server = &scene.server;
    for round in 0..4 {
        let at = scene.at(&format!("race{round}"));
        let inside = format!("{at}/in");
        let answers = futures::future::join_all((0..6).map(|number| {
            let (at, inside) = (at.clone(), inside.clone());
            async move {
                let name = format!("r{round}x{number}");
                let location = if number < 3 { &at } else { &inside };
                if number % 2 == 0 {
                    let answer = server.call("admin", "POST", FILESETS, Some(fileset(&name, location)));
                    ("fileset", answer.await.0)
                } else {
                    let answer = server.call("admin", "POST", TABLES, Some(table(&name, location)));
                    ("table", answer.await.0)
                }
            }
        }))
        .await;
        let won: Vec<&str> = answers
            .iter()
            .filter(|(_, status)| *status == 200)
            .map(|(kind, _)| *kind)
            .collect();
        // Filesets of one owner may share a place; a table shares it with nothing.
        assert!(
            won == ["table"] || (!won.is_empty() && won.iter().all(|kind| *kind == "fileset")),
            "{answers:?}"
        );
        assert!(
            answers.iter().all(|(_, status)| [200, 400].contains(status)),
            "{answers:?}"
        );
    }
    // Of many that want one name, one gets it, and its folder stays.
    let answers = futures::future::join_all(
        (0..6).map(|_| server.call("admin", "POST", FILESETS, Some(json!({"name": "wanted"})))),
    )
    .await;
    let mut statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
    assert!(scene.root().join("s1/wanted").is_dir());
}

#[tokio::test]
async fn the_servers_own_files_are_no_fileset() {
    let scene = Scene::new(&Place::Embedded).await;
    let data = scene.server.folder.path().to_str().unwrap().to_owned();
    let (above, _) = data.rsplit_once('/').unwrap();
    for location in [
        data.clone(),
        format!("{data}/lakeward.db"),
        format!("{data}/warehouse/m"),
        above.to_owned(),
        format!("file:///proc/self/root{data}"),
    ] {
        scene
            .server
            .refused(("admin", "POST", FILESETS), fileset("own", &location), ILLEGAL)
            .await;
    }
    // Nor by a folder that is handed down.
    let schema = json!({"name": "own", "properties": {"location": data}});
    scene.server.done("POST", SCHEMAS, schema).await;
    let path = format!("{SCHEMAS}/own/filesets");
    scene
        .server
        .refused(("admin", "POST", &path), json!({"name": "f"}), ILLEGAL)
        .await;
    assert!(!scene.server.folder.path().join("f").exists());
}

/// The server's own files are not only in its data folder.
#[tokio::test]
async fn wherever_the_server_keeps_files_is_no_fileset() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(at("real")).unwrap();
    std::os::unix::fs::symlink(at("real"), at("link")).unwrap();
    let server = Server::start_with(
        &Place::Embedded,
        &[
            (
                "gravitino.entity.store.relational.jdbcUrl",
                &format!("sqlite:{}", at("store/lakeward.db")),
            ),
            ("gravitino.job.stagingDir", &at("link/staging")),
            ("lakeward.audit.file", &at("audit/audit.jsonl")),
        ],
    )
    .await;
    let scene = Scene::with(server).await;
    for name in [
        "store",
        "store/lakeward.db",
        "real/staging",
        "real/staging/job-1",
        "real",
        "audit",
        "audit/x",
    ] {
        let (status, answer) = scene
            .server
            .call("admin", "POST", FILESETS, Some(fileset("own", &at(name))))
            .await;
        assert_eq!(status, 400, "{name}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("the server's own files"), "{name}: {message}");
    }
    scene
        .server
        .done("POST", FILESETS, fileset("beside", &at("real/beside")))
        .await;
}
