// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a run says at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Instant;

use crate::run::Verdict;
use crate::sql::Expected;
use crate::suite::{Case, Suite};

/// Counts of one run.
pub(crate) struct Report {
    seed: u64,
    count: u64,
    begun: Instant,
    /// How cases ended.
    outcomes: BTreeMap<&'static str, usize>,
    /// Queries whose rows were compared, and those among them that gave rows at all.
    pub(crate) compared: usize,
    with_rows: usize,
    /// Queries that both sides could have answered.
    pub(crate) answerable: usize,
    constructs: BTreeMap<&'static str, usize>,
    /// Constructs of which one was answered, or refused where it must be.
    pub(crate) answered: BTreeSet<&'static str>,
    policies: BTreeMap<String, usize>,
    errors: BTreeMap<String, usize>,
    refusals: BTreeMap<String, usize>,
    /// How statements were run.
    pub(crate) ways: BTreeMap<&'static str, usize>,
    /// Bytes that went to the disk.
    pub(crate) spilled: u64,
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn new(seed: u64, count: u64) -> Self {
        Self {
            seed,
            count,
            begun: Instant::now(),
            outcomes: BTreeMap::new(),
            compared: 0,
            with_rows: 0,
            answerable: 0,
            constructs: BTreeMap::new(),
            answered: BTreeSet::new(),
            policies: BTreeMap::new(),
            errors: BTreeMap::new(),
            refusals: BTreeMap::new(),
            ways: BTreeMap::new(),
            spilled: 0,
            failures: Vec::new(),
        }
    }

    /// Counts a case.
    pub(crate) fn add(&mut self, suite: &Suite, case: &Case, verdict: &Verdict, failure: Option<String>) {
        for construct in &case.statement.constructs {
            *self.constructs.entry(construct).or_default() += 1;
        }
        if matches!(
            verdict,
            Verdict::Same(_) | Verdict::Explained | Verdict::Refused(_)
        ) {
            self.answered.extend(&case.statement.constructs);
        }
        for (table, _) in &case.statement.tables {
            let about = &suite.policies[*table][case.policies[*table]].about;
            *self.policies.entry(about.clone()).or_default() += 1;
        }
        if matches!(case.statement.expected, Expected::Rows | Expected::Ordered)
            && !matches!(
                verdict,
                Verdict::Refused(_) | Verdict::Exhausted | Verdict::GivenUp
            )
        {
            self.answerable += 1;
            self.compared += usize::from(matches!(verdict, Verdict::Same(_)));
        }
        let outcome = match verdict {
            Verdict::Same(rows) => {
                self.with_rows += usize::from(*rows > 0);
                "same answer"
            }
            Verdict::BothFailed(kind) => {
                *self.errors.entry(kind.clone()).or_default() += 1;
                "failed alike"
            }
            Verdict::Explained => "explained",
            Verdict::Exhausted => "refused for want of memory",
            Verdict::GivenUp => "given up, nothing left",
            Verdict::Refused(kind) => {
                *self.refusals.entry(kind.clone()).or_default() += 1;
                "refused"
            }
            Verdict::Difference(_) => "DIFFERENT",
        };
        *self.ways.entry(case.way.name()).or_default() += 1;
        *self.outcomes.entry(outcome).or_default() += 1;
        self.failures.extend(failure);
    }

    /// Cases in all.
    pub(crate) fn cases(&self) -> usize {
        self.outcomes.values().sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.begun.elapsed().as_secs_f64();
        let last = self.seed.wrapping_add(self.count.saturating_sub(1));
        writeln!(
            f,
            "leak suite: {} queries, seeds {} to {last}, {seconds:.0} s",
            self.cases(),
            self.seed
        )?;
        for (outcome, count) in &self.outcomes {
            writeln!(f, "  {count:6} {outcome}")?;
        }
        writeln!(
            f,
            "  {:6} of {} answerable queries were answered by both sides; {} answers had rows",
            self.compared, self.answerable, self.with_rows
        )?;
        writeln!(f, "  {:6} bytes were spilled", self.spilled)?;
        for (way, count) in &self.ways {
            writeln!(f, "  {count:6} {way}")?;
        }
        for (title, counts) in [
            ("errors, alike on both sides", &self.errors),
            ("refusals", &self.refusals),
        ] {
            writeln!(f, "{title}:")?;
            for (kind, count) in counts {
                writeln!(f, "  {count:6} {kind}")?;
            }
        }
        writeln!(f, "policies:")?;
        for (about, count) in &self.policies {
            writeln!(f, "  {count:6} {about}")?;
        }
        writeln!(f, "constructs:")?;
        for (construct, count) in &self.constructs {
            writeln!(f, "  {count:6} {construct}")?;
        }
        for failure in &self.failures {
            writeln!(f, "\n{failure}")?;
        }
        Ok(())
    }
}
