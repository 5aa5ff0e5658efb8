// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is pushed decides the next request, on one node and on two.

use serde_json::{Value, json};

use crate::started::{Started, shared_store};
use crate::{NONE, done, patch, refused, server, user};

const TABLE: &str = "/api/metalakes/m/catalogs/c/schemas/s/tables/t";

async fn load(node: &Started, who: &str) -> u16 {
    node.ask(who, "GET", TABLE, NONE).await.0
}

/// A lake whose table the group `hr` may read; `one` is told, `two` is asked.
async fn every_push_decides_the_next_request(one: &Started, two: &Started) {
    one.make_lake().await;
    let change = async |method: &str, path: &str, body: Value| {
        one.change("root", method, &format!("/api/metalakes/m{path}"), body)
            .await
    };
    change("POST", "/groups", json!({"name": "hr"})).await;
    change("PUT", "/permissions/groups/hr/grant", json!({"roleNames": ["r"]})).await;
    assert_eq!(load(two, "ann").await, 403);
    let ann = user(one, "ann").await;
    let path = format!("/Users/{ann}");
    let group = done(one, 201, "POST", "/Groups", json!({"displayName": "hr"})).await;
    let hr = format!("/Groups/{}", group["id"].as_str().expect("an id"));
    for _ in 0..3 {
        assert_eq!(load(two, "ann").await, 403);
        done(
            one,
            200,
            "PATCH",
            &hr,
            patch(json!([{"op": "add", "path": "members", "value": [{"value": ann}]}])),
        )
        .await;
        assert_eq!(load(two, "ann").await, 200, "a member of hr");
        let leaves = json!([{"op": "remove", "path": format!("members[value eq \"{ann}\"]")}]);
        done(one, 200, "PATCH", &hr, patch(leaves)).await;
    }
    assert_eq!(load(two, "ann").await, 403);
    done(
        one,
        200,
        "PUT",
        &hr,
        json!({"displayName": "hr", "members": [{"value": ann}]}),
    )
    .await;
    assert_eq!(load(two, "ann").await, 200);
    assert_eq!(
        load(two, "Ann").await,
        403,
        "the same person, and no user of the metalake by that name"
    );

    // Another person, whose name is the same only in lower case.
    let kate = user(one, "kate").await;
    let (status, answer) = two.ask("\u{212a}ate", "GET", "/api/metalakes", NONE).await;
    assert_eq!(status, 403, "{answer}");
    done(one, 204, "DELETE", &format!("/Users/{kate}"), NONE).await;

    // Deactivated: refused everywhere, in whatever case the name comes.
    for (active, expected) in [(false, 403), (true, 200), (false, 403), (true, 200)] {
        done(
            one,
            200,
            "PATCH",
            &path,
            patch(json!([{"op": "replace", "path": "active", "value": active}])),
        )
        .await;
        assert_eq!(load(two, "ann").await, expected);
        for who in ["ann", "ANN"] {
            let (status, answer) = two.ask(who, "GET", "/api/metalakes", NONE).await;
            assert_eq!(status, expected, "{answer}");
        }
    }
    // Where the groups come from.
    let asked = "/api/metalakes/m/objects/table/c.s.t/access/explain";
    let (status, told) = two.ask("ann", "POST", asked, json!({})).await;
    assert_eq!(
        (status, &told["explanation"]["subject"]["groups-from"]),
        (200, &json!("directory")),
        "{told}"
    );

    // Renamed: the groups go along, the old name is nobody's.
    change("POST", "/users", json!({"name": "bea"})).await;
    done(
        one,
        200,
        "PATCH",
        &path,
        patch(json!([{"op": "replace", "path": "userName", "value": "bea"}])),
    )
    .await;
    assert_eq!(load(two, "bea").await, 200);
    assert_eq!(load(two, "ann").await, 403);
    let why = refused(
        one,
        (409, "uniqueness"),
        "POST",
        "/Users",
        json!({"userName": "Ann"}),
    )
    .await;
    assert!(why.contains("metalakes still have a user of that name"), "{why}");

    // Removed: refused, and nobody inherits.
    done(
        one,
        200,
        "PATCH",
        &path,
        patch(json!([{"op": "add", "path": "externalId", "value": "x"}])),
    )
    .await;
    done(one, 204, "DELETE", &path, NONE).await;
    assert_eq!(load(two, "bea").await, 403);
    refused(
        one,
        (409, "uniqueness"),
        "POST",
        "/Users",
        json!({"userName": "bea", "externalId": "y"}),
    )
    .await;
    assert_eq!(load(two, "bea").await, 403);
    done(
        one,
        201,
        "POST",
        "/Users",
        json!({"userName": "bea", "externalId": "x"}),
    )
    .await;
    let (status, _) = two.ask("bea", "GET", "/api/metalakes", NONE).await;
    assert_eq!(status, 200, "the same person came back");
    assert_eq!(load(two, "bea").await, 403, "and is in no group yet");
    change("DELETE", "/users/ann", NONE).await;
    user(one, "ann").await;
    let (status, _) = two.ask("ann", "GET", "/api/metalakes", NONE).await;
    assert_eq!(status, 200, "nothing is left to inherit");

    // The same for groups.
    done(one, 204, "DELETE", &hr, NONE).await;
    let why = refused(
        one,
        (409, "uniqueness"),
        "POST",
        "/Groups",
        json!({"displayName": "hr"}),
    )
    .await;
    assert!(why.contains("metalakes still have a group of that name"), "{why}");
    change("DELETE", "/groups/hr", NONE).await;
    done(one, 201, "POST", "/Groups", json!({"displayName": "hr"})).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_pushed_decides_the_next_request() {
    let node = server(None).await;
    every_push_decides_the_next_request(&node, &node).await;
    node.running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_pushed_to_one_node_decides_the_next_request_of_another() {
    let Some(url) = shared_store() else { return };
    let (one, two) = tokio::join!(server(Some(&url)), server(Some(&url)));
    every_push_decides_the_next_request(&one, &two).await;
    one.running.stop().await;
    two.running.stop().await;
}

#[tokio::test]
async fn a_token_of_a_file_stands_for_a_provisioner_and_for_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    let (old, new) = ("o".repeat(32), "n".repeat(40));
    std::fs::write(&file, format!("{old}\n{new}\n")).expect("written");
    let file = file.display().to_string();
    let keys = [
        ("lakeward.scim.enabled", "true"),
        ("lakeward.scim.provisioners", "idp"),
        ("lakeward.scim.tokenUser", "idp"),
        ("lakeward.scim.tokenFile", file.as_str()),
    ];
    let node = Started::with(None, &keys).await;
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    for (token, path, expected) in [
        (old.as_str(), "/scim/v2/Users", 200),
        (new.as_str(), "/scim/v2/Users", 200),
        (new.as_str(), "/scim/v2/nothing", 404),
        ("x", "/scim/v2/Users", 401),
        ("x", "/scim/v2/nothing", 401),
        (new.as_str(), "/api/metalakes", 401),
    ] {
        let url = format!("http://{}{path}", node.running.native_addr);
        let answer = client
            .get(url)
            .bearer_auth(token)
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status().as_u16(), expected, "{path} with {token}");
    }
}
