// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What goes wrong inside an endpoint is an answer, never a closed connection.

use async_trait::async_trait;
use http::StatusCode;
use http_body_util::BodyExt;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_catalog::registry::Registry;
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_operations::named::TheServer;
use lakeward_operations::{OperationSettings, Operations};
use lakeward_store::{Store, StoreOptions, StoreUrl};

use super::*;
use crate::audit::flood::Flood;
use crate::authentication::{Authentication, Authenticator};
use crate::config::kerberos::KerberosSettings;
use crate::config::name_mapper::NameMapper;
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

async fn app() -> App {
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .unwrap();
    let operations = Operations::new(store, Registry::default(), OperationSettings::default());
    let properties = Properties::from_pairs([("lakeward.audit.enabled", "false")]).unwrap();
    let settings = Settings::from_properties(properties).unwrap();
    App {
        audit: Audit::open(&settings.audit).unwrap(),
        flood: Flood::default(),
        authentication: Authentication::new(&settings, &operations).unwrap(),
        authority: Authority::load_or_make(&operations).await.unwrap(),
        metrics: Metrics::default(),
        rates: RateLimits::new(settings.limits.requests),
        lineage: Lineage::new(&settings.lineage).0,
        settings,
        operations,
    }
}

async fn ask(tree: Tree, path: &str) -> (StatusCode, String) {
    let routes = Routes::default().mount::<Panics>().mount::<Fails>().in_tree(tree);
    let router = Arc::new(routes.arrange(|_| true).unwrap());
    let connection = Connection {
        remote: None,
        certificate: None,
    };
    let request = http::Request::get(path).body(Body::empty()).unwrap();
    let response = respond(Arc::new(app().await), router, connection, request).await;
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

struct AsksAgain;

impl Endpoint for AsksAgain {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/asks-again";
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
        Err(OperationError::Unauthenticated(
            "something else is wrong".to_owned(),
        ))
    }
}

struct Works;

impl Endpoint for Works {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/works";
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
        Ok(String::new())
    }
}

/// Takes one ticket, and proves the server by another.
#[derive(Debug)]
struct Tickets;

#[async_trait]
impl Authenticator for Tickets {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials.is_some()
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        _: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        if credentials != Some("Negotiate right") {
            return Err(OperationError::Unauthenticated("wrong".to_owned()));
        }
        Ok(Identity {
            answer: Some("Negotiate proof".to_owned()),
            ..Identity::of(Subject {
                user: "ann".to_owned(),
                groups: GroupClaim::Unknown,
            })
        })
    }
}

/// What became of a request with this ticket, and every `WWW-Authenticate` of its answer.
async fn shown(
    app: &Arc<App>,
    tree: Tree,
    method: Method,
    path: &str,
    ticket: Option<&str>,
) -> (u16, Vec<String>) {
    let routes = Routes::default()
        .mount::<Panics>()
        .mount::<Fails>()
        .mount::<AsksAgain>()
        .mount::<Works>()
        .in_tree(tree);
    let router = Arc::new(routes.arrange(|_| true).unwrap());
    let connection = Connection {
        remote: None,
        certificate: None,
    };
    let path = format!("{}{path}", tree.base());
    let mut request = http::Request::builder().method(method).uri(path);
    if let Some(ticket) = ticket {
        request = request.header(header::AUTHORIZATION, format!("Negotiate {ticket}"));
    }
    let request = request.body(Body::empty()).unwrap();
    let response = respond(Arc::clone(app), router, connection, request).await;
    let challenges = response.headers().get_all(header::WWW_AUTHENTICATE).iter();
    let challenges = challenges
        .map(|value| value.to_str().unwrap().to_owned())
        .collect();
    (response.status().as_u16(), challenges)
}

#[tokio::test]
async fn every_answer_to_a_ticket_proves_the_server_and_a_401_only_asks() {
    let mut app = app().await;
    app.authentication = Authentication::of_one(Arc::new(Tickets));
    app.settings.kerberos = Some(KerberosSettings {
        principal: String::new(),
        keytab: std::path::PathBuf::new(),
        principal_mapper: NameMapper::new("(.*)").unwrap(),
    });
    let app = Arc::new(app);
    for tree in [Tree::Native, Tree::Iceberg, Tree::Scim, Tree::Oauth] {
        for (method, path, ticket, status) in [
            (Method::GET, "/works", Some("right"), 200),
            (Method::HEAD, "/works", Some("right"), 200),
            (Method::GET, "/nowhere", Some("right"), 404),
            (Method::DELETE, "/works", Some("right"), 405),
            (Method::GET, "/fails", Some("right"), 500),
            (Method::GET, "/panics", Some("right"), 500),
            (Method::GET, "/asks-again", Some("right"), 401),
            (Method::GET, "/works", Some("wrong"), 401),
            (Method::GET, "/nowhere", Some("wrong"), 401),
            (Method::DELETE, "/works", Some("wrong"), 401),
            (Method::GET, "/works", None, 401),
            (Method::GET, "/nowhere", None, 401),
        ] {
            let expected = if status == 401 {
                "Negotiate"
            } else {
                "Negotiate proof"
            };
            let found = shown(&app, tree, method.clone(), path, ticket).await;
            let expected = (status, vec![expected.to_owned()]);
            assert_eq!(found, expected, "{tree:?} {method} {path} {ticket:?}");
        }
    }
}
