// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Laws of commits, over random series of updates, with the library as an oracle.

use iceberg::TableUpdate;
use iceberg::spec::TableMetadata;
use proptest::prelude::*;

use super::*;
use crate::commit::{Base, apply};
use crate::creation::first_version;
use crate::document::Document;
use crate::location_policy::LocationPolicy;
use lakeward_storage::Location;

const NOW: i64 = 1_800_000_000_000;
const BASE_FILE: &str = "s3://b/w/ns/t/metadata/00000-a.metadata.json";

fn policy() -> LocationPolicy {
    LocationPolicy::new(Location::parse("s3://b/w").unwrap(), Vec::new()).unwrap()
}

fn table() -> Document {
    let mut document = first_version(&creation(), "s3://b/w/ns/t", NOW).unwrap();
    document.set("x-unknown", json!({"kept": [1, 2, {"deep": null}]}));
    document
}

/// Updates that are right in themselves, in an order that may make them wrong.
fn update() -> impl Strategy<Value = Value> {
    let column = prop_oneof![
        Just("int"),
        Just("long"),
        Just("string"),
        Just("double"),
        Just("decimal(9,2)")
    ];
    prop_oneof![
        ("[a-c]", "[x-z]{1,3}").prop_map(|(name, value)| json!({"action": "set-properties", "updates": {name: value}})),
        "[a-c]".prop_map(|name| json!({"action": "remove-properties", "removals": [name]})),
        (4..7_i32, column, any::<bool>()).prop_map(|(id, column, longer)| {
            let mut fields = creation().schema["fields"].as_array().unwrap().clone();
            fields.push(json!({"id": id, "name": format!("c{id}"), "required": false, "type": column}));
            if longer {
                fields.push(json!({"id": id + 10, "name": format!("d{id}"), "required": false, "type": "date"}));
            }
            json!({"action": "add-schema", "schema": {"type": "struct", "schema-id": 0, "fields": fields}})
        }),
        Just(json!({"action": "set-current-schema", "schema-id": -1})),
        Just(json!({"action": "set-current-schema", "schema-id": 0})),
        prop_oneof![Just("bucket[4]"), Just("truncate[8]"), Just("void")].prop_map(|transform| {
            json!({"action": "add-spec", "spec": {"spec-id": 0, "fields": [
                {"source-id": 2, "transform": transform, "name": "part"}]}})
        }),
        Just(json!({"action": "set-default-spec", "spec-id": -1})),
        prop_oneof![Just("asc"), Just("desc")].prop_map(|direction| {
            json!({"action": "add-sort-order", "sort-order": {"order-id": 1, "fields": [
                {"source-id": 1, "transform": "identity", "direction": direction, "null-order": "nulls-last"}]}})
        }),
        Just(json!({"action": "set-default-sort-order", "sort-order-id": -1})),
        (1..4_i64, proptest::option::of(1..4_i64), 1..6_i64).prop_map(|(id, parent, sequence)| {
            json!({"action": "add-snapshot", "snapshot": {
                "snapshot-id": id, "parent-snapshot-id": parent, "sequence-number": sequence, "timestamp-ms": NOW + sequence,
                "manifest-list": format!("s3://b/w/ns/t/metadata/{id}.avro"), "schema-id": 0,
                "summary": {"operation": "append"}}})
        }),
        (1..4_i64, prop_oneof![Just("main"), Just("dev")]).prop_map(|(id, name)| {
            json!({"action": "set-snapshot-ref", "ref-name": name, "type": "branch", "snapshot-id": id})
        }),
        (1..4_i64).prop_map(|id| json!({"action": "remove-snapshots", "snapshot-ids": [id]})),
        Just(json!({"action": "remove-snapshot-ref", "ref-name": "dev"})),
    ]
}

/// The members that mean something, for comparing with the library, which reorders and drops.
fn meaning(metadata: &TableMetadata) -> String {
    let mut snapshots: Vec<i64> = metadata
        .snapshots()
        .map(|snapshot| snapshot.snapshot_id())
        .collect();
    snapshots.sort_unstable();
    let mut properties: Vec<_> = metadata.properties().iter().collect();
    properties.sort();
    let mut schemas: Vec<i32> = metadata.schemas_iter().map(|schema| schema.schema_id()).collect();
    schemas.sort_unstable();
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {snapshots:?} {properties:?} {schemas:?}",
        metadata.uuid(),
        metadata.location(),
        metadata.last_column_id(),
        metadata.current_schema().as_struct(),
        metadata.default_partition_spec().fields(),
        metadata.default_sort_order().fields,
        metadata.current_snapshot_id(),
    )
}

/// What the library makes of the same commit; `None` when it refuses.
fn library(document: &Document, updates: &[Value]) -> Option<TableMetadata> {
    let base: TableMetadata = serde_json::from_str(&document.to_text().unwrap()).unwrap();
    let mut builder = base.into_builder(Some(BASE_FILE.to_owned()));
    for update in updates {
        let update: TableUpdate = serde_json::from_value(update.clone()).unwrap();
        builder = update.apply(builder).ok()?;
    }
    Some(builder.build().ok()?.metadata)
}

/// A double that a rewrite of the metadata shifts is corruption; a parser that is nearly right does shift some.
#[test]
fn doubles_come_back_as_they_were() {
    for text in [
        "121.48791951161945",
        "0.1",
        "-5e-324",
        "1.7976931348623157e308",
        "9007199254740993.5",
    ] {
        let exact: f64 = text.parse().unwrap();
        let read: Value = serde_json::from_str(text).unwrap();
        let again: Value = serde_json::from_str(&read.to_string()).unwrap();
        assert_eq!(again.as_f64().map(f64::to_bits), Some(exact.to_bits()), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_commit_is_all_or_nothing_and_agrees_with_the_library(updates in prop::collection::vec(update(), 0..9)) {
        let before = table();
        let untouched = before.clone();
        let base = Base { metadata_location: BASE_FILE, document: &before };
        let commit = IcebergCommit { requirements: Vec::new(), updates: updates.clone() };
        let outcome = apply(Some(base), &commit, &policy(), NOW + 10);
        prop_assert_eq!(&before, &untouched, "the base is never changed");
        if let Ok(outcome) = outcome {
            let document = &outcome.document;
            prop_assert_eq!(document.get("x-unknown"), before.get("x-unknown"), "unknown members survive");
            prop_assert!(document.int("last-updated-ms").unwrap() >= before.int("last-updated-ms").unwrap());
            prop_assert!(document.int("last-column-id").unwrap() >= before.int("last-column-id").unwrap());
            prop_assert!(document.current_schema().unwrap().highest_field_id() <= document.id("last-column-id").unwrap());
            prop_assert_eq!(document.list("metadata-log").len(), before.list("metadata-log").len() + 1);
            for reference in document.get("refs").and_then(Value::as_object).unwrap().values() {
                prop_assert!(document.snapshot(reference["snapshot-id"].as_i64().unwrap()).is_some());
            }
            let ours: TableMetadata = serde_json::from_str(&document.to_text().unwrap()).unwrap();
            if let Some(theirs) = library(&before, &updates) {
                prop_assert_eq!(meaning(&ours), meaning(&theirs));
            }
        }
    }

    #[test]
    fn requirements_are_checked_before_updates(updates in prop::collection::vec(update(), 0..4)) {
        let before = table();
        let base = Base { metadata_location: BASE_FILE, document: &before };
        let commit = IcebergCommit {
            requirements: vec![json!({"type": "assert-current-schema-id", "current-schema-id": 77})],
            updates,
        };
        let refused = apply(Some(base), &commit, &policy(), NOW);
        prop_assert!(matches!(refused, Err(CatalogError::RequirementFailed(_))));
    }
}
