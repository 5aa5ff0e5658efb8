// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The evaluation fixtures through the Arrow path.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::Schema as ArrowSchema;
use arrow::record_batch::RecordBatch;
use lakeward_read_restrictions::action::QuerySalt;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use serde_json::{Value as Json, json};

use crate::barrier::{Column, Enforcement};
use crate::data_file::Originals;
use crate::masks::Mask;
use crate::reference_arrays::{arrow_field, to_array, to_value};
use crate::row_filter::RowFilter;

fn value_of(row: &Json, field: &Field) -> Value {
    let json = row.get(&field.name).unwrap_or(&Json::Null);
    Value::from_json(json, &field.field_type).unwrap()
}

/// The rows that come out, as values of the projected fields in order.
fn enforce(
    restrictions: &ReadRestrictions,
    fields: &[Field],
    rows: &[Json],
    projected: &[Field],
    salt: QuerySalt,
) -> Result<Vec<Vec<Value>>, String> {
    let columns = projected
        .iter()
        .map(|field| {
            let arrow = Arc::new(arrow_field(field).unwrap());
            Column {
                field_id: field.id,
                mask: restrictions
                    .action_of(field.id)
                    .map(|action| Mask::new(action, arrow.data_type().clone())),
                arrow,
            }
        })
        .collect::<Vec<_>>();
    let arrow_fields: Vec<_> = columns.iter().map(|column| Arc::clone(&column.arrow)).collect();
    let enforcement = Enforcement {
        schema: Arc::new(ArrowSchema::new(arrow_fields)),
        columns,
        filter: restrictions
            .row_filter()
            .map(|filter| RowFilter::new(filter.predicate().clone())),
        salt,
        field_ids: fields.iter().map(|field| field.id).collect(),
    };
    let arrays = fields
        .iter()
        .map(|field| {
            let values: Vec<Value> = rows.iter().map(|row| value_of(row, field)).collect();
            (field.name.clone(), to_array(&field.field_type, &values), true)
        })
        .collect::<Vec<_>>();
    let batch = RecordBatch::try_from_iter_with_nullable(arrays).unwrap();
    let originals = Originals {
        rows: batch,
        filtered: false,
    };
    let kept = enforcement
        .enforce(&originals, &mut enforcement.nothing_masked())
        .map_err(|cause| cause.to_string())?;
    let Some(kept) = kept else {
        return Ok(Vec::new());
    };
    Ok((0..kept.num_rows())
        .map(|row| {
            projected
                .iter()
                .zip(kept.columns())
                .map(|(field, column)| to_value(&field.field_type, column, row))
                .collect()
        })
        .collect())
}

/// NaN equals itself here.
fn text(rows: &[Vec<Value>]) -> String {
    format!("{rows:?}")
}

#[test]
fn eval_fixtures_pass() {
    let fixtures: Json =
        serde_json::from_str(include_str!("../../../../../fixtures/conformance/eval.json")).unwrap();
    let schemas: HashMap<&str, Vec<Field>> = fixtures
        .get("schemas")
        .unwrap()
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, schema)| (name.as_str(), fields_from_schema(schema).unwrap()))
        .collect();
    let mut run = 0;
    for case in fixtures.get("cases").unwrap().as_array().unwrap() {
        let id = case.get("id").unwrap();
        let all = schemas
            .get(case.get("schema").unwrap().as_str().unwrap())
            .unwrap();
        // iceberg-rust reads no table with the others; no case looks at them.
        let fields: Vec<Field> = all
            .iter()
            .filter(|field| arrow_field(field).is_some())
            .cloned()
            .collect();
        let mut rows = case.get("rows").unwrap().as_array().unwrap().clone();
        for (number, row) in rows.iter_mut().enumerate() {
            // Tells rows apart where only positions are expected.
            row.as_object_mut().unwrap().insert("#".to_owned(), json!(number));
        }
        let restrictions = match case.get("filter") {
            Some(filter) => json!({"required-row-filter": filter}),
            None => case.get("restrictions").unwrap().clone(),
        };
        let salt = match case.get("salt").and_then(Json::as_str) {
            Some(text) => QuerySalt::new(hex::decode(text).unwrap()),
            None => QuerySalt::new(vec![0; 16]),
        };
        let parsed = ReadRestrictions::parse(&restrictions, all).map_err(|cause| cause.to_string());
        let position = Field {
            id: 1_000_000,
            name: "#".to_owned(),
            field_type: lakeward_read_restrictions::field::FieldType::Int,
            required: true,
        };
        let mut read = fields.clone();
        read.push(position.clone());
        let projected: Vec<Field> = match (case.get("filter"), case.get("projected")) {
            (Some(_), _) => vec![position],
            (None, Some(names)) => fields
                .iter()
                .filter(|field| names.as_array().unwrap().contains(&json!(field.name)))
                .cloned()
                .collect(),
            (None, None) => fields.clone(),
        };
        let outcome = parsed.and_then(|restrictions| {
            let salt = salt.map_err(|cause| cause.to_string())?;
            enforce(&restrictions, &read, &rows, &projected, salt)
        });
        if let Some(kept) = case.pointer("/expect/kept") {
            let expected: Vec<Vec<Value>> = kept
                .as_array()
                .unwrap()
                .iter()
                .map(|row| vec![Value::Int(i32::try_from(row.as_i64().unwrap()).unwrap())])
                .collect();
            assert_eq!(outcome.as_deref(), Ok(expected.as_slice()), "{id}");
        } else if let Some(expected) = case.pointer("/expect/rows") {
            let expected: Vec<Vec<Value>> = expected
                .as_array()
                .unwrap()
                .iter()
                .map(|row| projected.iter().map(|field| value_of(row, field)).collect())
                .collect();
            assert_eq!(text(&outcome.unwrap()), text(&expected), "{id}");
        } else {
            assert!(outcome.is_err(), "{id}: {outcome:?}");
        }
        run += 1;
    }
    assert!(run > 100, "only {run} cases ran");
}
