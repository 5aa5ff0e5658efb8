// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server that holds requests between their decision and their effect.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use lakeward_operations::step::{Observer, Step, Verdict};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::in_process::Broker;
use crate::scene::{Place, Server, WITH_AUTHORIZATION};

/// Holds requests by their id when they come to their effect for the given time, counted from 1.
#[derive(Debug, Clone, Default)]
struct Gatekeeper(Arc<Mutex<HashMap<String, Held>>>);

#[derive(Debug, Clone)]
struct Held {
    passes: usize,
    arrived: Arc<Notify>,
    go_on: Arc<Notify>,
}

impl Observer for Gatekeeper {
    fn reached(&self, step: Step, request_id: &str) -> Verdict {
        if step != Step::Swap {
            return Verdict::Proceed;
        }
        let mut held = self.0.lock().unwrap();
        let Some(held) = held.get_mut(request_id) else {
            return Verdict::Proceed;
        };
        held.passes -= 1;
        if held.passes > 0 {
            return Verdict::Proceed;
        }
        // It is held once.
        held.passes = usize::MAX;
        held.arrived.notify_one();
        Verdict::Wait(Arc::clone(&held.go_on))
    }
}

/// Such a server, with the metalake `m`.
pub(crate) struct Scene {
    pub(crate) server: Server,
    keeper: Gatekeeper,
}

/// A request that is held.
pub(crate) struct Waiting {
    answer: JoinHandle<(u16, Value)>,
    go_on: Arc<Notify>,
}

impl Scene {
    pub(crate) async fn new(place: &Place, broker: Broker) -> Self {
        Self::with(place, broker, &[]).await
    }

    /// The same with more settings.
    pub(crate) async fn with(place: &Place, broker: Broker, settings: &[(&str, &str)]) -> Self {
        let providers = lakeward_server::providers().with(Arc::new(broker));
        let settings = [WITH_AUTHORIZATION, settings].concat();
        let server = Server::start_with_providers(place, &settings, providers).await;
        let keeper = Gatekeeper::default();
        let steps = server.running.app.operations.steps();
        assert!(steps.watch(Box::new(keeper.clone())), "the first observer");
        let scene = Self { server, keeper };
        scene.done("POST", "/api/metalakes", json!({"name": "m"})).await;
        scene
    }

    pub(crate) async fn done(&self, method: &str, path: &str, body: impl Into<Option<Value>>) -> Value {
        self.server.done(method, path, body).await
    }

    /// Sends a request of `admin` and waits until it is held at its effect.
    pub(crate) async fn held(
        &self,
        id: &str,
        passes: usize,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Waiting {
        self.held_of("admin", id, passes, (method, path, body)).await
    }

    /// Sends a request and waits until it is held when it comes to its effect for the given time, counted from 1.
    pub(crate) async fn held_of(
        &self,
        user: &str,
        id: &str,
        passes: usize,
        (method, path, body): (&str, &str, Option<Value>),
    ) -> Waiting {
        let held = Held {
            passes,
            arrived: Arc::default(),
            go_on: Arc::default(),
        };
        self.keeper.0.lock().unwrap().insert(id.to_owned(), held.clone());
        let mut request = self
            .server
            .request(method, path)
            .basic_auth(user, Some("x"))
            .header("X-Request-Id", id);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let mut answer = tokio::spawn(async move {
            let response = request.send().await.unwrap();
            let status = response.status().as_u16();
            let text = response.text().await.unwrap();
            (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
        });
        tokio::select! {
            () = held.arrived.notified() => {}
            early = &mut answer => panic!("{method} {path}: {:?}", early.unwrap()),
        }
        Waiting {
            answer,
            go_on: held.go_on,
        }
    }

    pub(crate) async fn exists(&self, path: &str) -> u16 {
        self.server.call("admin", "GET", path, None).await.0
    }
}

impl Waiting {
    pub(crate) async fn goes_on(self) -> (u16, Value) {
        self.go_on.notify_one();
        self.answer.await.unwrap()
    }
}
