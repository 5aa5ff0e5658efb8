// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Places that would lead to the hidden table's files.

use serde_json::json;

use super::{TABLES, server};
use crate::harness::{ADMIN, NONE, creation};
use crate::writer::write;

/// Names of the hidden table's place that some program would take for it, and places around it.
fn names_of(location: &str) -> Vec<String> {
    let path = location.trim_start_matches("file://");
    let (parent, name) = path.rsplit_once('/').expect("a folder");
    let (grand, last) = parent.rsplit_once('/').expect("a folder");
    vec![
        location.to_owned(),
        format!("{location}/"),
        format!("{location}/data"),
        format!("{location}/metadata/x"),
        format!("file://{parent}"),
        path.to_owned(),
        format!("file:{path}"),
        format!("FILE://{path}"),
        format!("file://localhost{path}"),
        format!("file:////{}", path.trim_start_matches('/')),
        format!("file://{parent}//{name}"),
        format!("file://{parent}/./{name}"),
        format!("file://{parent}/x/../{name}"),
        format!("file://{parent}/%2e%2e/{last}/{name}"),
        format!("file://{parent}/%2E%2E/{last}/{name}"),
        format!("file://{grand}/{last}%2f{name}"),
        format!("file://{parent}\\{name}"),
        format!("file://{parent}/{name}?x"),
        format!("file://{parent}/{name}#x"),
        format!("file:///proc/self/root{path}"),
    ]
}

#[tokio::test]
async fn no_other_table_is_made_where_it_lies() {
    let (server, metadata_location, metadata) = server().await;
    let location = metadata["location"].as_str().expect("a location").to_owned();
    let path = location.trim_start_matches("file://");
    let (parent, _) = path.rsplit_once('/').expect("a folder");
    std::os::unix::fs::symlink(path, format!("{parent}/link")).expect("a link");
    let mut names = names_of(&location);
    names.push(format!("file://{parent}/link"));
    names.push(format!("file://{parent}/link/inside"));
    server.table("n1", "mine").await;
    let before = server.files();
    for name in &names {
        for staged in [false, true] {
            let mut body = creation("thief");
            body["location"] = json!(name);
            body["stage-create"] = json!(staged);
            server
                .ask("POST", TABLES, body)
                .await
                .fails(400, "BadRequestException");
        }
        let moved = json!({"requirements": [], "updates": [{"action": "set-location", "location": name}]});
        let refused = server.ask("POST", &format!("{TABLES}/mine"), moved).await;
        refused.fails(400, "BadRequestException");
        let native = json!({"name": "thief", "columns": [{"name": "x", "type": "long"}],
            "properties": {"location": name}});
        let refused = server
            .native(
                ADMIN,
                "POST",
                "/metalakes/m/catalogs/ice/schemas/n1/tables",
                native,
            )
            .await;
        assert_eq!(refused.status, 400, "{name}: {}", refused.body);
    }
    // The metadata itself, by each name of it; and metadata that somebody wrote elsewhere about the hidden files.
    let file = metadata_location.rsplit('/').next().expect("a file");
    for name in names.iter().map(|name| format!("{name}/metadata/{file}")) {
        let body = json!({"name": "thief", "metadata-location": name});
        server
            .ask("POST", "/ice/namespaces/n1/register", body)
            .await
            .fails(400, "BadRequestException");
    }
    assert_eq!(server.files(), before, "no attempt left a file");
    let mut forged = metadata.clone();
    forged["location"] = json!(format!("{location}2"));
    let at = format!("{location}2/metadata/v1.metadata.json");
    write(&at, forged.to_string().as_bytes());
    server
        .ask(
            "POST",
            "/ice/namespaces/n1/register",
            json!({"name": "thief", "metadata-location": at}),
        )
        .await
        .fails(400, "BadRequestException");
    // A sibling whose name begins alike is another place.
    let mut sibling = creation("hidden2");
    sibling["location"] = json!(format!("{location}2"));
    server.ask("POST", TABLES, sibling).await.is(200);
}

#[tokio::test]
async fn no_folder_of_a_namespace_or_catalog_leads_to_it() {
    let (server, metadata_location, metadata) = server().await;
    let location = metadata["location"].as_str().expect("a location");
    let (parent, name) = location.rsplit_once('/').expect("a folder");
    // A namespace that lies where tables of the other lie: the default location gives way, a chosen one is refused.
    let body = json!({"namespace": ["n2"], "properties": {"location": parent}});
    server.ask("POST", "/ice/namespaces", body).await.is(200);
    let made = server
        .ask("POST", "/ice/namespaces/n2/tables", creation(name))
        .await
        .is(200);
    let found = made.body["metadata"]["location"].as_str().expect("a location");
    assert!(!found.starts_with(location), "{found}");
    // Another catalog over the same folder, also by another name of it, in the same metalake and in another one.
    server
        .native(ADMIN, "POST", "/metalakes", json!({"name": "m2"}))
        .await
        .is(200);
    let links = parent.trim_start_matches("file://").to_owned() + "-link";
    std::os::unix::fs::symlink(parent.trim_start_matches("file://"), &links).expect("a link");
    for (number, warehouse) in [parent.to_owned(), format!("file://{links}")].iter().enumerate() {
        for metalake in ["m", "m2"] {
            let catalog = format!("other{number}");
            let body = json!({"name": catalog, "type": "RELATIONAL", "provider": "lakehouse-iceberg",
                "properties": {"warehouse": warehouse}});
            server
                .native(ADMIN, "POST", &format!("/metalakes/{metalake}/catalogs"), body)
                .await
                .is(200);
            let prefix = format!("/{metalake}.{catalog}/namespaces");
            server
                .ask("POST", &prefix, json!({"namespace": ["a"]}))
                .await
                .is(200);
            for at in [
                metadata_location.clone(),
                metadata_location.replace(parent, warehouse),
            ] {
                let body = json!({"name": "thief", "metadata-location": at});
                server
                    .ask("POST", &format!("{prefix}/a/register"), body)
                    .await
                    .fails(400, "BadRequestException");
            }
            for at in [location.to_owned(), location.replace(parent, warehouse)] {
                let mut body = creation("thief");
                body["location"] = json!(at);
                server
                    .ask("POST", &format!("{prefix}/a/tables"), body)
                    .await
                    .fails(400, "BadRequestException");
            }
        }
    }
    // The server's own files have other names too.
    let data = server.data_folder();
    let body = json!({"name": "own", "type": "RELATIONAL", "provider": "lakehouse-iceberg",
        "properties": {"warehouse": format!("file:///proc/self/root{data}")}});
    server
        .native(ADMIN, "POST", "/metalakes/m/catalogs", body)
        .await
        .is(400);
}

#[tokio::test]
async fn no_fileset_shows_or_deletes_its_files() {
    let (server, ..) = server().await;
    // Outside the server's own folder, where no fileset lies anyway.
    let folder = tempfile::tempdir().expect("a folder");
    let root = std::fs::canonicalize(folder.path()).expect("its name");
    let warehouse = format!("file://{}/w", root.display());
    for (path, body) in [
        (
            "/metalakes/m/catalogs",
            json!({"name": "out", "type": "RELATIONAL", "provider": "lakehouse-iceberg",
                "properties": {"warehouse": warehouse}}),
        ),
        ("/metalakes/m/catalogs/out/schemas", json!({"name": "n"})),
        (
            "/metalakes/m/catalogs",
            json!({"name": "files", "type": "FILESET"}),
        ),
        ("/metalakes/m/catalogs/files/schemas", json!({"name": "s"})),
    ] {
        server.native(ADMIN, "POST", path, body).await.is(200);
    }
    let made = server
        .ask("POST", "/out/namespaces/n/tables", creation("t"))
        .await
        .is(200);
    let location = made.body["metadata"]["location"].as_str().expect("a location");
    let file = made.body["metadata-location"].as_str().expect("a file");
    server.tag("table", "out.n.t", "pii").await;
    let filesets = "/metalakes/m/catalogs/files/schemas/s/filesets";
    let attempts = async |when: &str| {
        for name in names_of(location) {
            for kind in ["MANAGED", "EXTERNAL"] {
                let body = json!({"name": "thief", "type": kind, "storageLocation": name});
                let refused = server.native(ADMIN, "POST", filesets, body).await;
                assert_eq!(refused.status, 400, "{when}: {name}: {}", refused.body);
            }
        }
        assert!(std::path::Path::new(file.trim_start_matches("file://")).exists());
    };
    attempts("while it lives").await;
    // Its files stay when it is dropped, and the tags that restricted it do not.
    let way: &[(&str, &str, &[&str])] = &[("CATALOG", "out", &["USE_CATALOG", "USE_SCHEMA"])];
    server.grant("boss", "way", way).await;
    let owner = json!({"name": "boss", "type": "USER"});
    server
        .native(ADMIN, "PUT", "/metalakes/m/owners/table/out.n.t", owner)
        .await
        .is(200);
    server
        .ask_as("boss", "DELETE", "/out/namespaces/n/tables/t?force=true", NONE)
        .await
        .is(204);
    attempts("when it was dropped").await;
    let beside = json!({"name": "beside", "storageLocation": format!("{location}2")});
    server.native(ADMIN, "POST", filesets, beside).await.is(200);
}
