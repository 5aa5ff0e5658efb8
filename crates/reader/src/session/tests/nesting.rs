// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements that are nested deeply end in an answer or a refusal, on the stack that threads have.

use std::sync::Arc;

use datafusion::catalog::MemoryCatalogProviderList;

use super::start;
use crate::session::size::STACK_BYTES;
use crate::session::{SessionOptions, sandbox};

/// Each construct: what stands around, what is repeated, the innermost, what is repeated behind it, the end.
const CONSTRUCTS: [[&str; 5]; 30] = [
    ["SELECT ", "(", "1", ")", ""],
    ["SELECT ", "(1 + ", "1", ")", ""],
    ["SELECT ", "abs(", "1", ")", ""],
    ["SELECT ", "coalesce(NULL, ", "1", ")", ""],
    ["SELECT ", "-", "1", "", ""],
    ["SELECT ", "- ", "1", "", ""],
    ["SELECT ", "NOT ", "true", "", ""],
    ["SELECT ", "CASE WHEN true THEN ", "1", " END", ""],
    ["SELECT ", "CASE ", "1", " WHEN 1 THEN 1 END", ""],
    ["SELECT ", "CASE WHEN true THEN 1 ELSE ", "1", " END", ""],
    ["SELECT ", "CAST(", "1", " AS INT)", ""],
    ["SELECT ", "TRY_CAST(", "1", " AS INT)", ""],
    ["SELECT ", "TRIM(", "'a'", ")", ""],
    ["SELECT ", "EXISTS (SELECT ", "1", ")", ""],
    ["SELECT ", "(SELECT ", "1", ")", ""],
    ["SELECT ", "1 IN (SELECT ", "1", ")", ""],
    ["SELECT ", "1 IN (", "1", ")", ""],
    ["", "SELECT * FROM (", "SELECT 1", ")", ""],
    ["", "WITH t AS (", "SELECT 1", ") SELECT * FROM t", ""],
    ["", "(", "SELECT 1", ")", ""],
    ["", "SELECT 1 UNION (", "SELECT 1", ")", ""],
    ["SELECT ", "[", "1", "]", ""],
    ["SELECT ", "[1, ", "[1]", "]", ""],
    ["SELECT ", "{'a': ", "1", "}", ""],
    ["SELECT ", "struct(", "1", ")", ""],
    ["SELECT CAST(NULL AS ", "ARRAY<", "INT", ">", ")"],
    ["SELECT CAST(NULL AS ", "STRUCT<a ", "INT", ">", ")"],
    ["SELECT CAST(NULL AS ", "MAP(INT, ", "INT", ")", ")"],
    ["SELECT CAST(NULL AS INT", "[]", "", "", ")"],
    [
        "SELECT * FROM ",
        "(",
        "(SELECT 1) JOIN (SELECT 2) ON true",
        ")",
        "",
    ],
];

#[test]
fn nothing_that_is_nested_takes_the_process_down() {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for [begin, before, innermost, behind, end] in CONSTRUCTS {
                let mut answered = 0;
                let mut refused = String::new();
                for depth in [1, 2, 5, 9, 12, 24, 36, 48, 49, 50, 60, 100, 190, 1000, 20_000] {
                    let sql = format!(
                        "{begin}{}{innermost}{}{end}",
                        before.repeat(depth),
                        behind.repeat(depth)
                    );
                    let began = std::time::Instant::now();
                    let run = async { start(&sql, &[], None).await?.collect(None).await };
                    match run.await {
                        Ok(_) => answered = depth,
                        Err(cause) => refused = cause.to_string(),
                    }
                    let took = began.elapsed();
                    assert!(took.as_secs() < 120, "{before} {depth}: {took:?}");
                    assert!(depth < 1000 || answered < depth, "{before} {depth}");
                }
                assert!(!refused.is_empty(), "{before}");
            }
        });
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(run).unwrap().join().unwrap();
}

/// The bound that `docs/gateway-limits.md` tells.
#[test]
fn brackets_are_bounded_by_the_parser() {
    let state = sandbox::state(
        &SessionOptions::default(),
        Arc::new(MemoryCatalogProviderList::new()),
    );
    assert_eq!(state.unwrap().config().options().sql_parser.recursion_limit, 50);
}
