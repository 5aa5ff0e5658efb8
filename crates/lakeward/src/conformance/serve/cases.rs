// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is served: one table for each case of `eval.json`, and tables for the cases of `masks.json`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{anyhow, ensure};
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use serde_json::{Map, Value as Json, json};

use super::mask_cases;
use crate::conformance::fixture::{Fixtures, array, member, text, texts};

/// The column that every served table has beside those of the fixture: which row of the fixture it is, from 0.
pub(super) const ROW: &str = "kit_row";
/// Its field id, beyond those of any fixture.
const ROW_ID: i32 = 1_000_000;

/// The two fixture files that can be served.
pub(super) struct Sources {
    pub(super) eval: Json,
    pub(super) masks: Json,
}

/// One table with its restrictions, and what a reader must return.
#[derive(Debug)]
pub(super) struct KitCase {
    pub(super) namespace: &'static str,
    pub(super) table: String,
    /// The cases of the fixtures that it serves, `file/id`.
    pub(super) covers: Vec<String>,
    pub(super) reason: String,
    pub(super) schema: Json,
    /// The columns of the fixture that the reader is asked for; [`ROW`] comes with them.
    pub(super) columns: Vec<Field>,
    /// The member `read-restrictions`, as it is in the fixture; `None` leaves it out.
    pub(super) restrictions: Option<Json>,
    pub(super) rows: Vec<Row>,
    pub(super) expected: Expected,
}

/// A row of the fixture, by column name, with [`ROW`].
pub(super) type Row = Map<String, Json>;

/// What a reader must do.
#[derive(Debug)]
pub(super) enum Expected {
    /// Return these rows and no others, by [`ROW`].
    Rows(BTreeMap<i64, Vec<Cell>>),
    /// Return nothing and say that it cannot.
    Refusal,
}

/// One value of a row, in the order of [`KitCase::columns`].
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) original: Value,
    pub(super) shown: Shown,
}

/// What is returned of a value.
#[derive(Debug)]
pub(super) enum Shown {
    /// This very value.
    Exactly(Value),
    /// A hash with a salt that only the reader knows.
    LocalHash,
}

/// All that can be served, and what cannot, with the reason.
pub(super) struct Served {
    pub(super) cases: Vec<KitCase>,
    pub(super) left_out: Vec<(String, String)>,
}

impl KitCase {
    /// What the case is called in paths and reports.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.namespace, self.table)
    }

    /// The schema of a table with the fields of a fixture and [`ROW`].
    pub(super) fn schema_of(fields: Vec<Json>) -> Json {
        let row = json!({"id": ROW_ID, "name": ROW, "type": "long", "required": true});
        let fields: Vec<Json> = fields.into_iter().chain([row]).collect();
        json!({"type": "struct", "schema-id": 0, "fields": fields})
    }
}

/// The cases of both files. Fails on a fixture that is malformed.
pub(super) fn all(sources: &Sources) -> anyhow::Result<Served> {
    let mut served = Served {
        cases: Vec::new(),
        left_out: Vec::new(),
    };
    let fixtures = Fixtures::new(sources.eval.clone());
    for case in fixtures.cases().unwrap_or_default() {
        let id = text(case, "id").map_err(|problem| anyhow!("eval.json: {problem}"))?;
        let made = eval_case(&fixtures, case, id).map_err(|problem| anyhow!("eval.json: {id}: {problem}"))?;
        served.add(made);
    }
    mask_cases::add(&sources.masks, &mut served).map_err(|problem| anyhow!("masks.json: {problem}"))?;
    ensure!(
        !served.cases.is_empty(),
        "the fixtures have no case that can be served"
    );
    let names: BTreeSet<String> = served.cases.iter().map(KitCase::name).collect();
    ensure!(names.len() == served.cases.len(), "two cases have one name");
    Ok(served)
}

impl Served {
    /// Takes a case, or notes why its table cannot be served.
    pub(super) fn add(&mut self, case: KitCase) {
        let problem = fields_from_schema(&case.schema)
            .ok()
            .and_then(|fields| fields.iter().find_map(|field| not_written(&field.field_type)));
        match problem {
            None => self.cases.push(case),
            Some(problem) => {
                let covered = case.covers.into_iter().map(|id| (id, problem.clone()));
                self.left_out.extend(covered);
            }
        }
    }
}

/// A name of letters, digits and underscores alone.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .map(|character| match character {
            'a'..='z' | '0'..='9' => character,
            _ => '_',
        })
        .collect()
}

/// Why a column of the type cannot be in a data file, if it cannot.
fn not_written(field_type: &FieldType) -> Option<String> {
    match field_type {
        FieldType::Variant
        | FieldType::Geometry
        | FieldType::Geography
        | FieldType::Unknown
        | FieldType::TimestampNs
        | FieldType::TimestamptzNs => Some(format!("the type {field_type} is not in format version 2")),
        FieldType::Struct(fields) if fields.is_empty() => {
            Some("Parquet has no struct without fields".to_owned())
        }
        FieldType::Struct(fields) => fields.iter().find_map(|field| not_written(&field.field_type)),
        FieldType::List(element) => not_written(&element.field_type),
        FieldType::Map { key, value } => {
            not_written(&key.field_type).or_else(|| not_written(&value.field_type))
        }
        FieldType::Boolean
        | FieldType::Int
        | FieldType::Long
        | FieldType::Float
        | FieldType::Double
        | FieldType::Decimal { .. }
        | FieldType::Date
        | FieldType::Time
        | FieldType::Timestamp
        | FieldType::Timestamptz
        | FieldType::String
        | FieldType::Uuid
        | FieldType::Fixed(_)
        | FieldType::Binary => None,
    }
}

fn eval_case(fixtures: &Fixtures, case: &Json, id: &str) -> Result<KitCase, String> {
    let restrictions = match case.get("filter") {
        Some(filter) => Some(json!({"required-row-filter": filter})),
        None => Some(member(case, "restrictions")?.clone()).filter(|restrictions| !restrictions.is_null()),
    };
    let rows = array(case, "rows")?;
    let mut named = BTreeSet::new();
    collect_ids(restrictions.as_ref().unwrap_or(&Json::Null), &mut named);
    let is_present = |name: &str| rows.iter().any(|row| row.get(name).is_some());
    // The schemas of the fixtures have columns of every type; a table has those that its case speaks of.
    let (columns, schema): (Vec<Field>, Vec<Json>) = fixtures
        .fields(case)?
        .into_iter()
        .zip(array(fixtures.schema(case)?, "fields")?)
        .filter(|(field, _)| is_present(&field.name) || named.contains(&i64::from(field.id)))
        .map(|(field, json)| (field, json.clone()))
        .unzip();
    let asked: Vec<Field> = match case.get("projected") {
        None => columns.clone(),
        Some(_) => {
            let names = texts(case, "projected")?;
            columns
                .iter()
                .filter(|field| names.contains(&field.name))
                .cloned()
                .collect()
        }
    };
    let values = rows
        .iter()
        .map(|row| read_row(row, &columns))
        .collect::<Result<Vec<_>, String>>()?;
    let expected = expected(case, &asked, &columns, restrictions.as_ref(), &values)?;
    Ok(KitCase {
        namespace: "eval",
        table: plain(id),
        covers: vec![format!("eval.json/{id}")],
        reason: text(case, "reason")?.to_owned(),
        schema: KitCase::schema_of(schema),
        columns: asked,
        restrictions,
        rows: rows
            .iter()
            .zip(0_i64..)
            .map(|(row, number)| {
                let mut row = row.as_object().cloned().unwrap_or_default();
                row.insert(ROW.to_owned(), json!(number));
                row
            })
            .collect(),
        expected,
    })
}

type Values = HashMap<i32, Value>;

fn read_row(row: &Json, fields: &[Field]) -> Result<Values, String> {
    fields
        .iter()
        .map(|field| {
            let json = row.get(&field.name).unwrap_or(&Json::Null);
            if field.required && json.is_null() {
                return Err(format!("the required column `{}` is null", field.name));
            }
            let value = Value::from_json(json, &field.field_type).map_err(|error| error.to_string())?;
            Ok((field.id, value))
        })
        .collect()
}

/// What the fixture says, with the rows numbered. Which of the original rows the returned ones are, the filter tells.
fn expected(
    case: &Json,
    asked: &[Field],
    fields: &[Field],
    restrictions: Option<&Json>,
    rows: &[Values],
) -> Result<Expected, String> {
    let expect = member(case, "expect")?;
    if expect.get("error").is_some() {
        return Ok(Expected::Refusal);
    }
    let read = ReadRestrictions::parse(restrictions.unwrap_or(&Json::Null), fields)
        .map_err(|error| error.to_string())?;
    let passes = |row: &Values| match read.row_filter() {
        None => Ok(true),
        Some(filter) => evaluate(filter.predicate(), &|id| row.get(&id).unwrap_or(&Value::Null)),
    };
    let mut kept: Vec<(i64, &Values)> = Vec::new();
    for (number, row) in (0_i64..).zip(rows) {
        if passes(row).map_err(|error| error.to_string())? {
            kept.push((number, row));
        }
    }
    let shown: Vec<Option<&Json>> = match expect.get("kept") {
        Some(numbers) => {
            let found: Vec<i64> = kept.iter().map(|(number, _)| *number).collect();
            if *numbers != json!(found) {
                return Err(format!("the filter keeps {found:?}, the fixture says {numbers}"));
            }
            kept.iter().map(|_| None).collect()
        }
        None => array(expect, "rows")?.iter().map(Some).collect(),
    };
    if shown.len() != kept.len() {
        return Err(format!(
            "the filter keeps {} rows, the fixture {}",
            kept.len(),
            shown.len()
        ));
    }
    let row = |original: &Values, shown: Option<&Json>| {
        asked
            .iter()
            .map(|field| {
                let original = original.get(&field.id).cloned().unwrap_or(Value::Null);
                let value = match shown {
                    None => original.clone(),
                    Some(row) => {
                        let json = row.get(&field.name).unwrap_or(&Json::Null);
                        Value::from_json(json, &field.field_type).map_err(|error| error.to_string())?
                    }
                };
                Ok(Cell {
                    original,
                    shown: Shown::Exactly(value),
                })
            })
            .collect::<Result<Vec<_>, String>>()
    };
    kept.into_iter()
        .zip(shown)
        .map(|((number, original), shown)| Ok((number, row(original, shown)?)))
        .collect::<Result<_, String>>()
        .map(Expected::Rows)
}

/// All numbers by which restrictions name fields, at any depth.
fn collect_ids(json: &Json, ids: &mut BTreeSet<i64>) {
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                if name == "id" || name == "field-id" {
                    ids.extend(value.as_i64());
                }
                collect_ids(value, ids);
            }
        }
        Json::Array(elements) => elements.iter().for_each(|element| collect_ids(element, ids)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}
