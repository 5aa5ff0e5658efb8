// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions that make much of little stay within the memory of their query.

use super::{rows, start};
use crate::error::ReaderError;
use crate::session::resources::Resources;

const MIB: usize = 1024 * 1024;

/// Runs it with this much memory; the number of rows.
async fn within(sql: &str, memory: usize) -> Result<usize, ReaderError> {
    let share = Resources::of_one_query(memory).of_user("ann");
    let answer = start(sql, &[], Some(share)).await?.collect(None).await?;
    Ok(answer.rows())
}

/// Numbers from 1 that are no constants to the engine.
const ROWS: &str = "(SELECT * FROM (VALUES (1), (2), (3)) AS v(n))";

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let mut doubled = "WITH t0 AS (SELECT 'a text' || n AS x FROM (VALUES (1), (2)) AS v(n))".to_owned();
    for part in 1..32 {
        let of = part - 1;
        doubled.push_str(&format!(", t{part} AS (SELECT x || x AS x FROM t{of})"));
    }
    let many: Vec<String> = (0..200)
        .map(|at| format!("repeat('x', 1000000 + {at} + n) AS c{at}"))
        .collect();
    for sql in [
        "SELECT repeat('x', 1000000000)".to_owned(),
        "SELECT length(repeat('x', 1000000000))".to_owned(),
        format!("SELECT repeat('x', n * 100000000) FROM {ROWS}"),
        "SELECT lpad('x', 1000000000)".to_owned(),
        format!("SELECT rpad('x', 100000000 + cast(n AS int), 'ab') FROM {ROWS}"),
        "SELECT range(1000000000)".to_owned(),
        "SELECT range(1, 1000000000)".to_owned(),
        format!("SELECT cardinality(generate_series(n, 1000000000, 2)) FROM {ROWS}"),
        "SELECT generate_series(DATE '0001-01-01', DATE '9999-12-31', INTERVAL '1' DAY), \
                generate_series(DATE '0001-01-02', DATE '9999-12-31', INTERVAL '1' DAY)"
            .to_owned(),
        "SELECT range(TIMESTAMP '2020-01-01', TIMESTAMP '2021-01-01', INTERVAL '1' SECOND)".to_owned(),
        "SELECT array_repeat('x', 1000000000)".to_owned(),
        format!("SELECT array_repeat([n, n], 100000000) FROM {ROWS}"),
        "SELECT array_resize([1], 1000000000, 0)".to_owned(),
        format!("SELECT array_resize([n], 1000000000) FROM {ROWS}"),
        format!("SELECT replace(repeat('x', 100000 + n), 'x', repeat('y', 100000)) FROM {ROWS}"),
        format!("SELECT regexp_replace(repeat('x', 100000 + n), 'x', repeat('y', 100000), 'g') FROM {ROWS}"),
        format!("SELECT concat_ws(repeat('x', 9000000), n, n, n, n, n, n, n, n, n) FROM {ROWS}"),
        format!("SELECT array_to_string(range(100000 + n), repeat('x', 100000)) FROM {ROWS}"),
        format!("SELECT string_to_array(repeat('x', 2000000 + n), NULL) FROM {ROWS}"),
        format!("{doubled} SELECT x FROM t31"),
        // Each fits, all together do not.
        format!("SELECT {} FROM {ROWS}", many.join(", ")),
    ] {
        let refused = within(&sql, 16 * MIB).await.unwrap_err();
        assert!(
            matches!(refused.root(), ReaderError::Exhausted(_)),
            "{:.90}: {refused:?}",
            sql
        );
    }
}

#[tokio::test]
async fn what_fits_is_as_before() {
    for (sql, expected) in [
        (
            format!("SELECT length(repeat('ab', 100000 + n)) FROM {ROWS}"),
            "| 200002 | | 200004 | | 200006 |",
        ),
        ("SELECT length(repeat('ab', 1000000))".to_owned(), "| 2000000 |"),
        (
            format!("SELECT cardinality(range(100000 + n)) FROM {ROWS}"),
            "| 100001 | | 100002 | | 100003 |",
        ),
        (format!("SELECT n || 'a' || NULL FROM {ROWS}"), "| | | | | |"),
        (
            format!("SELECT n || 'a' || n FROM {ROWS}"),
            "| 1a1 | | 2a2 | | 3a3 |",
        ),
        (
            format!("SELECT [n] || [n] FROM {ROWS}"),
            "| [1, 1] | | [2, 2] | | [3, 3] |",
        ),
        (
            format!("SELECT [n] || n FROM {ROWS}"),
            "| [1, 1] | | [2, 2] | | [3, 3] |",
        ),
        ("SELECT 'a' || 'b' || 1".to_owned(), "| ab1 |"),
        (
            format!(
                "SELECT replace(repeat('x', 30000 + n), 'x', 'yy') = repeat('yy', 30000 + n) FROM {ROWS}"
            ),
            "| true | | true | | true |",
        ),
        (
            format!("SELECT array_to_string(array_repeat('x', 2), '-') || concat_ws(', ', n, n) FROM {ROWS}"),
            "| x-x1, 1 | | x-x2, 2 | | x-x3, 3 |",
        ),
        (
            format!("SELECT max(x || x) FROM (SELECT concat('a', n) AS x FROM {ROWS}) GROUP BY x || x"),
            "| a1a1 | | a2a2 | | a3a3 |",
        ),
    ] {
        assert_eq!(rows(&sql, &[]).await.join(" "), expected, "{sql}");
    }
}

#[tokio::test]
async fn columns_are_named_as_before() {
    let running = start(
        &format!("SELECT n || 'a' || n, repeat('x', n) FROM {ROWS}"),
        &[],
        None,
    )
    .await
    .unwrap();
    let names: Vec<&str> = running
        .schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    assert_eq!(names, ["v.n || Utf8(\"a\") || v.n", "repeat(Utf8(\"x\"),v.n)"]);
}

#[tokio::test]
async fn memory_is_given_back() {
    // A megabyte for each of many batches.
    let sql = "SELECT count(x) FROM (SELECT repeat('x', 100 + cast(n % 7 AS int)) AS x FROM \
               (SELECT unnest(range(200000)) AS n))";
    assert_eq!(within(sql, 24 * MIB).await.unwrap(), 1);
}
