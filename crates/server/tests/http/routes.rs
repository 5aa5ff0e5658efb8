// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of all routes together.

use lakeward_server::http::routes::Tree;
use lakeward_server::listing::all_routes;

#[test]
fn every_route_can_be_mounted_once() {
    assert!(all_routes().arrange(|_| true).is_ok());
}

/// Open to the world: probes, metrics, the description of the API, and what the console needs before login. Every further one is a decision.
#[test]
fn few_routes_are_public() {
    let routes = all_routes();
    let open: Vec<String> = routes
        .mounted()
        .iter()
        .filter(|mounted| mounted.requires == lakeward_authorization::Requirement::Public)
        .map(|mounted| format!("{}{}", mounted.tree.base(), mounted.path))
        .collect();
    for path in open {
        let known = [
            "/openapi.json",
            "/health",
            "/configs",
            "/metrics",
            "/prometheus",
            "/api/health",
            "/iceberg/health",
            // Who asks proves it by its certificate or in its parameters.
            "/oauth/token",
        ];
        assert!(known.iter().any(|known| path.starts_with(known)), "{path}");
    }
}

#[test]
fn the_changes_that_the_reader_listener_serves_are_those_of_an_append() {
    let routes = all_routes();
    let served: Vec<String> = routes
        .mounted()
        .iter()
        .filter(|mounted| mounted.appends)
        .map(|mounted| format!("{} {}", mounted.method, mounted.path))
        .collect();
    assert_eq!(
        served,
        [
            "POST /v1/{prefix}/namespaces/{namespace}/tables",
            "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
            "POST /v1/{prefix}/transactions/commit",
        ]
    );
}

#[test]
fn what_the_reader_listener_serves_does_not_change_anything() {
    for mounted in all_routes().mounted().iter().filter(|mounted| mounted.reads) {
        let by_method = matches!(mounted.method.as_str(), "GET" | "HEAD");
        let declared = mounted.method == "POST"
            && matches!(
                mounted.tree,
                Tree::Iceberg | Tree::Native | Tree::Oauth | Tree::Scim
            );
        // A plan is kept nowhere, so giving it up ends nothing.
        let gives_up = mounted.method == "DELETE" && mounted.path.ends_with("/plan/{plan-id}");
        assert!(
            by_method || declared || gives_up,
            "{} {}",
            mounted.method,
            mounted.path
        );
    }
}
