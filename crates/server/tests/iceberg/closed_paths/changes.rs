// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes, old answers and files left behind.

use serde_json::json;

use super::{HIDDEN, OBJECT, TABLES, message, server};
use crate::harness::{ADMIN, NONE, creation, set_property};
use crate::writer::{Keeping, write_snapshot};

#[tokio::test]
async fn a_move_does_not_take_it_out_of_what_restricts_it() {
    let (server, ..) = server().await;
    // Here the restriction comes from the namespace.
    let untag = json!({"tagsToRemove": ["pii"]});
    server.tag("schema", "ice.n1", "pii").await;
    server
        .native(ADMIN, "POST", &format!("{OBJECT}/tags?force=true"), untag)
        .await
        .is(200);
    server.namespace("free").await;
    let name = |namespace: &str, name: &str| json!({"namespace": [namespace], "name": name});
    let moves = json!({"source": name("n1", "hidden"), "destination": name("free", "t")});
    let native = json!({"updates": [{"@type": "rename", "newName": "t", "newSchemaName": "free"}]});
    let tables = "/metalakes/m/catalogs/ice/schemas/n1/tables/hidden";
    let refused = server.ask("POST", "/ice/tables/rename", moves.clone()).await;
    assert!([406, 409].contains(&refused.status), "{}", refused.body);
    let refused = server.native(ADMIN, "PUT", tables, native).await;
    assert!((400..500).contains(&refused.status), "{}", refused.body);
    server
        .native(
            ADMIN,
            "DELETE",
            "/metalakes/m/catalogs/ice/schemas/n1?cascade=true",
            NONE,
        )
        .await
        .is(403);
    server
        .ask("GET", HIDDEN, NONE)
        .await
        .fails(406, "ReadRestrictionException");
    let absent = server.ask("GET", "/ice/namespaces/free/tables/t", NONE).await;
    assert_eq!(absent.status, 404);
    // Of its own restriction nothing is lost by any name.
    server.tag("table", "ice.n1.hidden", "pii").await;
    let renamed = server.ask("POST", "/ice/tables/rename", moves).await;
    if renamed.status == 204 {
        server
            .ask("GET", "/ice/namespaces/free/tables/t", NONE)
            .await
            .fails(406, "ReadRestrictionException");
    }
}

#[tokio::test]
async fn old_answers_and_properties_are_no_way_round() {
    let (server, metadata_location, metadata) = server().await;
    let location = metadata["location"].as_str().expect("a location");
    // A table of one's own that would write, and then own, what lies in the hidden one.
    server.table("n1", "mine").await;
    for property in [
        "write.data.path",
        "write.metadata.path",
        "write.object-storage.path",
        "write.folder-storage.path",
    ] {
        server
            .ask(
                "POST",
                &format!("{TABLES}/mine"),
                set_property(property, location),
            )
            .await
            .fails(400, "BadRequestException");
        let mut body = creation("thief");
        body["properties"] = json!({property: location});
        server
            .ask("POST", TABLES, body)
            .await
            .fails(400, "BadRequestException");
    }
    // A snapshot of one's own made of the hidden one's manifest list.
    let list = metadata["snapshots"][0]["manifest-list"].clone();
    let mine = server
        .ask("GET", &format!("{TABLES}/mine"), NONE)
        .await
        .is(200)
        .body["metadata"]
        .clone();
    let mut commit = write_snapshot(&mine, 9, "append", Keeping::Everything, None).await;
    commit["updates"][0]["snapshot"]["manifest-list"] = list;
    server
        .ask("POST", &format!("{TABLES}/mine"), commit)
        .await
        .fails(400, "BadRequestException");
    // Purging one's own table deletes nothing of another's.
    server
        .ask("DELETE", &format!("{TABLES}/mine?purgeRequested=true"), NONE)
        .await
        .is(204);
    let file = metadata_location.trim_start_matches("file://");
    assert!(std::path::Path::new(file).exists());
    server.ask_as("boss", "GET", HIDDEN, NONE).await.is(200);
}

#[tokio::test]
async fn files_of_a_dropped_restricted_table_are_not_taken_up_again() {
    let (server, metadata_location, metadata) = server().await;
    server.add_user("maker").await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "CREATE_TABLE"];
    server
        .grant("maker", "make", &[("CATALOG", "ice", privileges)])
        .await;
    // Who owns it unrestricted may drop it, and leaves the files.
    let owner = json!({"name": "boss", "type": "USER"});
    server
        .native(ADMIN, "PUT", "/metalakes/m/owners/table/ice.n1.hidden", owner)
        .await
        .is(200);
    server.ask_as("boss", "DELETE", HIDDEN, NONE).await.is(409);
    server
        .ask_as("boss", "DELETE", &format!("{HIDDEN}?force=true"), NONE)
        .await
        .is(204);
    let register = json!({"name": "again", "metadata-location": metadata_location});
    let path = "/ice/namespaces/n1/register";
    for user in ["maker", "boss"] {
        for path in [path.to_owned(), format!("{path}?force=true")] {
            server
                .ask_as(user, "POST", &path, register.clone())
                .await
                .fails(403, "ForbiddenException");
        }
    }
    let refused = server.ask("POST", path, register.clone()).await;
    let refused = refused.fails(409, "CommitFailedException");
    assert!(message(&refused).contains("force=true"), "{}", message(&refused));
    // Nor may a table be made over them; one of the same name lies beside them.
    let mut body = creation("over");
    body["location"] = metadata["location"].clone();
    server
        .ask_as("maker", "POST", TABLES, body)
        .await
        .fails(400, "BadRequestException");
    let made = server
        .ask_as("maker", "POST", TABLES, creation("hidden"))
        .await
        .is(200);
    assert_ne!(made.body["metadata"]["location"], metadata["location"]);
    // The owner of the metalake, who could take the tag away as well, may mean it.
    server
        .ask("POST", &format!("{path}?force=true"), register)
        .await
        .is(200);
    server.tag("table", "ice.n1.again", "pii").await;
    // A purge leaves nothing to take up.
    let again = "/metalakes/m/owners/table/ice.n1.again";
    let owner = json!({"name": "boss", "type": "USER"});
    server.native(ADMIN, "PUT", again, owner).await.is(200);
    let purge = format!("{TABLES}/again?purgeRequested=true");
    server.ask_as("boss", "DELETE", &purge, NONE).await.is(204);
    let mut body = creation("over");
    body["location"] = metadata["location"].clone();
    server.ask_as("maker", "POST", TABLES, body).await.is(200);
}
