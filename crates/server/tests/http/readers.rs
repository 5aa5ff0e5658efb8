// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The reader listener: only enrolled readers, and only as long as they are.

use lakeward_operations::Operations;
use lakeward_server::reader_identity::Authority;
use lakeward_store::{Store, StoreOptions, StoreUrl};
use serde_json::{Value, json};

use crate::support::{ADMIN, PASSWORD, SECURED, Server, answer};

async fn enroll(server: &Server, name: &str) -> Value {
    let enrolled = server
        .admin("POST", "/api/readers", Some(json!({ "name": name })))
        .await;
    assert_eq!(enrolled.status, 200, "{:?}", enrolled.body);
    enrolled.body
}

fn client(authority: &str, identity: Option<(&str, &str)>) -> reqwest::Client {
    let mut builder = reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .add_root_certificate(reqwest::Certificate::from_pem(authority.as_bytes()).unwrap());
    if let Some((certificate, key)) = identity {
        let pem = format!("{certificate}{key}");
        builder = builder.identity(reqwest::Identity::from_pem(pem.as_bytes()).unwrap());
    }
    builder.build().unwrap()
}

fn client_of(enrolled: &Value) -> reqwest::Client {
    let text = |member: &str| enrolled[member].as_str().unwrap();
    client(text("authority"), Some((text("certificate"), text("key"))))
}

fn me(server: &Server, client: &reqwest::Client) -> reqwest::RequestBuilder {
    let address = server.running.reader_addr.unwrap();
    client
        .get(format!("https://{address}/api/authn/me"))
        .basic_auth(ADMIN, Some(PASSWORD))
}

#[tokio::test]
async fn a_reader_is_trusted_until_it_is_replaced_or_removed() {
    let server = Server::with(SECURED).await;
    let first = enroll(&server, "gateway").await;
    let revision = |enrolled: &Value| enrolled["reader"]["revision"].as_i64().unwrap();
    let first_client = client_of(&first);
    assert_eq!(answer(me(&server, &first_client)).await.body["principal"], ADMIN);
    // The user still needs credentials of its own.
    let anonymous = first_client.get(format!(
        "https://{}/api/authn/me",
        server.running.reader_addr.unwrap()
    ));
    assert_eq!(answer(anonymous).await.status, 401);

    let second = enroll(&server, "gateway").await;
    assert!(revision(&second) > revision(&first));
    // The connection of the first is still open, and refused all the same.
    assert_eq!(
        answer(me(&server, &first_client)).await.native(),
        (403, 1008, "ForbiddenException")
    );
    let second_client = client_of(&second);
    assert_eq!(answer(me(&server, &second_client)).await.status, 200);

    let listed = server.admin("GET", "/api/readers", None).await;
    assert_eq!(listed.body["readers"][0]["name"], "gateway");
    assert!(!listed.body.to_string().contains("PRIVATE KEY"));
    let removed = server.admin("DELETE", "/api/readers/gateway", None).await;
    assert_eq!(removed.body["removed"], true);
    assert_eq!(answer(me(&server, &second_client)).await.status, 403);
}

#[tokio::test]
async fn who_was_not_enrolled_here_does_not_get_in() {
    let server = Server::with(SECURED).await;
    let enrolled = enroll(&server, "gateway").await;
    let authority = enrolled["authority"].as_str().unwrap();
    let without = client(authority, None);
    assert!(me(&server, &without).send().await.is_err(), "no certificate");

    // A certificate of another server's authority.
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .unwrap();
    let other = Operations::new(store, Default::default(), Default::default());
    let other = Authority::load_or_make(&other).await.unwrap();
    let foreign = other.issue_reader("gateway").unwrap();
    let foreign = client(authority, Some((&foreign.certificate_pem, &foreign.key_pem)));
    assert!(me(&server, &foreign).send().await.is_err(), "another authority");

    // A certificate of the right authority without an entry.
    let unknown = server.running.app.authority.issue_reader("unknown").unwrap();
    let unknown = client(authority, Some((&unknown.certificate_pem, &unknown.key_pem)));
    assert_eq!(answer(me(&server, &unknown)).await.status, 403);
}

#[tokio::test]
async fn only_operators_enroll_and_only_reads_are_served() {
    let server = Server::with(SECURED).await;
    let ann = json!({"user": "ann", "password": "a long password"});
    server.admin("POST", "/api/idp/users", Some(ann)).await;
    let request = server
        .request("POST", "/api/readers")
        .basic_auth("ann", Some("a long password"))
        .json(&json!({"name": "mine"}));
    assert_eq!(answer(request).await.native(), (403, 1008, "ForbiddenException"));
    for name in ["", "a b", "a/b", "ü"] {
        let refused = server
            .admin("POST", "/api/readers", Some(json!({ "name": name })))
            .await;
        assert_eq!(refused.native().0, 400, "{name}");
    }
    let client = client_of(&enroll(&server, "gateway").await);
    let address = server.running.reader_addr.unwrap();
    let write = client
        .post(format!("https://{address}/api/readers"))
        .basic_auth(ADMIN, Some(PASSWORD))
        .json(&json!({"name": "another"}));
    assert_eq!(answer(write).await.status, 405);
}

#[tokio::test]
async fn without_operators_there_are_no_readers() {
    let server = Server::with(&[]).await;
    let found = server
        .admin("POST", "/api/readers", Some(json!({"name": "x"})))
        .await;
    assert_eq!(found.native(), (403, 1008, "ForbiddenException"));
}
