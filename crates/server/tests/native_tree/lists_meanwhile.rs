// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a caller was allowed to list is what the list names. Between the decision about a list and the look at what is
//! in it, the caller loses all rights, and then something is made or renamed: nobody was ever allowed to see that, so
//! no list names it. The same goes for other answers that are read after their decision.

use std::sync::{Arc, Mutex};

use lakeward_operations::step::{Observer, Step, Verdict};
use lakeward_server::listing::all_routes;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::in_process::Broker;
use crate::scene::{Place, Server, WITH_AUTHORIZATION, iceberg, on_both_stores};

on_both_stores!(
    a_list_names_nothing_that_came_after_its_decision,
    a_list_that_was_overtaken_is_made_of_one_later_state
);

const M: &str = "/api/metalakes/m";
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
    changes: Vec<Change>,
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
        self.give("admin", "ann").await;
        let held = Held::default();
        let id = "held".to_owned();
        *self.keeper.0.lock().unwrap() = Some((id.clone(), held.clone()));
        let request = self
            .server
            .request("GET", &case.path)
            .basic_auth("ann", Some("x"))
            .header("X-Request-Id", id);
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

fn table(name: &str) -> Value {
    json!({"name": name, "columns": [{"name": "id", "type": "long", "nullable": true}]})
}

fn custom(name: &str) -> Value {
    json!({"name": name, "policyType": "custom", "enabled": true, "content":
        {"customRules": {"a": 1}, "supportedObjectTypes": ["TABLE"], "properties": {}}})
}

fn row_filter(name: &str) -> Value {
    json!({"name": name, "policyType": "system_row_filter", "enabled": false,
        "content": {"expression": "filter := col(\"region\") == \"US\""}})
}

fn select_on_t() -> Value {
    json!([{"type": "TABLE", "fullName": "ice.s.t", "privileges": [{"name": "SELECT_TABLE", "condition": "ALLOW"}]}])
}

/// Every list, and other answers that name what is read beside the facts. Where several lists show the same kind, each
/// has a name of its own.
fn cases() -> Vec<Case> {
    let post = |path: String, body: Value| ("POST", path, body);
    let catalogs = format!("{M}/catalogs");
    let ice = format!("{catalogs}/ice/schemas");
    let (files, models) = (
        format!("{catalogs}/files/schemas/s"),
        format!("{catalogs}/models/schemas/s"),
    );
    let topics = format!("{catalogs}/kaf/schemas/default/topics");
    let table_object = format!("{M}/objects/table/ice.s.t");
    let iceberg_tables = "/iceberg/v1/ice/namespaces/s/tables".to_owned();
    let iceberg_views = "/iceberg/v1/ice/namespaces/s/views".to_owned();
    let view = |name: &str| {
        json!({"name": name, "columns": [{"name": "c", "type": "long", "nullable": true}],
            "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS c"}]})
    };
    let function = json!({"name": "late_function", "functionType": "SCALAR", "deterministic": true, "definitions": [
        {"parameters": [], "returnType": "integer", "impls": [
            {"language": "SQL", "runtime": "SPARK", "sql": "1"}]}]});
    let named = |name: &str| json!({"name": name});
    let tag = |name: &str| post(format!("{M}/tags"), named(name));
    let put_tag = |name: &str| post(format!("{table_object}/tags"), json!({"tagsToAdd": [name]}));
    let put_policy = |name: &str| {
        post(
            format!("{table_object}/policies"),
            json!({"policiesToAdd": [name]}),
        )
    };
    let template =
        json!({"jobTemplate": {"jobType": "shell", "name": "late_template", "executable": "/bin/true"}});
    let case = |route: &'static str, path: &str, changes: Vec<Change>| Case {
        route,
        path: path.to_owned(),
        changes,
    };
    let late_role = |name: &str| {
        post(
            format!("{M}/roles"),
            json!({"name": name, "securableObjects": select_on_t()}),
        )
    };
    vec![
        case(
            "/metalakes/{metalake}/catalogs",
            &catalogs,
            vec![post(catalogs.clone(), iceberg("late_catalog"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs",
            &format!("{catalogs}?details=true"),
            vec![post(catalogs.clone(), iceberg("late_catalog2"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas",
            &ice,
            vec![post(ice.clone(), named("late_schema"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables",
            &format!("{ice}/s/tables"),
            vec![
                ("PUT", format!("{ice}/s/tables/t"), rename("late_table")),
                ("PUT", format!("{ice}/s/tables/late_table"), rename("t")),
                post(format!("{ice}/s/tables"), table("late_table2")),
            ],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views",
            &format!("{ice}/s/views"),
            vec![post(format!("{ice}/s/views"), view("late_view"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions",
            &format!("{ice}/s/functions"),
            vec![post(format!("{ice}/s/functions"), function)],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets",
            &format!("{files}/filesets"),
            vec![post(format!("{files}/filesets"), named("late_fileset"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models",
            &format!("{models}/models"),
            vec![post(format!("{models}/models"), named("late_model"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics",
            &topics,
            vec![post(topics.clone(), named("late_topic"))],
        ),
        case(
            "/metalakes/{metalake}/users",
            &format!("{M}/users"),
            vec![post(format!("{M}/users"), named("late_user"))],
        ),
        case(
            "/metalakes/{metalake}/users",
            &format!("{M}/users?details=true"),
            vec![post(format!("{M}/users"), named("late_user2"))],
        ),
        case(
            "/metalakes/{metalake}/groups",
            &format!("{M}/groups"),
            vec![post(format!("{M}/groups"), named("late_group"))],
        ),
        case(
            "/metalakes/{metalake}/groups",
            &format!("{M}/groups?details=true"),
            vec![post(format!("{M}/groups"), named("late_group2"))],
        ),
        case(
            "/metalakes/{metalake}/roles",
            &format!("{M}/roles"),
            vec![late_role("late_role")],
        ),
        case(
            "/metalakes/{metalake}/roles",
            &format!("{M}/roles?details=true"),
            vec![late_role("late_role2")],
        ),
        case(
            "/metalakes/{metalake}/objects/{type}/{fullName}/roles",
            &format!("{table_object}/roles"),
            vec![late_role("late_role3")],
        ),
        case(
            "/metalakes/{metalake}/tags",
            &format!("{M}/tags"),
            vec![tag("late_tag")],
        ),
        case(
            "/metalakes/{metalake}/tags",
            &format!("{M}/tags?details=true"),
            vec![tag("late_tag2")],
        ),
        case(
            "/metalakes/{metalake}/objects/{type}/{fullName}/tags",
            &format!("{table_object}/tags"),
            vec![tag("late_tag3"), put_tag("late_tag3")],
        ),
        case(
            "/metalakes/{metalake}/tags/{type}/{fullName}",
            &format!("{M}/tags/table/ice.s.t"),
            vec![tag("late_tag4"), put_tag("late_tag4")],
        ),
        case(
            "/metalakes/{metalake}/policies",
            &format!("{M}/policies"),
            vec![post(format!("{M}/policies"), custom("late_policy"))],
        ),
        case(
            "/metalakes/{metalake}/objects/{type}/{fullName}/policies",
            &format!("{table_object}/policies"),
            vec![
                post(format!("{M}/policies"), custom("late_policy2")),
                put_policy("late_policy2"),
            ],
        ),
        case(
            "/metalakes/{metalake}/tags/{tag}/policies",
            &format!("{M}/tags/g/policies"),
            vec![
                post(format!("{M}/policies"), row_filter("late_policy3")),
                ("PUT", format!("{M}/tags/g/policies/late_policy3"), json!({})),
            ],
        ),
        case(
            "/metalakes/{metalake}/policies/{policy}/tags",
            &format!("{M}/policies/rows/tags"),
            vec![
                tag("late_tag5"),
                ("PUT", format!("{M}/tags/late_tag5/policies/rows"), json!({})),
            ],
        ),
        case(
            "/metalakes/{metalake}/jobs/templates",
            &format!("{M}/jobs/templates"),
            vec![post(format!("{M}/jobs/templates"), template)],
        ),
        case(
            "/metalakes/{metalake}/jobs/runs",
            &format!("{M}/jobs/runs"),
            vec![post(
                format!("{M}/jobs/runs"),
                json!({"jobTemplateName": "j", "jobConf": {}}),
            )],
        ),
        case(
            "/v1/{prefix}/namespaces",
            "/iceberg/v1/ice/namespaces",
            vec![post(ice.clone(), named("late_schema2"))],
        ),
        case(
            "/v1/{prefix}/namespaces/{namespace}/tables",
            &iceberg_tables,
            vec![post(format!("{ice}/s/tables"), table("late_table3"))],
        ),
        case(
            "/v1/{prefix}/namespaces/{namespace}/views",
            &iceberg_views,
            vec![post(format!("{ice}/s/views"), view("late_view2"))],
        ),
        // No lists of what may be shown, but read after their decision too.
        case(
            "/metalakes/{metalake}/tags/{tag}/objects",
            &format!("{M}/tags/h/objects"),
            vec![
                post(format!("{ice}/s/tables"), table("late_table4")),
                post(
                    format!("{M}/objects/table/ice.s.late_table4/tags"),
                    json!({"tagsToAdd": ["h"]}),
                ),
            ],
        ),
        case(
            "/metalakes/{metalake}/policies/{policy}/objects",
            &format!("{M}/policies/q/objects"),
            vec![
                post(format!("{ice}/s/tables"), table("late_table5")),
                post(
                    format!("{M}/objects/table/ice.s.late_table5/policies"),
                    json!({"policiesToAdd": ["q"]}),
                ),
            ],
        ),
        case(
            "/metalakes/{metalake}/users/{user}",
            &format!("{M}/users/admin"),
            vec![
                late_role("late_role4"),
                (
                    "PUT",
                    format!("{M}/permissions/users/admin/grant"),
                    json!({"roleNames": ["late_role4"]}),
                ),
            ],
        ),
        case(
            "/metalakes/{metalake}/models/{model}/versions",
            &format!("{models}/models/x/versions?details=true"),
            vec![post(
                format!("{models}/models/x/versions"),
                json!({"uri": "s3://late_uri/x", "aliases": ["late_alias"]}),
            )],
        ),
    ]
}

fn rename(name: &str) -> Value {
    json!({"updates": [{"@type": "rename", "newName": name}]})
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
        let (status, answer) = scene.server.call("admin", "GET", &case.path, None).await;
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
