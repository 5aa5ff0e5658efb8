// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The mounted routes are the rows of `protocols/gravitino.tsv`: what is mounted is written down, what is written down as
//! served is mounted, and what is left for later only shrinks.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;

use lakeward_server::http::routes::Tree;
use lakeward_server::listing::all_routes;

/// How many routes of the original are not served yet. Lower it when a row becomes `served`; never raise it.
const LATER: usize = 0;

type Route = (String, String);

/// A path with its parameters nameless: their names are nobody's business.
fn shape(path: &str) -> String {
    path.split('/')
        .map(|segment| if segment.starts_with('{') { "{}" } else { segment })
        .collect::<Vec<_>>()
        .join("/")
}

fn rows(states: &[&str]) -> BTreeSet<Route> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols/gravitino.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let mut columns = line.split('\t');
            let (method, path) = (columns.next().unwrap(), columns.next().unwrap());
            let statuses = columns.next().unwrap();
            let state = columns.next().unwrap();
            assert!(columns.next().is_none(), "{line}");
            assert!(["served", "later", "ours"].contains(&state), "{line}");
            assert!(
                statuses.split(' ').all(|status| status.parse::<u16>().is_ok()),
                "{line}"
            );
            states.contains(&state).then(|| (method.to_owned(), shape(path)))
        })
        .collect()
}

fn mounted() -> BTreeSet<Route> {
    all_routes()
        .mounted()
        .iter()
        .filter(|mounted| mounted.tree != Tree::Iceberg)
        .map(|mounted| {
            let path = format!("{}{}", mounted.tree.base(), mounted.path);
            (mounted.method.to_string(), shape(&path))
        })
        .collect()
}

#[test]
fn mounted_routes_are_the_rows() {
    let (rows, mounted) = (rows(&["served", "ours"]), mounted());
    let missing: Vec<_> = rows.difference(&mounted).collect();
    let unknown: Vec<_> = mounted.difference(&rows).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "written down as served, but not mounted: {missing:#?}\nmounted, but not written down: {unknown:#?}"
    );
}

#[test]
fn what_is_left_for_later_only_shrinks() {
    assert_eq!(
        rows(&["later"]).len(),
        LATER,
        "lower the constant when the list has become shorter; a longer list is a step back"
    );
}
