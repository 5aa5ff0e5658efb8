// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a user may do, page by page, and the reason of a refusal in the audit log.

use serde_json::{Value, json};

use crate::explain::{saying, with_readers};
use crate::harness::{ADMIN, NONE, StoreEngine, grant, role, speaks_of};
use crate::on_each_store;

const M: &str = "/metalakes/m";

on_each_store!(access_is_listed_page_by_page);

async fn access_is_listed_page_by_page(engine: StoreEngine) {
    let server = with_readers(engine).await;
    let list = format!("{M}/users/bob/access");
    role(
        &server,
        "denied",
        json!([speaks_of("TABLE", "c.s.t", &["DENY MODIFY_TABLE"])]),
    )
    .await;
    grant(&server, "bob", &["denied"]).await;
    let whole = server.call(ADMIN, "GET", &list, NONE).await.is(200).body;
    let shown = |body: &Value| -> Vec<(String, Value, Value, Value)> {
        let items = body["access"].as_array().expect("a list").clone();
        let row = |item: &Value| {
            (
                item["object"]["fullName"].as_str().unwrap_or_default().to_owned(),
                item["effective"].clone(),
                item["denied"].clone(),
                item["missing"].clone(),
            )
        };
        items.iter().map(row).collect()
    };
    assert_eq!(
        shown(&whole),
        [
            ("c".to_owned(), json!(["USE_CATALOG"]), json!([]), json!([])),
            (
                "c.s".to_owned(),
                json!(["USE_SCHEMA", "SELECT_TABLE"]),
                json!([]),
                json!([])
            ),
            (
                "c.s.t".to_owned(),
                json!(["SELECT_TABLE"]),
                json!(["MODIFY_TABLE"]),
                json!([])
            ),
        ]
    );
    assert_eq!(
        whole["access"][0]["says"],
        json!([saying(
            "USE_CATALOG",
            "ALLOW",
            ("catalog", "c"),
            "reader",
            ("user", "bob")
        )])
    );
    assert_eq!(whole["nextPageToken"], Value::Null);
    // Pages together are the whole.
    let (mut together, mut token) = (Vec::new(), String::new());
    loop {
        let path = format!("{list}?pageSize=1&pageToken={token}");
        let page = server.call(ADMIN, "GET", &path, NONE).await.is(200).body;
        assert_eq!(page["access"].as_array().map(Vec::len), Some(1));
        together.extend(shown(&page));
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    assert_eq!(together, shown(&whole));
    // Of a user's own access the user is told what may be loaded; of others those who may grant.
    assert_eq!(
        shown(&server.call("bob", "GET", &list, NONE).await.is(200).body),
        shown(&whole)
    );
    server.call("carl", "GET", &list, NONE).await.is(403);
    let of_nobody = format!("{M}/users/ghost/access");
    server.call("carl", "GET", &of_nobody, NONE).await.is(403);
    let lost = format!("{M}/users/carl/access");
    let to_admin = server.call(ADMIN, "GET", &lost, NONE).await.is(200).body;
    assert_eq!(
        shown(&to_admin),
        [(
            "c.s".to_owned(),
            json!(["SELECT_TABLE"]),
            json!([]),
            json!(["USE_CATALOG"])
        )]
    );
    let to_carl = server.call("carl", "GET", &lost, NONE).await.is(200).body;
    assert!(shown(&to_carl).is_empty(), "{to_carl:#}");
    // Who may grant on everything and load little is told of what it may load.
    role(
        &server,
        "granter",
        json!([
            speaks_of("METALAKE", "m", &["MANAGE_GRANTS"]),
            speaks_of("CATALOG", "c", &["USE_CATALOG"]),
            speaks_of("SCHEMA", "c.s", &["USE_SCHEMA"]),
        ]),
    )
    .await;
    grant(&server, "eve", &["granter"]).await;
    let to_eve = server.call("eve", "GET", &list, NONE).await.is(200).body;
    let names: Vec<String> = shown(&to_eve).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["c", "c.s"]);
    for query in ["pageSize=0", "pageSize=x", "pageToken=%25%25"] {
        server
            .call(ADMIN, "GET", &format!("{list}?{query}"), NONE)
            .await
            .is(400);
    }
}

on_each_store!(a_refusal_is_explained_in_the_audit_log);

async fn a_refusal_is_explained_in_the_audit_log(engine: StoreEngine) {
    let server = with_readers(engine).await;
    grant(&server, "bob", &["no_u"]).await;
    let refused = server
        .raw(
            "bob",
            "GET",
            "/api/metalakes/m/catalogs/c/schemas/s/tables/u",
            None,
        )
        .await;
    assert_eq!(refused.status, 403);
    let request_id = refused.headers["x-request-id"].to_str().expect("an id");
    let record = server.audit_record(request_id).await;
    assert_eq!(record["outcome"], "refused");
    let explanation = &record["explanation"];
    assert_eq!(
        explanation["denied"],
        json!([saying(
            "SELECT_TABLE",
            "DENY",
            ("table", "c.s.u"),
            "no_u",
            ("user", "bob")
        )]),
        "{record:#}"
    );
    assert_eq!(
        explanation["rule"],
        "on TABLE: owner or SELECT_TABLE or MODIFY_TABLE"
    );
    // A stranger's refusal names what would do; an allowed request explains nothing.
    let stranger = server
        .raw(
            "eve",
            "DELETE",
            "/api/metalakes/m/catalogs/c/schemas/s/tables/u",
            None,
        )
        .await;
    let record = server
        .audit_record(stranger.headers["x-request-id"].to_str().expect("an id"))
        .await;
    assert_eq!(
        record["explanation"]["missing"],
        json!(["USE_CATALOG", "USE_SCHEMA"])
    );
    let allowed = server
        .raw("bob", "GET", "/api/metalakes/m/catalogs/c/schemas/s", None)
        .await;
    let record = server
        .audit_record(allowed.headers["x-request-id"].to_str().expect("an id"))
        .await;
    assert_eq!(record["explanation"], Value::Null);
}
