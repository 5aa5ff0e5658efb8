// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What browsers are told: which pages of other origins may read answers, and what no page may do.

use std::collections::BTreeMap;

use crate::support::{SECURED, SIMPLE, Server};

const APP: &str = "https://app.example.org";

/// Status and the headers that speak to browsers.
async fn ask(
    server: &Server,
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
) -> (u16, BTreeMap<String, String>) {
    let mut request = server.client.request(method.parse().unwrap(), url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let speaks = |name: &str| name.starts_with("access-control-") || name == "timing-allow-origin";
    let told = response
        .headers()
        .iter()
        .filter(|(name, _)| speaks(name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    (response.status().as_u16(), told.collect())
}

fn told(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn native(server: &Server) -> String {
    format!("http://{}/api/version", server.running.native_addr)
}

fn question<'a>(origin: &'a str, method: &'a str, headers: &'a str) -> Vec<(&'static str, &'a str)> {
    vec![
        ("Origin", origin),
        ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", headers),
    ]
}

#[tokio::test]
async fn pages_of_other_origins_read_nothing_unless_they_are_let() {
    let server = Server::with(SIMPLE).await;
    let url = native(&server);
    assert_eq!(
        ask(&server, "GET", &url, &[("Origin", APP)]).await,
        (200, told(&[]))
    );
    let (status, headers) = ask(&server, "OPTIONS", &url, &question(APP, "GET", "")).await;
    assert_eq!((status, headers), (405, told(&[])));
}

#[tokio::test]
async fn pages_of_chosen_origins_read_answers() {
    let keys = [
        ("gravitino.server.webserver.enableCorsFilter", "true"),
        (
            "gravitino.server.webserver.allowedOrigins",
            "https://app.example.org, https://*.lake.example.org",
        ),
        ("gravitino.server.webserver.allowedTimingOrigins", APP),
        (
            "gravitino.server.webserver.allowedHeaders",
            "Authorization,Content-Type",
        ),
        ("gravitino.server.webserver.exposedHeaders", "X-Request-Id"),
        ("gravitino.server.webserver.preflightMaxAgeInSecs", "60"),
    ];
    let server = Server::with(&[SECURED, &keys].concat()).await;
    let url = native(&server);
    let admitted = |origin: &str| {
        let mut headers = told(&[
            ("access-control-allow-origin", origin),
            ("access-control-allow-credentials", "true"),
            ("access-control-expose-headers", "X-Request-Id"),
        ]);
        if origin == APP {
            headers.insert("timing-allow-origin".to_owned(), APP.to_owned());
        }
        headers
    };
    // Also an error is read, or the page could not tell its user what is wrong.
    for origin in [APP, "https://a.lake.example.org"] {
        assert_eq!(
            ask(&server, "GET", &url, &[("Origin", origin)]).await,
            (401, admitted(origin))
        );
    }
    for origin in [
        "https://evil.org",
        "http://app.example.org",
        "https://lake.example.org",
        "null",
    ] {
        assert_eq!(
            ask(&server, "GET", &url, &[("Origin", origin)]).await,
            (401, told(&[]))
        );
    }
    // Browsers ask before, without credentials.
    let (status, headers) = ask(
        &server,
        "OPTIONS",
        &url,
        &question(APP, "PUT", "authorization, content-type"),
    )
    .await;
    let mut expected = admitted(APP);
    expected.extend(told(&[
        ("access-control-allow-methods", "GET, POST, HEAD, DELETE, PUT"),
        ("access-control-allow-headers", "authorization, content-type"),
        ("access-control-max-age", "60"),
    ]));
    assert_eq!((status, headers), (204, expected));
    for question in [
        question(APP, "PATCH", ""),
        question(APP, "GET", "X-Other"),
        question("https://evil.org", "GET", ""),
    ] {
        let (status, headers) = ask(&server, "OPTIONS", &url, &question).await;
        assert_eq!(status, 401, "{question:?}");
        assert!(
            !headers.contains_key("access-control-allow-methods"),
            "{question:?}"
        );
    }
    // Each listener has keys of its own.
    let iceberg = format!("http://{}/iceberg/v1/config", server.running.iceberg_addr);
    assert_eq!(
        ask(&server, "GET", &iceberg, &[("Origin", APP)]).await,
        (401, told(&[]))
    );
    let response = server
        .client
        .get(&url)
        .header("Origin", APP)
        .send()
        .await
        .unwrap();
    let varies: Vec<_> = response.headers().get_all("vary").iter().collect();
    assert!(varies.contains(&&"origin".parse().unwrap()), "{varies:?}");
}

#[tokio::test]
async fn every_origin_means_no_credentials() {
    let keys = [("gravitino.iceberg-rest.enableCorsFilter", "true")];
    let server = Server::with(&[SIMPLE, &keys].concat()).await;
    let iceberg = format!("http://{}/iceberg/v1/config", server.running.iceberg_addr);
    let (_, headers) = ask(&server, "GET", &iceberg, &[("Origin", "https://evil.org")]).await;
    assert_eq!(headers, told(&[("access-control-allow-origin", "*")]));
}

#[tokio::test]
async fn no_page_frames_an_answer_or_learns_where_it_was_asked_from() {
    let server = Server::with(SECURED).await;
    for path in [
        "/health",
        "/api/authn/me",
        "/api/nope",
        "/iceberg/v1/config",
        "/nope",
    ] {
        let response = server.request("GET", path).send().await.unwrap();
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(response.headers()[name], value, "{path}");
        }
    }
}
