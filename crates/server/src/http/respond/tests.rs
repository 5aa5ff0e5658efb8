// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What goes wrong inside an endpoint is an answer, never a closed connection.

use http_body_util::BodyExt;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_catalog::registry::Registry;
use lakeward_operations::named::TheServer;
use lakeward_operations::{OperationSettings, Operations};
use lakeward_store::{Store, StoreOptions, StoreUrl};

use super::*;
use crate::authentication::Authentication;
use crate::config::{Properties, Settings};
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::metrics::Metrics;
use crate::http::rate_limit::RateLimits;
use crate::http::routes::Routes;
use crate::lineage::Lineage;
use crate::reader_identity::Authority;
use lakeward_audit_log::Audit;

struct Panics;

impl Endpoint for Panics {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/panics";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = String;

    async fn run(
        _: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<String, OperationError> {
        panic!("a secret of the endpoint")
    }
}

struct Fails;

impl Endpoint for Fails {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/fails";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = String;

    async fn run(
        _: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<String, OperationError> {
        Err(OperationError::internal("a secret of the store"))
    }
}

async fn app() -> Arc<App> {
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .unwrap();
    let operations = Operations::new(store, Registry::default(), OperationSettings::default());
    let properties = Properties::from_pairs([("lakeward.audit.enabled", "false")]).unwrap();
    let settings = Settings::from_properties(properties).unwrap();
    Arc::new(App {
        audit: Audit::open(&settings.audit).unwrap(),
        authentication: Authentication::new(&settings, &operations).unwrap(),
        authority: Authority::load_or_make(&operations).await.unwrap(),
        metrics: Metrics::default(),
        rates: RateLimits::new(settings.limits.requests),
        lineage: Lineage::new(&settings.lineage).0,
        settings,
        operations,
    })
}

async fn ask(tree: Tree, path: &str) -> (StatusCode, String) {
    let routes = Routes::default().mount::<Panics>().mount::<Fails>().in_tree(tree);
    let router = Arc::new(routes.arrange(|_| true).unwrap());
    let connection = Connection {
        remote: None,
        certificate: None,
    };
    let request = http::Request::get(path).body(Body::empty()).unwrap();
    let response = respond(app().await, router, connection, request).await;
    assert!(response.headers().contains_key(REQUEST_ID_HEADER));
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn panics_and_failures_are_answers_without_their_cause() {
    for (tree, path, kind) in [
        (Tree::Native, "/api/panics", "RuntimeException"),
        (Tree::Native, "/api/fails", "RuntimeException"),
        (Tree::Iceberg, "/iceberg/panics", "InternalServerError"),
        (Tree::Iceberg, "/iceberg/fails", "InternalServerError"),
    ] {
        let (status, body) = ask(tree, path).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(body.contains(kind), "{body}");
        assert!(!body.contains("secret"), "{body}");
    }
}
