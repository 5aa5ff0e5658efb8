// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views over the protocol, and that those of the native one are the same objects.

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, Server, creation};

pub(crate) const VIEWS: &str = "/ice/namespaces/n1/views";
pub(crate) const VIEW: &str = "/ice/namespaces/n1/views/v";
const NATIVE: &str = "/metalakes/m/catalogs/ice/schemas/n1/views";

/// A request that creates a view.
pub(crate) fn view(name: &str) -> Value {
    json!({"name": name,
        "schema": {"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "id", "required": false, "type": "long"}]},
        "view-version": {"version-id": 1, "timestamp-ms": 1_700_000_000_000_i64, "schema-id": 0, "summary": {},
            "representations": [{"type": "sql", "sql": "select id from t", "dialect": "spark"}],
            "default-namespace": ["n1"]},
        "properties": {}})
}

/// A commit that sets a property.
pub(crate) fn put(name: &str) -> Value {
    json!({"updates": [{"action": "set-properties", "updates": {name: "x"}}]})
}

pub(crate) fn renamed(from: (&str, &str), to: (&str, &str)) -> Value {
    json!({"source": {"namespace": [from.0], "name": from.1},
           "destination": {"namespace": [to.0], "name": to.1}})
}

pub(crate) async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.namespace("n2").await;
    server
}

pub(crate) async fn made(server: &Server, name: &str) -> Answer {
    server.ask("POST", VIEWS, view(name)).await.is(200)
}

fn message(answer: &Answer) -> &str {
    answer.body["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_view_comes_changes_and_goes() {
    let server = server().await;
    let created = made(&server, "v").await;
    assert_eq!(created.header("cache-control"), "private, no-cache");
    let loaded = server.ask("GET", VIEW, NONE).await.is(200);
    assert_eq!(loaded.body, created.body);
    let uuid = &loaded.body["metadata"]["view-uuid"];
    server.ask("HEAD", VIEW, NONE).await.is(204);
    let mut change = put("a");
    change["requirements"] = json!([{"type": "assert-view-uuid", "uuid": uuid}]);
    let replaced = server.ask("POST", VIEW, change.clone()).await.is(200);
    assert_ne!(
        replaced.body["metadata-location"],
        loaded.body["metadata-location"]
    );
    assert_eq!(server.ask("GET", VIEW, NONE).await.is(200).body, replaced.body);
    // What changes nothing writes nothing.
    let again = server.ask("POST", VIEW, change).await.is(200);
    assert_eq!(again.body, replaced.body);
    let mut other = put("b");
    other["requirements"] =
        json!([{"type": "assert-view-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}]);
    server
        .ask("POST", VIEW, other)
        .await
        .fails(409, "CommitFailedException");
    server.ask("DELETE", VIEW, NONE).await.is(204);
    for (method, body) in [("GET", NONE), ("POST", put("a")), ("DELETE", NONE)] {
        let answer = server
            .ask(method, VIEW, body)
            .await
            .fails(404, "NoSuchViewException");
        assert_eq!(message(&answer), "View does not exist: n1.v");
    }
    server.ask("HEAD", VIEW, NONE).await.is(404);
    // Its metadata stays, and may become a view again.
    let register = json!({"name": "w", "metadata-location": replaced.body["metadata-location"]});
    let again = server
        .ask("POST", "/ice/namespaces/n1/register-view", register)
        .await
        .is(200);
    assert_eq!(again.body, replaced.body);
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let server = server().await;
    made(&server, "v").await;
    let mut twice = view("w");
    let spark = twice["view-version"]["representations"][0].clone();
    twice["view-version"]["representations"] = json!([spark, spark]);
    let answer = server
        .ask("POST", VIEWS, twice)
        .await
        .fails(400, "IllegalArgumentException");
    assert!(message(&answer).contains("multiple queries for dialect spark"));
    let mut elsewhere = view("w");
    elsewhere["location"] = json!("file:///elsewhere/w");
    server
        .ask("POST", VIEWS, elsewhere)
        .await
        .fails(400, "BadRequestException");
    server
        .ask("POST", VIEWS, json!({"name": "w"}))
        .await
        .fails(400, "BadRequestException");
    server
        .ask("POST", VIEW, json!({"updates": [{"action": "add-snapshot"}]}))
        .await
        .fails(406, "UnsupportedOperationException");
    let mut other = put("a");
    other["identifier"] = json!({"namespace": ["n1"], "name": "w"});
    server
        .ask("POST", VIEW, other)
        .await
        .fails(400, "BadRequestException");
    server
        .ask("POST", "/ice/namespaces/nope/views", view("w"))
        .await
        .fails(404, "NoSuchNamespaceException");
    let answer = server
        .ask("GET", "/ice/namespaces/nope/views/v", NONE)
        .await
        .fails(404, "NoSuchViewException");
    assert_eq!(message(&answer), "View does not exist: nope.v");
    let register = json!({"name": "w", "metadata-location": "file:///tmp/none.json"});
    server
        .ask("POST", "/ice/namespaces/n1/register-view", register)
        .await
        .fails(400, "BadRequestException");
}

#[tokio::test]
async fn pages_of_views_are_full_and_exact() {
    let server = server().await;
    server.table("n1", "t").await;
    for name in ["a", "b", "c", "d", "e"] {
        made(&server, name).await;
    }
    let names = |answer: &Answer| -> Vec<String> {
        answer.body["identifiers"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = server.ask("GET", VIEWS, NONE).await.is(200);
    assert_eq!(names(&all), ["a", "b", "c", "d", "e"]);
    assert_eq!(all.body["next-page-token"], NONE);
    let first = server
        .ask("GET", &format!("{VIEWS}?pageToken=&pageSize=3"), NONE)
        .await
        .is(200);
    assert_eq!(names(&first), ["a", "b", "c"]);
    let token = first.body["next-page-token"].as_str().expect("a token");
    let rest = server
        .ask("GET", &format!("{VIEWS}?pageToken={token}&pageSize=3"), NONE)
        .await
        .is(200);
    assert_eq!(names(&rest), ["d", "e"]);
    assert_eq!(rest.body["next-page-token"], NONE);
    // A token of another list is none.
    let path = format!("/ice/namespaces/n1/tables?pageToken={token}&pageSize=3");
    server.ask("GET", &path, NONE).await.is(400);
}

#[tokio::test]
async fn tables_and_views_share_names_and_places() {
    let server = server().await;
    made(&server, "v").await;
    server.table("n1", "t").await;
    let tables = "/ice/namespaces/n1/tables";
    for (path, body, expected) in [
        (VIEWS, view("v"), "View already exists: n1.v"),
        (VIEWS, view("t"), "Table with same name already exists: n1.t"),
        (tables, creation("v"), "View with same name already exists: n1.v"),
        (
            "/ice/views/rename",
            renamed(("n1", "v"), ("n1", "t")),
            "Cannot rename n1.v to n1.t. Table already exists",
        ),
        (
            "/ice/tables/rename",
            renamed(("n1", "t"), ("n1", "v")),
            "Cannot rename n1.t to n1.v. View already exists",
        ),
    ] {
        let answer = server
            .ask("POST", path, body)
            .await
            .fails(409, "AlreadyExistsException");
        assert_eq!(message(&answer), expected);
    }
    // One is not taken for the other.
    server
        .ask("GET", &format!("{VIEWS}/t"), NONE)
        .await
        .fails(404, "NoSuchViewException");
    server
        .ask("GET", &format!("{tables}/v"), NONE)
        .await
        .fails(404, "NoSuchTableException");
    // A created commit meets the view, which no retry helps against.
    let creates = json!({"requirements": [{"type": "assert-create"}], "updates": []});
    server
        .ask("POST", &format!("{tables}/v"), creates)
        .await
        .fails(409, "AlreadyExistsException");
    // A chosen place that overlaps a table's is refused in either direction.
    let loaded = server.ask("GET", &format!("{tables}/t"), NONE).await.is(200);
    let place = loaded.body["metadata"]["location"].as_str().expect("a location");
    for location in [place.to_owned(), format!("{place}/inside")] {
        let mut chosen = view("w");
        chosen["location"] = json!(location);
        let answer = server
            .ask("POST", VIEWS, chosen)
            .await
            .fails(400, "BadRequestException");
        assert!(message(&answer).contains("overlaps"), "{}", answer.body);
        let moved = json!({"updates": [{"action": "set-location", "location": location}]});
        server
            .ask("POST", VIEW, moved)
            .await
            .fails(400, "BadRequestException");
    }
    server
        .ask("DELETE", "/ice/namespaces/n1", NONE)
        .await
        .fails(409, "NamespaceNotEmptyException");
    server.ask("DELETE", &format!("{tables}/t"), NONE).await.is(204);
    server
        .ask("DELETE", "/ice/namespaces/n1", NONE)
        .await
        .fails(409, "NamespaceNotEmptyException");
    server
        .ask("POST", "/ice/views/rename", renamed(("n1", "v"), ("n2", "v2")))
        .await
        .is(204);
    server.ask("DELETE", "/ice/namespaces/n1", NONE).await.is(204);
    server
        .ask("GET", "/ice/namespaces/n2/views/v2", NONE)
        .await
        .is(200);
}

#[tokio::test]
async fn both_protocols_have_one_object_one_owner_and_one_set_of_grants() {
    let server = server().await;
    for user in ["ann", "bob"] {
        server.add_user(user).await;
    }
    let way: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n1", &["USE_SCHEMA", "CREATE_VIEW"]),
    ];
    server.grant("ann", "maker", way).await;
    let way: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n1", &["USE_SCHEMA"]),
    ];
    server.grant("bob", "walker", way).await;
    // Made here, owned there.
    server.ask_as("ann", "POST", VIEWS, view("v")).await.is(200);
    let owner = server
        .native("ann", "GET", "/metalakes/m/owners/view/ice.n1.v", NONE)
        .await
        .is(200);
    assert_eq!(owner.body["owner"]["name"], "ann");
    let native = server
        .native("ann", "GET", &format!("{NATIVE}/v"), NONE)
        .await
        .is(200);
    assert_eq!(native.body["view"]["audit"]["creator"], "ann");
    assert_eq!(
        native.body["view"]["representations"][0]["sql"],
        "select id from t"
    );
    assert_eq!(native.body["view"]["defaultSchema"], "n1");
    // Bob sees nothing of it on either side.
    server
        .ask_as("bob", "GET", VIEW, NONE)
        .await
        .fails(403, "ForbiddenException");
    server.ask_as("bob", "HEAD", VIEW, NONE).await.is(403);
    server
        .native("bob", "GET", &format!("{NATIVE}/v"), NONE)
        .await
        .is(403);
    let listed = server.ask_as("bob", "GET", VIEWS, NONE).await.is(200);
    assert_eq!(listed.body["identifiers"], json!([]));
    let listed = server.native("bob", "GET", NATIVE, NONE).await.is(200);
    assert_eq!(listed.body["identifiers"], json!([]));
    // A grant works on both sides, and reads only.
    server
        .grant("bob", "viewer", &[("VIEW", "ice.n1.v", &["SELECT_VIEW"])])
        .await;
    server.ask_as("bob", "GET", VIEW, NONE).await.is(200);
    server
        .native("bob", "GET", &format!("{NATIVE}/v"), NONE)
        .await
        .is(200);
    let listed = server.native("bob", "GET", NATIVE, NONE).await.is(200);
    assert_eq!(listed.body["identifiers"][0]["name"], "v");
    for (method, path, body) in [
        ("POST", VIEW, put("a")),
        ("DELETE", VIEW, NONE),
        ("POST", VIEWS, view("w")),
        ("POST", "/ice/views/rename", renamed(("n1", "v"), ("n1", "w"))),
        (
            "POST",
            "/ice/namespaces/n1/register-view",
            json!({"name": "w", "metadata-location": "x"}),
        ),
    ] {
        server
            .ask_as("bob", method, path, body)
            .await
            .fails(403, "ForbiddenException");
    }
    // The owner changes it here and sees it there; it may not leave for where nobody lets the owner create.
    server.ask_as("ann", "POST", VIEW, put("here")).await.is(200);
    let native = server
        .native("ann", "GET", &format!("{NATIVE}/v"), NONE)
        .await
        .is(200);
    assert_eq!(native.body["view"]["properties"], json!({"here": "x"}));
    assert_eq!(native.body["view"]["audit"]["lastModifier"], "ann");
    server
        .ask_as(
            "ann",
            "POST",
            "/ice/views/rename",
            renamed(("n1", "v"), ("n2", "v")),
        )
        .await
        .fails(403, "ForbiddenException");
    let rename = json!({"updates": [{"@type": "rename", "newName": "w"}]});
    server
        .native("ann", "PUT", &format!("{NATIVE}/v"), rename)
        .await
        .is(200);
    // Grants follow the object, whatever it is called.
    server
        .ask_as("bob", "GET", &format!("{VIEWS}/w"), NONE)
        .await
        .is(200);
    // Absent, for whom absence may be told; the same 403 as for a hidden one for everybody else.
    server
        .ask_as("ann", "GET", VIEW, NONE)
        .await
        .fails(404, "NoSuchViewException");
    let absent = server
        .ask_as("bob", "GET", VIEW, NONE)
        .await
        .fails(403, "ForbiddenException");
    made(&server, "v").await;
    let hidden = server
        .ask_as("bob", "GET", VIEW, NONE)
        .await
        .fails(403, "ForbiddenException");
    assert_eq!(absent.body, hidden.body);
    server
        .native("ann", "DELETE", &format!("{NATIVE}/w"), NONE)
        .await
        .is(200);
    server
        .ask_as("ann", "GET", &format!("{VIEWS}/w"), NONE)
        .await
        .fails(404, "NoSuchViewException");
}

#[tokio::test]
async fn a_view_opens_no_restricted_table_and_its_tags_restrict_none() {
    let server = server().await;
    server.table("n1", "t").await;
    made(&server, "v").await;
    server.add_filter("secret", "pii", "filter := false").await;
    server.tag("table", "ice.n1.t", "pii").await;
    let table = "/ice/namespaces/n1/tables/t";
    server
        .ask("GET", table, NONE)
        .await
        .fails(406, "ReadRestrictionException");
    // The text of the query, and nothing of the table.
    let loaded = server.ask("GET", VIEW, NONE).await.is(200);
    assert_eq!(
        loaded
            .body
            .as_object()
            .expect("an object")
            .keys()
            .collect::<Vec<_>>(),
        ["metadata-location", "metadata"]
    );
    server
        .ask("GET", "/ice/namespaces/n1/tables/v", NONE)
        .await
        .fails(404, "NoSuchTableException");
    // A tag on a view selects no policy for any table, and keeps the view served.
    let open = json!({"tagsToRemove": ["pii"]});
    server
        .native(
            ADMIN,
            "POST",
            "/metalakes/m/objects/table/ice.n1.t/tags?force=true",
            open,
        )
        .await
        .is(200);
    server.tag("view", "ice.n1.v", "pii").await;
    server.ask("GET", table, NONE).await.is(200);
    assert_eq!(server.ask("GET", VIEW, NONE).await.is(200).body, loaded.body);
    let tags = server
        .native(ADMIN, "GET", "/metalakes/m/objects/view/ice.n1.v/tags", NONE)
        .await
        .is(200);
    assert_eq!(tags.body["names"], json!(["pii"]));
}
