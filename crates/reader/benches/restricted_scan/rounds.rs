// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Interleaved rounds and what is said of them: the noise of a machine is larger than the differences.

use std::future::Future;
use std::time::Instant;

use super::Outcome;

/// Milliseconds of several variants in each round.
pub(crate) struct Rounds {
    rounds: Vec<Vec<f64>>,
}

/// The middle of some figures, and the middle halves of what lies below and above.
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_unstable_by(f64::total_cmp);
        let at = |quarter: usize| {
            figures
                .get(figures.len() * quarter / 4)
                .copied()
                .unwrap_or(f64::NAN)
        };
        Self {
            low: at(1),
            middle: at(2),
            high: at(3),
        }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} [{:.3} to {:.3}]", self.middle, self.low, self.high)
    }
}

impl Rounds {
    /// Runs each of `variants` once in each round, beginning with another one each time; the first round, which warms
    /// the caches, does not count. `run` must answer alike for all of them.
    pub(crate) async fn run<V: Clone, A, F>(
        rounds: usize,
        variants: &[V],
        run: impl Fn(V) -> F,
    ) -> Outcome<Self>
    where
        A: PartialEq + std::fmt::Debug,
        F: Future<Output = Outcome<A>>,
    {
        let mut kept = Vec::with_capacity(rounds);
        for round in 0..=rounds {
            let mut times = vec![0.0; variants.len()];
            let mut first: Option<A> = None;
            for turn in 0..variants.len() {
                let at = (turn + round) % variants.len();
                let Some((variant, time)) = variants.get(at).zip(times.get_mut(at)) else {
                    continue;
                };
                let variant = variant.clone();
                let begin = Instant::now();
                let answer = run(variant).await?;
                *time = begin.elapsed().as_secs_f64() * 1000.0;
                match &first {
                    Some(first) if *first != answer => {
                        return Err(format!("variants answer differently:\n{first:?}\n{answer:?}").into());
                    }
                    Some(_) => {}
                    None => first = Some(answer),
                }
            }
            if round > 0 {
                kept.push(times);
            }
        }
        Ok(Self { rounds: kept })
    }

    /// Milliseconds of one variant.
    pub(crate) fn times(&self, variant: usize) -> Spread {
        Spread::of(
            self.rounds
                .iter()
                .filter_map(|times| times.get(variant).copied())
                .collect(),
        )
    }

    /// One variant divided by another, round by round.
    pub(crate) fn ratio(&self, variant: usize, by: usize) -> Spread {
        let ratios = self
            .rounds
            .iter()
            .filter_map(|times| Some(times.get(variant)? / times.get(by)?));
        Spread::of(ratios.collect())
    }
}

/// What is said of a goal: nothing when there is none or it is met.
pub(crate) fn verdict(ratio: &Spread, goal: Option<f64>) -> String {
    match goal {
        Some(goal) if ratio.middle > goal => format!("   MISSED: the goal is {goal}"),
        Some(goal) => format!("   goal {goal}"),
        None => String::new(),
    }
}
