// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metalakes, catalogs, schemas and tables over the native API: a whole server on an embedded store, real routes.
//! Statuses, codes and types are those recorded from the original.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use lakeward_server::config::Properties;
use lakeward_server::{Running, Settings, start};
use serde_json::{Value, json};

/// A server of its own, with the service administrator `admin`.
struct Server {
    running: Running,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap().to_owned();
        let properties = Properties::from_pairs([
            ("gravitino.server.webserver.host", "127.0.0.1"),
            ("gravitino.server.webserver.httpPort", "0"),
            ("gravitino.iceberg-rest.host", "127.0.0.1"),
            ("gravitino.iceberg-rest.httpPort", "0"),
            ("gravitino.authorization.enable", "true"),
            ("gravitino.authorization.serviceAdmins", "admin"),
            ("lakeward.data-dir", data.as_str()),
        ])
        .unwrap();
        Self {
            running: start(Settings::from_properties(properties).unwrap())
                .await
                .unwrap(),
            client: reqwest::Client::new(),
            _folder: folder,
        }
    }

    async fn call(&self, user: &str, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!("http://{}{path}", self.running.native_addr);
        let mut request = self
            .client
            .request(method.parse().unwrap(), url)
            .basic_auth(user, Some("x"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Expects 200 and gives the body.
    async fn done(&self, method: &str, path: &str, body: impl Into<Option<Value>>) -> Value {
        let (status, answer) = self.call("admin", method, path, body.into()).await;
        assert_eq!(status, 200, "{method} {path}: {answer}");
        assert_eq!(answer["code"], 0, "{method} {path}: {answer}");
        answer
    }

    /// Expects an error with status, code and type.
    async fn refused(
        &self,
        (user, method, path): (&str, &str, &str),
        body: impl Into<Option<Value>>,
        expected: (u16, i32, &str),
    ) {
        let (status, answer) = self.call(user, method, path, body.into()).await;
        let found = (
            status,
            answer["code"].as_i64().unwrap_or_default(),
            answer["type"].as_str().unwrap_or_default(),
        );
        let expected = (expected.0, i64::from(expected.1), expected.2);
        assert_eq!(found, expected, "{user} {method} {path}: {answer}");
    }
}

const ILLEGAL: (u16, i32, &str) = (400, 1001, "IllegalArgumentException");
const FORBIDDEN: (u16, i32, &str) = (403, 1008, "ForbiddenException");

fn iceberg(name: &str) -> Value {
    json!({"name": name, "type": "RELATIONAL", "provider": "lakehouse-iceberg", "comment": "c"})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metalakes_come_and_go() {
    let server = Server::start().await;
    let empty = server.done("GET", "/api/metalakes", None).await;
    assert_eq!(empty["metalakes"], json!([]));
    let new = json!({"name": "m", "comment": "first", "properties": {"k1": "v1"}});
    let made = server.done("POST", "/api/metalakes", new.clone()).await;
    assert_eq!(made["metalake"]["audit"]["creator"], "admin");
    server
        .refused(
            ("admin", "POST", "/api/metalakes"),
            new,
            (409, 1004, "MetalakeAlreadyExistsException"),
        )
        .await;
    server
        .refused(("bob", "POST", "/api/metalakes"), json!({"name": "b"}), FORBIDDEN)
        .await;
    for wrong in [
        json!({"name": ""}),
        json!({"name": "a b"}),
        json!({"name": "x", "bogus": 1}),
    ] {
        server
            .refused(("admin", "POST", "/api/metalakes"), wrong, ILLEGAL)
            .await;
    }
    let loaded = server.done("GET", "/api/metalakes/m", None).await;
    assert_eq!(
        loaded["metalake"]["properties"],
        json!({"in-use": "true", "k1": "v1"})
    );
    for (user, path) in [("bob", "/api/metalakes/m"), ("admin", "/api/metalakes/nope")] {
        server.refused((user, "GET", path), None, FORBIDDEN).await;
    }
    let (_, seen) = server.call("bob", "GET", "/api/metalakes", None).await;
    assert_eq!(seen["metalakes"], json!([]));
    let altered = json!({"updates": [
        {"@type": "updateComment", "newComment": "changed"},
        {"@type": "setProperty", "property": "k2", "value": "v2"},
        {"@type": "removeProperty", "property": "k1"},
        {"@type": "rename", "newName": "n"},
    ]});
    let altered = server.done("PUT", "/api/metalakes/m", altered).await;
    assert_eq!(altered["metalake"]["name"], "n");
    assert_eq!(altered["metalake"]["comment"], "changed");
    assert_eq!(altered["metalake"]["audit"]["lastModifier"], "admin");
    server
        .refused(("admin", "PUT", "/api/metalakes/n"), json!({}), ILLEGAL)
        .await;
    server
        .refused(
            ("admin", "DELETE", "/api/metalakes/n"),
            None,
            (409, 1010, "MetalakeInUseException"),
        )
        .await;
    for _ in 0..2 {
        server
            .done("PATCH", "/api/metalakes/n", json!({"inUse": false}))
            .await;
    }
    let off = server.done("GET", "/api/metalakes/n", None).await;
    assert_eq!(off["metalake"]["properties"]["in-use"], "false");
    let not_in_use = (409, 1009, "MetalakeNotInUseException");
    server
        .refused(
            ("admin", "PUT", "/api/metalakes/n"),
            json!({"updates": []}),
            not_in_use,
        )
        .await;
    server
        .refused(("admin", "GET", "/api/metalakes/n/catalogs"), None, not_in_use)
        .await;
    let dropped = server.done("DELETE", "/api/metalakes/n", None).await;
    assert_eq!(dropped["dropped"], true);
    server
        .refused(("admin", "DELETE", "/api/metalakes/n"), None, FORBIDDEN)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn catalogs_come_and_go() {
    let server = Server::start().await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let catalogs = "/api/metalakes/m/catalogs";
    let made = server.done("POST", catalogs, iceberg("ice")).await;
    assert_eq!(made["catalog"]["type"], "relational");
    assert_eq!(made["catalog"]["properties"]["in-use"], "true");
    server
        .refused(
            ("admin", "POST", catalogs),
            iceberg("ice"),
            (409, 1004, "CatalogAlreadyExistsException"),
        )
        .await;
    let with = |member: &str, value: &str| {
        let mut body = iceberg("zz");
        body[member] = json!(value);
        body
    };
    server
        .refused(("admin", "POST", catalogs), with("provider", "nope"), ILLEGAL)
        .await;
    server
        .refused(
            ("admin", "POST", catalogs),
            with("provider", "hive"),
            (405, 1006, "UnsupportedOperationException"),
        )
        .await;
    for wrong in [
        with("type", "BOGUS"),
        with("type", "MESSAGING"),
        with("name", "a.b"),
    ] {
        server.refused(("admin", "POST", catalogs), wrong, ILLEGAL).await;
    }
    let list = server.done("GET", catalogs, None).await;
    assert_eq!(list["identifiers"], json!([{"namespace": ["m"], "name": "ice"}]));
    let details = server
        .done("GET", "/api/metalakes/m/catalogs?details=true", None)
        .await;
    assert_eq!(details["catalogs"][0]["provider"], "lakehouse-iceberg");
    server
        .refused(
            ("admin", "GET", "/api/metalakes/m/catalogs/nope"),
            None,
            (404, 1003, "NoSuchCatalogException"),
        )
        .await;
    server
        .done("POST", "/api/metalakes/m/users", json!({"name": "bob"}))
        .await;
    server
        .refused(("bob", "GET", "/api/metalakes/m/catalogs/ice"), None, FORBIDDEN)
        .await;
    let (_, hidden) = server.call("bob", "GET", catalogs, None).await;
    assert_eq!(hidden["identifiers"], json!([]));

    let test = "/api/metalakes/m/catalogs/testConnection";
    server.done("POST", test, iceberg("other")).await;
    let (status, taken) = server.call("admin", "POST", test, Some(iceberg("ice"))).await;
    assert_eq!((status, taken["code"].as_i64()), (200, Some(1004)));
    let stored = "/api/metalakes/m/catalogs/ice/testConnection";
    server.done("POST", stored, None).await;
    server.done("POST", stored, json!({"updates": []})).await;

    let one = "/api/metalakes/m/catalogs/ice";
    let altered = json!({"updates": [
        {"@type": "setProperty", "property": "k", "value": "v"}, {"@type": "rename", "newName": "ice2"}]});
    let altered = server.done("PUT", one, altered).await;
    assert_eq!(altered["catalog"]["properties"]["k"], "v");
    let one = "/api/metalakes/m/catalogs/ice2";
    let move_it =
        json!({"updates": [{"@type": "setProperty", "property": "warehouse", "value": "file:///elsewhere"}]});
    server.refused(("admin", "PUT", one), move_it, ILLEGAL).await;
    server
        .refused(
            ("admin", "DELETE", one),
            None,
            (409, 1010, "CatalogInUseException"),
        )
        .await;
    server.done("PATCH", one, json!({"inUse": false})).await;
    server.done("GET", one, None).await;
    let not_in_use = (409, 1009, "CatalogNotInUseException");
    server
        .refused(
            ("admin", "GET", "/api/metalakes/m/catalogs/ice2/schemas"),
            None,
            not_in_use,
        )
        .await;
    server
        .refused(("admin", "PUT", one), json!({"updates": []}), not_in_use)
        .await;
    for dropped in [true, false] {
        assert_eq!(server.done("DELETE", one, None).await["dropped"], dropped);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemas_nest() {
    let server = Server::start().await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    let schemas = "/api/metalakes/m/catalogs/ice/schemas";
    let new = json!({"name": "db", "comment": "c", "properties": {"owner-team": "x"}});
    let made = server.done("POST", schemas, new.clone()).await;
    assert_eq!(made["schema"]["comment"], "c");
    server
        .refused(
            ("admin", "POST", schemas),
            new,
            (409, 1004, "SchemaAlreadyExistsException"),
        )
        .await;
    server
        .refused(("admin", "POST", schemas), json!({"name": "a.b"}), ILLEGAL)
        .await;
    server.done("POST", schemas, json!({"name": "x:y:z"})).await;
    let names = |list: &Value| -> Vec<String> {
        let items = list["identifiers"].as_array().unwrap();
        items
            .iter()
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&server.done("GET", schemas, None).await), ["db", "x"]);
    let below = format!("{schemas}?parentSchema=x");
    assert_eq!(names(&server.done("GET", &below, None).await), ["x:y"]);
    let missing = format!("{schemas}?parentSchema=nope");
    let no_schema = (404, 1003, "NoSuchSchemaException");
    server.refused(("admin", "GET", &missing), None, no_schema).await;
    let loaded = server.done("GET", &format!("{schemas}/x%3Ay%3Az"), None).await;
    assert_eq!(loaded["schema"]["name"], "x:y:z");
    assert!(loaded["schema"]["properties"]["location"].is_string());
    server
        .refused(("admin", "GET", &format!("{schemas}/nope")), None, no_schema)
        .await;
    server
        .refused(
            ("admin", "GET", "/api/metalakes/m/catalogs/nope/schemas/db"),
            None,
            (404, 1003, "NoSuchCatalogException"),
        )
        .await;
    let altered = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"},
                                     {"@type": "removeProperty", "property": "owner-team"}]});
    let altered = server.done("PUT", &format!("{schemas}/db"), altered).await;
    assert_eq!(altered["schema"]["properties"], json!({"a": "b"}));
    server
        .refused(
            ("admin", "DELETE", &format!("{schemas}/x")),
            None,
            (409, 1005, "NonEmptySchemaException"),
        )
        .await;
    for dropped in [true, false] {
        let answer = server
            .done("DELETE", &format!("{schemas}/x?cascade=true"), None)
            .await;
        assert_eq!(answer["dropped"], dropped);
    }
    server
        .refused(
            ("admin", "DELETE", "/api/metalakes/m/catalogs/ice"),
            None,
            (409, 1010, "CatalogInUseException"),
        )
        .await;
}

fn orders() -> Value {
    json!({"name": "t", "comment": "orders", "properties": {"format-version": "2"},
           "columns": [
               {"name": "id", "type": "long", "nullable": false, "comment": "pk"},
               {"name": "name", "type": "string"}, {"name": "amount", "type": "decimal(10,2)"},
               {"name": "ts", "type": "timestamp_tz"}, {"name": "day", "type": "date"},
               {"name": "tags", "type": {"type": "list", "elementType": "string"}},
               {"name": "m", "type": {"type": "map", "keyType": "string", "valueType": "integer"}},
               {"name": "st", "type": {"type": "struct", "fields": [{"name": "a", "type": "integer"}]}}],
           "partitioning": [{"strategy": "day", "fieldName": ["ts"]}, {"strategy": "identity", "fieldName": ["name"]}],
           "sortOrders": [{"sortTerm": {"type": "field", "fieldName": ["id"]}, "direction": "asc"}]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_come_and_go() {
    let server = Server::start().await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    let schemas = "/api/metalakes/m/catalogs/ice/schemas";
    server.done("POST", schemas, json!({"name": "db"})).await;
    server.done("POST", schemas, json!({"name": "db:nest"})).await;
    let tables = &format!("{schemas}/db/tables");
    let one = &format!("{tables}/t");
    let made = server.done("POST", tables, orders()).await;
    assert_eq!(made["table"]["name"], "t");
    assert_eq!(made["table"]["partitioning"], orders()["partitioning"]);
    server
        .refused(
            ("admin", "POST", tables),
            orders(),
            (409, 1004, "TableAlreadyExistsException"),
        )
        .await;
    let missing_schema = format!("{schemas}/nope/tables");
    server
        .refused(
            ("admin", "POST", &missing_schema),
            orders(),
            (404, 1003, "NoSuchSchemaException"),
        )
        .await;
    for wrong in [
        json!({"name": "w", "columns": []}),
        json!({"name": "w", "columns": [{"name": "a", "type": "wombat"}]}),
        json!({"name": "w", "columns": [{"name": "a", "type": "long"}],
               "partitioning": [{"strategy": "identity", "fieldName": ["zz"]}]}),
        json!({"name": "w", "columns": [{"name": "a", "type": "long"}, {"name": "a", "type": "long"}]}),
    ] {
        server.refused(("admin", "POST", tables), wrong, ILLEGAL).await;
    }
    let list = server.done("GET", tables, None).await;
    assert_eq!(
        list["identifiers"],
        json!([{"namespace": ["m", "ice", "db"], "name": "t"}])
    );
    let loaded = server
        .done("GET", &format!("{one}?privileges=SELECT_TABLE"), None)
        .await;
    let types: Vec<&Value> = loaded["table"]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| &column["type"])
        .collect();
    assert_eq!(types[3], "timestamp_tz(6)");
    assert_eq!(
        types[5],
        &json!({"type": "list", "containsNull": true, "elementType": "string"})
    );
    assert_eq!(loaded["table"]["columns"][0]["nullable"], false);
    assert_eq!(loaded["table"]["properties"]["format-version"], "2");
    assert_eq!(loaded["table"]["indexes"], json!([]));
    server
        .refused(
            ("admin", "GET", &format!("{tables}/nope")),
            None,
            (404, 1003, "NoSuchTableException"),
        )
        .await;
    alter_tables(&server, tables).await;
    for dropped in [true, false] {
        let answer = server.done("DELETE", &format!("{one}?purge=true"), None).await;
        assert_eq!(answer["dropped"], dropped);
    }
    // The place is free again.
    server.done("POST", tables, orders()).await;
}

async fn alter_tables(server: &Server, tables: &str) {
    let one = &format!("{tables}/t");
    let altered = json!({"updates": [
        {"@type": "addColumn", "fieldName": ["note"], "type": "string", "comment": "n"},
        {"@type": "renameColumn", "oldFieldName": ["name"], "newFieldName": "full_name"},
        {"@type": "updateColumnComment", "fieldName": ["id"], "newComment": "key"},
        {"@type": "updateColumnType", "fieldName": ["amount"], "newType": "decimal(12,2)"},
        {"@type": "updateColumnNullability", "fieldName": ["id"], "nullable": true},
        {"@type": "updateComment", "newComment": "orders2"},
        {"@type": "setProperty", "property": "a", "value": "b"}]});
    let table = &server.done("PUT", one, altered).await["table"];
    assert_eq!(table["comment"], "orders2");
    assert_eq!(table["columns"][1]["name"], "full_name");
    assert_eq!(table["columns"][2]["type"], "decimal(12,2)");
    assert_eq!(table["columns"][8]["name"], "note");
    assert_eq!(table["partitioning"][1]["fieldName"], json!(["full_name"]));
    assert_eq!(table["properties"]["a"], "b");
    assert_eq!(table["audit"]["lastModifier"], "admin");
    for wrong in [
        json!({"@type": "updateColumnType", "fieldName": ["amount"], "newType": "integer"}),
        json!({"@type": "deleteColumn", "fieldName": ["zzz"]}),
        json!({"@type": "updateColumnPosition", "fieldName": ["note"], "newPosition": {"after_column": "id"}}),
    ] {
        server
            .refused(("admin", "PUT", one), json!({"updates": [wrong]}), ILLEGAL)
            .await;
    }
    server
        .refused(("admin", "PUT", one), json!({"updates": []}), ILLEGAL)
        .await;
    let lenient = json!({"updates": [{"@type": "deleteColumn", "fieldName": ["zzz"], "ifExists": true}]});
    server.done("PUT", one, lenient).await;
    let rename = |update: Value| json!({"updates": [update]});
    let with_other = json!({"updates": [{"@type": "rename", "newName": "q"}, {"@type": "updateComment", "newComment": "z"}]});
    server.refused(("admin", "PUT", one), with_other, ILLEGAL).await;
    let moved = rename(json!({"@type": "rename", "newName": "u", "newSchemaName": "db:nest"}));
    assert_eq!(server.done("PUT", one, moved).await["table"]["name"], "u");
    let there = tables.replace("/db/", "/db%3Anest/");
    let back = rename(json!({"@type": "rename", "newName": "t", "newSchemaName": "db"}));
    server.done("PUT", &format!("{there}/u"), back.clone()).await;
    let second = json!({"name": "u", "columns": [{"name": "id", "type": "long"}]});
    server.done("POST", tables, second).await;
    server
        .refused(
            ("admin", "PUT", &format!("{tables}/u")),
            rename(json!({"@type": "rename", "newName": "t"})),
            (409, 1004, "TableAlreadyExistsException"),
        )
        .await;
    server.done("DELETE", &format!("{tables}/u"), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_show_what_the_caller_may_see() {
    let server = Server::start().await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    let schemas = "/api/metalakes/m/catalogs/ice/schemas";
    server.done("POST", schemas, json!({"name": "db"})).await;
    let tables = &format!("{schemas}/db/tables");
    for name in ["open", "shut"] {
        let table = json!({"name": name, "columns": [{"name": "id", "type": "long"}]});
        server.done("POST", tables, table).await;
    }
    server
        .done("POST", "/api/metalakes/m/users", json!({"name": "bob"}))
        .await;
    let allow = |kind: &str, name: &str, privilege: &str| json!({"type": kind, "fullName": name, "privileges": [{"name": privilege, "condition": "ALLOW"}]});
    let role = json!({"name": "r", "securableObjects": [
        allow("CATALOG", "ice", "USE_CATALOG"), allow("SCHEMA", "ice.db", "USE_SCHEMA"),
        allow("TABLE", "ice.db.open", "SELECT_TABLE")]});
    server.done("POST", "/api/metalakes/m/roles", role).await;
    server
        .done(
            "PUT",
            "/api/metalakes/m/permissions/users/bob/grant",
            json!({"roleNames": ["r"]}),
        )
        .await;
    let (status, list) = server.call("bob", "GET", tables, None).await;
    assert_eq!(status, 200);
    assert_eq!(list["identifiers"].as_array().unwrap().len(), 1);
    let (status, _) = server.call("bob", "GET", &format!("{tables}/open"), None).await;
    assert_eq!(status, 200);
    for path in ["shut", "absent", "open?privileges=MODIFY_TABLE"] {
        server
            .refused(("bob", "GET", &format!("{tables}/{path}")), None, FORBIDDEN)
            .await;
    }
    server
        .refused(("bob", "DELETE", &format!("{tables}/open")), None, FORBIDDEN)
        .await;
    let update = json!({"updates": [{"@type": "updateComment", "newComment": "x"}]});
    server
        .refused(("bob", "PUT", &format!("{tables}/open")), update, FORBIDDEN)
        .await;
    let (_, owner) = server
        .call("admin", "GET", "/api/metalakes/m/owners/table/ice.db.open", None)
        .await;
    assert_eq!(owner["owner"], json!({"name": "admin", "type": "user"}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_needs_no_metalake_answers() {
    let server = Server::start().await;
    let version = server.done("GET", "/api/version", None).await;
    assert_eq!(version["version"]["version"], "2.0.0");
    for path in ["/api/health", "/health/live", "/health/ready"] {
        assert_eq!(server.done("GET", path, None).await["status"], "up");
    }
    let (status, configs) = server.call("admin", "GET", "/configs", None).await;
    assert_eq!(status, 200);
    assert_eq!(
        configs,
        json!({"gravitino.schema.separator": ":", "gravitino.authorization.enable": true,
               "gravitino.authenticators": ["simple"], "gravitino.authorization.serviceAdmins": ["admin"]})
    );
}
