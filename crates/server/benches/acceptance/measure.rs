// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Comparing two ways of doing a thing on a machine that is never quiet: both sides take turns in short rounds, so that
//! what disturbs one disturbs the other; what counts is the median of the rounds' ratios.

use std::time::{Duration, Instant};

/// How many rounds are measured after the first, which only warms up.
const ROUNDS: usize = 25;
/// How long one side of a round takes, about.
const ROUND: Duration = Duration::from_millis(60);

/// How many things of a kind are made: `full` of them, or a part of that for those who only try whether a bench runs
/// (`LAKEWARD_BENCH_DIVIDE`).
pub(crate) fn size(full: usize) -> usize {
    let divide = std::env::var("LAKEWARD_BENCH_DIVIDE").map_or(1, |text| text.parse().unwrap());
    (full / divide).max(10)
}

/// What came out of a comparison.
pub(crate) struct Comparison {
    left: Duration,
    right: Duration,
    ratio: f64,
    low: f64,
    high: f64,
}

impl Comparison {
    /// One line: both times, the ratio with the middle half of the rounds, and the goal.
    pub(crate) fn print(&self, name: &str, sides: [&str; 2], goal: &str) {
        println!(
            "{name}: {} {:.1?}, {} {:.1?}, ratio {:.3} (rounds {:.3} to {:.3}); goal {goal}",
            sides[0], self.left, sides[1], self.right, self.ratio, self.low, self.high
        );
    }
}

/// Runs both sides in turns.
pub(crate) async fn compare(left: impl AsyncFn(), right: impl AsyncFn()) -> Comparison {
    let calls = [calls(&left).await, calls(&right).await];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        // Who begins alternates too.
        let (one, other) = if round % 2 == 0 {
            let one = time(&left, calls[0]).await;
            (one, time(&right, calls[1]).await)
        } else {
            let other = time(&right, calls[1]).await;
            (time(&left, calls[0]).await, other)
        };
        if round > 0 {
            times[0].push(one);
            times[1].push(other);
        }
    }
    let mut ratios: Vec<f64> = times[0]
        .iter()
        .zip(&times[1])
        .map(|(one, other)| one.as_secs_f64() / other.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    for side in &mut times {
        side.sort();
    }
    Comparison {
        left: times[0][ROUNDS / 2],
        right: times[1][ROUNDS / 2],
        ratio: ratios[ROUNDS / 2],
        low: ratios[ROUNDS / 4],
        high: ratios[ROUNDS * 3 / 4],
    }
}

/// The mean of some calls.
async fn time(side: &impl AsyncFn(), calls: u32) -> Duration {
    let begin = Instant::now();
    for _ in 0..calls {
        side().await;
    }
    begin.elapsed() / calls
}

/// How many calls fill a round.
async fn calls(side: &impl AsyncFn()) -> u32 {
    side().await;
    let one = time(side, 3).await.max(Duration::from_nanos(10));
    u32::try_from(ROUND.as_nanos() / one.as_nanos())
        .unwrap_or(u32::MAX)
        .clamp(3, 200_000)
}
