// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A credential that was given out reaches its place until it ends: meanwhile nobody else gets the place of what was dropped.

use axum::Router;
use serde_json::json;

use crate::scene::{Place, Server, WITH_AUTHORIZATION, on_both_stores};

on_both_stores!(a_place_that_credentials_reach_goes_to_nobody_else);

const CATALOGS: &str = "/api/metalakes/m/catalogs";

/// The address of a token service that gives everybody a credential for an hour.
async fn token_service() -> String {
    let answer = || async {
        let ends = chrono::DateTime::UNIX_EPOCH + chrono::Duration::days(365 * 200);
        format!(
            "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>key</AccessKeyId>\
             <SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>\
             <Expiration>{}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>",
            ends.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
        )
    };
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", socket.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(socket, Router::new().fallback(answer)).await });
    address
}

async fn a_place_that_credentials_reach_goes_to_nobody_else(place: Place) {
    let server = Server::start_with(&place, WITH_AUTHORIZATION).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let properties = json!({
        "disable-filesystem-ops": "true", "lakeward.allowed-locations": "s3://b/x",
        "credential-providers": "s3-token", "s3-role-arn": "arn:aws:iam::123456789012:role/r",
        "s3-access-key-id": "id", "s3-secret-access-key": "secret", "s3-region": "r",
        "s3-token-service-endpoint": token_service().await,
    });
    let catalog = json!({"name": "c", "type": "FILESET", "provider": "fileset", "properties": properties});
    server.done("POST", CATALOGS, catalog).await;
    let schemas = format!("{CATALOGS}/c/schemas");
    for schema in ["s1", "s2"] {
        server.done("POST", &schemas, json!({"name": schema})).await;
    }
    let fileset = |name: &str, location: &str| json!({"name": name, "type": "EXTERNAL", "storageLocation": format!("s3://b/x/{location}")});
    let filesets = |schema: &str| format!("{schemas}/{schema}/filesets");
    for (schema, name) in [("s1", "asked"), ("s1", "unasked"), ("s2", "below")] {
        server
            .done("POST", &filesets(schema), fileset(name, &format!("{name}/f")))
            .await;
    }
    for name in ["s1.asked", "s2.below"] {
        let path = format!("/api/metalakes/m/objects/fileset/c.{name}/credentials");
        let given = server.done("GET", &path, None).await;
        assert_eq!(given["credentials"].as_array().map(Vec::len), Some(1), "{given}");
    }
    // Dropped alone, and with its schema.
    for name in ["asked", "unasked"] {
        let path = format!("{}/{name}", filesets("s1"));
        assert_eq!(server.done("DELETE", &path, None).await["dropped"], true);
    }
    let path = format!("{schemas}/s2?cascade=true");
    assert_eq!(server.done("DELETE", &path, None).await["dropped"], true);
    for location in ["asked/f", "asked/f/inside", "asked", "below/f"] {
        let body = fileset("new", location);
        let (status, told) = server.call("admin", "POST", &filesets("s1"), Some(body)).await;
        assert_eq!(
            (status, &told["type"]),
            (400, &json!("IllegalArgumentException")),
            "{told}"
        );
        assert!(
            told["message"]
                .as_str()
                .unwrap()
                .contains("credentials still reach"),
            "{told}"
        );
    }
    for (number, location) in ["asked/f2", "asked/e", "unasked/f"].into_iter().enumerate() {
        let body = fileset(&format!("new{number}"), location);
        server.done("POST", &filesets("s1"), body).await;
    }
}
