// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the content of a restriction policy may be, and that nothing else is ever stored.

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::Server;

fn creation(name: &str, policy_type: &str, content: &Value) -> Value {
    json!({"name": name, "policyType": policy_type, "enabled": false, "content": content})
}

fn filter(expression: &str) -> Value {
    json!({"expression": expression})
}

/// Contents of a row filter that are refused, and what the refusal says.
fn refused() -> Vec<(Value, Vec<&'static str>)> {
    let function = json!({
        "reference": "governance.filters.filter_by_region@v3",
        "arguments": [{"column": "region"}, {"literal": {"type": "string", "value": "EMEA"}}]
    });
    let reserved = vec!["reserved", "`function`", "only `expression`"];
    let other = |member: &str| json!({"expression": "filter := true", member: 1});
    vec![
        // Functions, whatever is wrong or right with them: all are reserved in the same way.
        (json!({"function": function}), reserved.clone()),
        (json!({"function": null}), reserved.clone()),
        (
            json!({"function": {"reference": "governance.filters.filter_by_region"}}),
            reserved.clone(),
        ),
        (
            json!({"function": {"reference": "f@v1", "arguments": [{"column": 1}]}}),
            reserved.clone(),
        ),
        (
            json!({"function": {"reference": "f@v1", "returns": "string"}}),
            reserved.clone(),
        ),
        (
            json!({"expression": "filter := true", "function": function}),
            reserved,
        ),
        (other("rules"), vec!["reserved", "`rules`"]),
        (other("when"), vec!["reserved", "`when`"]),
        (other("language"), vec!["reserved", "`language`"]),
        (other("kind"), vec!["reserved", "`kind`"]),
        (json!({}), vec!["needs the member `expression`"]),
        (json!({"expression": 1}), vec!["`expression`", "a string"]),
        (json!({"expression": null}), vec!["`expression`", "a string"]),
        // Line, column and cause.
        (
            filter("filter := region == \"US\""),
            vec!["`region`", "line 1, column 11", "unknown-word"],
        ),
        (
            filter("filter := true\n  if col(\"a\") == 1"),
            vec!["line 2", "missing-else"],
        ),
        (
            filter("filter := col(\"a\") == col(\"b\")"),
            vec!["line 1, column"],
        ),
        (
            filter("filter := col(\"active\")"),
            vec!["line 1, column 11", "not-boolean"],
        ),
        (
            filter("mask := action(\"show-last-4\")"),
            vec!["line 1, column 1"],
        ),
        (filter(""), vec!["line 1, column 1"]),
    ]
}

#[tokio::test]
async fn what_is_no_rule_is_refused_with_its_place_and_never_stored() {
    let server = Server::start(&[]).await;
    let good = filter("filter := col(\"region\") == \"EU\"");
    let body = creation("good", "system_row_filter", &good);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    for (content, says) in refused() {
        let body = creation("bad", "system_row_filter", &content);
        let answer = server.admin(Method::POST, "policies", Some(body), 400).await;
        let update = json!({"updates": [
            {"@type": "updateComment", "newComment": "changed"},
            {"@type": "updateContent", "policyType": "system_row_filter", "newContent": content}
        ]});
        let altered = server
            .admin(Method::PUT, "policies/good", Some(update), 400)
            .await;
        for answer in [answer, altered] {
            let message = answer["message"].as_str().unwrap();
            for part in &says {
                assert!(message.contains(part), "{content}: {message}");
            }
        }
    }
    let names = server.admin(Method::GET, "policies", None, 200).await;
    assert_eq!(names["names"], json!(["good"]));
    let stored = server.admin(Method::GET, "policies/good", None, 200).await;
    assert_eq!(stored["policy"]["content"], good);
    assert!(
        stored["policy"]["comment"].is_null(),
        "all changes or none: {stored}"
    );
    let revisions = server
        .admin(Method::GET, "policies/good/revisions", None, 200)
        .await;
    assert_eq!(revisions["revisions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn revisions_say_who_when_what_and_never_change() {
    let server = Server::start(&[("lakeward.read-restrictions.enabled", "true")]).await;
    let contents = [
        "filter := col(\"region\") == \"EU\"",
        "filter := col(\"region\") == \"US\"",
    ]
    .map(filter);
    let body = creation("rows", "system_row_filter", &contents[0]);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    let first = server
        .admin(Method::GET, "policies/rows/revisions", None, 200)
        .await["revisions"][0]
        .clone();
    // Another owner alters it: the earlier revision keeps its author.
    let owner = json!({"name": "bob", "type": "USER"});
    server
        .admin(Method::PUT, "owners/policy/rows", Some(owner), 200)
        .await;
    let update = json!({"updates": [
        {"@type": "updateContent", "policyType": "system_row_filter", "newContent": contents[1]}
    ]});
    server
        .expect("bob", Method::PUT, "policies/rows", Some(update), 200)
        .await;
    server
        .expect(
            "bob",
            Method::PATCH,
            "policies/rows?force=true",
            Some(json!({"enable": true})),
            200,
        )
        .await;
    // What changes neither content nor state makes no revision.
    let renamed = json!({"updates": [{"@type": "rename", "newName": "regions"}]});
    server
        .expect("bob", Method::PUT, "policies/rows", Some(renamed), 200)
        .await;
    let revisions = server
        .expect("bob", Method::GET, "policies/regions/revisions", None, 200)
        .await;
    let revisions = revisions["revisions"].as_array().unwrap();
    let seen: Vec<_> = revisions
        .iter()
        .map(|one| (&one["revision"], &one["author"], &one["enabled"], &one["content"]))
        .collect();
    let (one, two, three) = (json!(1), json!(2), json!(3));
    let (admin, bob) = (json!("admin"), json!("bob"));
    let (on, off) = (json!(true), json!(false));
    assert_eq!(
        seen,
        [
            (&three, &bob, &on, &contents[1]),
            (&two, &bob, &off, &contents[1]),
            (&one, &admin, &off, &contents[0]),
        ]
    );
    assert_eq!(revisions[2], first, "never changed");
    assert!(
        revisions
            .iter()
            .all(|one| one["createTime"].as_str().unwrap().ends_with('Z'))
    );
    // A new policy of the name has a history of its own.
    server
        .expect("bob", Method::DELETE, "policies/regions", None, 200)
        .await;
    let body = creation("regions", "system_row_filter", &contents[0]);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    let anew = server
        .admin(Method::GET, "policies/regions/revisions", None, 200)
        .await;
    assert_eq!(anew["revisions"].as_array().unwrap().len(), 1);
}
