// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests with an `Idempotency-Key` that break off before and behind their effect, and several at the same time.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;
use lakeward_operations::OperationError;
use lakeward_operations::step::{Observer, Step, Verdict};
use serde_json::json;
use tokio::sync::Notify;

use crate::harness::{NONE, creation, set_property};
use crate::idempotency::{Keyed, TABLE, TABLES, TRANSACTION, commits, server, transaction};
use crate::views::renamed;

/// Breaks one request off behind its effect.
#[derive(Debug, Clone, Default)]
struct BreaksOff {
    plan: Arc<Mutex<Option<(Step, bool)>>>,
    reached: Arc<Notify>,
}

impl BreaksOff {
    /// At a step: by an error, or by never going on.
    fn plan(&self, step: Step, stalls: bool) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = Some((step, stalls));
    }
}

impl Observer for BreaksOff {
    fn reached(&self, step: Step, _: &str) -> Verdict {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let planned = plan.take_if(|(at, _)| *at == step);
        match planned {
            None => Verdict::Proceed,
            Some((_, false)) => Verdict::Fail(OperationError::internal("broken off")),
            Some((_, true)) => {
                self.reached.notify_one();
                Verdict::Stall
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_broke_off_is_done_once() {
    let mut server = server().await;
    let mut made = 0;
    // The first two leave nothing, the others have made the change.
    for (number, (step, stalls)) in [
        (Step::File, false),
        (Step::Swap, false),
        (Step::EntityTag, false),
        (Step::Serialization, false),
        (Step::File, true),
        (Step::Swap, true),
        (Step::EntityTag, true),
        (Step::Serialization, true),
    ]
    .into_iter()
    .enumerate()
    {
        let breaks = BreaksOff::default();
        assert!(server.steps().watch(Box::new(breaks.clone())));
        let commit = Keyed::new("POST", TABLE, set_property("n", &number.to_string()));
        let create = Keyed::new("POST", TABLES, creation(&format!("t{number}")));
        for request in [&commit, &create] {
            breaks.plan(step, stalls);
            if stalls {
                let reached = breaks.reached.notified();
                tokio::select! {
                    answer = request.ask(&server) => panic!("{step}: {}", answer.body),
                    // The client goes away, and the request with it.
                    () = reached => {}
                }
            } else {
                let answer = request.ask(&server).await;
                assert!(answer.status >= 500, "{step}: {}", answer.body);
            }
        }
        // The node that was asked is gone.
        server = server.restart().await;
        made += 1;
        for attempt in 0..2 {
            let answer = commit.ask(&server).await.is(200);
            assert_eq!(
                answer.body["metadata"]["properties"]["n"],
                number.to_string(),
                "{step}"
            );
            assert_eq!(commits(&server).await, made, "{step}, attempt {attempt}");
            create.ask(&server).await.is(200);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_equal_requests_at_the_same_time_one_is_made() {
    let server = server().await;
    for round in 0..5 {
        let name = format!("t{round}");
        let path = format!("{TABLES}/{name}");
        let before = commits(&server).await;
        for (request, status) in [
            (Keyed::new("POST", TABLES, creation(&name)), 200),
            (
                Keyed::new("POST", TABLE, set_property("round", &round.to_string())),
                200,
            ),
            (
                Keyed::new("POST", TRANSACTION, transaction(&round.to_string())),
                204,
            ),
            (
                Keyed::new(
                    "POST",
                    "/ice/namespaces",
                    json!({"namespace": [format!("m{round}")]}),
                ),
                200,
            ),
            (
                Keyed::new(
                    "POST",
                    "/ice/tables/rename",
                    renamed(("n1", &name), ("n2", &name)),
                ),
                204,
            ),
            (
                Keyed::new("DELETE", &format!("/ice/namespaces/n2/tables/{name}"), NONE),
                204,
            ),
        ] {
            let answers = join_all((0..8).map(|_| request.ask(&server))).await;
            for answer in &answers {
                assert_eq!(answer.status, status, "{request:?}: {}", answer.body);
                assert_eq!(
                    answer.body["metadata"]["table-uuid"], answers[0].body["metadata"]["table-uuid"],
                    "{request:?}"
                );
            }
        }
        assert_eq!(commits(&server).await, before + 2, "one commit, one transaction");
        server.ask("HEAD", &path, NONE).await.is(404);
    }
}
