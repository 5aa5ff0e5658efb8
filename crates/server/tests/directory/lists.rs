// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists, what the protocol says of itself, and who may speak it.

use serde_json::{Value, json};

use crate::started::Started;
use crate::{NONE, done, refused, server, user};

const SEARCH: &str = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

#[tokio::test]
async fn lists_are_filtered_paged_and_cut_to_size() {
    let node = server(None).await;
    let mut ids = Vec::new();
    for name in ["a1", "b1", "a2", "b2", "a3"] {
        ids.push(user(&node, name).await);
    }
    let group = json!({"displayName": "a-team", "members": [{"value": ids[0]}, {"value": ids[1]}]});
    let group = done(&node, 201, "POST", "/Groups", group).await;
    let names = |answer: &Value| -> Vec<String> {
        let resources = answer["Resources"].as_array().expect("resources").iter();
        let name = |one: &Value| {
            one["userName"]
                .as_str()
                .or(one["displayName"].as_str())
                .map(str::to_owned)
        };
        resources.filter_map(name).collect()
    };
    let page = async |query: &str| {
        let answer = done(&node, 200, "GET", query, NONE).await;
        assert_eq!(
            answer["schemas"],
            json!(["urn:ietf:params:scim:api:messages:2.0:ListResponse"])
        );
        assert_eq!(
            answer["itemsPerPage"],
            answer["Resources"].as_array().map_or(0, Vec::len)
        );
        (answer["totalResults"].as_u64().expect("a total"), names(&answer))
    };
    for (query, total, expected) in [
        ("/Users", 5, &["a1", "b1", "a2", "b2", "a3"][..]),
        ("/Users?startIndex=2&count=2", 5, &["b1", "a2"]),
        ("/Users?startIndex=5&count=2", 5, &["a3"]),
        ("/Users?startIndex=9", 5, &[]),
        ("/Users?count=0", 5, &[]),
        ("/Users?filter=userName%20sw%20%22a%22&count=2", 3, &["a1", "a2"]),
        (
            "/Users?filter=userName%20sw%20%22A%22&startIndex=3&count=2",
            3,
            &["a3"],
        ),
        ("/Users?filter=userName+eq+%22B1%22", 1, &["b1"]),
        ("/Users?filter=userName+eq+%22b1%22+and+active+eq+false", 0, &[]),
        ("/Users?filter=externalId+eq+%22x%22", 0, &[]),
        ("/Users?filter=groups.display+eq+%22a-team%22", 2, &["a1", "b1"]),
        ("/Groups?filter=displayName+eq+%22A-Team%22", 1, &["a-team"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(page(query).await, (total, expected), "{query}");
    }
    let member = format!(
        "/Groups?filter=id+eq+{}+and+members+eq+%22{}%22",
        group["id"], ids[1]
    )
    .replace('"', "%22");
    assert_eq!(page(&member).await.0, 1);
    let other = member.replace(&ids[1], &ids[2]);
    assert_eq!(page(&other).await.0, 0);

    let cut = done(&node, 200, "GET", "/Groups?excludedAttributes=members,meta", NONE).await;
    let id = &group["id"];
    let expected = json!([{"schemas": group["schemas"], "id": id, "displayName": "a-team"}]);
    assert_eq!(cut["Resources"], expected);
    let cut = done(
        &node,
        200,
        "GET",
        &format!("/Users/{}?attributes=userName", ids[0]),
        NONE,
    )
    .await;
    let schemas = json!(["urn:ietf:params:scim:schemas:core:2.0:User"]);
    assert_eq!(cut, json!({"schemas": schemas, "id": ids[0], "userName": "a1"}));

    let search = |members: Value| {
        let mut body = members;
        body["schemas"] = json!([SEARCH]);
        body
    };
    for (path, body, total, expected) in [
        (
            "/Users/.search",
            json!({"filter": "userName sw \"b\"", "count": 1}),
            2,
            &["b1"][..],
        ),
        ("/Groups/.search", json!({}), 1, &["a-team"]),
        (
            "/.search",
            json!({"startIndex": 5, "count": 2}),
            6,
            &["a3", "a-team"],
        ),
        (
            "/.search",
            json!({"filter": "displayName sw \"a\""}),
            1,
            &["a-team"],
        ),
        ("/.search", json!({"filter": "userName eq \"a1\""}), 1, &["a1"]),
        (
            "/.search",
            json!({"filter": "meta.resourceType eq \"Group\""}),
            1,
            &["a-team"],
        ),
    ] {
        let answer = done(&node, 200, "POST", path, search(body.clone())).await;
        assert_eq!(
            (answer["totalResults"].as_u64(), names(&answer)),
            (
                Some(total),
                expected.iter().map(|name| (*name).to_owned()).collect()
            ),
            "{path} {body}"
        );
    }
    let why = refused(
        &node,
        (400, "invalidFilter"),
        "GET",
        "/Users?filter=userName+is+%22x%22",
        NONE,
    )
    .await;
    assert!(why.contains("character 9"), "{why}");
    refused(
        &node,
        (400, "invalidFilter"),
        "POST",
        "/.search",
        search(json!({"filter": "nothing pr"})),
    )
    .await;
    refused(&node, (400, "invalidValue"), "GET", "/Users?count=many", NONE).await;
    refused(&node, (400, "invalidSyntax"), "POST", "/.search", json!({})).await;
}

#[tokio::test]
async fn the_protocol_says_what_it_is() {
    let node = server(None).await;
    let config = done(&node, 200, "GET", "/ServiceProviderConfig", NONE).await;
    for (feature, supported) in [
        ("patch", true),
        ("bulk", false),
        ("filter", true),
        ("sort", false),
        ("etag", true),
    ] {
        assert_eq!(config[feature]["supported"], supported, "{feature}");
    }
    let types = done(&node, 200, "GET", "/ResourceTypes", NONE).await;
    assert_eq!(types["Resources"][1]["endpoint"], "/Groups");
    let schemas = done(&node, 200, "GET", "/Schemas", NONE).await;
    assert_eq!(schemas["totalResults"], 2);
    let one = done(
        &node,
        200,
        "GET",
        "/Schemas/urn:ietf:params:scim:schemas:core:2.0:User",
        NONE,
    )
    .await;
    assert_eq!(one, schemas["Resources"][0]);
    let name = &one["attributes"][0];
    assert_eq!(
        (&name["name"], &name["uniqueness"], &name["required"]),
        (&json!("userName"), &json!("server"), &json!(true))
    );
    done(&node, 200, "GET", "/ResourceTypes/User", NONE).await;
    for path in ["/Schemas/x", "/ResourceTypes/x", "/Bulk", "/Me"] {
        refused(&node, (404, ""), "GET", path, NONE).await;
    }
    refused(&node, (405, ""), "PUT", "/Users", NONE).await;

    let (status, _) = node.ask("ann", "GET", "/scim/v2/Users", NONE).await;
    assert_eq!(status, 403, "only provisioners");
    let (status, _) = node.ask("root", "GET", "/scim/v2/Users", NONE).await;
    assert_eq!(status, 200, "service administrators may");
    let typed = async |kind: &str, body: &str| {
        let url = format!("http://{}/scim/v2/Users", node.running.native_addr);
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let request = client.post(url).basic_auth("idp", Some("-"));
        let answer = request
            .header("Content-Type", kind)
            .body(body.to_owned())
            .send()
            .await
            .expect("an answer");
        let kind = answer
            .headers()
            .get("content-type")
            .expect("a type")
            .to_str()
            .expect("text")
            .to_owned();
        let tag = answer.headers().contains_key("etag") && answer.headers().contains_key("location");
        (answer.status().as_u16(), kind, tag)
    };
    let json_of_scim = "application/scim+json".to_owned();
    assert_eq!(
        typed("application/scim+json", "{\"userName\": \"x\"}").await,
        (201, json_of_scim.clone(), true)
    );
    assert_eq!(
        typed("text/plain", "{\"userName\": \"y\"}").await,
        (415, json_of_scim.clone(), false)
    );
    assert_eq!(
        typed("application/json", "{\"userName\"").await,
        (400, json_of_scim.clone(), false)
    );
    assert_eq!(typed("application/json", "").await.0, 400);
    assert_eq!(
        typed("application/json", &" ".repeat((1 << 20) + 1)).await,
        (413, json_of_scim, false)
    );

    let off = Started::new(None).await;
    let (status, answer) = off.ask("root", "GET", "/scim/v2/Users", NONE).await;
    assert_eq!(status, 501, "{answer}");
    assert!(
        answer["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("lakeward.scim.enabled"))
    );
    assert_eq!(off.ask("ann", "GET", "/scim/v2/Users", NONE).await.0, 403);
}
