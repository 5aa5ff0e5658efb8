// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every way round a restriction that somebody thought of: each test tries to get at a hidden row of `n1.hidden`, as a
//! caller who may do everything that ownership allows but whom the filter concerns.

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, CAPABLE, NONE, Server, creation, set_property};
use crate::writer::{Keeping, write, write_snapshot};

const TABLES: &str = "/ice/namespaces/n1/tables";
const HIDDEN: &str = "/ice/namespaces/n1/tables/hidden";
const OBJECT: &str = "/metalakes/m/objects/table/ice.n1.hidden";

/// `n1.hidden` has a snapshot, statistics, and a filter for everybody but `boss`. Gives its metadata location and
/// metadata as they were before it was restricted.
async fn server() -> (Server, String, Value) {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "hidden").await.body["metadata"].clone();
    let commit = write_snapshot(&made, 1, "append", Keeping::Everything, None).await;
    let loaded = server.ask("POST", HIDDEN, commit).await.is(200);
    let update = json!({"updates": {"custom-rows": 424242}});
    server
        .native(ADMIN, "PUT", &format!("{OBJECT}/statistics"), update)
        .await
        .is(200);
    let update =
        json!({"updates": [{"partitionName": "name=secret", "statistics": {"custom-rows": 424242}}]});
    server
        .native(ADMIN, "PUT", &format!("{OBJECT}/statistics/partitions"), update)
        .await
        .is(200);
    server.add_user("boss").await;
    let objects: &[(&str, &str, &[&str])] = &[(
        "CATALOG",
        "ice",
        &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE", "CREATE_TABLE"],
    )];
    server.grant("boss", "all", objects).await;
    let filter = "filter := true if session_user() == \"boss\"\nelse := col(\"name\") == \"a\"";
    server.add_filter("only_some", "pii", filter).await;
    server.tag("table", "ice.n1.hidden", "pii").await;
    let location = loaded.body["metadata-location"].as_str().expect("a location");
    (server, location.to_owned(), loaded.body["metadata"].clone())
}

fn message(answer: &Answer) -> &str {
    let body = &answer.body;
    let message = body["error"]["message"].as_str().or(body["message"].as_str());
    message.unwrap_or_default()
}

/// The answer tells neither where files are nor anything that was drawn from rows.
#[track_caller]
fn tells_nothing(answer: &Answer, metadata: &Value) {
    let text = answer.body.to_string();
    let folder = metadata["location"].as_str().expect("a location");
    for secret in [
        folder,
        "metadata.json",
        "manifest",
        "snap-1",
        "424242",
        "name=secret",
        "only_some",
    ] {
        assert!(!text.contains(secret), "`{secret}` in {text}");
    }
}

#[tokio::test]
async fn no_answer_of_the_native_protocol_tells_of_rows_or_files() {
    let (server, _, metadata) = server().await;
    let native = "/metalakes/m/catalogs/ice/schemas/n1/tables/hidden";
    let shown = server.native(ADMIN, "GET", native, NONE).await.is(200);
    tells_nothing(&shown, &metadata);
    let statistic = json!({"updates": {"custom-x": 1}});
    let partition = json!({"updates": [{"partitionName": "p", "statistics": {"custom-x": 1}}]});
    let dropped = json!({"names": ["custom-rows"]});
    let gone = json!({"drops": [{"partitionName": "name=secret", "statisticNames": ["custom-rows"]}]});
    for (method, path, body, code) in [
        ("GET", format!("{native}/partitions"), NONE, "restriction-facts"),
        (
            "GET",
            format!("{native}/partitions/name=secret"),
            NONE,
            "restriction-facts",
        ),
        (
            "POST",
            format!("{native}/partitions"),
            json!({}),
            "restriction-facts",
        ),
        (
            "DELETE",
            format!("{native}/partitions/name=secret"),
            NONE,
            "restriction-facts",
        ),
        ("GET", format!("{OBJECT}/statistics"), NONE, "restriction-facts"),
        (
            "GET",
            format!("{OBJECT}/statistics/partitions"),
            NONE,
            "restriction-facts",
        ),
        (
            "PUT",
            format!("{OBJECT}/statistics"),
            statistic,
            "restriction-write",
        ),
        (
            "PUT",
            format!("{OBJECT}/statistics/partitions"),
            partition,
            "restriction-write",
        ),
        (
            "POST",
            format!("{OBJECT}/statistics"),
            dropped,
            "restriction-write",
        ),
        (
            "POST",
            format!("{OBJECT}/statistics/partitions"),
            gone,
            "restriction-write",
        ),
        ("GET", format!("{OBJECT}/credentials"), NONE, "restriction-facts"),
    ] {
        let refused = server.native(ADMIN, method, &path, body).await.is(403);
        assert!(
            message(&refused).contains(code),
            "{method} {path}: {}",
            message(&refused)
        );
        tells_nothing(&refused, &metadata);
    }
    // Whom the filter does not concern gets them.
    let all = server
        .native("boss", "GET", &format!("{OBJECT}/statistics"), NONE)
        .await
        .is(200);
    assert_eq!(all.body["statistics"][0]["value"], 424_242);
    let path = format!("{OBJECT}/statistics/partitions");
    let all = server.native("boss", "GET", &path, NONE).await.is(200);
    assert_eq!(all.body["partitionStatistics"][0]["partitionName"], "name=secret");
}

#[tokio::test]
async fn a_credential_that_would_reach_a_restricted_table_is_refused() {
    let (server, ..) = server().await;
    let path = "/metalakes/m/objects/catalog/ice/credentials";
    let none = server.native(ADMIN, "GET", path, NONE).await.is(200);
    assert_eq!(
        none.body,
        json!({"code": 0, "credentials": []}),
        "nothing is vended, as recorded"
    );
    let updates = json!({"updates": [
        {"@type": "setProperty", "property": "credential-providers", "value": "s3-token"}]});
    server
        .native(ADMIN, "PUT", "/metalakes/m/catalogs/ice", updates)
        .await
        .is(200);
    let refused = server.native(ADMIN, "GET", path, NONE).await.is(403);
    assert!(
        message(&refused).contains("restriction-facts"),
        "{}",
        message(&refused)
    );
    let off = "/metalakes/m/policies/only_some?force=true";
    server
        .native(ADMIN, "PATCH", off, json!({"enable": false}))
        .await
        .is(200);
    server.native(ADMIN, "GET", path, NONE).await.is(405);
    let path = "/metalakes/m/objects/schema/ice.n1/credentials";
    server.native(ADMIN, "GET", path, NONE).await.is(405);
}

#[tokio::test]
async fn head_tells_what_get_tells() {
    let (server, ..) = server().await;
    let untrusted: &[(&str, &str)] = &[CAPABLE];
    for path in [HIDDEN, "/ice/namespaces/n1/tables/absent"] {
        for headers in [&[][..], untrusted] {
            for user in [ADMIN, "boss"] {
                let get = server.ask_with(user, "GET", path, NONE, headers).await;
                let head = server.ask_with(user, "HEAD", path, NONE, headers).await;
                let class = |status: u16| if status == 204 { 200 } else { status };
                assert_eq!(class(head.status), get.status, "{user} {path}");
                let names = |answer: &Answer| -> Vec<String> {
                    let told = ["etag", "location", "content-location", "last-modified"];
                    told.into_iter()
                        .filter(|name| !answer.header(name).is_empty())
                        .map(str::to_owned)
                        .collect()
                };
                assert!(
                    names(&head).iter().all(|name| names(&get).contains(name)),
                    "{user} {path}"
                );
                assert_eq!(head.body, NONE);
            }
        }
    }
}

#[tokio::test]
async fn fewer_snapshots_are_as_restricted_and_have_another_tag() {
    let (server, location, metadata) = server().await;
    let second = write_snapshot(&metadata, 2, "overwrite", Keeping::Nothing, None).await;
    let mut second = second;
    second["updates"][1]["snapshot-id"] = json!(2);
    server.ask_as("boss", "POST", HIDDEN, second).await.is(200);
    let reader = server.enroll("gateway").await;
    let all = reader
        .ask(ADMIN, "GET", &format!("{HIDDEN}?snapshots=all"), NONE)
        .await
        .is(200);
    let refs = reader
        .ask(ADMIN, "GET", &format!("{HIDDEN}?snapshots=refs"), NONE)
        .await
        .is(200);
    assert_eq!(refs.body["read-restrictions"], all.body["read-restrictions"]);
    assert!(refs.body["read-restrictions"]["required-row-filter"].is_object());
    assert_eq!(refs.body["metadata-location"], all.body["metadata-location"]);
    assert_ne!(refs.body["metadata-location"], json!(location));
    assert_ne!(refs.header("etag"), all.header("etag"));
    let count = |answer: &Answer| {
        answer.body["metadata"]["snapshots"]
            .as_array()
            .expect("a list")
            .len()
    };
    assert_eq!((count(&all), count(&refs)), (2, 1));
    for member in ["refs", "current-snapshot-id", "table-uuid", "location"] {
        assert_eq!(
            refs.body["metadata"][member], all.body["metadata"][member],
            "{member}"
        );
    }
    // The tag of one form is none of the other, nor that of the unrestricted.
    let free = server.ask_as("boss", "GET", HIDDEN, NONE).await.is(200);
    assert_ne!(free.header("etag"), all.header("etag"));
    let odd = reader
        .ask(ADMIN, "GET", &format!("{HIDDEN}?snapshots=some"), NONE)
        .await;
    assert_eq!(odd.status, 400);
}

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
