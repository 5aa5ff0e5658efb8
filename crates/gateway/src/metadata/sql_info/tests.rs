// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every claim about the engine's SQL, tried on the engine.

use std::time::Duration;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Int32Type, Int64Type, UInt32Type};
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials};
use lakeward_reader::session::{Session, SessionOptions};

use super::{CommandGetSqlInfo, SqlInfo, convertible, get_sql_info};

async fn ask(info: Vec<u32>) -> RecordBatch {
    let answer = get_sql_info(CommandGetSqlInfo { info }).unwrap();
    let batches: Vec<RecordBatch> = answer.batches.try_collect().await.unwrap();
    assert_eq!(batches.len(), 1);
    batches[0].clone()
}

/// The value of one fact, in its member of the union.
async fn fact(fact: SqlInfo) -> arrow::array::ArrayRef {
    let batch = ask(vec![u32::try_from(i32::from(fact)).unwrap()]).await;
    assert_eq!(batch.num_rows(), 1, "{fact:?}");
    batch
        .column(1)
        .as_any()
        .downcast_ref::<arrow::array::UnionArray>()
        .unwrap()
        .value(0)
}

async fn says(asked: SqlInfo) -> bool {
    fact(asked).await.as_boolean().value(0)
}

/// A session that needs no server, since it reads no tables.
fn session() -> Session {
    let connection = Connection::new(ConnectionOptions {
        iceberg: "http://127.0.0.1:9".parse().unwrap(),
        credentials: Credentials::None,
        identity: None,
        timeout: Duration::from_secs(1),
    });
    Session::new(connection.unwrap(), SessionOptions::default())
}

async fn runs(sql: &str) -> Result<String, String> {
    let answer = session().query(sql).await.map_err(|error| error.to_string())?;
    Ok(pretty_format_batches(&answer.batches).unwrap().to_string())
}

#[tokio::test]
async fn what_is_asked_for_is_answered_and_everything_else_is_not() {
    let some = ask(vec![0, 3, 4_000_000]).await;
    assert_eq!(some.column(0).as_primitive::<UInt32Type>().values(), &[0, 3]);
    let all = ask(Vec::new()).await;
    let numbers = all.column(0).as_primitive::<UInt32Type>();
    let known = (0..=576).filter(|number| SqlInfo::try_from(*number).is_ok());
    // Substrait's versions have no meaning without it; bulk loads are newer than some drivers.
    let left_out = [6, 7, 10, 11];
    let expected: Vec<u32> = known
        .filter(|number| !left_out.contains(number))
        .map(|number| u32::try_from(number).unwrap())
        .collect();
    assert_eq!(numbers.values(), &expected[..]);
}

#[tokio::test]
async fn values_have_the_types_that_drivers_cast_to() {
    for (name, expected) in [
        (SqlInfo::FlightSqlServerName, DataType::Utf8),
        (SqlInfo::FlightSqlServerReadOnly, DataType::Boolean),
        (SqlInfo::FlightSqlServerTransaction, DataType::Int32),
        (SqlInfo::SqlDefaultTransactionIsolation, DataType::Int64),
        (SqlInfo::SqlMaxStatements, DataType::Int64),
        (SqlInfo::SqlSupportedGroupBy, DataType::Int32),
        (SqlInfo::SqlOuterJoinsSupportLevel, DataType::Int32),
    ] {
        assert_eq!(fact(name).await.data_type(), &expected, "{name:?}");
    }
    for list in [SqlInfo::SqlKeywords, SqlInfo::SqlSystemFunctions] {
        assert!(fact(list).await.as_list::<i32>().value(0).len() > 10, "{list:?}");
    }
    assert!(says(SqlInfo::FlightSqlServerReadOnly).await);
}

#[tokio::test]
async fn the_grammar_is_the_engine_s() {
    let rows = "(VALUES (1, 'b'), (2, 'a'), (3, 'a')) AS t(n, s)";
    for (claim, sql) in [
        (
            SqlInfo::SqlSupportsColumnAliasing,
            format!("SELECT n AS m FROM {rows}"),
        ),
        (
            SqlInfo::SqlSupportsExpressionsInOrderBy,
            format!("SELECT n FROM {rows} ORDER BY n + 1"),
        ),
        (
            SqlInfo::SqlSupportsOrderByUnrelated,
            format!("SELECT n FROM {rows} ORDER BY s"),
        ),
        (
            SqlInfo::SqlSupportsTableCorrelationNames,
            format!("SELECT t.n FROM {rows}"),
        ),
        (
            SqlInfo::SqlCorrelatedSubqueriesSupported,
            "WITH a AS (SELECT 1 AS n), b AS (SELECT 1 AS n) \
             SELECT n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.n = a.n)"
                .to_owned(),
        ),
        (
            SqlInfo::SqlSupportsLikeEscapeClause,
            format!("SELECT n FROM {rows} WHERE s LIKE 'a!%' ESCAPE '!'"),
        ),
        (SqlInfo::SqlDdlTable, "CREATE TABLE x (a INT)".to_owned()),
        (SqlInfo::SqlDdlSchema, "CREATE SCHEMA x".to_owned()),
        (SqlInfo::SqlTransactionsSupported, "BEGIN".to_owned()),
        (SqlInfo::SqlSavepointsSupported, "SAVEPOINT x".to_owned()),
    ] {
        assert_eq!(
            runs(&sql).await.is_ok(),
            says(claim).await,
            "{claim:?}: {:?}",
            runs(&sql).await
        );
    }
    let alike = says(SqlInfo::SqlSupportsDifferentTableCorrelationNames).await;
    let named_alike = runs("WITH a AS (SELECT 1 AS n) SELECT a.n FROM a AS a")
        .await
        .is_err();
    assert_eq!(named_alike, alike);
}

#[tokio::test]
async fn the_bits_are_the_engine_s() {
    let t = "(VALUES (1, 'b'), (2, 'a')) AS t(n, s)";
    let u = "(VALUES (1), (3)) AS u(m)";
    for (claim, bit, sql) in [
        (
            SqlInfo::SqlSupportedGroupBy,
            0,
            format!("SELECT count(*) FROM {t} GROUP BY s"),
        ),
        (
            SqlInfo::SqlSupportedGroupBy,
            1,
            format!("SELECT s FROM {t} GROUP BY s, n"),
        ),
        (
            SqlInfo::SqlOuterJoinsSupportLevel,
            1,
            format!("SELECT * FROM {t} LEFT JOIN {u} ON n = m"),
        ),
        (
            SqlInfo::SqlOuterJoinsSupportLevel,
            2,
            format!("SELECT * FROM {t} FULL JOIN {u} ON n = m"),
        ),
        (
            SqlInfo::SqlSupportedUnions,
            0,
            "SELECT 1 UNION SELECT 2".to_owned(),
        ),
        (
            SqlInfo::SqlSupportedUnions,
            1,
            "SELECT 1 UNION ALL SELECT 2".to_owned(),
        ),
        (
            SqlInfo::SqlSupportedSubqueries,
            0,
            format!("SELECT n FROM {t} WHERE n = (SELECT min(m) FROM {u})"),
        ),
        (
            SqlInfo::SqlSupportedSubqueries,
            1,
            format!("SELECT n FROM {t} WHERE EXISTS (SELECT 1 FROM {u} WHERE m = n)"),
        ),
        (
            SqlInfo::SqlSupportedSubqueries,
            2,
            format!("SELECT n FROM {t} WHERE n IN (SELECT m FROM {u})"),
        ),
        (
            SqlInfo::SqlSupportedSubqueries,
            3,
            format!("SELECT n FROM {t} WHERE n >= ALL (SELECT m FROM {u})"),
        ),
    ] {
        let mask = fact(claim).await.as_primitive::<Int32Type>().value(0);
        let answer = runs(&sql).await;
        assert_eq!(
            answer.is_ok(),
            mask & (1 << bit) != 0,
            "{claim:?} {bit}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn quantified_subqueries_mean_what_they_say() {
    for (condition, expected) in [
        ("n = ANY (SELECT m FROM u)", 1),
        ("n >= ALL (SELECT m FROM u)", 2),
        ("n > ALL (SELECT m FROM u WHERE m > 9)", 3),
        ("n < SOME (SELECT m FROM u)", 1),
    ] {
        let sql = format!(
            "WITH t(n) AS (VALUES (1), (2), (3)), u(m) AS (VALUES (0), (2)) SELECT n FROM t WHERE {condition}"
        );
        let answer = session().query(&sql).await;
        assert_eq!(
            answer.map(|answer| answer.rows()).unwrap(),
            expected,
            "{condition}"
        );
    }
}

#[tokio::test]
async fn nulls_sort_as_told_and_names_fold_as_told() {
    assert_eq!(
        fact(SqlInfo::SqlNullOrdering)
            .await
            .as_primitive::<Int64Type>()
            .value(0),
        0,
        "high"
    );
    for (direction, last) in [("ASC", true), ("DESC", false)] {
        let sql = format!("SELECT n FROM (VALUES (1), (NULL)) AS t(n) ORDER BY n {direction}");
        let answer = session().query(&sql).await.unwrap();
        let column = answer.batches[0].column(0);
        assert_eq!(column.is_null(1), last, "{direction}");
    }
    assert!(says(SqlInfo::SqlNullPlusNullIsNull).await);
    assert!(
        session().query("SELECT 'a' || NULL AS x").await.unwrap().batches[0]
            .column(0)
            .is_null(0)
    );
    assert_eq!(
        fact(SqlInfo::SqlIdentifierCase)
            .await
            .as_primitive::<Int64Type>()
            .value(0),
        3,
        "lower"
    );
    assert!(
        runs("SELECT NAME FROM (SELECT 1 AS Name) AS t")
            .await
            .unwrap()
            .contains("name")
    );
    assert!(
        runs("SELECT \"Name\" FROM (SELECT 1 AS \"Name\") AS t")
            .await
            .unwrap()
            .contains("Name")
    );
    assert!(
        runs("SELECT 'a_b' LIKE 'a\\_b', 'axb' LIKE 'a\\_b'")
            .await
            .unwrap()
            .contains("| true")
    );
}

#[test]
fn every_convertible_type_is_named_once() {
    let mut names: Vec<i32> = convertible().iter().map(|(name, _)| i32::from(*name)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), convertible().len());
}
