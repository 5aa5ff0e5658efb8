// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A sample shows what both subjects may see, and tells nothing of what the caller may not.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray};
use arrow::util::pretty::pretty_format_batches;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::super::{Sample, SessionOptions, run_sample};
use crate::error::ReaderError;
use crate::load_table;
use crate::table_name::TableName;
use crate::written_tables::Written;

/// id, region, ssn, card; one file in this order.
type Person = (i32, Option<&'static str>, &'static str, Option<&'static str>);

const PEOPLE: [Person; 5] = [
    (1, Some("EU"), "900-11", Some("4111-1234")),
    (2, Some("US"), "100-22", Some("5500-9999")),
    (3, Some("EU"), "500-33", None),
    (4, None, "700-44", Some("12")),
    (5, Some("EU"), "300-55", Some("6011-4444")),
];

async fn table(people: &[Person], restrictions: &Json) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "type": "int", "required": true},
        {"id": 2, "name": "region", "type": "string", "required": false},
        {"id": 3, "name": "ssn", "type": "string", "required": true},
        {"id": 4, "name": "card \"no\"", "type": "string", "required": false}
    ]});
    let mut written = Written::new(folder.path(), schema, None).await;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values(people.iter().map(|person| person.0))),
        Arc::new(StringArray::from_iter(people.iter().map(|person| person.1))),
        Arc::new(StringArray::from_iter_values(
            people.iter().map(|person| person.2),
        )),
        Arc::new(StringArray::from_iter(people.iter().map(|person| person.3))),
    ];
    written.append(columns, None).await;
    let answer = written.answer(restrictions);
    (folder, answer)
}

async fn sample(people: &[Person], own: Json, further: Json, limit: usize) -> Result<Sample, ReaderError> {
    let name = TableName {
        catalog: "c".to_owned(),
        namespace: vec!["a".to_owned(), "b".to_owned()],
        table: "t".to_owned(),
    };
    let (_folder, answer) = table(people, &own).await;
    let loaded = load_table::parse(&name, &answer)?;
    run_sample(
        &SessionOptions::default(),
        &name,
        loaded,
        &further.to_string(),
        limit,
    )
    .await
}

/// The rows, one line each.
fn lines(sample: &Sample) -> Vec<String> {
    let text = pretty_format_batches(&sample.answer.batches).unwrap().to_string();
    text.lines()
        .skip(3)
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

fn compare(kind: &str, field: i32, value: &str) -> Json {
    json!({"type": kind, "left": {"type": "reference", "id": field},
        "right": {"type": "literal", "value": value, "data-type": "string"}})
}

fn mask(field: i32, action: &str) -> Json {
    json!({"field-id": field, "action": action})
}

#[tokio::test]
async fn a_row_passes_both_filters_on_original_values() {
    let own = json!({"required-row-filter": compare("not-eq", 2, "US")});
    let further = json!({"required-row-filter": compare("gt", 3, "400"),
        "required-column-projections": [mask(3, "mask-alphanum"), mask(4, "show-last-4")]});
    let shown = sample(&PEOPLE, own, further, 10).await.unwrap();
    assert_eq!(
        lines(&shown),
        [
            "| 1 | EU | nnn-nn | nnnn-1234 |",
            "| 3 | EU | nnn-nn | |",
            "| 4 | | nnn-nn | 12 |"
        ]
    );
    assert!(shown.hidden.is_empty());
}

#[tokio::test]
async fn the_rows_of_two_filters_are_those_that_each_alone_lets_through() {
    let filters = [
        Json::Null,
        compare("eq", 2, "EU"),
        compare("not-eq", 2, "EU"),
        json!({"type": "is-null", "child": {"type": "reference", "id": 2}}),
        json!({"type": "not", "child": compare("lt", 3, "4")}),
        json!({"type": "or", "left": compare("lt-eq", 4, "5"), "right": compare("eq", 3, "300-55")}),
        json!(false),
    ];
    let restricted = |filter: &Json| match filter {
        Json::Null => Json::Null,
        filter => json!({ "required-row-filter": filter }),
    };
    let ids = async |own: Json, further: Json| {
        let shown = sample(&PEOPLE, own, further, 10).await.unwrap();
        lines(&shown).into_iter().collect::<BTreeSet<String>>()
    };
    let mut alone = Vec::new();
    for filter in &filters {
        alone.push(ids(restricted(filter), Json::Null).await);
    }
    for (own, of_own) in filters.iter().zip(&alone) {
        for (further, of_further) in filters.iter().zip(&alone) {
            let both: BTreeSet<String> = of_own.intersection(of_further).cloned().collect();
            let shown = ids(restricted(own), restricted(further)).await;
            assert_eq!(shown, both, "{own} and {further}");
        }
    }
}

#[tokio::test]
async fn a_masked_column_is_shown_only_under_the_same_mask() {
    let own = json!({"required-column-projections": [mask(3, "mask-alphanum"), mask(4, "show-last-4")]});
    let same = json!({"required-column-projections": [mask(3, "mask-alphanum"), mask(4, "show-last-4")]});
    let shown = sample(&PEOPLE, own.clone(), same, 2).await.unwrap();
    assert_eq!(
        lines(&shown),
        [
            "| 1 | EU | nnn-nn | nnnn-1234 |",
            "| 2 | US | nnn-nn | nnnn-9999 |"
        ]
    );
    assert!(shown.hidden.is_empty());
    // The column `ssn` is required, and hidden all the same.
    for other in [
        Json::Null,
        json!({"required-column-projections": [mask(3, "show-last-4"), mask(4, "show-first-4")]}),
    ] {
        let shown = sample(&PEOPLE, own.clone(), other, 2).await.unwrap();
        assert_eq!(lines(&shown), ["| 1 | EU | | |", "| 2 | US | | |"]);
        assert_eq!(shown.hidden, ["ssn", "card \"no\""]);
    }
}

#[tokio::test]
async fn a_filter_on_a_column_that_is_masked_for_the_caller_is_an_oracle_and_refused() {
    let reads_ssn = [
        compare("gt", 3, "5"),
        json!({"type": "not", "child": compare("eq", 3, "900-11")}),
        json!({"type": "or", "left": compare("eq", 2, "EU"), "right": compare("lt", 3, "5")}),
        json!({"type": "in", "child": {"type": "reference", "id": 3}, "values": {"type": "literals",
            "values": ["900-11"], "data-type": "string"}}),
    ];
    for filter in reads_ssn {
        let own = json!({"required-column-projections": [mask(3, "mask-alphanum")]});
        // The same mask changes nothing: filters read originals.
        let further = json!({"required-row-filter": filter,
            "required-column-projections": [mask(3, "mask-alphanum")]});
        let refused = sample(&PEOPLE, own, further.clone(), 5).await.unwrap_err();
        assert!(
            matches!(&refused, ReaderError::FilterReadsMasked { columns, .. } if columns == "ssn"),
            "{refused}"
        );
        assert!(refused.to_string().contains("masked for you"));
        // Whoever sees the column may know.
        sample(&PEOPLE, Json::Null, further, 5).await.unwrap();
    }
}

#[tokio::test]
async fn neither_choice_nor_order_of_rows_depends_on_hidden_values() {
    let own =
        json!({"required-column-projections": [mask(1, "mask-to-fixed-value"), mask(3, "mask-alphanum")]});
    let mut by_ssn = PEOPLE;
    by_ssn.sort_by_key(|person| person.2);
    let mut reversed = by_ssn;
    reversed.reverse();
    let mut seen = Vec::new();
    for people in [PEOPLE, by_ssn, reversed] {
        for limit in [1, 3] {
            let shown = sample(&people, own.clone(), own.clone(), limit).await.unwrap();
            assert_eq!(shown.answer.rows(), limit);
            seen.push((limit, lines(&shown)));
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[tokio::test]
async fn restrictions_that_are_not_understood_show_nothing() {
    for further in [
        json!({"required-row-filter": compare("starts-with", 2, "E")}),
        json!({"required-row-filter": compare("eq", 9, "E")}),
        json!({"required-column-projections": [mask(4, "rot13")]}),
        json!({"new-kind": true}),
        json!(true),
    ] {
        let refused = sample(&PEOPLE, Json::Null, further, 5).await.unwrap_err();
        assert!(matches!(refused, ReaderError::Restrictions { .. }), "{refused}");
    }
    let nothing = json!({"required-row-filter": false});
    let shown = sample(&PEOPLE, Json::Null, nothing, 5).await.unwrap();
    assert_eq!(shown.answer.rows(), 0);
    assert_eq!(
        sample(&PEOPLE, Json::Null, Json::Null, 9)
            .await
            .unwrap()
            .answer
            .rows(),
        5
    );
}
