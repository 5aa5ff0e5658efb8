// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a caller was allowed to list is what the list names. Between the decision about a list and the look at what is
//! in it, the caller loses all rights, and then something is made or renamed: nobody was ever allowed to see that, so
//! no list names it. The same goes for other answers that are read after their decision.

mod cases;

use std::sync::{Arc, Mutex};

use lakeward_operations::step::{Observer, Step, Verdict};
use lakeward_server::listing::all_routes;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::in_process::Broker;
use crate::scene::{Place, Server, WITH_AUTHORIZATION, iceberg, on_both_stores};
use cases::{cases, custom, row_filter, table};

on_both_stores!(
    a_list_names_nothing_that_came_after_its_decision,
    a_list_that_was_overtaken_is_made_of_one_later_state
);

const M: &str = "/api/metalakes/m";
/// A role that explains what restricts tables.
const EXPLAINER: &str = "explainer";
/// A role that tells what others may do.
const GRANTER: &str = "granter";
const OWNER: &str = "/api/metalakes/m/owners/metalake/m";

/// Holds the request of an id once, when its facts are known and it is about to be decided.
#[derive(Debug, Clone, Default)]
struct Gatekeeper(Arc<Mutex<Option<(String, Held)>>>);

#[derive(Debug, Clone, Default)]
struct Held {
    arrived: Arc<Notify>,
    go_on: Arc<Notify>,
}

impl Observer for Gatekeeper {
    fn reached(&self, step: Step, request_id: &str) -> Verdict {
        let mut held = self.0.lock().unwrap();
        if step != Step::Authorization || held.as_ref().is_none_or(|(id, _)| id != request_id) {
            return Verdict::Proceed;
        }
        let Some((_, held)) = held.take() else {
            return Verdict::Proceed;
        };
        held.arrived.notify_one();
        Verdict::Wait(held.go_on)
    }
}

type Change = (&'static str, String, Value);

/// A request that reads, and the changes after which it would name `late` (or what the last change made) if the caller
/// still had its rights.
struct Case {
    /// The path of the route, without its base.
    route: &'static str,
    path: String,
    /// What a question that is posted asks; `None` for what is got.
    question: Option<Value>,
    /// What she may do by a role besides, on the metalake.
    role: Option<&'static str>,
    changes: Vec<Change>,
}

impl Case {
    const fn method(&self) -> &'static str {
        match self.question {
            Some(_) => "POST",
            None => "GET",
        }
    }
}

struct Scene {
    server: Server,
    keeper: Gatekeeper,
    broker: Broker,
    files: tempfile::TempDir,
}

impl Scene {
    async fn new(place: &Place) -> Self {
        let broker = Broker::default();
        let providers = lakeward_server::providers().with(Arc::new(broker.clone()));
        let server = Server::start_with_providers(place, WITH_AUTHORIZATION, providers).await;
        let keeper = Gatekeeper::default();
        let steps = server.running.app.operations.steps();
        assert!(steps.watch(Box::new(keeper.clone())), "the first observer");
        let scene = Self {
            server,
            keeper,
            broker,
            files: tempfile::tempdir().unwrap(),
        };
        scene.prepare().await;
        scene
    }

    async fn prepare(&self) {
        let done = async |path: &str, body: Value| self.server.done("POST", path, body).await;
        done("/api/metalakes", json!({"name": "m"})).await;
        done(&format!("{M}/users"), json!({"name": "ann"})).await;
        let catalogs = format!("{M}/catalogs");
        done(&catalogs, iceberg("ice")).await;
        let location = format!("file://{}", self.files.path().display());
        done(
            &catalogs,
            json!({"name": "files", "type": "FILESET", "comment": "c", "properties": {"location": location}}),
        )
        .await;
        done(
            &catalogs,
            json!({"name": "models", "type": "MODEL", "comment": "c"}),
        )
        .await;
        done(
            &catalogs,
            json!({"name": "kaf", "type": "MESSAGING", "provider": "kafka", "comment": "c",
                "properties": {"bootstrap.servers": "localhost:1"}}),
        )
        .await;
        for catalog in ["ice", "files", "models"] {
            done(&format!("{catalogs}/{catalog}/schemas"), json!({"name": "s"})).await;
        }
        done(&format!("{catalogs}/ice/schemas/s/tables"), table("t")).await;
        done(
            &format!("{catalogs}/models/schemas/s/models"),
            json!({"name": "x"}),
        )
        .await;
        for tag in ["g", "h"] {
            done(&format!("{M}/tags"), json!({"name": tag})).await;
        }
        for policy in ["p", "q"] {
            done(&format!("{M}/policies"), custom(policy)).await;
        }
        done(&format!("{M}/policies"), row_filter("rows")).await;
        done(
            &format!("{M}/roles"),
            json!({"name": "r", "securableObjects": []}),
        )
        .await;
        for (role, privileges) in [
            (
                EXPLAINER,
                &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE", "APPLY_POLICY"][..],
            ),
            (
                GRANTER,
                &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE", "MANAGE_GRANTS"],
            ),
        ] {
            let allow = |name: &&str| json!({"name": name, "condition": "ALLOW"});
            let privileges: Vec<Value> = privileges.iter().map(allow).collect();
            let on_metalake = json!([{"type": "METALAKE", "fullName": "m", "privileges": privileges}]);
            done(
                &format!("{M}/roles"),
                json!({"name": role, "securableObjects": on_metalake}),
            )
            .await;
        }
        done(
            &format!("{M}/jobs/templates"),
            json!({"jobTemplate": {"jobType": "shell", "name": "j", "executable": "/bin/true"}}),
        )
        .await;
    }

    /// Asks as ann, who owns the metalake, takes that from her when the request is about to be decided, and then makes
    /// the changes. Gives the answer, and what the last change answered. Where she `keeps` it, she has it again before
    /// the request goes on.
    async fn overtaken(&self, case: &Case, keeps: bool) -> ((u16, Value), Value) {
        if let Some(role) = case.role {
            let path = format!("{M}/permissions/users/ann/grant");
            self.server.done("PUT", &path, json!({"roleNames": [role]})).await;
        }
        self.give("admin", "ann").await;
        let held = Held::default();
        let id = "held".to_owned();
        *self.keeper.0.lock().unwrap() = Some((id.clone(), held.clone()));
        let mut request = self
            .server
            .request(case.method(), &case.path)
            .basic_auth("ann", Some("x"))
            .header("X-Request-Id", id);
        if let Some(question) = &case.question {
            request = request.json(question);
        }
        let mut answer = tokio::spawn(async move {
            let response = request.send().await.unwrap();
            let status = response.status().as_u16();
            (status, response.json::<Value>().await.unwrap())
        });
        tokio::select! {
            () = held.arrived.notified() => {}
            early = &mut answer => panic!("{}: {:?}", case.path, early.unwrap()),
        }
        self.give("ann", "admin").await;
        let mut made = Value::Null;
        for (method, path, body) in &case.changes {
            made = self.server.done(method, path, body.clone()).await;
        }
        if keeps {
            self.give("admin", "ann").await;
        }
        held.go_on.notify_one();
        (answer.await.unwrap(), made)
    }

    /// The owner of the metalake gives it to another.
    async fn give(&self, owner: &str, other: &str) {
        let body = json!({"name": other, "type": "USER"});
        let (status, answer) = self.server.call(owner, "PUT", OWNER, Some(body)).await;
        assert_eq!(status, 200, "{answer}");
    }
}

async fn a_list_names_nothing_that_came_after_its_decision(place: Place) {
    let scene = Scene::new(&place).await;
    let cases = cases();
    for mounted in all_routes()
        .mounted()
        .iter()
        .filter(|mounted| mounted.shows.is_some())
    {
        // What is shown of metalakes is decided when they are read.
        let is_told = mounted.path == "/metalakes" || cases.iter().any(|case| case.route == mounted.path);
        assert!(is_told, "no case for {}", mounted.path);
    }
    for case in cases {
        let ((status, answer), made) = scene.overtaken(&case, false).await;
        let names = |answer: &Value| {
            let job = made["job"]["jobId"].as_str();
            let text = answer.to_string();
            text.contains("late_") && job.is_none() || job.is_some_and(|job| text.contains(job))
        };
        let shown = (status, names(&answer));
        assert!(
            matches!(shown, (200 | 403 | 404, false)),
            "{}: {status} {answer}",
            case.path
        );
        // To who has the rights it is shown.
        let question = case.question.clone();
        let (status, answer) = scene
            .server
            .call("admin", case.method(), &case.path, question)
            .await;
        assert_eq!((status, names(&answer)), (200, true), "{}: {answer}", case.path);
    }
    // Topics that are met on the broker are shown as it is decided when they are known.
    scene.give("admin", "ann").await;
    let topics = format!("{M}/catalogs/kaf/schemas/default/topics");
    scene.broker.make("met");
    let (status, answer) = scene.server.call("ann", "GET", &topics, None).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer.to_string().contains("\"met\""), "{answer}");
}

/// Whoever keeps the right to list is answered, with the names of later.
async fn a_list_that_was_overtaken_is_made_of_one_later_state(place: Place) {
    let scene = Scene::new(&place).await;
    for case in cases() {
        let ((status, answer), _) = scene.overtaken(&case, true).await;
        scene.give("ann", "admin").await;
        let is_job = case.path.ends_with("/runs");
        let names = answer.to_string().contains("late_") || is_job && answer["jobs"][0].is_object();
        assert_eq!((status, names), (200, true), "{}: {answer}", case.path);
    }
}
