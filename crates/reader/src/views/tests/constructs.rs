// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which SQL is expanded, which is refused, and what is said.

use tempfile::TempDir;

use super::{rows, serving, view};

/// What a view with this SQL shows through `select *`; the columns are its schema.
async fn shown(dialect: &str, sql: &str, columns: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let directory = TempDir::new().unwrap();
    let server = serving(&directory, &[("v", view(columns, &[(dialect, sql)]))]).await;
    rows(&server.session(), "select * from v").await
}

#[tokio::test]
async fn what_means_the_same_is_expanded() {
    let int = [("a", "int")];
    let long = [("a", "long")];
    let text = [("a", "string")];
    let mut wrong = Vec::new();
    for (dialect, sql, columns, expected) in [
        ("spark", "SELECT X AS a FROM T", &int[..], None),
        (
            "spark",
            "SELECT X AS a FROM `t` WHERE CustomerID = 20;",
            &int,
            Some(&["| 2 |"][..]),
        ),
        (
            "spark",
            "SELECT x FROM s.t WHERE customerid IN (20, 40)",
            &int,
            Some(&["| 2 |"]),
        ),
        (
            "trino",
            "SELECT \"X\" + CAST(0 AS DECIMAL(1, 0)) FROM c.s.t WHERE x = 2",
            &[("a", "decimal(12, 0)")],
            Some(&["| 2 |"]),
        ),
        (
            "duckdb",
            "SELECT name || '!' FROM t WHERE name IS NOT NULL",
            &text,
            Some(&["| xxx! |"]),
        ),
        ("postgres", "SELECT count(*) FROM t", &long, Some(&["| 2 |"])),
        (
            "ansi",
            "SELECT x FROM t WHERE day >= DATE '1970-02-15'",
            &int,
            Some(&["| 3 |"]),
        ),
        (
            "datafusion",
            "SELECT x FROM t WHERE x BETWEEN 2 AND 2",
            &int,
            Some(&["| 2 |"]),
        ),
        (
            "Spark",
            "SELECT coalesce(name, 'none') FROM t",
            &text,
            Some(&["| none |", "| xxx |"]),
        ),
        (
            "spark",
            "SELECT CASE WHEN x = 2 THEN 'two' ELSE 'more' END FROM t",
            &text,
            Some(&["| more |", "| two |"]),
        ),
        ("spark", "SELECT sum(x) FROM t", &long, Some(&["| 5 |"])),
        // The schema says a narrower type than this engine computes; a value that fits is shown.
        (
            "spark",
            "SELECT count(DISTINCT name) FROM t",
            &int,
            Some(&["| 1 |"]),
        ),
        (
            "trino",
            "SELECT substring(name, 1, 2) FROM t WHERE name LIKE 'x%'",
            &text,
            Some(&["| xx |"]),
        ),
        (
            "trino",
            "SELECT EXTRACT(MONTH FROM day) FROM t",
            &int,
            Some(&["| 2 |", "| 3 |"]),
        ),
        (
            "trino",
            "SELECT price * price FROM t WHERE x = 2",
            &[("a", "decimal(21, 4)")],
            Some(&["| 6.2500 |"]),
        ),
        (
            "trino",
            "SELECT a.x FROM t a LEFT JOIN t b ON a.x = b.x AND b.x = 3",
            &int,
            Some(&["| 2 |", "| 3 |"]),
        ),
        (
            "spark",
            "WITH Q AS (SELECT x FROM t) SELECT x FROM q UNION ALL SELECT 7",
            &int,
            Some(&["| 2 |", "| 3 |", "| 7 |"]),
        ),
        (
            "spark",
            "SELECT x FROM t EXCEPT SELECT x FROM t WHERE x = 2",
            &int,
            Some(&["| 3 |"]),
        ),
        (
            "trino",
            "SELECT x FROM t o WHERE EXISTS (SELECT 1 FROM t i WHERE i.x = o.x AND i.x = 2)",
            &int,
            Some(&["| 2 |"]),
        ),
        (
            "trino",
            "SELECT x FROM (SELECT x, name FROM t) AS d GROUP BY x HAVING count(*) = 1",
            &int,
            Some(&["| 2 |", "| 3 |"]),
        ),
        (
            "trino",
            "SELECT x FROM t ORDER BY x DESC NULLS LAST LIMIT 1",
            &int,
            Some(&["| 3 |"]),
        ),
    ] {
        let found = shown(dialect, sql, columns).await;
        match expected {
            Some(expected) => {
                if found.as_ref().is_err() || found.as_ref().is_ok_and(|found| found != expected) {
                    wrong.push(format!("{dialect}: {sql}: {found:?}"));
                }
            }
            // Spark hands names of tables on as they are written.
            None => assert!(
                found
                    .unwrap_err()
                    .contains("does not exist, or you may not see it"),
                "{sql}"
            ),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn everything_else_is_refused_by_name() {
    let mut wrong = Vec::new();
    for (dialect, sql, said) in [
        (
            "snowflake",
            "SELECT x FROM t",
            "the dialect `snowflake` is not known",
        ),
        ("spark", "SELECT x FROM t WHERE name = 'a\\n'", "a backslash"),
        (
            "spark",
            "SELECT x FROM t WHERE name = \"a\"",
            "text in double quotes",
        ),
        ("spark", "SELECT x FROM t VERSION AS OF 3", "time travel"),
        ("trino", "SELECT x FROM t FOR VERSION AS OF 3", "trino"),
        ("trino", "SELECT x / 2 FROM t", "division"),
        ("trino", "SELECT x % 2 FROM t", "the operator `%`"),
        ("trino", "SELECT x + 1 FROM t", "arithmetic of integers"),
        ("trino", "SELECT x FROM t WHERE ratio > 1", "Float64"),
        (
            "trino",
            "SELECT x FROM t WHERE price > 1.5",
            "a comparison of Decimal128(10, 2) with Float64",
        ),
        ("trino", "SELECT x FROM t WHERE name = 1", "a comparison of"),
        (
            "trino",
            "SELECT x FROM t WHERE day = '2020-01-01'",
            "a comparison of",
        ),
        (
            "trino",
            "SELECT x FROM t WHERE day = DATE '1.1.20'",
            "a date that is not written",
        ),
        (
            "trino",
            "SELECT x FROM t WHERE day > current_date",
            "`current_date`",
        ),
        ("trino", "SELECT max(ratio) FROM t", "Float64"),
        ("trino", "SELECT DISTINCT ratio FROM t", "Float64"),
        ("trino", "SELECT count(*) FROM t GROUP BY ratio", "Float64"),
        ("postgres", "SELECT max(name) FROM t", "an order of text"),
        ("postgres", "SELECT x FROM t WHERE name < 'b'", "an order of text"),
        (
            "spark",
            "SELECT sum(customerId) FROM t",
            "`sum` of 64-bit integers",
        ),
        ("spark", "SELECT avg(price) FROM t", "`avg` of"),
        ("spark", "SELECT upper(name) FROM t", "the function `upper`"),
        (
            "spark",
            "SELECT concat(name, name) FROM t",
            "the function `concat`",
        ),
        ("spark", "SELECT current_user()", "the function `current_user`"),
        (
            "spark",
            "SELECT row_number() OVER (ORDER BY x) FROM t",
            "the function `row_number`",
        ),
        (
            "spark",
            "SELECT sum(x) OVER (PARTITION BY name) FROM t",
            "a window function",
        ),
        ("spark", "SELECT count(*) FILTER (WHERE x = 1) FROM t", "`FILTER`"),
        ("spark", "SELECT CAST(x AS VARCHAR(1)) FROM t", "a cast to"),
        ("spark", "SELECT CAST(name AS INT) FROM t", "a cast from"),
        (
            "spark",
            "SELECT TRY_CAST(x AS BIGINT) FROM t",
            "a cast other than",
        ),
        ("trino", "SELECT CAST(ratio AS INTEGER) FROM t", "a cast from"),
        ("trino", "SELECT x FROM t ORDER BY x", "without `NULLS FIRST`"),
        ("trino", "SELECT x FROM t LIMIT 1", "`LIMIT` without `ORDER BY`"),
        (
            "trino",
            "SELECT x FROM t TABLESAMPLE BERNOULLI (1)",
            "`TABLESAMPLE`",
        ),
        ("trino", "SELECT t.x FROM t JOIN t b USING (x)", "`USING`"),
        ("trino", "SELECT x FROM t NATURAL JOIN t b", "`NATURAL`"),
        (
            "trino",
            "SELECT x FROM t WHERE x NOT IN (SELECT x FROM t)",
            "`NOT IN`",
        ),
        (
            "trino",
            "SELECT (SELECT max(x) FROM t)",
            "a query in place of a value",
        ),
        (
            "trino",
            "SELECT a.x FROM t a, LATERAL (SELECT a.x) b",
            "`LATERAL`",
        ),
        ("trino", "SELECT x FROM UNNEST(ARRAY[1]) AS u(x)", "trino"),
        ("spark", "SELECT explode(x) FROM t", "the function `explode`"),
        ("spark", "SELECT x FROM range(3)", "the table function"),
        ("spark", "VALUES (1)", "`VALUES`"),
        (
            "spark",
            "SELECT x AS price FROM t GROUP BY x, price",
            "the alias `price`",
        ),
        ("spark", "SELECT x FROM t GROUP BY ALL", "`GROUP BY ALL`"),
        (
            "spark",
            "SELECT x FROM t GROUP BY x WITH ROLLUP",
            "a modifier of `GROUP BY`",
        ),
        ("spark", "SELECT x FROM t CLUSTER BY x", "`CLUSTER BY`"),
        ("duckdb", "SELECT * EXCLUDE (x) FROM t", "behind `*`"),
        ("duckdb", "FROM t SELECT x", "`FROM` before `SELECT`"),
        ("duckdb", "SELECT x FROM t QUALIFY x = 1", "`QUALIFY`"),
        ("duckdb", "SELECT x FROM 'file.parquet'", "you may not see it"),
        ("postgres", "SELECT DISTINCT ON (x) x FROM t", "`DISTINCT ON`"),
        (
            "postgres",
            "SELECT x FROM t WHERE name ILIKE 'a'",
            "a match other than",
        ),
        ("postgres", "SELECT x FROM t WHERE name ~ 'a'", "the operator `~`"),
        (
            "postgres",
            "WITH RECURSIVE r AS (SELECT 1 AS x) SELECT x FROM r",
            "`WITH RECURSIVE`",
        ),
        ("spark", "DROP TABLE t", "no query"),
        ("spark", "SELECT 1; SELECT 2", "several statements"),
        ("spark", "SELECT x FROM", "spark"),
    ] {
        match shown(dialect, sql, &[("a", "int")]).await {
            Err(refused) if refused.contains(said) && refused.contains("`c.s.v`") => {}
            other => wrong.push(format!("{dialect}: {sql}: {other:?}, not {said}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_view_that_no_longer_fits_is_refused() {
    let all = [
        ("x", "int"),
        ("name", "string"),
        ("customerid", "long"),
        ("price", "decimal(10, 2)"),
        ("ratio", "double"),
        ("day", "date"),
    ];
    assert_eq!(
        shown("spark", "SELECT * FROM t WHERE x = 2", &all).await.unwrap(),
        ["| 2 | xxx | 20 | 2.50 | 1.5 | 1970-02-01 |"]
    );
    let mut moved = all;
    moved.swap(0, 2);
    for (sql, columns, said) in [
        (
            "SELECT * FROM t",
            &moved[..],
            "made with `customerid`, and takes its columns from `*`",
        ),
        (
            "SELECT * FROM t",
            &all[1..],
            "gives 6 columns now and was made with 5",
        ),
        ("SELECT name FROM t", &[("a", "int")], "is of type"),
        ("SELECT price FROM t", &[("a", "decimal(10, 1)")], "is of type"),
        ("SELECT ratio FROM t", &[("a", "float")], "is of type"),
        ("SELECT gone FROM t", &[("a", "int")], "gone"),
    ] {
        let refused = shown("spark", sql, columns).await.expect_err(sql);
        assert!(refused.contains(said), "{sql}: {refused}");
    }
    // A number that does not fit fails; it is not cut.
    let wide = "SELECT customerId * CAST(1000000000000 AS DECIMAL(13, 0)) FROM t";
    assert!(shown("spark", wide, &[("a", "decimal(10, 0)")]).await.is_err());
}

#[tokio::test]
async fn no_text_of_a_view_can_end_or_stall_the_process() {
    let int = [("a", "int")];
    let doubled: Vec<String> = (1..=40)
        .map(|level| {
            format!(
                "c{level} AS (SELECT a.x FROM c{0} a CROSS JOIN c{0} b)",
                level - 1
            )
        })
        .collect();
    let doubled = format!(
        "WITH c0 AS (SELECT x FROM t), {} SELECT x AS a FROM c40",
        doubled.join(", ")
    );
    for (what, sql) in [
        ("chain", format!("SELECT {}x AS a FROM t", "NOT ".repeat(100_000))),
        ("chain", format!("SELECT x{} AS a FROM t", " + 1".repeat(100_000))),
        (
            "bytes",
            format!("SELECT x AS a FROM t WHERE name = '{}'", "x".repeat(2 << 20)),
        ),
        ("1024 tables", doubled),
    ] {
        let said = shown("datafusion", &sql, &int).await.unwrap_err();
        assert!(
            said.contains(what),
            "{what}: {}",
            said.chars().take(300).collect::<String>()
        );
    }
}

#[tokio::test]
async fn a_statement_comes_to_a_bounded_number_of_tables() {
    let directory = TempDir::new().unwrap();
    let server = serving(&directory, &[]).await;
    let names: Vec<String> = (0..1100)
        .map(|number| format!("SELECT x FROM t{number}"))
        .collect();
    let lists: Vec<String> = names.iter().map(|name| format!("({name})")).collect();
    let said = rows(&server.session(), &format!("SELECT {}", lists.join(", ")))
        .await
        .unwrap_err();
    assert!(said.contains("1024 tables"), "{said}");
}
