// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests with an `Idempotency-Key` (pitfall B8): one that comes again has no second effect, and is answered by the
//! rules of the moment.

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, CAPABLE, NONE, Server, creation, set_property};
use crate::views::{put, renamed, view};

pub(crate) const TABLES: &str = "/ice/namespaces/n1/tables";
pub(crate) const TABLE: &str = "/ice/namespaces/n1/tables/t";
const VIEWS: &str = "/ice/namespaces/n1/views";
pub(crate) const TRANSACTION: &str = "/ice/transactions/commit";

/// A new key, as clients make them.
pub(crate) fn new_key() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// One request that can be repeated.
#[derive(Debug, Clone)]
pub(crate) struct Keyed {
    user: &'static str,
    method: &'static str,
    path: String,
    body: Value,
    key: String,
}

impl Keyed {
    pub(crate) fn new(method: &'static str, path: &str, body: Value) -> Self {
        Self {
            user: ADMIN,
            method,
            path: path.to_owned(),
            body,
            key: new_key(),
        }
    }

    fn of(self, user: &'static str) -> Self {
        Self { user, ..self }
    }

    pub(crate) async fn ask(&self, server: &Server) -> Answer {
        self.ask_with(server, &[]).await
    }

    async fn ask_with(&self, server: &Server, more: &[(&str, &str)]) -> Answer {
        let mut headers = vec![("Idempotency-Key", self.key.as_str())];
        headers.extend_from_slice(more);
        server
            .ask_with(self.user, self.method, &self.path, self.body.clone(), &headers)
            .await
    }
}

pub(crate) async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.namespace("n2").await;
    server.table("n1", "t").await;
    server
}

/// How often a table was committed to.
pub(crate) async fn commits(server: &Server) -> usize {
    let loaded = server.ask("GET", TABLE, NONE).await.is(200);
    loaded.body["metadata"]["metadata-log"]
        .as_array()
        .map_or(0, Vec::len)
}

pub(crate) fn transaction(value: &str) -> Value {
    let mut change = set_property("tx", value);
    change["identifier"] = json!({"namespace": ["n1"], "name": "t"});
    json!({"table-changes": [change]})
}

#[tokio::test]
async fn the_configuration_says_how_long_a_key_is_good_for() {
    let server = Server::start().await;
    for path in ["/config", "/config?warehouse=ice"] {
        let config = server.ask("GET", path, NONE).await.is(200);
        assert_eq!(config.body["idempotency-key-lifetime"], "PT30M", "{path}");
    }
}

#[tokio::test]
async fn no_change_is_made_twice() {
    let server = server().await;
    let registered = server.table("n1", "loose").await.body["metadata-location"].clone();
    server
        .ask("DELETE", &format!("{TABLES}/loose"), NONE)
        .await
        .is(204);
    let registered_view =
        server.ask("POST", VIEWS, view("loose_view")).await.is(200).body["metadata-location"].clone();
    server
        .ask("DELETE", &format!("{VIEWS}/loose_view"), NONE)
        .await
        .is(204);
    let old = json!({"updates": {"old": "1"}});
    server
        .ask("POST", "/ice/namespaces/n1/properties", old)
        .await
        .is(200);
    let properties = json!({"updates": {"a": "1"}, "removals": ["old"]});
    let register = |location: &Value| json!({"name": "r", "metadata-location": location});
    // Each of them would be refused or answered otherwise if it were made twice, except for the one that sets a property of
    // a view, which then changes nothing, and the transaction, of whose answer nothing is to be seen.
    let requests = [
        Keyed::new("POST", "/ice/namespaces", json!({"namespace": ["n1", "deep"]})),
        Keyed::new("POST", "/ice/namespaces/n1/properties", properties),
        Keyed::new("POST", TABLES, creation("made")),
        Keyed::new("POST", "/ice/namespaces/n1/register", register(&registered)),
        Keyed::new("POST", TABLE, set_property("x", "y")),
        Keyed::new("POST", TRANSACTION, transaction("1")),
        Keyed::new(
            "POST",
            "/ice/tables/rename",
            renamed(("n1", "made"), ("n2", "moved")),
        ),
        Keyed::new(
            "DELETE",
            "/ice/namespaces/n2/tables/moved?purgeRequested=true",
            NONE,
        ),
        Keyed::new("POST", VIEWS, view("v")),
        Keyed::new(
            "POST",
            "/ice/namespaces/n2/register-view",
            register(&registered_view),
        ),
        Keyed::new("POST", &format!("{VIEWS}/v"), put("a")),
        Keyed::new("POST", "/ice/views/rename", renamed(("n1", "v"), ("n2", "w"))),
        Keyed::new("DELETE", "/ice/namespaces/n2/views/w", NONE),
        Keyed::new("DELETE", "/ice/namespaces/n1%1Fdeep", NONE),
    ];
    for request in requests {
        let first = request.ask(&server).await;
        assert!(matches!(first.status, 200 | 204), "{request:?}: {}", first.body);
        let before = server.files();
        for attempt in 0..2 {
            let again = request.ask(&server).await;
            assert_eq!(
                (again.status, &again.body, again.header("etag")),
                (first.status, &first.body, first.header("etag")),
                "{attempt} of {request:?}"
            );
        }
        assert_eq!(server.files(), before, "{request:?}");
        let anew = Keyed {
            key: new_key(),
            ..request.clone()
        };
        let shows = !request.path.ends_with("/views/v") && request.path != TRANSACTION;
        let anew = anew.ask(&server).await;
        assert!(
            !shows || anew.status >= 400 || anew.body != first.body,
            "{request:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_shows_what_is_there_now() {
    let server = server().await;
    let commit = Keyed::new("POST", TABLE, set_property("x", "1"));
    commit.ask(&server).await.is(200);
    server.ask("POST", TABLE, set_property("x", "2")).await.is(200);
    let again = commit.ask(&server).await.is(200);
    assert_eq!(again.body["metadata"]["properties"]["x"], "2", "not set back");
    let loaded = server.ask("GET", TABLE, NONE).await.is(200);
    assert_eq!(again.body, loaded.body);
    // The table is known by its id: another one that gets the name is not shown, nor touched.
    server
        .ask("POST", "/ice/tables/rename", renamed(("n1", "t"), ("n2", "t2")))
        .await
        .is(204);
    server.table("n1", "t").await;
    let again = commit.ask(&server).await.is(200);
    assert_eq!(
        again.body["metadata"]["table-uuid"],
        loaded.body["metadata"]["table-uuid"]
    );
    // What is gone was committed to all the same: a client that hears a refusal would delete its files.
    server
        .ask("DELETE", "/ice/namespaces/n2/tables/t2", NONE)
        .await
        .is(204);
    commit
        .ask(&server)
        .await
        .fails(500, "CommitStateUnknownException");
    let create = Keyed::new("POST", TABLES, creation("gone"));
    create.ask(&server).await.is(200);
    server
        .ask("DELETE", &format!("{TABLES}/gone"), NONE)
        .await
        .is(204);
    create.ask(&server).await.fails(404, "NoSuchTableException");
    server.ask("HEAD", &format!("{TABLES}/gone"), NONE).await.is(404);
}

#[tokio::test]
async fn a_refusal_stands() {
    let server = server().await;
    let clash = Keyed::new("POST", TABLES, creation("t"));
    let refused = clash.ask(&server).await.fails(409, "AlreadyExistsException");
    let missing = Keyed::new("POST", &format!("{TABLES}/later"), set_property("x", "y"));
    missing.ask(&server).await.fails(404, "NoSuchTableException");
    let full = Keyed::new("DELETE", "/ice/namespaces/n1", NONE);
    full.ask(&server).await.fails(409, "NamespaceNotEmptyException");
    server.ask("DELETE", TABLE, NONE).await.is(204);
    let again = clash.ask(&server).await.fails(409, "AlreadyExistsException");
    assert_eq!(again.body, refused.body);
    full.ask(&server).await.fails(409, "NamespaceNotEmptyException");
    server.table("n1", "later").await;
    missing.ask(&server).await.fails(404, "NoSuchTableException");
    // A new key is a new request.
    Keyed {
        key: new_key(),
        ..clash
    }
    .ask(&server)
    .await
    .is(200);
}

#[tokio::test]
async fn a_key_is_for_one_request_of_one_user() {
    let server = server().await;
    let create = Keyed::new("POST", TABLES, creation("a"));
    create.ask(&server).await.is(200);
    let other = |method, path: &str, body| Keyed {
        key: create.key.clone(),
        ..Keyed::new(method, path, body)
    };
    for misuse in [
        other("POST", TABLES, creation("b")),
        other("POST", "/ice/namespaces/n2/tables", creation("a")),
        other("DELETE", &format!("{TABLES}/a"), NONE),
        other("POST", &format!("{TABLES}?x=1"), creation("a")),
        other("POST", "/ice/namespaces", json!({"namespace": ["n3"]})),
    ] {
        misuse
            .ask(&server)
            .await
            .fails(422, "UnprocessableEntityException");
    }
    server.ask("HEAD", &format!("{TABLES}/a"), NONE).await.is(204);
    for name in ["b", "c"] {
        server
            .ask("HEAD", &format!("{TABLES}/{name}"), NONE)
            .await
            .is(404);
    }
    // Somebody else's key is of no meaning to anybody: neither an answer nor a refusal comes from it.
    server.add_user("ann").await;
    let everything: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "CREATE_TABLE"];
    server
        .grant("ann", "maker", &[("CATALOG", "ice", everything)])
        .await;
    other("POST", TABLES, creation("c"))
        .of("ann")
        .ask(&server)
        .await
        .is(200);
    other("POST", TABLES, creation("a"))
        .of("ann")
        .ask(&server)
        .await
        .fails(422, "UnprocessableEntityException");
    // What is no key is refused, and what heeds none takes any.
    for bad in ["", "x", "7f0c35b6-6b5c-4d5f-8d0d-3a1a6f4a3a2e"] {
        let headers = [("Idempotency-Key", bad)];
        server
            .ask_with(ADMIN, "POST", TABLES, creation("d"), &headers)
            .await
            .fails(400, "BadRequestException");
        server.ask_with(ADMIN, "GET", TABLE, NONE, &headers).await.is(200);
    }
}

#[tokio::test]
async fn who_may_not_any_more_is_refused() {
    let server = server().await;
    for user in ["ann", "bob"] {
        server.add_user(user).await;
    }
    let everything: &[&str] = &[
        "USE_CATALOG",
        "USE_SCHEMA",
        "CREATE_TABLE",
        "MODIFY_TABLE",
        "CREATE_SCHEMA",
    ];
    server
        .grant("ann", "writer", &[("CATALOG", "ice", everything)])
        .await;
    let create = Keyed::new("POST", TABLES, creation("a")).of("ann");
    let namespace = Keyed::new("POST", "/ice/namespaces", json!({"namespace": ["n3"]})).of("ann");
    let commit = Keyed::new("POST", TABLE, set_property("x", "y")).of("ann");
    let many = Keyed::new("POST", TRANSACTION, transaction("1")).of("ann");
    let drop = Keyed::new("DELETE", &format!("{TABLES}/b"), NONE).of("ann");
    let moved = Keyed::new("POST", "/ice/tables/rename", renamed(("n1", "c"), ("n2", "c"))).of("ann");
    for name in ["b", "c"] {
        server.ask_as("ann", "POST", TABLES, creation(name)).await.is(200);
    }
    for (request, status) in [
        (&create, 200),
        (&namespace, 200),
        (&commit, 200),
        (&many, 204),
        (&drop, 204),
        (&moved, 204),
    ] {
        request.ask(&server).await.is(status);
        request.ask(&server).await.is(status);
    }
    // A table that is given away: it was made here, and is nobody's to see but its owner's.
    let owner = "/metalakes/m/owners/table/ice.n1.a";
    server
        .native(ADMIN, "PUT", owner, json!({"name": "bob", "type": "USER"}))
        .await
        .is(200);
    create.ask(&server).await.is(200);
    let revoke = "/metalakes/m/permissions/users/ann/revoke";
    server
        .native(ADMIN, "PUT", revoke, json!({"roleNames": ["writer"]}))
        .await
        .is(200);
    let before = server.files();
    for request in [&create, &namespace, &drop, &moved] {
        request.ask(&server).await.fails(403, "ForbiddenException");
    }
    // Files that are part of a table must not be deleted by who put them there.
    for request in [&commit, &many] {
        let refused = request
            .ask(&server)
            .await
            .fails(500, "CommitStateUnknownException");
        assert!(
            !refused.body.to_string().contains("metadata-location"),
            "{}",
            refused.body
        );
    }
    // What never was is refused as ever, whatever the key.
    Keyed::new("POST", TABLE, set_property("x", "z"))
        .of("ann")
        .ask(&server)
        .await
        .fails(403, "ForbiddenException");
    assert_eq!(server.files(), before);
}

#[tokio::test]
async fn a_restriction_that_came_since_holds() {
    let server = server().await;
    server
        .add_filter("hide", "pii", "filter := col(\"id\") < 10")
        .await;
    let create = Keyed::new("POST", TABLES, creation("a"));
    let commit = Keyed::new("POST", TABLE, set_property("x", "y"));
    create.ask(&server).await.is(200);
    commit.ask(&server).await.is(200);
    for table in ["a", "t"] {
        server.tag("table", &format!("ice.n1.{table}"), "pii").await;
    }
    let refused = create.ask(&server).await.fails(406, "ReadRestrictionException");
    assert!(!refused.body.to_string().contains("metadata"), "{}", refused.body);
    create
        .ask_with(&server, &[CAPABLE])
        .await
        .fails(403, "ReadRestrictionException");
    let unknown = commit
        .ask(&server)
        .await
        .fails(500, "CommitStateUnknownException");
    assert!(
        !unknown.body.to_string().contains("metadata-location"),
        "{}",
        unknown.body
    );
    assert_eq!(unknown.header("etag"), "");
}

#[tokio::test]
async fn what_is_kept_of_a_request_has_a_limit() {
    let server = server().await;
    let names: serde_json::Map<String, Value> = (0..200)
        .map(|number| (format!("{number:0>100}"), json!("v")))
        .collect();
    let path = "/ice/namespaces/n1/properties";
    let body = json!({"removals": [], "updates": names});
    let refused = Keyed::new("POST", path, body.clone()).ask(&server).await.is(400);
    let message = refused.body["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("Idempotency-Key"), "{message}");
    let loaded = server.ask("GET", "/ice/namespaces/n1", NONE).await.is(200);
    assert!(!loaded.body.to_string().contains("00001"), "{}", loaded.body);
    server.ask("POST", path, body).await.is(200);
}

#[tokio::test]
async fn where_an_object_was_moved_is_not_told_to_who_may_not_load_it_there() {
    let server = server().await;
    server.add_user("ann").await;
    let everything: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "CREATE_TABLE", "MODIFY_TABLE"];
    server
        .grant("ann", "writer", &[("CATALOG", "ice", everything)])
        .await;
    let create = Keyed::new("POST", TABLES, creation("a")).of("ann");
    create.ask(&server).await.is(200);
    server
        .ask(
            "POST",
            "/ice/tables/rename",
            renamed(("n1", "a"), ("n2", "elsewhere")),
        )
        .await
        .is(204);
    create.ask(&server).await.is(200);
    let denied = json!({"name": "no-n2", "securableObjects": [{"type": "SCHEMA", "fullName": "ice.n2",
        "privileges": [{"name": "USE_SCHEMA", "condition": "DENY"}]}]});
    server
        .native(ADMIN, "POST", "/metalakes/m/roles", denied)
        .await
        .is(200);
    let grant = "/metalakes/m/permissions/users/ann/grant";
    server
        .native(ADMIN, "PUT", grant, json!({"roleNames": ["no-n2"]}))
        .await
        .is(200);
    let gone = create.ask(&server).await.is(404);
    assert!(!gone.body.to_string().contains("elsewhere"), "{}", gone.body);
}
