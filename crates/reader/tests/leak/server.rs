// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server that answers tables with the restrictions of whoever asks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tokio::net::TcpListener;
use url::Url;

/// What a user gets for a table: the bytes of an answer.
pub(crate) type Bodies = BTreeMap<String, Arc<str>>;

/// The server; it ends with its runtime.
#[derive(Clone)]
pub(crate) struct Server {
    /// The Iceberg REST root.
    pub(crate) url: Url,
    users: Arc<Mutex<HashMap<String, Bodies>>>,
}

#[derive(Clone)]
struct Known {
    users: Arc<Mutex<HashMap<String, Bodies>>>,
    /// Everybody may see what a view is made of.
    views: Arc<Bodies>,
}

impl Server {
    /// Listens on loopback.
    pub(crate) async fn start(views: Bodies) -> Self {
        let users: Arc<Mutex<HashMap<String, Bodies>>> = Arc::default();
        let known = Known {
            users: Arc::clone(&users),
            views: Arc::new(views),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/iceberg", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(known);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self {
            url: url.parse().unwrap(),
            users,
        }
    }

    /// From now on the user gets these answers and no others.
    pub(crate) fn assign(&self, user: &str, bodies: Bodies) {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        users.insert(user.to_owned(), bodies);
    }
}

async fn answer(State(known): State<Known>, request: Request) -> Response<Body> {
    let Some(user) = user_of(&request) else {
        return error(StatusCode::UNAUTHORIZED, "NotAuthorizedException");
    };
    let segments: Vec<&str> = request.uri().path().split('/').skip(2).collect();
    match segments.as_slice() {
        ["v1", "config"] => found(json!({"defaults": {}, "overrides": {"prefix": "c"}}).to_string()),
        ["v1", "c", "namespaces", "s", "tables", table] => {
            let users = known.users.lock().unwrap_or_else(PoisonError::into_inner);
            match users.get(&user).and_then(|bodies| bodies.get(*table)) {
                Some(body) => found(body.to_string()),
                None => error(StatusCode::NOT_FOUND, "NoSuchTableException"),
            }
        }
        ["v1", "c", "namespaces", "s", "views", view] => match known.views.get(*view) {
            Some(body) => found(body.to_string()),
            None => error(StatusCode::NOT_FOUND, "NoSuchViewException"),
        },
        _ => error(StatusCode::NOT_FOUND, "NoSuchTableException"),
    }
}

/// The name in Basic credentials; whoever knows a password of that name is believed here.
fn user_of(request: &Request) -> Option<String> {
    let header = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let decoded = STANDARD.decode(header.strip_prefix("Basic ")?).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    Some(text.split_once(':')?.0.to_owned())
}

fn found(body: String) -> Response<Body> {
    Response::builder()
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body))
        .unwrap()
}

fn error(status: StatusCode, kind: &str) -> Response<Body> {
    let body = json!({"error": {"message": "not for you", "type": kind, "code": status.as_u16()}});
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}
