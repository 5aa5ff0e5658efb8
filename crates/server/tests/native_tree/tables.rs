// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables, and what a list shows.

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, ILLEGAL, Place, Server, iceberg, on_both_stores};

on_both_stores!(
    tables_come_and_go,
    alterations_at_the_same_time_all_hold,
    lists_show_what_the_caller_may_see,
    what_needs_no_metalake_answers
);

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

async fn tables_come_and_go(place: Place) {
    let server = Server::start(&place).await;
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
    server
        .refused(
            ("admin", "GET", &format!("{one}/partitions")),
            None,
            (405, 1006, "UnsupportedOperationException"),
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

async fn alterations_at_the_same_time_all_hold(place: Place) {
    let server = Server::start(&place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    let schemas = "/api/metalakes/m/catalogs/ice/schemas";
    server.done("POST", schemas, json!({"name": "db"})).await;
    let tables = format!("{schemas}/db/tables");
    let one = format!("{tables}/t");
    let table = json!({"name": "t", "columns": [{"name": "id", "type": "long"}]});
    server.done("POST", &tables, table).await;
    let add = |number: usize| {
        let name = format!("c{number}");
        let update = json!({"updates": [{"@type": "addColumn", "fieldName": [name], "type": "string"}]});
        server.done("PUT", &one, update)
    };
    tokio::join!(add(0), add(1), add(2), add(3));
    let columns = &server.done("GET", &one, None).await["table"]["columns"];
    assert_eq!(columns.as_array().unwrap().len(), 5, "{columns}");
}

async fn lists_show_what_the_caller_may_see(place: Place) {
    let server = Server::start(&place).await;
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

async fn what_needs_no_metalake_answers(place: Place) {
    let server = Server::start(&place).await;
    let version = server.done("GET", "/api/version", None).await;
    assert_eq!(version["version"]["version"], "2.0.0");
    for path in ["/api/health", "/health/live", "/health/ready"] {
        assert_eq!(server.done("GET", path, None).await["status"], "up");
    }
    let document = server.call("nobody", "GET", "/openapi.json", None).await.1;
    assert_eq!(document["openapi"], "3.1.0");
    let (status, configs) = server.call("admin", "GET", "/configs", None).await;
    assert_eq!(status, 200);
    assert_eq!(
        configs,
        json!({"gravitino.schema.separator": ":", "gravitino.authorization.enable": true,
               "gravitino.authenticators": ["simple"], "gravitino.authorization.serviceAdmins": ["admin"]})
    );
}
