// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Takes the steps of two requests in a given order.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use lakeward_operations::step::{Observer, Step, Verdict};
use tokio::task::{block_in_place, spawn_blocking};

use crate::harness::Answer;

/// Longer than any step takes.
const LIMIT: Duration = Duration::from_secs(120);

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    One,
    Other,
}

/// Every order of so many turns of one and of the other.
pub(super) fn all_schedules(one: usize, other: usize) -> Vec<Vec<Turn>> {
    if one == 0 || other == 0 {
        return vec![[vec![Turn::One; one], vec![Turn::Other; other]].concat()];
    }
    let begin =
        |turn: Turn, rest: Vec<Vec<Turn>>| rest.into_iter().map(move |rest| [vec![turn], rest].concat());
    begin(Turn::One, all_schedules(one - 1, other))
        .chain(begin(Turn::Other, all_schedules(one, other - 1)))
        .collect()
}

/// Whether a step looks at or changes what others change too.
fn touches(step: Step) -> bool {
    matches!(
        step,
        Step::Facts | Step::Pointer | Step::Policies | Step::File | Step::Swap | Step::Serialization
    )
}

/// Holds requests up before steps until they may go on.
#[derive(Debug, Clone, Default)]
pub(super) struct Stage {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    requests: Mutex<HashMap<String, Progress>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// How many steps it has come before, and how many it may take.
    arrived: usize,
    allowed: usize,
    is_done: bool,
}

impl Inner {
    fn update(&self, id: &str, change: impl FnOnce(&mut Progress)) {
        let mut requests = self.requests.lock().expect("no panic");
        change(requests.entry(id.to_owned()).or_default());
        self.changed.notify_all();
    }

    /// Waits until something holds of a request.
    fn wait(&self, id: &str, holds: impl Fn(&Progress) -> bool) {
        let requests = self.requests.lock().expect("no panic");
        let (_requests, waited) = self
            .changed
            .wait_timeout_while(requests, LIMIT, |requests| !requests.get(id).is_some_and(&holds))
            .expect("no panic");
        assert!(!waited.timed_out(), "{id} does not go on");
    }
}

impl Observer for Stage {
    fn reached(&self, step: Step, request_id: &str) -> Verdict {
        let is_watched = self
            .inner
            .requests
            .lock()
            .expect("no panic")
            .contains_key(request_id);
        if is_watched && touches(step) {
            block_in_place(|| {
                self.inner.update(request_id, |progress| progress.arrived += 1);
                self.inner
                    .wait(request_id, |progress| progress.allowed >= progress.arrived);
            });
        }
        Verdict::Proceed
    }
}

impl Stage {
    /// Performs two requests, each beginning with its first turn; a turn takes a request to its next step or its end.
    pub(super) async fn perform<F>(
        &self,
        ids: &[String; 2],
        requests: [F; 2],
        schedule: &[Turn],
    ) -> [Answer; 2]
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let mut waiting = requests.map(Some);
        let mut running = [None, None];
        let turns = schedule.iter().map(|turn| *turn as usize);
        // At last both go on to their ends.
        let ends = [0, 1].into_iter().map(|at| (at, true));
        for (at, is_last) in turns.map(|at| (at, false)).chain(ends) {
            let (id, inner) = (ids[at].clone(), Arc::clone(&self.inner));
            if let Some(request) = waiting[at].take() {
                inner.update(&id, |progress| progress.allowed = 0);
                let (id, inner) = (id.clone(), Arc::clone(&inner));
                running[at] = Some(tokio::spawn(async move {
                    let answer = request.await;
                    inner.update(&id, |progress| progress.is_done = true);
                    answer
                }));
            } else {
                inner.update(&id, |progress| {
                    progress.allowed = progress.arrived.max(progress.allowed)
                });
            }
            let waited = spawn_blocking(move || {
                if is_last {
                    inner.update(&id, |progress| progress.allowed = usize::MAX);
                    inner.wait(&id, |progress| progress.is_done);
                } else {
                    inner.wait(&id, |progress| {
                        progress.is_done || progress.arrived > progress.allowed
                    });
                }
            });
            waited.await.expect("it goes on");
        }
        let [one, other] = running.map(|request| request.expect("both had a turn"));
        let answers = [one.await.expect("an answer"), other.await.expect("an answer")];
        let mut requests = self.inner.requests.lock().expect("no panic");
        for id in ids {
            requests.remove(id);
        }
        answers
    }
}
