// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `bind.json`: source, subject and schema to the canonical result.

use lakeward_policy_language::{PolicyError, RuleHead, check};
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::json::parse_strict;
use lakeward_read_restrictions::signature::{column_mask_signature, row_filter_signature};
use serde_json::{Value, json};

use super::fixture::{Fixtures, error, text};

pub(super) fn run(fixtures: &Fixtures, case: &Value) -> Result<Value, String> {
    let head = match text(case, "policy_type")? {
        "system_row_filter" => RuleHead::Filter,
        "system_column_mask" => RuleHead::Mask,
        other => return Err(format!("the policy type `{other}` has no expression")),
    };
    let fields = fixtures.fields(case)?;
    match bind(fixtures, case, head, &fields)? {
        Ok((mut answer, signature)) => {
            // Only some cases state the signature.
            let states_signature = case
                .get("expect")
                .and_then(|expect| expect.get("signature"))
                .is_some();
            if let Some(members) = answer.as_object_mut()
                && states_signature
            {
                members.insert("signature".to_owned(), json!(signature));
            }
            Ok(order_matters(case, answer))
        }
        Err(refusal) => Ok(error(refusal.category.as_str())),
    }
}

/// The answer and the signature, or why there is none.
type Bound = Result<(Value, String), PolicyError>;

fn bind(fixtures: &Fixtures, case: &Value, head: RuleHead, fields: &[Field]) -> Result<Bound, String> {
    let subject = fixtures.subject(case)?;
    let rule = match check(head, text(case, "source")?) {
        Ok(rule) => rule,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match head {
        RuleHead::Filter => {
            let filter = match rule.bind_filter(&subject, fields) {
                Ok(bound) => bound.value,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let wire = parse_strict(&filter.wire_json()).map_err(|error| error.to_string())?;
            Ok(Ok((json!({"filter": wire}), row_filter_signature(&filter))))
        }
        RuleHead::Mask => {
            let column = text(case, "column")?;
            let Some(field) = fields.iter().find(|field| field.name == column) else {
                return Err(format!("the schema has no column `{column}`"));
            };
            let action = match rule.bind_mask(&subject, fields, field.id) {
                Ok(bound) => bound.value,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let answer = json!({"mask": {"field-id": field.id, "action": action.as_str()}});
            Ok(Ok((answer, column_mask_signature(field.id, action))))
        }
    }
}

/// Wire JSON is canonical in the order of its members too, which the comparison of reports does not see.
fn order_matters(case: &Value, answer: Value) -> Value {
    let expected = case.get("expect").map(Value::to_string);
    let sorted_equal = case.get("expect").is_some_and(|expect| *expect == answer);
    if sorted_equal && expected != Some(answer.to_string()) {
        return json!({"members-out-of-order": answer.to_string()});
    }
    answer
}
