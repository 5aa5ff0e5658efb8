// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `masks.json`: one action on one value, or whether it applies at all.

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value as FieldValue;
use serde_json::{Value, json};

use super::eval::read_salt;
use super::fixture::{Fixtures, error, member, text};

pub(super) fn run(_: &Fixtures, case: &Value) -> Result<Value, String> {
    let required = case.get("required").cloned().unwrap_or(Value::Bool(false));
    let schema = json!({"type": "struct", "fields": [
        {"id": 1, "name": "column", "type": member(case, "type")?, "required": required},
    ]});
    let fields = fields_from_schema(&schema).map_err(|error| error.to_string())?;
    let [field] = fields.as_slice() else {
        return Err("the type is no type".to_owned());
    };
    let Some(action) = MaskAction::from_name(text(case, "action")?) else {
        return Ok(error("action"));
    };
    if action.applies_to(field).is_err() {
        return Ok(error("action"));
    }
    let Some(input) = case.get("input") else {
        return Ok(json!({"applicable": true}));
    };
    let value = FieldValue::from_json(input, &field.field_type).map_err(|error| error.to_string())?;
    let salt = read_salt(case)?;
    Ok(match action.apply(&field.field_type, &value, salt.as_ref()) {
        Ok(output) => json!({"output": output.to_json()}),
        Err(_) => error("reader"),
    })
}
