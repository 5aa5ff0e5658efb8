// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is mounted of the Iceberg protocol is what `protocols/iceberg-rest.tsv` says, row by row, and what is not served
//! yet is a list that shrinks. `protocol_rows.rs` does the same for the native protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lakeward_server::http::routes::Tree;
use lakeward_server::listing::all_routes;

/// How many routes of the protocol are not served yet. Lower it when one more is; never raise it.
const LATER: usize = 0;

/// Method and path, with the names of parameters taken out.
type Route = (String, String);

fn rows(file: &str) -> BTreeMap<Route, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../protocols")
        .join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            ((cells[0].to_owned(), nameless(cells[1])), cells[3].to_owned())
        })
        .collect()
}

fn nameless(path: &str) -> String {
    let segments = path
        .split('/')
        .map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

fn mounted(tree: Tree) -> BTreeSet<Route> {
    all_routes()
        .mounted()
        .iter()
        .filter(|mounted| mounted.tree == tree)
        .map(|mounted| {
            let path = format!("{}{}", mounted.tree.base(), mounted.path);
            (mounted.method.to_string(), nameless(&path))
        })
        .collect()
}

#[test]
fn the_iceberg_protocol() {
    let rows = rows("iceberg-rest.tsv");
    let of_state = |wanted: &[&str]| -> BTreeSet<Route> {
        rows.iter()
            .filter(|(_, state)| wanted.contains(&state.as_str()))
            .map(|(route, _)| route.clone())
            .collect()
    };
    let here = of_state(&["served", "ours"]);
    let mounted = mounted(Tree::Iceberg);
    let differing: Vec<_> = here.symmetric_difference(&mounted).collect();
    assert!(
        differing.is_empty(),
        "the rows and the mounted routes differ: {differing:#?}"
    );
    let later = of_state(&["later"]).len();
    assert_eq!(
        later, LATER,
        "the routes left for later; lower the number, never raise it"
    );
}
