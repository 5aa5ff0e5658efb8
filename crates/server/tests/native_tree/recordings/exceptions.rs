// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `fixtures/recordings/differences.tsv`: where we mean to answer otherwise than the original, what waits for a route, and
//! what lies outside of this server.

use std::cell::Cell;
use std::collections::BTreeSet;

use lakeward_server::listing::all_routes;

use super::compare::Difference;
use super::replay::fixtures;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The exchange is made; `at` its answer is `ours`.
    Differs,
    /// The exchange is not made until the route `at` is served.
    Pending,
    /// The exchange is never made: what it needs lies outside of this server.
    Outside,
}

/// A row.
#[derive(Debug)]
pub(super) struct Exception {
    line: usize,
    file: String,
    exchanges: BTreeSet<u32>,
    kind: Kind,
    at: String,
    ours: String,
    is_used: Cell<bool>,
}

/// All rows.
#[derive(Debug)]
pub(super) struct Exceptions(Vec<Exception>);

impl Exceptions {
    pub(super) fn read() -> Self {
        let text = std::fs::read_to_string(fixtures().join("differences.tsv")).unwrap();
        let rows = text.lines().enumerate().skip(1);
        Self(rows.map(|(index, line)| exception(index + 1, line)).collect())
    }

    /// Whether an exchange is not made.
    pub(super) fn is_left_out(&self, file: &str, n: u32) -> bool {
        let of_it = self.0.iter().filter(|row| row.is_of(file, n));
        let mut is_left_out = false;
        for row in of_it.filter(|row| row.kind != Kind::Differs) {
            row.is_used.set(true);
            is_left_out = true;
        }
        is_left_out
    }

    /// Whether a difference is meant.
    pub(super) fn is_meant(&self, file: &str, n: u32, difference: &Difference) -> bool {
        let row = self.0.iter().find(|row| {
            row.kind == Kind::Differs
                && row.is_of(file, n)
                && covers(&row.at, &difference.at)
                && (row.ours == "*" || row.ours == difference.ours)
        });
        if let Some(row) = row {
            row.is_used.set(true);
        }
        row.is_some()
    }

    /// Rows that nothing needs any more, and those that wait for a route that is served by now.
    pub(super) fn outdated(&self) -> Vec<String> {
        let served = served();
        let outdated = self.0.iter().filter_map(|row| {
            let why = if row.kind == Kind::Pending && served.contains(&nameless(&row.at)) {
                format!("`{}` is served: replay its exchanges", row.at)
            } else if !row.is_used.get() {
                "nothing differs there any more".to_owned()
            } else {
                return None;
            };
            Some(format!("differences.tsv, line {}: {why}", row.line))
        });
        outdated.collect()
    }
}

impl Exception {
    fn is_of(&self, file: &str, n: u32) -> bool {
        (self.file == "*" || self.file == file) && (self.exchanges.is_empty() || self.exchanges.contains(&n))
    }
}

/// Whether a pattern, in which `*` stands for any one segment and `**` at its end for any rest, covers a place.
fn covers(pattern: &str, place: &str) -> bool {
    let mut places = place.split('/');
    for part in pattern.split('/') {
        if part == "**" {
            return true;
        }
        match places.next() {
            Some(segment) if part == "*" || part == segment => {}
            Some(_) | None => return false,
        }
    }
    places.next().is_none()
}

fn exception(line: usize, text: &str) -> Exception {
    let cells: Vec<&str> = text.split('\t').collect();
    let [file, exchanges, kind, at, ours, reason] = cells.as_slice() else {
        panic!("differences.tsv, line {line}: six cells are needed: {text}");
    };
    assert!(!reason.trim().is_empty(), "differences.tsv, line {line}: why?");
    Exception {
        line,
        file: (*file).to_owned(),
        exchanges: numbers(exchanges),
        kind: match *kind {
            "differs" => Kind::Differs,
            "pending" => Kind::Pending,
            "outside" => Kind::Outside,
            other => panic!("differences.tsv, line {line}: `{other}`"),
        },
        at: (*at).to_owned(),
        ours: (*ours).to_owned(),
        is_used: Cell::new(false),
    }
}

/// `*`, or numbers and ranges of them.
fn numbers(text: &str) -> BTreeSet<u32> {
    if text == "*" {
        return BTreeSet::new();
    }
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse::<u32>().unwrap()..=last.parse::<u32>().unwrap()
    };
    text.split(',').flat_map(range).collect()
}

/// Method and path without names of parameters, of every mounted route.
fn served() -> BTreeSet<String> {
    let routes = all_routes();
    let mounted = routes.mounted().iter();
    mounted
        .map(|mounted| {
            nameless(&format!(
                "{} {}{}",
                mounted.method,
                mounted.tree.base(),
                mounted.path
            ))
        })
        .collect()
}

fn nameless(route: &str) -> String {
    let parts = route.split('/');
    let parts = parts.map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}
