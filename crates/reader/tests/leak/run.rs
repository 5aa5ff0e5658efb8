// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Runs cases on both sides and judges them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

use crate::canaries::tokens_of_text;
use crate::choices::{Choices, smaller};
use crate::report::Report;
use crate::sql::Expected;
use crate::suite::{Case, Suite};
use crate::ways::{Asker, Way, is_exhaustion};

/// How a case ended.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Both sides gave the same rows; so many.
    Same(usize),
    /// Both sides failed alike.
    BothFailed(String),
    /// An explanation that tells nothing.
    Explained,
    /// Refused for want of memory, as it may be.
    Exhausted,
    /// Given up, and nothing is left of it.
    GivenUp,
    /// Refused, as it must be.
    Refused(String),
    /// A leak, or an answer that is wrong.
    Difference(String),
}

/// Queries that run at once.
const WORKERS: usize = 4;
/// Failures after which a run ends; each is made smaller first.
const MOST_FAILURES: usize = 3;
/// Attempts to make a failing query smaller.
const SHRINKING: usize = 400;
/// Seeds behind the last among which a missing construct is looked for.
const FURTHER: u64 = 20_000;

/// Runs the cases of `count` seeds from `seed` on.
pub(crate) async fn run(suite: Arc<Suite>, seed: u64, count: u64) -> Report {
    let report = Arc::new(Mutex::new(Report::new(seed, count)));
    let next = Arc::new(AtomicU64::new(0));
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| {
            let (suite, report, next) = (Arc::clone(&suite), Arc::clone(&report), Arc::clone(&next));
            tokio::spawn(async move {
                let asker = suite.asker(worker);
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count || report.lock().await.failures.len() >= MOST_FAILURES {
                        break;
                    }
                    let seed = seed.wrapping_add(at);
                    let case = suite.case(Choices::of_seed(seed));
                    let verdict = judge(&suite, &asker, &case).await;
                    let failure = match &verdict {
                        Verdict::Difference(what) => Some(failure(&suite, &asker, seed, &case, what).await),
                        _ => None,
                    };
                    report.lock().await.add(&suite, &case, &verdict, failure);
                }
                report.lock().await.spilled += asker.disk.spilled();
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    Arc::into_inner(report).unwrap().into_inner()
}

/// Goes on behind the last seed with queries that have a construct of which none was answered yet.
pub(crate) async fn complete(suite: &Suite, report: &mut Report, after: u64, known: &BTreeSet<&'static str>) {
    let asker = suite.asker(WORKERS);
    for construct in known {
        let mut seeds = (0..FURTHER).map(|at| after.wrapping_add(at));
        while !report.answered.contains(construct) && report.failures.is_empty() {
            let with_it = |seed: u64| {
                let case = suite.case(Choices::of_seed(seed));
                case.statement
                    .constructs
                    .contains(construct)
                    .then_some((seed, case))
            };
            let Some((seed, case)) = seeds.by_ref().find_map(with_it) else {
                break;
            };
            let verdict = judge(suite, &asker, &case).await;
            let failure = match &verdict {
                Verdict::Difference(what) => Some(failure(suite, &asker, seed, &case, what).await),
                _ => None,
            };
            report.add(suite, &case, &verdict, failure);
        }
    }
}

/// Asks both sides and compares.
pub(crate) async fn judge(suite: &Suite, asker: &Asker, case: &Case) -> Verdict {
    let verdict = judge_way(suite, asker, case).await;
    match asker.disk.rest().await {
        Some(left) if !matches!(verdict, Verdict::Difference(_)) => {
            Verdict::Difference(format!("its memory or its files outlive it: {left}"))
        }
        _ => verdict,
    }
}

async fn judge_way(suite: &Suite, asker: &Asker, case: &Case) -> Verdict {
    let asks_for_rows = matches!(case.statement.expected, Expected::Rows | Expected::Ordered);
    if case.way == Way::Cancelled && asks_for_rows && !suite.must_be_refused(case) {
        return match suite.give_up(asker, case).await {
            Ok(on_disk) => match leak(suite, case, &String::from_utf8_lossy(&on_disk)) {
                Some(leak) => Verdict::Difference(format!("a spilled file holds {leak:?}")),
                None => Verdict::GivenUp,
            },
            Err(text) if is_exhaustion(&text) => match leak(suite, case, &text) {
                Some(leak) => Verdict::Difference(format!("a text tells {leak:?}:\n{text}")),
                None => Verdict::Exhausted,
            },
            Err(_) => judge_rows(suite, asker, case).await,
        };
    }
    judge_rows(suite, asker, case).await
}

async fn judge_rows(suite: &Suite, asker: &Asker, case: &Case) -> Verdict {
    let told = suite.ask_reader(asker, case).await;
    let text = match &told {
        Ok(answer) if case.statement.expected == Expected::Explanation => answer.rows.join("\n"),
        Ok(_) => String::new(),
        Err(text) => text.clone(),
    };
    if let Some(leak) = leak(suite, case, &text) {
        return Verdict::Difference(format!("a text tells {leak:?}:\n{text}"));
    }
    if case.way == Way::Short
        && let Err(text) = &told
        && is_exhaustion(text)
    {
        return Verdict::Exhausted;
    }
    let expected = if suite.must_be_refused(case) {
        Expected::Refusal
    } else {
        case.statement.expected
    };
    match expected {
        Expected::Refusal => match told {
            Ok(answer) => Verdict::Difference(format!("{} rows instead of a refusal", answer.rows.len())),
            Err(text) => Verdict::Refused(kind_of(&text)),
        },
        Expected::Explanation => match told {
            Ok(_) => Verdict::Explained,
            Err(text) => Verdict::BothFailed(kind_of(&text)),
        },
        Expected::Rows | Expected::Ordered | Expected::MayFail => match (told, suite.ask_copy(case).await) {
            (Ok(answer), Ok(expected)) => {
                let ordered = case.statement.expected == Expected::Ordered;
                match answer.difference(&expected, ordered) {
                    Some(what) => Verdict::Difference(what),
                    None => Verdict::Same(answer.rows.len()),
                }
            }
            (Err(text), Err(expected)) if kind_of(&text) == kind_of(&expected) => {
                Verdict::BothFailed(kind_of(&text))
            }
            (Err(text), Err(expected)) => {
                Verdict::Difference(format!("fails with\n  {text}\ninstead of\n  {expected}"))
            }
            (Err(text), Ok(_)) => Verdict::Difference(format!("fails, and the copy does not: {text}")),
            (Ok(_), Err(text)) => Verdict::Difference(format!("the copy fails, and it does not: {text}")),
        },
    }
}

/// Something in the text that the user may not know.
fn leak(suite: &Suite, case: &Case, text: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    if text.contains(&suite.folder()) || text.contains(".parquet") && !case.statement.sql.contains("parquet")
    {
        return Some("a file".to_owned());
    }
    let (hidden, shown) = suite.hidden(case);
    tokens_of_text(text)
        .into_iter()
        .find(|token| hidden.contains(token) && !shown.contains(token) && !case.statement.sql.contains(token))
}

/// An error without the values in it: which row fails first is nobody's choice.
fn kind_of(text: &str) -> String {
    // Above the cause stands which step of planning or running met it.
    let cause = text.rsplit("caused by\n").next().unwrap_or(text);
    // Two texts can be no timestamps for two reasons.
    let cause = match cause.split_once("Error parsing timestamp") {
        Some((_, _)) => "Error parsing timestamp",
        None => cause,
    };
    let mut kind = String::new();
    let mut quote = None;
    for character in cause.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if "'\"`".contains(character) => quote = Some(character),
            None if character.is_ascii_digit() || "-.".contains(character) => {}
            None => kind.push(character),
        }
    }
    kind.split_whitespace().take(12).collect::<Vec<_>>().join(" ")
}

/// Makes the case as small as it gets and says all about it.
async fn failure(suite: &Suite, asker: &Asker, seed: u64, case: &Case, what: &str) -> String {
    let mut least = case.clone();
    let mut reason = what.to_owned();
    let mut left = SHRINKING;
    'smaller: loop {
        for made in smaller(&least.made) {
            if left == 0 {
                break 'smaller;
            }
            left -= 1;
            let candidate = suite.case(Choices::given(made));
            let is_smaller = (
                candidate.made.len(),
                candidate.statement.sql.len(),
                &candidate.made,
            ) < (least.made.len(), least.statement.sql.len(), &least.made);
            if !is_smaller {
                continue;
            }
            if let Verdict::Difference(what) = judge(suite, asker, &candidate).await {
                least = candidate;
                reason = what;
                continue 'smaller;
            }
        }
        break;
    }
    format!(
        "seed {seed}: LAKEWARD_LEAK_SEED={seed} LAKEWARD_LEAK_QUERIES=1\n{}\n  as generated: {}\n{what}\nsmallest, {}:\n  {}\n{}{reason}\n",
        suite.about(case),
        case.statement.sql,
        least.way.name(),
        least.statement.sql,
        suite.about(&least)
    )
}
