// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags of columns, and why a table is restricted.

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Server, kind};

const RESTRICTIONS_ON: [(&str, &str); 1] = [("lakeward.read-restrictions.enabled", "true")];
pub(crate) const TABLES: &str = "catalogs/lake/schemas/sales/tables";
pub(crate) const EXPLAIN: &str = "objects/table/lake.sales.orders/read-restrictions/explain";

fn column(name: &str, column_type: &str) -> Value {
    json!({"name": name, "type": column_type, "nullable": true, "comment": ""})
}

/// A server with the table `orders(region, phone, amount)`, the tag `pii`, a role that lets bob read, and the group
/// `auditors` of the metalake.
pub(crate) async fn with_orders() -> Server {
    let server = Server::start(&RESTRICTIONS_ON).await;
    let table = json!({
        "name": "orders", "comment": "", "properties": {},
        "columns": [column("region", "string"), column("phone", "string"), column("amount", "long")]
    });
    let readable = json!({"name": "reader", "securableObjects": [{
        "type": "METALAKE", "fullName": "m", "privileges": [
            {"name": "USE_CATALOG", "condition": "ALLOW"}, {"name": "USE_SCHEMA", "condition": "ALLOW"},
            {"name": "SELECT_TABLE", "condition": "ALLOW"}
        ]
    }]});
    for (method, path, body) in [
        (Method::POST, TABLES, table),
        (Method::POST, "tags", json!({"name": "pii"})),
        (Method::POST, "tags", json!({"name": "rows"})),
        (Method::POST, "groups", json!({"name": "auditors"})),
        (Method::POST, "roles", readable),
        (
            Method::PUT,
            "permissions/users/bob/grant",
            json!({"roleNames": ["reader"]}),
        ),
    ] {
        server.admin(method, path, Some(body), 200).await;
    }
    server
}

pub(crate) fn policy(name: &str, policy_type: &str, expression: &str, enabled: bool) -> Value {
    json!({"name": name, "policyType": policy_type, "enabled": enabled, "content": {"expression": expression}})
}

pub(crate) async fn explained(server: &Server, user: &str, question: Value) -> Value {
    server
        .expect(user, Method::POST, EXPLAIN, Some(question), 200)
        .await["explanation"]
        .clone()
}

#[tokio::test]
async fn tags_of_columns_follow_the_field() {
    let server = with_orders().await;
    let on_phone = "objects/column/lake.sales.orders.phone/tags";
    let pii = || Some(json!({"tagsToAdd": ["pii"]}));
    assert_eq!(
        server.admin(Method::GET, on_phone, None, 200).await["names"],
        json!([])
    );
    assert_eq!(
        server.admin(Method::POST, on_phone, pii(), 200).await["names"],
        json!(["pii"])
    );
    server.admin(Method::POST, on_phone, pii(), 409).await;
    let nowhere = server
        .admin(
            Method::POST,
            "objects/column/lake.sales.orders.nothing/tags",
            pii(),
            404,
        )
        .await;
    assert_eq!(kind(&nowhere), "NoSuchMetadataObjectException");
    let rename = json!({"updates": [
        {"@type": "renameColumn", "oldFieldName": ["phone"], "newFieldName": "telephone"}
    ]});
    server
        .admin(Method::PUT, &format!("{TABLES}/orders"), Some(rename), 200)
        .await;
    let on_telephone = "objects/column/lake.sales.orders.telephone/tags";
    let details = server
        .admin(Method::GET, &format!("{on_telephone}?details=true"), None, 200)
        .await;
    assert_eq!(
        (&details["tags"][0]["name"], &details["tags"][0]["inherited"]),
        (&json!("pii"), &json!(false))
    );
    server.admin(Method::GET, on_phone, None, 404).await;
    let objects = server.admin(Method::GET, "tags/pii/objects", None, 200).await;
    assert_eq!(
        objects["metadataObjects"],
        json!([{"type": "column", "fullName": "lake.sales.orders.telephone"}])
    );
    // What the table has, its columns inherit; what a column has, the table does not.
    server
        .admin(
            Method::POST,
            "objects/table/lake.sales.orders/tags",
            Some(json!({"tagsToAdd": ["rows"]})),
            200,
        )
        .await;
    assert_eq!(
        server.admin(Method::GET, on_telephone, None, 200).await["names"],
        json!(["pii", "rows"])
    );
    let region = server
        .admin(
            Method::GET,
            "objects/column/lake.sales.orders.region/tags?details=true",
            None,
            200,
        )
        .await;
    assert_eq!(region["tags"][0]["inherited"], true);
    let table = server
        .admin(Method::GET, "objects/table/lake.sales.orders/tags", None, 200)
        .await;
    assert_eq!(table["names"], json!(["rows"]));
    let dropped =
        json!({"updates": [{"@type": "deleteColumn", "fieldName": ["telephone"], "ifExists": false}]});
    server
        .admin(Method::PUT, &format!("{TABLES}/orders"), Some(dropped), 200)
        .await;
    let objects = server.admin(Method::GET, "tags/pii/objects", None, 200).await;
    assert_eq!(objects["metadataObjects"], json!([]));
}

#[tokio::test]
async fn access_counts_the_groups_that_the_explanation_uses() {
    let server = with_orders().await;
    let carol = json!({"name": "carol"});
    server.admin(Method::POST, "users", Some(carol), 200).await;
    let grant = json!({"roleNames": ["reader"]});
    server
        .admin(Method::PUT, "permissions/groups/auditors/grant", Some(grant), 200)
        .await;
    for (groups, allowed) in [(json!(["auditors"]), true), (json!([]), false)] {
        let question = json!({"user": "carol", "groups": groups});
        let told = explained(&server, "admin", question).await;
        assert_eq!(told["access"]["allowed"], json!(allowed), "{told}");
    }
}

#[tokio::test]
async fn for_oneself_and_for_another() {
    let server = with_orders().await;
    let nothing = explained(&server, "bob", json!({})).await;
    assert_eq!(
        (&nothing["restricted"], &nothing["read-restrictions"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(nothing["access"], json!({"allowed": true}));

    let own = "filter := col(\"region\") == \"US\" if is_group_member(\"auditors\") else := col(\"region\") == session_user()";
    for body in [
        policy("own", "system_row_filter", own, true),
        policy(
            "last4",
            "system_column_mask",
            "mask := action(\"show-last-4\")",
            true,
        ),
    ] {
        server.admin(Method::POST, "policies", Some(body), 200).await;
    }
    server
        .admin(Method::PUT, "tags/rows/policies/own", None, 200)
        .await;
    server
        .admin(Method::PUT, "tags/pii/policies/last4", None, 200)
        .await;
    for (object, tag) in [
        ("table/lake.sales.orders", "rows"),
        ("column/lake.sales.orders.phone", "pii"),
    ] {
        server
            .admin(
                Method::POST,
                &format!("objects/{object}/tags"),
                Some(json!({"tagsToAdd": [tag]})),
                200,
            )
            .await;
    }

    // bob's groups are known to nobody: the rule asks, so nothing is guessed, and he learns no names.
    let unknown = explained(&server, "bob", json!({})).await;
    assert_eq!(unknown["error"]["code"], "restriction-context");
    assert_eq!(unknown["subject"]["groups-known"], false);
    assert_eq!(unknown["error"]["policies"], json!([null]));
    assert!(!unknown.to_string().contains("\"own\""), "{unknown}");

    let bob = explained(&server, "admin", json!({"user": "bob", "groups": []})).await;
    assert_eq!(bob["row-filter"][0]["policy"], "own");
    assert_eq!(bob["row-filter"][0]["predicate"], "col(\"region\") == \"bob\"");
    assert_eq!(
        bob["row-filter"][0]["branches"],
        json!(["not-selected", "selected"])
    );
    assert_eq!(
        bob["row-filter"][0]["selected-by"],
        json!([{
            "tag": "rows", "values": [], "assigned-on": {"type": "table", "fullName": "lake.sales.orders"},
            "selector": {"type": "ALL_VALUES"}
        }])
    );
    assert_eq!(bob["columns"][0]["column"], "phone");
    assert_eq!(bob["columns"][0]["masks"][0]["action"], "show-last-4");
    assert_eq!(
        bob["columns"][0]["masks"][0]["selected-by"][0]["assigned-on"]["fullName"],
        "lake.sales.orders.phone"
    );
    let auditor =
        json!({"user": "bob", "groups": ["auditors", "unheard-of"], "capabilities": "read-restrictions.v1"});
    let auditor = explained(&server, "admin", auditor).await;
    // As stated: which of them exist is not said.
    assert_eq!(auditor["subject"]["groups"], json!(["auditors", "unheard-of"]));
    assert_eq!(auditor["row-filter"][0]["predicate"], "col(\"region\") == \"US\"");
    assert_eq!(auditor["admission"]["status"], 403, "no trusted reader");
    let old = explained(
        &server,
        "admin",
        json!({"user": "bob", "groups": [], "capabilities": ""}),
    )
    .await;
    assert_eq!(old["admission"]["status"], 406);

    // Telling of another takes the right to apply the policies.
    server
        .expect("bob", Method::POST, EXPLAIN, Some(json!({"user": "admin"})), 403)
        .await;
    server
        .expect(
            "bob",
            Method::POST,
            EXPLAIN,
            Some(json!({"groups": ["auditors"]})),
            403,
        )
        .await;
    server.expect("eve", Method::POST, EXPLAIN, None, 403).await;
    let missing = "objects/table/lake.sales.zz/read-restrictions/explain";
    assert_eq!(
        kind(&server.admin(Method::POST, missing, None, 404).await),
        "NoSuchTableException"
    );
    server
        .admin(Method::POST, EXPLAIN, Some(json!({"unknown": 1})), 400)
        .await;
}

#[tokio::test]
async fn previews_and_conflicts() {
    let server = with_orders().await;
    for (name, expression, enabled) in [
        ("us", "filter := col(\"region\") == \"US\"", true),
        ("draft", "filter := col(\"amount\") < 10", false),
        ("elsewhere", "filter := false", false),
    ] {
        let body = policy(name, "system_row_filter", expression, enabled);
        server.admin(Method::POST, "policies", Some(body), 200).await;
    }
    for name in ["us", "draft"] {
        server
            .admin(Method::PUT, &format!("tags/rows/policies/{name}"), None, 200)
            .await;
    }
    server
        .admin(
            Method::POST,
            "objects/schema/lake.sales/tags",
            Some(json!({"tagsToAdd": ["rows"]})),
            200,
        )
        .await;
    let now = explained(&server, "admin", json!({})).await;
    assert_eq!(now["row-filter"][0]["policy"], "us");
    assert_eq!(now["not-selected"][0]["policy"], "draft");
    assert_eq!(now["not-selected"][0]["reason"], "disabled");
    let preview = explained(
        &server,
        "admin",
        json!({"user": "bob", "policies": ["draft", "elsewhere"]}),
    )
    .await;
    assert_eq!(preview["error"]["code"], "restriction-conflict");
    assert_eq!(preview["row-filter"].as_array().unwrap().len(), 2);
    assert_eq!(preview["unused-previews"], json!(["elsewhere"]));
    server
        .expect(
            "bob",
            Method::POST,
            EXPLAIN,
            Some(json!({"policies": ["draft"]})),
            403,
        )
        .await;

    // A move out of what restricts the table asks first.
    server
        .admin(
            Method::POST,
            "catalogs/lake/schemas",
            Some(json!({"name": "open", "comment": "", "properties": {}})),
            200,
        )
        .await;
    let rename =
        || Some(json!({"updates": [{"@type": "rename", "newName": "orders", "newSchemaName": "open"}]}));
    server
        .admin(Method::PUT, &format!("{TABLES}/orders"), rename(), 409)
        .await;
    server
        .admin(Method::PUT, &format!("{TABLES}/orders?force=true"), rename(), 200)
        .await;
}
