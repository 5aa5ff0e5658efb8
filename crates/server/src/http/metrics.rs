// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of answers and their durations, per operation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::StatusCode;

/// How many classes of status there are, from 1xx to 5xx.
const CLASSES: usize = 5;

/// What was counted since the start of the server.
#[derive(Debug, Default)]
pub struct Metrics {
    operations: RwLock<BTreeMap<&'static str, Arc<Counters>>>,
}

#[derive(Debug, Default)]
struct Counters {
    by_class: [AtomicU64; CLASSES],
    micros: AtomicU64,
}

/// The counts of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its name.
    pub operation: &'static str,
    /// Answers by class of status: 1xx, 2xx, 3xx, 4xx, 5xx.
    pub by_class: [u64; CLASSES],
    /// The time of all of them together, in microseconds.
    pub micros: u64,
}

impl Counted {
    /// All answers.
    pub fn answers(&self) -> u64 {
        self.by_class.iter().sum()
    }
}

impl Metrics {
    /// Counts one answer.
    pub fn count(&self, operation: &'static str, status: StatusCode, took: Duration) {
        let counters = self.counters(operation);
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(counter) = counters.by_class.get(class) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        counters.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// What was counted, by operation in the order of names. Not one moment's state: requests go on meanwhile.
    pub fn counted(&self) -> Vec<Counted> {
        let operations = self.operations.read().unwrap_or_else(PoisonError::into_inner);
        operations
            .iter()
            .map(|(operation, counters)| Counted {
                operation,
                by_class: std::array::from_fn(|class| {
                    counters
                        .by_class
                        .get(class)
                        .map_or(0, |counter| counter.load(Ordering::Relaxed))
                }),
                micros: counters.micros.load(Ordering::Relaxed),
            })
            .collect()
    }

    fn counters(&self, operation: &'static str) -> Arc<Counters> {
        let known = self
            .operations
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(operation)
            .map(Arc::clone);
        known.unwrap_or_else(|| {
            let mut operations = self.operations.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(operations.entry(operation).or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_class() {
        let metrics = Metrics::default();
        for status in [StatusCode::OK, StatusCode::NO_CONTENT, StatusCode::FORBIDDEN] {
            metrics.count("LoadTable", status, Duration::from_micros(5));
        }
        let expected = Counted {
            operation: "LoadTable",
            by_class: [0, 2, 0, 1, 0],
            micros: 15,
        };
        assert_eq!(metrics.counted(), [expected]);
    }
}
