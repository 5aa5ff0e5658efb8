// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes to the server itself, held between their decision and their write, while their caller is deactivated.

use serde_json::{Value, json};

use crate::held::Scene;
use crate::in_process::Broker;
use crate::scene::{Place, on_both_stores};

on_both_stores!(who_is_nobody_any_more_changes_nothing);

/// Asks the directory as the identity provider does.
async fn scim(scene: &Scene, method: &str, path: &str, body: Value) -> Value {
    let request = scene.server.request(method, &format!("/scim/v2{path}"));
    let request = request.basic_auth("idp", Some("x")).json(&body);
    let response = request.send().await.unwrap();
    assert!(response.status().is_success(), "{method} {path}");
    response.json().await.unwrap()
}

async fn who_is_nobody_any_more_changes_nothing(place: Place) {
    let settings = [
        ("lakeward.scim.enabled", "true"),
        ("lakeward.scim.provisioners", "idp"),
    ];
    let scene = Scene::with(&place, Broker::default(), &settings).await;
    let user = scim(&scene, "POST", "/Users", json!({"userName": "admin"})).await;
    let user = format!("/Users/{}", user["id"].as_str().unwrap());
    let active = |is_active: bool| json!({"userName": "admin", "active": is_active});
    let body = json!({"name": "n"});
    let waiting = scene.held("create", 1, "POST", "/api/metalakes", Some(body.clone()));
    let waiting = waiting.await;
    scim(&scene, "PUT", &user, active(false)).await;
    let (status, answer) = waiting.goes_on().await;
    assert_eq!(status, 403, "{answer}");
    scim(&scene, "PUT", &user, active(true)).await;
    let list = scene.done("GET", "/api/metalakes", None).await;
    let names: Vec<&Value> = list["metalakes"].as_array().unwrap().iter().collect();
    assert!(names.iter().all(|metalake| metalake["name"] != "n"), "{list}");
    // Something else that happens to the server does not hinder it.
    let waiting = scene.held("again", 1, "POST", "/api/metalakes", Some(body)).await;
    scim(&scene, "POST", "/Users", json!({"userName": "eve"})).await;
    assert_eq!(waiting.goes_on().await.0, 200);
}
