// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A restricted table answers every query as a physically filtered and masked copy would.

use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Int32Array, Int64Array, StringArray};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::Written;

fn schema() -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "type": "int", "required": true},
        {"id": 2, "name": "country", "type": "string", "required": false},
        {"id": 3, "name": "card", "type": "string", "required": false},
        {"id": 4, "name": "born", "type": "date", "required": false},
        {"id": 5, "name": "income", "type": "long", "required": false}
    ]})
}

/// `country < 'N'` keeps null too.
fn restrictions() -> Json {
    json!({
        "required-row-filter": {"type": "lt",
            "left": {"type": "reference", "id": 2},
            "right": {"type": "literal", "value": "N", "data-type": "string"}},
        "required-column-projections": [
            {"field-id": 3, "action": "show-last-4"},
            {"field-id": 4, "action": "truncate-to-year"},
            {"field-id": 5, "action": "replace-with-null"}
        ]
    })
}

type Person = (
    i32,
    Option<&'static str>,
    Option<&'static str>,
    Option<i32>,
    Option<i64>,
);

/// Days since the epoch of the first of years, and days inside them.
const PEOPLE: [Person; 8] = [
    (1, Some("DE"), Some("4111-1111-1234"), Some(3_653), Some(10)),
    (2, Some("NO"), Some("5500-0000-9999"), Some(3_700), Some(0)),
    (3, None, Some("4111-2222-1234"), Some(-100), None),
    (4, Some("FR"), None, None, Some(40)),
    (5, Some("SE"), Some("6011-0000-4444"), Some(7_500), Some(0)),
    (6, Some("DE"), Some("3400-000000-1"), Some(3_800), Some(60)),
    (7, None, Some("12"), Some(3_653), Some(0)),
    (8, Some("US"), Some("4111-1111-0000"), Some(9_000), Some(80)),
];

/// The same people, filtered and masked by hand.
const SHOWN: [Person; 5] = [
    (1, Some("DE"), Some("nnnn-nnnn-1234"), Some(3_652), None),
    (3, None, Some("nnnn-nnnn-1234"), Some(-365), None),
    (4, Some("FR"), None, None, None),
    (6, Some("DE"), Some("nnnn-nnnn00-1"), Some(3_652), None),
    (7, None, Some("12"), Some(3_652), None),
];

fn columns(people: &[Person]) -> Vec<ArrayRef> {
    vec![
        Arc::new(people.iter().map(|person| Some(person.0)).collect::<Int32Array>()),
        Arc::new(people.iter().map(|person| person.1).collect::<StringArray>()),
        Arc::new(people.iter().map(|person| person.2).collect::<StringArray>()),
        Arc::new(people.iter().map(|person| person.3).collect::<Date32Array>()),
        Arc::new(people.iter().map(|person| person.4).collect::<Int64Array>()),
    ]
}

async fn answers() -> (TempDir, String, String) {
    let directory = TempDir::new().unwrap();
    let mut governed = Written::new(&directory.path().join("governed"), schema(), None).await;
    for part in PEOPLE.chunks(3) {
        governed.append(columns(part), None).await;
    }
    let mut copy = Written::new(&directory.path().join("copy"), schema(), None).await;
    copy.append(columns(&SHOWN), None).await;
    let governed = governed.answer(&restrictions());
    let copy = copy.answer(&Json::Null);
    (directory, governed, copy)
}

const QUERIES: [&str; 30] = [
    "select * from t",
    "select count(*) from t",
    "select count(card), count(income), count(born) from t",
    "select min(card), max(card), min(born), max(born), min(id), max(id) from t",
    "select count(distinct card) from t",
    "select id from t where card = '4111-1111-1234'",
    "select id from t where card = 'nnnn-nnnn-1234'",
    "select id from t where card like '%1234' or card like '4%'",
    "select id from t where card between '4' and '5'",
    "select id from t where born > date '1980-06-01'",
    "select id from t where born = date '1980-01-01'",
    "select id from t where income = 10 or income is null",
    "select id from t where income > 0",
    "select id, card from t order by card desc nulls last, id limit 2",
    "select id from t order by income, id limit 3",
    "select card, count(*) from t group by card",
    "select substr(card, 1, 1), count(*) from t group by substr(card, 1, 1)",
    "select country, count(*) from t where country < 'F' group by country",
    "select id from t where country <> 'DE'",
    "select id from t where not (country = 'DE')",
    "select id from t where country is null",
    "select a.id, b.id from t a join t b on a.card = b.card",
    "select a.id from t a where a.card in (select card from t where id = 1)",
    "select id from t where exists (select 1 from t b where b.born = t.born and b.id > t.id)",
    "select case when card like '4%' then 'visa' else 'other' end, count(*) from t group by 1",
    "select id, row_number() over (partition by born order by card, id) from t order by id",
    "select sum(income), avg(income) from t",
    "with c as (select card c, id from t where id > 2) select c from c where c like 'n%'",
    "select id from t where id in (1, 2, 3, 5) union all select id from t where born is null",
    "select id from t where id >= 4 and country = 'DE' limit 10",
];

#[tokio::test]
async fn every_query_answers_as_the_copy_does() {
    let (_directory, governed, copy) = answers().await;
    for sql in QUERIES {
        assert_eq!(
            rows(sql, &[("t", &governed)]).await,
            rows(sql, &[("t", &copy)]).await,
            "{sql}"
        );
    }
}

#[tokio::test]
async fn hidden_rows_raise_no_errors() {
    let (_directory, governed, _) = answers().await;
    // 0 occurs as income of hidden rows only, and income itself is null for this user.
    let governed = governed.replace("{\"action\":\"replace-with-null\",\"field-id\":5}", "");
    for sql in [
        "select 100 / income from t where id <> 7",
        "select id from t where 100 / income > 1",
        "select id from t where 1 / (id - 2) < 10",
        "select max(1 / (id - 8)) from t",
    ] {
        let answer = ask(sql, &[("t", &governed)]).await;
        assert!(answer.is_ok(), "{sql}: {answer:?}");
    }
}

#[tokio::test]
async fn the_barrier_is_a_leaf_below_all_of_the_users_query() {
    let (_directory, governed, _) = answers().await;
    let sql = "explain select card, count(*) from t where card like 'n%' and country < 'F' group by card order by 2 limit 1";
    let plan = rows(sql, &[("t", &governed)]).await.join("\n");
    assert!(plan.contains("RestrictedScan: table=c.s.t"), "{plan}");
    let (above, scan) = plan.split_once("RestrictedScan").unwrap();
    assert!(above.contains("FilterExec"), "{plan}");
    // Neither the policy nor what is read is told.
    assert!(!scan.contains("'N'") && !scan.contains("parquet"), "{plan}");
}

#[tokio::test]
async fn query_local_hashes_join_within_one_query_only() {
    let (_directory, governed, _) = answers().await;
    let hashed = governed.replace("show-last-4", "sha-256-query-local");
    let joined = rows(
        "select a.id from t a join u b on a.card = b.card",
        &[("t", &hashed), ("u", &hashed)],
    )
    .await;
    assert_eq!(joined.len(), 4);
    let one = rows("select card from t where id = 1", &[("t", &hashed)]).await;
    let other = rows("select card from t where id = 1", &[("t", &hashed)]).await;
    assert_ne!(one, other);
}

#[tokio::test]
async fn a_false_filter_shows_nothing() {
    let (_directory, governed, _) = answers().await;
    let mut body: Json = serde_json::from_str(&governed).unwrap();
    *body
        .pointer_mut("/read-restrictions/required-row-filter")
        .unwrap() = json!(false);
    let body = body.to_string();
    assert_eq!(rows("select count(*) from t", &[("t", &body)]).await, ["| 0 |"]);
    assert!(rows("select * from t", &[("t", &body)]).await.is_empty());
}
