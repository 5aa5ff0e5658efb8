// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Two clients, one operation each, over two names: whatever the order in which their steps are taken, both answers and
//! what is there afterwards are those of one of the two orders of the whole operations, by a model of a page.
//!
//! A request is held up before every step at which it touches what others can change; between two such steps nothing that
//! the other does can be seen, so that holding it up elsewhere gives nothing new. A run takes some of the interleavings,
//! spread evenly over all of them; `LAKEWARD_INTERLEAVINGS` says how many.

mod model;
mod schedule;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, Server, creation, set_property};
use crate::views::{put, renamed, view};
use model::{Entry, Heard, Kind, Operation, State, explains};
use schedule::{Stage, Turn, all_schedules};

/// How many interleavings a quick run takes.
const QUICK: usize = 320;
/// How many are at work at a time.
const AT_ONCE: usize = 8;

/// One pair of operations, from one state of the names, in one order of their steps.
#[derive(Debug, Clone)]
struct Case {
    number: usize,
    before: [Option<Kind>; 2],
    pair: [Operation; 2],
    schedule: Vec<Turn>,
}

/// The operations that change something, on the first name, which a rename leaves for the second.
fn changes() -> Vec<Operation> {
    let of = |kind| {
        [
            Operation::Create(kind, 0),
            Operation::Drop(kind, 0),
            Operation::Rename(kind, 0, 1),
            Operation::Commit(kind, 0),
            Operation::Register(kind, 0),
        ]
    };
    [of(Kind::Table), of(Kind::View)].concat()
}

/// What is set against them: the same on either name, and what only looks.
fn others() -> Vec<Operation> {
    let mut others = changes();
    for kind in [Kind::Table, Kind::View] {
        others.extend([
            Operation::Load(kind, 0),
            Operation::Load(kind, 1),
            Operation::List(kind),
        ]);
        others.extend([
            Operation::Create(kind, 1),
            Operation::Drop(kind, 1),
            Operation::Rename(kind, 1, 0),
        ]);
    }
    others
}

/// All cases: every pair from every state of both names, in every order of the steps.
fn cases() -> Vec<Case> {
    let states = [None, Some(Kind::Table), Some(Kind::View)];
    let mut cases = Vec::new();
    for (at, one) in changes().into_iter().enumerate() {
        for (beside, other) in others().into_iter().enumerate() {
            // Who is called first makes no difference.
            if beside < at && beside < changes().len() {
                continue;
            }
            for first in states {
                for second in states {
                    let touches_second = one.touches(1) || other.touches(1);
                    // From a state in which neither has anything to do nothing can go wrong.
                    let before = [first, second];
                    let is_idle = !one.is_possible(before) && !other.is_possible(before);
                    if is_idle || (!touches_second && second.is_some()) {
                        continue;
                    }
                    for schedule in all_schedules(one.pauses(), other.pauses()) {
                        cases.push(Case {
                            number: cases.len(),
                            before,
                            pair: [one, other],
                            schedule,
                        });
                    }
                }
            }
        }
    }
    cases
}

/// The place of one case: a namespace of its own with two names, and files of a table and a view that were dropped.
struct Place<'a> {
    server: &'a Server,
    namespace: String,
    loose: BTreeMap<Kind, String>,
    /// Who made what has which uuid.
    makers: BTreeMap<String, &'static str>,
}

const NAMES: [&str; 2] = ["x", "y"];

impl<'a> Place<'a> {
    async fn new(server: &'a Server, case: &Case) -> Self {
        let mut place = Self {
            server,
            namespace: format!("n{}", case.number),
            loose: BTreeMap::new(),
            makers: BTreeMap::new(),
        };
        server.namespace(&place.namespace).await;
        for kind in [Kind::Table, Kind::View] {
            if case
                .pair
                .iter()
                .any(|operation| matches!(operation, Operation::Register(of, _) if *of == kind))
            {
                let made = place.make(kind, "loose", "loose").await;
                let path = format!("{}/loose", place.folder(kind));
                server.ask("DELETE", &path, NONE).await.is(204);
                place.loose.insert(kind, text(&made.body["metadata-location"]));
            }
        }
        for (name, kind) in NAMES.iter().zip(case.before) {
            if let Some(kind) = kind {
                place.make(kind, name, name).await;
            }
        }
        place
    }

    fn folder(&self, kind: Kind) -> String {
        format!("/ice/namespaces/{}/{}", self.namespace, kind.folder())
    }

    async fn make(&mut self, kind: Kind, name: &str, maker: &'static str) -> Answer {
        let body = match kind {
            Kind::Table => creation(name),
            Kind::View => view(name),
        };
        let made = self.server.ask("POST", &self.folder(kind), body).await.is(200);
        self.makers.insert(uuid(kind, &made.body), maker);
        made
    }

    /// The request of an operation; a commit sets a property of the client's name.
    fn request(&self, operation: Operation, client: &str) -> (&'static str, String, Value) {
        let name = |at: usize| NAMES[at];
        match operation {
            Operation::Create(Kind::Table, at) => ("POST", self.folder(Kind::Table), creation(name(at))),
            Operation::Create(Kind::View, at) => ("POST", self.folder(Kind::View), view(name(at))),
            Operation::Drop(kind, at) => ("DELETE", format!("{}/{}", self.folder(kind), name(at)), NONE),
            Operation::Rename(kind, from, to) => {
                let namespace = self.namespace.as_str();
                let body = renamed((namespace, name(from)), (namespace, name(to)));
                ("POST", format!("/ice/{}/rename", kind.folder()), body)
            }
            Operation::Commit(kind, at) => {
                let body = match kind {
                    Kind::Table => set_property(client, "x"),
                    Kind::View => put(client),
                };
                ("POST", format!("{}/{}", self.folder(kind), name(at)), body)
            }
            Operation::Register(kind, at) => {
                let path = match kind {
                    Kind::Table => "register",
                    Kind::View => "register-view",
                };
                let body = json!({"name": name(at), "metadata-location": self.loose[&kind]});
                ("POST", format!("/ice/namespaces/{}/{path}", self.namespace), body)
            }
            Operation::Load(kind, at) => ("GET", format!("{}/{}", self.folder(kind), name(at)), NONE),
            Operation::List(kind) => ("GET", self.folder(kind), NONE),
        }
    }

    /// What an answer says, in the words of the model.
    fn heard(&self, operation: Operation, answer: &Answer) -> Heard {
        let mut shown = Vec::new();
        if answer.status == 200 {
            if let Operation::Load(kind, _) = operation {
                shown.push(self.entry(kind, &answer.body).to_string());
            }
            if let Operation::List(_) = operation {
                let listed = answer.body["identifiers"].as_array().expect("a list");
                shown.extend(listed.iter().map(|one| text(&one["name"])));
            }
        }
        Heard {
            status: answer.status,
            error: answer.body["error"]["type"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            shown,
        }
    }

    fn entry(&self, kind: Kind, body: &Value) -> Entry {
        let properties = body["metadata"]["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let marks = ["a", "b"]
            .into_iter()
            .filter(|mark| properties.contains_key(*mark));
        let maker = self.makers.get(&uuid(kind, body)).copied().unwrap_or("nobody");
        Entry {
            kind,
            maker,
            marks: marks.collect(),
        }
    }

    /// What is there afterwards; every metadata file that a pointer names is there and parses, or this fails.
    async fn after(&self) -> State {
        let mut state = State::default();
        for (at, name) in NAMES.iter().enumerate() {
            for kind in [Kind::Table, Kind::View] {
                let path = format!("{}/{name}", self.folder(kind));
                let loaded = self.server.ask("GET", &path, NONE).await;
                if loaded.status == 200 {
                    assert!(state.0[at].is_none(), "both a table and a view are named {name}");
                    state.0[at] = Some(self.entry(kind, &loaded.body));
                } else {
                    assert_eq!(loaded.status, 404, "{}", loaded.body);
                }
            }
        }
        state
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn uuid(kind: Kind, body: &Value) -> String {
    let member = match kind {
        Kind::Table => "table-uuid",
        Kind::View => "view-uuid",
    };
    text(&body["metadata"][member])
}

async fn run(server: Arc<Server>, stage: Stage, case: Case) -> Result<(), String> {
    let mut place = Place::new(&server, &case).await;
    let ids = ["a", "b"].map(|client| format!("case{}{client}", case.number));
    let requests = [0, 1].map(|at| place.request(case.pair[at], ["a", "b"][at]));
    let clients = [0, 1].map(|at| {
        let (server, id) = (Arc::clone(&server), ids[at].clone());
        let (method, path, body) = requests[at].clone();
        async move {
            server
                .ask_with(ADMIN, method, &path, body, &[("X-Request-Id", id.as_str())])
                .await
        }
    });
    let answers = stage.perform(&ids, clients, &case.schedule).await;
    for (at, answer) in answers.iter().enumerate() {
        if let (Operation::Create(kind, _), 200) = (case.pair[at], answer.status) {
            place.makers.insert(uuid(kind, &answer.body), ["a", "b"][at]);
        }
    }
    let heard = [0, 1].map(|at| place.heard(case.pair[at], &answers[at]));
    let after = place.after().await;
    let before = State::of(case.before);
    if explains(&before, case.pair, &heard, &after) {
        Ok(())
    } else {
        Err(format!(
            "{:?} from {before} in the order {:?}: heard {heard:?}, left {after}; bodies {} {}",
            case.pair, case.schedule, answers[0].body, answers[1].body
        ))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_interleaving_is_one_of_the_two_orders() {
    let server = Arc::new(Server::start().await);
    let stage = Stage::default();
    assert!(
        server.steps().watch(Box::new(stage.clone())),
        "the first observer"
    );
    let cases = cases();
    let all = cases.len();
    let wanted =
        std::env::var("LAKEWARD_INTERLEAVINGS").map_or(QUICK, |text| text.parse().expect("a number"));
    let stride = all.div_ceil(wanted);
    let taken: Vec<Case> = cases.into_iter().step_by(stride).collect();
    let count = taken.len();
    let wrong: Vec<String> = stream::iter(taken)
        .map(|case| tokio::spawn(run(Arc::clone(&server), stage.clone(), case)))
        .buffer_unordered(AT_ONCE)
        .filter_map(|done| async move { done.expect("no panic").err() })
        .collect()
        .await;
    println!("{count} of {all} interleavings");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
