// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every type, through real files: as it is, filtered, and behind every mask that applies to it.

use arrow::array::{Array, ArrayRef};
use arrow::compute::cast;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::spec::{FormatVersion, Schema};
use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::value::Value;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::ask;
use crate::load_table;
use crate::reference_arrays::{to_array, to_value};
use crate::reference_values::{every_type, value_of};
use crate::table_name::TableName;
use crate::written_tables::{Written, answer};

const ROWS: usize = 40;

/// A column for each type, optional and required.
fn fields() -> Vec<Field> {
    let types = every_type();
    let mut fields = Vec::new();
    for required in [false, true] {
        for field_type in &types {
            let mut field = Field {
                id: 0,
                name: format!("c{}", fields.len()),
                field_type: field_type.clone(),
                required,
            };
            if required {
                beyond(&mut field.field_type, 5_000);
            }
            field.id = i32::try_from(fields.len()).unwrap() + 1;
            fields.push(field);
        }
    }
    fields
}

/// Adds to the ids of nested fields, so that no two columns share one.
fn beyond(field_type: &mut FieldType, more: i32) {
    let deeper = |field: &mut Field| {
        field.id += more;
        beyond(&mut field.field_type, more);
    };
    match field_type {
        FieldType::Struct(members) => members.iter_mut().for_each(deeper),
        FieldType::List(element) => deeper(element),
        FieldType::Map { key, value } => {
            deeper(key);
            deeper(value);
        }
        _ => {}
    }
}

fn json_of(field: &Field) -> Json {
    json!({"id": field.id, "name": field.name, "required": field.required, "type": type_of(&field.field_type)})
}

fn type_of(field_type: &FieldType) -> Json {
    match field_type {
        FieldType::Struct(members) => {
            json!({"type": "struct", "fields": members.iter().map(json_of).collect::<Vec<_>>()})
        }
        FieldType::List(element) => json!({"type": "list", "element-id": element.id,
            "element": type_of(&element.field_type), "element-required": element.required}),
        FieldType::Map { key, value } => {
            json!({"type": "map", "key-id": key.id, "key": type_of(&key.field_type),
            "value-id": value.id, "value": type_of(&value.field_type), "value-required": value.required})
        }
        primitive => json!(primitive.to_string()),
    }
}

/// The table, its fields as it numbers them, and the values of each column.
async fn written(directory: &TempDir) -> (Written, Vec<Field>, Vec<Vec<Value>>) {
    let schema = json!({"type": "struct", "schema-id": 0,
        "fields": fields().iter().map(json_of).collect::<Vec<_>>()});
    let mut written = Written::of_version(directory.path(), schema, None, FormatVersion::V3)
        .await
        .with_rows_per_group(16);
    let fields = crate::fields::fields_of(written.table.metadata().current_schema());
    let mut runner = TestRunner::deterministic();
    let values: Vec<Vec<Value>> = fields
        .iter()
        .map(|field| {
            proptest::collection::vec(value_of(field), ROWS)
                .new_tree(&mut runner)
                .unwrap()
                .current()
        })
        .collect();
    let schema: &Schema = written.table.metadata().current_schema();
    let arrow = schema_to_arrow_schema(schema).unwrap();
    let columns: Vec<ArrayRef> = fields
        .iter()
        .zip(&values)
        .zip(arrow.fields())
        // The same values; parts of nested types get their field ids.
        .map(|((field, values), arrow)| {
            cast(&to_array(&field.field_type, values), arrow.data_type()).unwrap()
        })
        .collect();
    written.append(columns, None).await;
    (written, fields, values)
}

/// NaN equals itself here.
fn text(values: &[Value]) -> String {
    format!("{values:?}")
}

#[tokio::test]
async fn every_type_is_read_as_it_was_written() {
    let directory = TempDir::new().unwrap();
    let (written, fields, values) = written(&directory).await;
    let body = written.answer(&Json::Null);
    let answer = ask("select * from t", &[("t", &body)]).await.unwrap();
    assert_eq!(answer.rows(), ROWS);
    for (position, (field, expected)) in fields.iter().zip(&values).enumerate() {
        let shown: Vec<Value> = answer
            .batches
            .iter()
            .flat_map(|batch| {
                let column = batch.column(position);
                (0..column.len())
                    .map(|row| to_value(&field.field_type, column, row))
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(
            text(&shown),
            text(expected),
            "{} {}",
            field.name,
            field.field_type
        );
    }
}

#[tokio::test]
async fn every_mask_shows_of_every_type_what_the_reference_shows() {
    let directory = TempDir::new().unwrap();
    let (written, fields, values) = written(&directory).await;
    let (Some(key), Some(keys)) = (fields.first(), values.first()) else {
        panic!("no columns");
    };
    // Filter on the first column, which is a Boolean; masks on all others, one action after the other.
    let kept: Vec<usize> = (0..ROWS)
        .filter(|row| keys[*row] != Value::Boolean(true))
        .collect();
    assert!(kept.len() > 5 && kept.len() < ROWS);
    let mut masked = 0;
    for action in MaskAction::ALL {
        let hidden: Vec<usize> = (1..fields.len())
            .filter(|position| action.applies_to(&fields[*position]).is_ok())
            // One value of a column that cannot be cut makes the query fail.
            .filter(|position| {
                let field = &fields[*position];
                kept.iter()
                    .all(|row| reference(action, field, &values[*position][*row]).is_some())
            })
            .collect();
        let projections: Vec<Json> = hidden
            .iter()
            .map(|position| json!({"field-id": fields[*position].id, "action": action.as_str()}))
            .collect();
        let body = written.answer(&json!({
            "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": key.id},
                "right": {"type": "literal", "value": true, "data-type": "boolean"}},
            "required-column-projections": projections,
        }));
        let answer = ask("select * from t", &[("t", &body)]).await.unwrap();
        assert_eq!(answer.rows(), kept.len(), "{action}");
        for position in 0..fields.len() {
            let field = &fields[position];
            let shown: Vec<Value> = answer
                .batches
                .iter()
                .flat_map(|batch| {
                    let column = batch.column(position);
                    (0..column.len())
                        .map(|row| to_value(&field.field_type, column, row))
                        .collect::<Vec<_>>()
                })
                .collect();
            let original = |row: &usize| values[position][*row].clone();
            if !hidden.contains(&position) {
                let expected: Vec<Value> = kept.iter().map(original).collect();
                assert_eq!(text(&shown), text(&expected), "{action} {}", field.field_type);
                continue;
            }
            masked += 1;
            if action == MaskAction::Sha256QueryLocal {
                // The salt is the query's own.
                for (row, shown) in kept.iter().zip(&shown) {
                    let original = original(row);
                    assert_eq!(original.is_null(), shown.is_null());
                    assert!(original.is_null() || &original != shown, "{original:?}");
                }
                continue;
            }
            let expected: Vec<Value> = kept
                .iter()
                .map(|row| reference(action, field, &original(row)).unwrap())
                .collect();
            assert_eq!(text(&shown), text(&expected), "{action} {}", field.field_type);
        }
    }
    assert!(masked > 80, "{masked}");
}

fn reference(action: MaskAction, field: &Field, value: &Value) -> Option<Value> {
    let salt = lakeward_read_restrictions::action::QuerySalt::new(vec![7; 32]).unwrap();
    action.apply(&field.field_type, value, Some(&salt)).ok()
}

/// The refusal of a table with another schema.
fn refusal(metadata: &Json) -> Option<String> {
    let name = TableName {
        catalog: "c".to_owned(),
        namespace: vec!["s".to_owned()],
        table: "t".to_owned(),
    };
    let loaded = load_table::parse(&name, &answer(metadata, &Json::Null));
    loaded.err().map(|cause| cause.to_string())
}

#[tokio::test]
async fn types_that_are_not_read_are_refused_by_name_and_only_where_they_matter() {
    let directory = TempDir::new().unwrap();
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "variant", "type": "string", "required": false}]});
    let mut written = Written::of_version(directory.path(), schema, None, FormatVersion::V3).await;
    let texts: ArrayRef = std::sync::Arc::new(arrow::array::StringArray::from(vec!["unknown"]));
    written.append(vec![texts], None).await;
    let metadata = written.metadata();
    assert_eq!(refusal(&metadata), None);
    let with = |field: Json, current: bool| {
        let mut metadata = metadata.clone();
        let plain = metadata.pointer("/schemas/0/fields/0").unwrap().clone();
        let schemas = metadata.pointer_mut("/schemas").unwrap().as_array_mut().unwrap();
        schemas.push(json!({"type": "struct", "schema-id": 1, "fields": [plain, field]}));
        if current {
            *metadata.get_mut("current-schema-id").unwrap() = json!(1);
        }
        *metadata.get_mut("last-column-id").unwrap() = json!(9);
        metadata
    };
    for (field_type, name, said) in [
        (json!("variant"), "payload", "`payload` has the type `variant`"),
        (json!("unknown"), "nothing", "`nothing` has the type `unknown`"),
        (
            json!("geometry(EPSG:4326)"),
            "place",
            "`place` has the type `geometry",
        ),
        (json!("geography"), "place", "`place` has the type `geography"),
        (
            json!({"type": "list", "element-id": 8, "element": "variant", "element-required": false}),
            "many",
            "`many.element` has the type `variant`",
        ),
        (
            json!({"type": "struct", "fields": [{"id": 8, "name": "v", "type": "geometry", "required": false}]}),
            "pair",
            "`pair.v` has the type `geometry",
        ),
    ] {
        let field = json!({"id": 2, "name": name, "type": field_type, "required": false});
        let refused = refusal(&with(field.clone(), true)).unwrap();
        assert!(refused.contains(said), "{refused}");
        // Of a schema that neither the table nor any snapshot has any more.
        let unused = with(field, false);
        assert_eq!(refusal(&unused), None, "{name}");
        let shown = super::rows("select * from t", &[("t", &answer(&unused, &Json::Null))]).await;
        assert_eq!(shown, ["| unknown |"]);
        // A snapshot that was written with it can be asked for.
        let mut used = unused.clone();
        *used.pointer_mut("/snapshots/0/schema-id").unwrap() = json!(1);
        assert!(refusal(&used).unwrap().contains(said));
    }
    let odd = json!({"id": 2, "name": "odd", "type": "int", "required": false, "initial-default": "seven"});
    let refused = refusal(&with(odd, true)).unwrap();
    assert!(refused.contains("default of its column `odd`"), "{refused}");
}
