// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `eval.json`: which rows a reader returns, and what of them.

use std::collections::HashMap;

use lakeward_read_restrictions::action::QuerySalt;
use lakeward_read_restrictions::error::ReaderError;
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::value::Value as FieldValue;
use serde_json::{Map, Value, json};

use super::fixture::{Fixtures, array, error, member, text, texts};

type Row = HashMap<i32, FieldValue>;

pub(super) fn run(fixtures: &Fixtures, case: &Value) -> Result<Value, String> {
    let fields = fixtures.fields(case)?;
    let rows = array(case, "rows")?;
    let values: Vec<Row> = rows
        .iter()
        .map(|row| read_row(row, &fields))
        .collect::<Result<_, _>>()?;
    let answer = if let Some(filter) = case.get("filter") {
        kept(filter, &fields, &values)
    } else {
        let projected = case
            .get("projected")
            .map(|_| texts(case, "projected"))
            .transpose()?;
        let reader = Reader {
            fields: &fields,
            projected: projected.as_deref(),
            salt: read_salt(case)?,
        };
        reader.shown(member(case, "restrictions")?, rows, &values)
    };
    Ok(answer.unwrap_or_else(|_| error("reader")))
}

fn read_row(row: &Value, fields: &[Field]) -> Result<Row, String> {
    fields
        .iter()
        .map(|field| {
            let json = row.get(&field.name).unwrap_or(&Value::Null);
            let value = FieldValue::from_json(json, &field.field_type).map_err(|error| error.to_string())?;
            Ok((field.id, value))
        })
        .collect()
}

/// The salt of the case; a short one is no salt, so that whatever needs it fails.
pub(super) fn read_salt(case: &Value) -> Result<Option<QuerySalt>, String> {
    if case.get("salt").is_none() {
        return Ok(None);
    }
    let bytes = hex::decode(text(case, "salt")?).map_err(|error| format!("the salt: {error}"))?;
    Ok(QuerySalt::new(bytes).ok())
}

fn passes(restrictions: &ReadRestrictions, row: &Row) -> Result<bool, ReaderError> {
    match restrictions.row_filter() {
        None => Ok(true),
        Some(filter) => evaluate(filter.predicate(), &|id| {
            row.get(&id).unwrap_or(&FieldValue::Null)
        }),
    }
}

/// The indexes of the rows that a filter keeps.
fn kept(filter: &Value, fields: &[Field], rows: &[Row]) -> Result<Value, ReaderError> {
    let restrictions = ReadRestrictions::parse(&json!({"required-row-filter": filter}), fields)?;
    let mut indexes = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if passes(&restrictions, row)? {
            indexes.push(index);
        }
    }
    Ok(json!({"kept": indexes}))
}

/// A reader of one query.
struct Reader<'a> {
    fields: &'a [Field],
    /// Without a projection a row has the columns that it had.
    projected: Option<&'a [String]>,
    salt: Option<QuerySalt>,
}

impl Reader<'_> {
    /// The rows that are returned, with masked values.
    fn shown(&self, restrictions: &Value, rows: &[Value], values: &[Row]) -> Result<Value, ReaderError> {
        let restrictions = ReadRestrictions::parse(restrictions, self.fields)?;
        let mut returned = Vec::new();
        for (row, values) in rows.iter().zip(values) {
            if passes(&restrictions, values)? {
                returned.push(self.masked(&restrictions, row, values)?);
            }
        }
        Ok(json!({"rows": returned}))
    }

    fn masked(
        &self,
        restrictions: &ReadRestrictions,
        row: &Value,
        values: &Row,
    ) -> Result<Value, ReaderError> {
        let mut members = Map::new();
        for field in self.fields {
            let is_read = self.projected.map_or_else(
                || row.get(&field.name).is_some(),
                |names| names.contains(&field.name),
            );
            if !is_read {
                continue;
            }
            let value = values.get(&field.id).unwrap_or(&FieldValue::Null);
            let shown = match restrictions.action_of(field.id) {
                None => value.clone(),
                Some(action) => action.apply(&field.field_type, value, self.salt.as_ref())?,
            };
            members.insert(field.name.clone(), shown.to_json());
        }
        Ok(Value::Object(members))
    }
}
