// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests per second with every core busy. The clients run in this process too and take their part of the cores, for the
//! empty route as for the others: every ratio is nearer to 1 than one of the server alone would be.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::measure::size;

/// How many connections ask at the same time.
pub(crate) const CONNECTIONS: usize = 32;
/// How many rounds are measured after the first, which only opens the connections.
const ROUNDS: usize = 7;
/// How many milliseconds one side of a round takes.
const ROUND: usize = 700;

type Making = dyn Fn(usize, u64) -> reqwest::RequestBuilder + Send + Sync;

/// A request that is made again and again.
#[derive(Clone)]
pub(crate) struct Repeated {
    status: u16,
    numbers: Arc<AtomicU64>,
    make: Arc<Making>,
}

impl Repeated {
    /// `make` is told which connection asks, and a number that no other request has. The answer must have the status.
    pub(crate) fn new(
        status: u16,
        make: impl Fn(usize, u64) -> reqwest::RequestBuilder + Send + Sync + 'static,
    ) -> Self {
        Self {
            status,
            numbers: Arc::default(),
            make: Arc::new(make),
        }
    }

    /// Asks once and reads the answer.
    pub(crate) async fn ask(&self, connection: usize) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let answer = (self.make)(connection, number).send().await.unwrap();
        let status = answer.status();
        let bytes = answer.bytes().await.unwrap();
        assert_eq!(status, self.status, "{}", String::from_utf8_lossy(&bytes));
    }

    /// Requests per second of all connections together, in one round.
    async fn rate(&self) -> f64 {
        let round = Duration::from_millis(u64::try_from(size(ROUND)).unwrap());
        let begin = Instant::now();
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|connection| {
                let repeated = self.clone();
                tokio::spawn(async move {
                    let mut asked = 0_u32;
                    while begin.elapsed() < round {
                        repeated.ask(connection).await;
                        asked += 1;
                    }
                    asked
                })
            })
            .collect();
        let mut asked = 0;
        for client in clients {
            asked += client.await.unwrap();
        }
        f64::from(asked) / begin.elapsed().as_secs_f64()
    }
}

/// Has both asked in turns; prints their rates and the ratio with the middle half of the rounds.
pub(crate) async fn compare_rates(name: &str, asked: &Repeated, empty: &Repeated) {
    let mut rounds = Vec::new();
    for round in 0..=ROUNDS {
        // Who begins alternates, as in `measure`.
        let rates = if round % 2 == 0 {
            let one = asked.rate().await;
            (one, empty.rate().await)
        } else {
            let other = empty.rate().await;
            (asked.rate().await, other)
        };
        if round > 0 {
            rounds.push(rates);
        }
    }
    let sorted = |of: fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let ratios = sorted(|(one, other)| one / other);
    println!(
        "{name}, {CONNECTIONS} connections on {} cores: {:.0} requests/s, empty route {:.0} requests/s, ratio {:.3} (rounds {:.3} to {:.3}); stated, no goal",
        std::thread::available_parallelism().unwrap(),
        sorted(|(one, _)| *one)[ROUNDS / 2],
        sorted(|(_, other)| *other)[ROUNDS / 2],
        ratios[ROUNDS / 2],
        ratios[ROUNDS / 4],
        ratios[ROUNDS * 3 / 4],
    );
}
