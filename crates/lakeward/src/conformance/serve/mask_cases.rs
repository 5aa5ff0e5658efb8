// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The cases of `masks.json` as tables: one for each action and type with all its values, one for each pair that is asked
//! whether it goes together.

use std::collections::BTreeMap;

use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use serde_json::{Map, Value as Json, json};

use super::cases::{Cell, Expected, KitCase, ROW, Row, Served, Shown, plain};
use crate::conformance::fixture::{array, member, text};

/// The masked column of every table here.
const COLUMN: &str = "value";
/// The action whose salt the reader chooses.
const QUERY_LOCAL: &str = "sha-256-query-local";

/// Adds the cases; the text of an error says what is wrong with the fixtures.
pub(super) fn add(masks: &Json, served: &mut Served) -> Result<(), String> {
    let mut groups: BTreeMap<(String, String), Vec<&Json>> = BTreeMap::new();
    for case in array(masks, "cases")? {
        let id = text(case, "id")?;
        if case.get("input").is_none() {
            let made = applicability(case, id).map_err(|problem| format!("{id}: {problem}"))?;
            served.add(made);
        } else if case.get("salt").is_some() && member(case, "expect")?.get("error").is_some() {
            let why = "the reader chooses the salt, a server sends none".to_owned();
            served.left_out.push((format!("masks.json/{id}"), why));
        } else {
            let mut key = (
                text(case, "action")?.to_owned(),
                member(case, "type")?.to_string(),
            );
            if member(case, "expect")?.get("error").is_some() {
                // One value that cannot be masked fails the whole read.
                key.1.push_str(id);
            }
            groups.entry(key).or_default().push(case);
        }
    }
    for ((action, _), cases) in groups {
        let [first, ..] = cases.as_slice() else { continue };
        let id = format!("masks.json/{}", text(first, "id")?);
        let made = masked_values(&action, &cases).map_err(|problem| format!("{id}: {problem}"))?;
        served.add(made);
    }
    Ok(())
}

fn column(case: &Json) -> Result<(Json, Field), String> {
    let required = case.get("required").cloned().unwrap_or(Json::Bool(false));
    let json = json!({"id": 1, "name": COLUMN, "type": member(case, "type")?, "required": required});
    let schema = json!({"type": "struct", "fields": [json]});
    let fields = fields_from_schema(&schema).map_err(|error| error.to_string())?;
    match fields.into_iter().next() {
        Some(field) => Ok((json, field)),
        None => Err("the type is no type".to_owned()),
    }
}

fn restrictions(action: &str) -> Json {
    json!({"required-column-projections": [{"field-id": 1, "action": action}]})
}

/// An empty table: even there an action that does not apply must be refused.
fn applicability(case: &Json, id: &str) -> Result<KitCase, String> {
    let (json, field) = column(case)?;
    let applies = member(case, "expect")?.get("applicable").is_some();
    Ok(KitCase {
        namespace: "applies",
        table: plain(id),
        covers: vec![format!("masks.json/{id}")],
        reason: text(case, "reason")?.to_owned(),
        schema: KitCase::schema_of(vec![json]),
        columns: vec![field],
        restrictions: Some(restrictions(text(case, "action")?)),
        rows: Vec::new(),
        expected: if applies {
            Expected::Rows(BTreeMap::new())
        } else {
            Expected::Refusal
        },
    })
}

fn masked_values(action: &str, cases: &[&Json]) -> Result<KitCase, String> {
    let [first, ..] = cases else {
        return Err("a group without cases".to_owned());
    };
    let (json, field) = column(first)?;
    let mut refused = false;
    let mut rows: Vec<Row> = Vec::new();
    let mut expected = BTreeMap::new();
    for (case, number) in cases.iter().zip(0_i64..) {
        let input = member(case, "input")?;
        rows.push(Map::from_iter([
            (COLUMN.to_owned(), input.clone()),
            (ROW.to_owned(), json!(number)),
        ]));
        let read = |json: &Json| Value::from_json(json, &field.field_type).map_err(|error| error.to_string());
        let original = read(input)?;
        let shown = match member(case, "expect")?.get("output") {
            None => {
                refused = true;
                continue;
            }
            Some(output) if action == QUERY_LOCAL && !output.is_null() => Shown::LocalHash,
            Some(output) => Shown::Exactly(read(output)?),
        };
        expected.insert(number, vec![Cell { original, shown }]);
    }
    // A nested type has no short name, and one that must be refused stands alone.
    let table = match member(first, "type")?.as_str() {
        Some(name) if !refused => format!("{action}.{name}"),
        Some(_) | None => text(first, "id")?.to_owned(),
    };
    Ok(KitCase {
        namespace: "masks",
        table: plain(&table),
        covers: cases
            .iter()
            .map(|case| Ok(format!("masks.json/{}", text(case, "id")?)))
            .collect::<Result<_, String>>()?,
        reason: format!("{action} on {}", field.field_type),
        schema: KitCase::schema_of(vec![json]),
        columns: vec![field],
        restrictions: Some(restrictions(action)),
        rows,
        expected: if refused {
            Expected::Refusal
        } else {
            Expected::Rows(expected)
        },
    })
}
