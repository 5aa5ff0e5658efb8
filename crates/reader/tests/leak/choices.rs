// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decisions of the generator, recorded.
//!
//! A query is what a list of numbers makes of the grammar. From a seed the numbers are random; a failing list is made
//! smaller, number by number, until nothing can be left out. Zero always means the simplest alternative.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// A source of decisions.
pub(crate) struct Choices {
    random: Option<StdRng>,
    given: Vec<u32>,
    at: usize,
    /// What was decided so far.
    pub(crate) made: Vec<u32>,
}

impl Choices {
    /// Random decisions of a seed; the same seed decides the same.
    pub(crate) fn of_seed(seed: u64) -> Self {
        Self {
            random: Some(StdRng::seed_from_u64(seed)),
            given: Vec::new(),
            at: 0,
            made: Vec::new(),
        }
    }

    /// Given decisions, and the simplest alternative behind their end.
    pub(crate) fn given(given: Vec<u32>) -> Self {
        Self {
            random: None,
            given,
            at: 0,
            made: Vec::new(),
        }
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let most = u32::try_from(count.max(1) - 1).unwrap();
        let decided = match &mut self.random {
            Some(random) => random.random_range(0..=most),
            None => self.given.get(self.at).copied().unwrap_or(0).min(most),
        };
        self.at += 1;
        self.made.push(decided);
        usize::try_from(decided).unwrap()
    }

    /// True in `percent` of a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// One of several.
    pub(crate) fn one_of<T: Clone>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())].clone()
    }

    /// The position of a weight, as often as it weighs.
    pub(crate) fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (at, weight) in weights.iter().enumerate() {
            if left < *weight {
                return at;
            }
            left -= weight;
        }
        0
    }
}

/// Smaller lists than `made`, the boldest first.
pub(crate) fn smaller(made: &[u32]) -> Vec<Vec<u32>> {
    let mut tries = Vec::new();
    for length in [made.len() / 2, made.len() / 4, 16, 8, 4, 2, 1] {
        if length == 0 || length > made.len() {
            continue;
        }
        for start in (0..made.len()).step_by(length) {
            let mut shorter = made.to_vec();
            shorter.drain(start..(start + length).min(made.len()));
            tries.push(shorter);
        }
    }
    for (at, value) in made.iter().enumerate() {
        for less in [0, value / 2, value.saturating_sub(1)] {
            if less < *value {
                let mut changed = made.to_vec();
                changed[at] = less;
                tries.push(changed);
            }
        }
    }
    tries
}
