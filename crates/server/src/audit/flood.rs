// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Records that anybody can cause without end: of whoever is not known (yet), and of requests beyond a limit. Between two looks
//! some of them are kept one by one and the rest as numbers, so that a flood does not fill the log, whatever it is made of and
//! wherever it comes from.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lakeward_operations::login_limit::network;

use super::record::{Decision, Record};

/// How often the numbers are recorded.
pub(crate) const EVERY: Duration = Duration::from_secs(60);
/// Records of one source and outcome that are kept one by one in this time.
const SINGLY: u64 = 10;
/// Sources that are told apart in this time; the others are counted together.
const SOURCES: usize = 100;

/// What is counted since the last look.
#[derive(Debug, Default)]
pub(crate) struct Flood(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    by_source: BTreeMap<Source, u64>,
    others: u64,
}

/// What counts as one: a network, and the user who has too many requests.
type Source = (Option<IpAddr>, String, Decision);

impl Flood {
    /// Whether a record is kept as it is; else it is counted.
    pub(crate) fn keeps(&self, record: &Record<'_>) -> bool {
        if !(record.user.is_empty() || record.status == Some(429)) {
            return true;
        }
        let source = (record.remote.map(network), record.user.to_owned(), record.outcome);
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = counted.by_source.len() >= SOURCES;
        match counted.by_source.get_mut(&source) {
            Some(count) => {
                *count += 1;
                *count <= SINGLY
            }
            None if is_full => {
                counted.others += 1;
                false
            }
            None => {
                counted.by_source.insert(source, 1);
                true
            }
        }
    }

    /// Gives the records of what was counted, and begins anew.
    pub(crate) fn record(&self, mut note: impl FnMut(&Record<'_>)) {
        let counted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for ((remote, user, outcome), count) in &counted.by_source {
            let more = count.saturating_sub(SINGLY);
            if more > 0 {
                let mut record = several(*outcome, more);
                record.remote = *remote;
                record.user = user;
                note(&record);
            }
        }
        if counted.others > 0 {
            note(&several(Decision::Refused, counted.others));
        }
    }
}

fn several<'a>(outcome: Decision, count: u64) -> Record<'a> {
    let mut record = Record::of("", "Several", outcome);
    record.count = Some(count);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(flood: &Flood, address: [u8; 4], user: &str, status: u16) -> u64 {
        let mut record = Record::of("id", "LoadTable", Decision::Refused);
        record.remote = Some(IpAddr::from(address));
        record.user = user;
        record.status = Some(status);
        u64::from(flood.keeps(&record))
    }

    fn counts(flood: &Flood) -> Vec<u64> {
        let mut counts = Vec::new();
        flood.record(|record| counts.push(record.count.unwrap()));
        counts
    }

    #[test]
    fn what_one_source_causes_is_kept_in_part_and_counted_whole() {
        let flood = Flood::default();
        for _ in 0..2 {
            for (user, status) in [("", 401), ("", 429), ("ann", 429)] {
                let kept: u64 = (0..500).map(|_| kept(&flood, [1, 2, 3, 4], user, status)).sum();
                // Refusals of one address are one source, whatever their status.
                assert_eq!(
                    kept,
                    if status == 429 && user.is_empty() {
                        0
                    } else {
                        SINGLY
                    }
                );
            }
            assert_eq!(counts(&flood), [1_000 - SINGLY, 500 - SINGLY]);
        }
        assert!(counts(&flood).is_empty());
        // What somebody who is known may not do is told each time.
        assert_eq!(
            (0..500)
                .map(|_| kept(&flood, [1, 2, 3, 4], "ann", 403))
                .sum::<u64>(),
            500
        );
        assert!(counts(&flood).is_empty());
    }

    #[test]
    fn many_sources_cause_no_more_than_some() {
        let flood = Flood::default();
        let mut sum = 0;
        for round in 0..20 {
            for number in 0..5_000_u16 {
                let [high, low] = number.to_be_bytes();
                sum += kept(&flood, [10, round % 2, high, low], "", 401);
            }
        }
        let most = u64::try_from(SOURCES).unwrap() * SINGLY;
        assert!(sum <= most, "{sum}");
        let counts = counts(&flood);
        assert!(counts.len() <= SOURCES + 1);
        assert_eq!(sum + counts.iter().sum::<u64>(), 100_000);
    }
}
