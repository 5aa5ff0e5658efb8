// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Schema evolution: what rows that exist allow.

use super::*;

fn schema(fields: Value) -> Value {
    json!([
        {"action": "add-schema", "schema": {"type": "struct", "schema-id": 1, "fields": fields}},
        {"action": "set-current-schema", "schema-id": -1},
    ])
}

fn fields(id_type: &str, more: Option<Value>) -> Value {
    let mut fields = vec![
        json!({"id": 1, "name": "id", "required": true, "type": id_type}),
        json!({"id": 2, "name": "name", "required": false, "type": "string"}),
        json!({"id": 3, "name": "ts", "required": false, "type": "timestamptz"}),
    ];
    fields.extend(more);
    Value::Array(fields)
}

#[tokio::test]
async fn adding_a_column_works_and_ids_are_kept() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let new = json!({"id": 4, "name": "c", "required": false, "type": "int", "x-unknown": [1]});
    let at = bench.commit(&at, schema(fields("long", Some(new)))).await;
    let found = bench.metadata(&at).await;
    assert_eq!(found["current-schema-id"], 1);
    assert_eq!(found["last-column-id"], 4);
    assert_eq!(
        found["schemas"][1]["fields"][3]["x-unknown"],
        json!([1]),
        "unknown members survive"
    );
    // The schema before is still known, so going back adds none.
    let back = bench.commit(&at, schema(fields("long", None))).await;
    let found = bench.metadata(&back).await;
    assert_eq!(found["current-schema-id"], 0);
    assert_eq!(found["schemas"].as_array().unwrap().len(), 2);
    assert_eq!(found["last-column-id"], 4, "ids are never used again");
}

#[tokio::test]
async fn the_last_column_is_dropped_as_java_clients_do_it() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let new = json!({"id": 4, "name": "c", "required": false, "type": "int"});
    let at = bench.commit(&at, schema(fields("long", Some(new)))).await;
    // Schema 0 exists already; a doc makes this one another.
    let mut kept = fields("long", None);
    kept[1]["doc"] = json!("kept");
    let drop = json!([
        {"action": "add-schema", "schema": {"type": "struct", "fields": kept}, "last-column-id": 3},
        {"action": "set-current-schema", "schema-id": -1},
    ]);
    let at = bench.commit(&at, drop).await;
    let found = bench.metadata(&at).await;
    assert_eq!(found["current-schema-id"], 2);
    assert_eq!(found["last-column-id"], 4, "ids are never used again");
}

#[tokio::test]
async fn types_only_widen() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let check = async |from: &str, to: &str, expected: bool| {
        let column = |text: &str| {
            fields(
                "long",
                Some(json!({"id": 4, "name": "c", "required": false, "type": text})),
            )
        };
        let at = bench.commit(&at, schema(column(from))).await;
        let outcome = bench.plan(&at, json!([]), schema(column(to))).await;
        assert_eq!(outcome.is_ok(), expected, "{from} -> {to}: {outcome:?}");
    };
    check("int", "long", true).await;
    check("float", "double", true).await;
    check("decimal(9,2)", "decimal(11, 2)", true).await;
    check("long", "string", false).await;
    check("long", "int", false).await;
    check("decimal(9,2)", "decimal(11,3)", false).await;
    check("decimal(9,2)", "decimal(8,2)", false).await;
    check("date", "timestamp", false).await;
    check("string", "binary", false).await;
    let error = bench
        .plan(&at, json!([]), schema(fields("string", None)))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "cannot change column type: id: long -> string");
}

#[tokio::test]
async fn new_demands_need_an_empty_table() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let required = json!({"id": 4, "name": "c", "required": true, "type": "int"});
    assert!(
        bench
            .plan(&at, json!([]), schema(fields("long", Some(required.clone()))))
            .await
            .is_ok()
    );
    let at = bench
        .commit(
            &at,
            json!([bench.snapshot("t", 1, None, 1, "append"), set_main(1)]),
        )
        .await;
    let error = bench
        .plan(&at, json!([]), schema(fields("long", Some(required))))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("required column"), "{error}");
    let mut narrower = fields("long", None);
    narrower[1]["required"] = json!(true);
    let error = bench.plan(&at, json!([]), schema(narrower)).await.unwrap_err();
    assert!(error.to_string().contains("cannot become required"), "{error}");
}

#[tokio::test]
async fn a_partitioned_column_cannot_go() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let without = json!([{"id": 1, "name": "id", "required": true, "type": "long"}]);
    let error = bench.plan(&at, json!([]), schema(without)).await.unwrap_err();
    assert!(error.to_string().contains("still used by `day`"), "{error}");
}

#[tokio::test]
async fn broken_schemas_are_refused_by_name() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let check = async |more: Value, part: &str| {
        let error = bench
            .plan(&at, json!([]), schema(fields("long", Some(more))))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error} should contain {part}");
    };
    check(
        json!({"id": 1, "name": "c", "required": false, "type": "int"}),
        "same id",
    )
    .await;
    check(
        json!({"id": 4, "name": "id", "required": false, "type": "int"}),
        "two fields named `id`",
    )
    .await;
    check(
        json!({"id": 4, "name": "c", "required": false, "type": "wombat"}),
        "`wombat`",
    )
    .await;
    check(json!({"id": 4, "name": "c", "type": "int"}), "`required`").await;
    check(
        json!({"id": 4, "name": "c", "required": false, "type": "variant"}),
        "format version 3",
    )
    .await;
    check(json!({"name": "c", "required": false, "type": "int"}), "no `id`").await;
    let mut deep = json!("int");
    for id in 100..200 {
        deep = json!({"type": "list", "element-id": id, "element": deep, "element-required": false});
    }
    check(
        json!({"id": 4, "name": "c", "required": false, "type": deep}),
        "deeper",
    )
    .await;
}

#[tokio::test]
async fn replacing_a_table_may_change_everything() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let at = bench
        .commit(
            &at,
            json!([bench.snapshot("t", 1, None, 1, "append"), set_main(1)]),
        )
        .await;
    let mut updates = vec![json!({"action": "remove-snapshot-ref", "ref-name": "main"})];
    updates.extend(schema(fields("string", None)).as_array().unwrap().clone());
    assert!(bench.plan(&at, json!([]), Value::Array(updates)).await.is_ok());
}
