// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One fault at every step of every governed operation: an error, a step that never ends, a client that goes away.
//! None of them ends in an answer that holds metadata, and the next request is answered as if nothing had been.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use lakeward_operations::step::Step;
use lakeward_server::http::governance::Governance;
use serde_json::Value;

use crate::observer::{Fault, Saboteur};
use crate::requests::{Ask, Names, asks};
use crate::scene::{
    ADMIN, ANN, Answer, BOSS, CAPABLE, Door, NONE, RESTRICTED, SECRET, Scene, creation, tables,
};

/// Long enough for every request that does not hang, on a slow machine too.
const LIMIT: &str = "6000";

/// The suite's server, with an observer before every step.
struct Suite {
    scene: Scene,
    saboteur: Saboteur,
    /// What the trusted reader gets of `t`.
    right: String,
}

/// One request of the suite, with a table of its own where it changes one.
struct Case {
    id: String,
    ask: Ask,
    door: Door,
    user: &'static str,
    if_none_match: Option<String>,
    /// The table as it was, for a case that may change it.
    own: Option<Own>,
}

struct Own {
    names: Names,
    before: Value,
}

/// Which request of the list, and whether it says what it holds.
#[derive(Debug, Clone, Copy)]
struct Pick {
    index: usize,
    is_conditional: bool,
}

impl Suite {
    async fn start() -> Self {
        let scene = Scene::new(&[("lakeward.server.requestTimeoutMs", LIMIT)]).await;
        let saboteur = Saboteur::default();
        let steps = scene.running.app.operations.steps();
        assert!(steps.watch(Box::new(saboteur.clone())), "the first observer");
        let mut suite = Self {
            scene,
            saboteur,
            right: String::new(),
        };
        suite.right = suite.load_as_reader().await.text;
        suite
    }

    async fn load_as_reader(&self) -> Answer {
        let path = format!("{}/t", tables(RESTRICTED));
        let request = self.scene.request(Door::Reader, ADMIN, "GET", &path, &NONE);
        let loaded = Answer::of(request.header(CAPABLE.0, CAPABLE.1)).await;
        assert_eq!(loaded.status, 200, "{}", loaded.text);
        assert!(loaded.text.contains("\"read-restrictions\""), "{}", loaded.text);
        loaded
    }

    /// Every governed operation, and the conditional load.
    fn picks(&self) -> Vec<Pick> {
        let mut picks = Vec::new();
        for (index, ask) in self.scene.asks(RESTRICTED, "x").iter().enumerate() {
            let is_load = ask.mounted.operation == "LoadTable"
                && ask.mounted.governance == Governance::Gate
                && !ask.path.contains('?');
            for is_conditional in [false, true] {
                if is_load || !is_conditional {
                    picks.push(Pick {
                        index,
                        is_conditional,
                    });
                }
            }
        }
        picks
    }

    /// Reads go through the trusted reader, changes are made by whom nothing restricts, and what is refused is asked by
    /// an owner.
    async fn case(&self, pick: Pick, id: &str) -> Case {
        let shared = self.scene.asks(RESTRICTED, id).swap_remove(pick.index);
        let is_read = shared.mounted.reads;
        let (door, user) = match shared.mounted.governance {
            Governance::Gate if is_read => (Door::Reader, ADMIN),
            Governance::Refuse => (Door::Native, ADMIN),
            Governance::Explain if shared.mounted.operation == "RestrictionsImpact" => (Door::Native, ADMIN),
            Governance::NoTable | Governance::Gate | Governance::SchemaOnly | Governance::Explain
                if is_read =>
            {
                (Door::Native, ANN)
            }
            Governance::NoTable | Governance::Gate | Governance::SchemaOnly | Governance::Explain => {
                (Door::Native, BOSS)
            }
        };
        let changes = !is_read && shared.mounted.governance != Governance::Refuse;
        let own = if changes { Some(self.own(id).await) } else { None };
        let ask = match &own {
            Some(own) => asks(&own.names).swap_remove(pick.index),
            None => shared,
        };
        let mut if_none_match = None;
        if pick.is_conditional {
            let loaded = self.load_as_reader().await;
            if_none_match = Some(loaded.headers["etag"].to_str().expect("text").to_owned());
        }
        Case {
            id: id.to_owned(),
            ask,
            door,
            user,
            if_none_match,
            own,
        }
    }

    async fn own(&self, id: &str) -> Own {
        let folder = tables(RESTRICTED);
        let table = format!("{id}_table");
        let before = self.scene.must(BOSS, "POST", &folder, creation(&table)).await;
        // Where nothing restricts it: files of a restricted one do not become a table again unasked.
        let open = tables("n3");
        let loose = self
            .scene
            .must(ADMIN, "POST", &open, creation(&format!("{id}_loose")))
            .await;
        self.scene
            .must(ADMIN, "DELETE", &format!("{open}/{id}_loose"), NONE)
            .await;
        let names = Names {
            namespace: RESTRICTED.to_owned(),
            table,
            new: id.to_owned(),
            loose_metadata: loose["metadata-location"]
                .as_str()
                .expect("a location")
                .to_owned(),
            plan: self.scene.plan.clone(),
        };
        Own { names, before }
    }

    fn request(&self, case: &Case) -> reqwest::RequestBuilder {
        let mut request = self
            .scene
            .request(
                case.door,
                case.user,
                case.ask.method(),
                &case.ask.path,
                &case.ask.body,
            )
            .header("X-Request-Id", &case.id);
        if case.door == Door::Reader {
            request = request.header(CAPABLE.0, CAPABLE.1);
        }
        if let Some(held) = &case.if_none_match {
            request = request.header("If-None-Match", held);
        }
        request
    }

    /// The steps of a request that nothing disturbs.
    async fn undisturbed(&self, pick: Pick, id: &str) -> (Case, Vec<Step>) {
        let case = self.case(pick, id).await;
        let answer = Answer::of(self.request(&case)).await;
        let expected = match case.ask.mounted.governance {
            Governance::Refuse => 400..500,
            // The tables of the scene lie on this machine, where there is nothing to sign.
            Governance::Gate if case.ask.mounted.operation == "SignRequest" => 406..407,
            Governance::NoTable | Governance::Gate | Governance::SchemaOnly | Governance::Explain
                if pick.is_conditional =>
            {
                304..305
            }
            Governance::NoTable | Governance::Gate | Governance::SchemaOnly | Governance::Explain => 200..300,
        };
        assert!(
            expected.contains(&answer.status),
            "{}: {} {}",
            case.ask,
            answer.status,
            answer.text
        );
        let passed = self.saboteur.passed(id);
        (case, passed)
    }

    /// What holds of the table of a case afterwards.
    async fn check_own(&self, case: &Case, claims_nothing_happened: bool, what: &str) {
        let Some(own) = &case.own else { return };
        let folder = tables(RESTRICTED);
        let listed = self.scene.must(BOSS, "GET", &folder, NONE).await;
        let names: Vec<&str> = listed["identifiers"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|identifier| identifier["name"].as_str())
            .filter(|name| name.starts_with(&format!("{}_", case.id)))
            .collect();
        // Whatever is there is whole.
        let mut tables = Vec::new();
        for name in &names {
            let loaded = self
                .scene
                .must(BOSS, "GET", &format!("{folder}/{name}"), NONE)
                .await;
            tables.push(loaded);
        }
        if claims_nothing_happened {
            assert_eq!(names, [own.names.table.as_str()], "{what}: something was made");
        }
        for loaded in tables {
            if loaded["metadata-location"] == own.before["metadata-location"] {
                assert_eq!(
                    loaded["metadata"], own.before["metadata"],
                    "{what}: half a change"
                );
            } else {
                assert!(
                    !claims_nothing_happened,
                    "{what}: changed, and it says that nothing was"
                );
            }
        }
    }

    /// The next request gets the right answer: the gate for anybody, the same restrictions for the reader.
    async fn check_next(&self, what: &str) {
        let path = format!("{}/t", tables(RESTRICTED));
        let refused = Answer::of(self.scene.request(Door::Native, ADMIN, "GET", &path, &NONE)).await;
        assert_eq!(refused.status, 406, "after {what}: {}", refused.text);
        assert_eq!(self.load_as_reader().await.text, self.right, "after {what}");
    }
}

/// An answer under a fault: no success, and nothing told. Gives whether it says that nothing happened.
fn check_refused(case: &Case, answer: &Answer, what: &str) -> bool {
    assert!(
        (400..600).contains(&answer.status),
        "{what}: {} {}",
        answer.status,
        answer.text
    );
    let text = match case.ask.mounted.governance {
        // The names of columns are the caller's own words there.
        Governance::SchemaOnly => answer.text.replace(&format!("{SECRET}column"), ""),
        Governance::NoTable | Governance::Gate | Governance::Refuse | Governance::Explain => {
            answer.text.clone()
        }
    };
    let told = Answer {
        text,
        ..answer.clone()
    };
    told.tells_nothing(what);
    answer.status < 500 || answer.status == 503 || answer.status == 502
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_at_any_step_opens_anything() {
    let suite = Suite::start().await;
    let picks = suite.picks();
    let mut reached: BTreeSet<Step> = BTreeSet::new();
    let mut errors = 0_usize;
    let mut cancelled = Vec::new();
    let mut unknown = 0_u64;
    let mut stalling = Vec::new();
    for (number, pick) in picks.iter().enumerate() {
        let (undisturbed, steps) = suite.undisturbed(*pick, &format!("c{number}u")).await;
        assert!(
            steps.contains(&Step::Authorization),
            "{}: {steps:?}",
            undisturbed.ask
        );
        reached.extend(&steps);
        for (position, step) in steps.iter().enumerate() {
            let what = |fault: &str| format!("{}: {fault} at {position} ({step})", undisturbed.ask);

            let case = suite.case(*pick, &format!("c{number}e{position}")).await;
            suite.saboteur.plan(&case.id, position, Fault::Error);
            let answer = Answer::of(suite.request(&case)).await;
            let what_failed = what("error");
            // A lookup of restrictions that fails counts as a restriction where only the schema is shown.
            let shows_schema = case.ask.mounted.governance == Governance::SchemaOnly && answer.status == 200;
            let claims = if shows_schema {
                assert_eq!(step.stage(), 5, "{what_failed}: {}", answer.text);
                let text = answer.text.replace(&format!("{SECRET}column"), "");
                Answer { text, ..answer }.tells_nothing(&what_failed);
                false
            } else {
                check_refused(&case, &answer, &what_failed)
            };
            suite.check_own(&case, claims, &what_failed).await;
            suite.check_next(&what_failed).await;
            errors += 1;

            let case = suite.case(*pick, &format!("c{number}g{position}")).await;
            let stalled = suite.saboteur.plan(&case.id, position, Fault::Stall);
            let sending = tokio::spawn(suite.request(&case).send());
            let reached = tokio::time::timeout(Duration::from_secs(60), stalled.notified()).await;
            assert!(reached.is_ok(), "{}: not reached", what("cancel"));
            // The connection goes with the request.
            sending.abort();
            suite.check_own(&case, false, &what("cancel")).await;
            suite.check_next(&what("cancel")).await;
            // Of those who are not known yet, some are recorded and all are counted.
            if *step == Step::Identity {
                unknown += 1;
            } else {
                cancelled.push(case.id);
            }

            stalling.push((*pick, position, what("timeout")));
        }
    }
    let timeouts = time_out_all(&suite, stalling).await;
    suite.check_next("all timeouts").await;
    suite.scene.running.app.note_flood();
    suite.scene.running.app.audit.flush().await;
    let records = suite.scene.audit_records();
    let given_up = || records.iter().filter(|record| record["outcome"] == "given-up");
    let counted = given_up().filter(|record| record["user"].is_null());
    let counted: u64 = counted.map(|record| record["count"].as_u64().unwrap_or(1)).sum();
    assert!(counted >= unknown, "{counted} of {unknown} that were not known");
    let given_up: BTreeSet<String> = given_up()
        .filter_map(|record| record["request-id"].as_str().map(str::to_owned))
        .collect();
    for id in &cancelled {
        assert!(given_up.contains(id), "{id} was not dropped with its connection");
    }
    let all: BTreeSet<Step> = Step::ALL.into_iter().collect();
    assert_eq!(reached, all, "every step is passed by some operation");
    println!(
        "{} steps, {} requests of the list of governed operations: {errors} errors, {timeouts} timeouts, {} cancelled",
        all.len(),
        picks.len(),
        cancelled.len() + usize::try_from(unknown).unwrap()
    );
}

/// All requests that hang at the same time, so that the time limit is waited for once.
async fn time_out_all(suite: &Suite, stalling: Vec<(Pick, usize, String)>) -> usize {
    let mut cases = Vec::new();
    for (number, (pick, position, what)) in stalling.into_iter().enumerate() {
        let case = suite.case(pick, &format!("t{number}")).await;
        suite.saboteur.plan(&case.id, position, Fault::Stall);
        cases.push((case, what));
    }
    let answers = join_all(cases.iter().map(|(case, _)| Answer::of(suite.request(case)))).await;
    for ((case, what), answer) in cases.iter().zip(&answers) {
        assert!(
            matches!(answer.status, 503 | 504),
            "{what}: {} {}",
            answer.status,
            answer.text
        );
        if case.ask.mounted.reads {
            assert_eq!(answer.status, 503, "{what}: a read has no unknown outcome");
        }
        let claims = check_refused(case, answer, what);
        suite.check_own(case, claims, what).await;
    }
    answers.len()
}
