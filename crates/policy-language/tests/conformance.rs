// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every source of `parse.json` and every case of `bind.json`. (Cases of `parse.json` that give policy content
//! instead of a source belong to the crate `governance`.)

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use lakeward_policy_language::{RuleHead, SubjectContext, check};
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::signature::{column_mask_signature, row_filter_signature};
use serde_json::Value;

fn fixture(name: &str) -> Value {
    let folder = std::env::var_os("LAKEWARD_CONFORMANCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn head(case: &Value) -> RuleHead {
    match case["policy_type"].as_str().unwrap() {
        "system_row_filter" => RuleHead::Filter,
        "system_column_mask" => RuleHead::Mask,
        other => panic!("unknown policy type {other}"),
    }
}

fn context(json: &Value) -> SubjectContext {
    let set = |member: &Value| -> Option<BTreeSet<String>> {
        Some(
            member
                .as_array()?
                .iter()
                .map(|name| name.as_str().unwrap().to_owned())
                .collect(),
        )
    };
    SubjectContext {
        user: json["user"].as_str().map(str::to_owned),
        groups: set(&json["groups"]).map(Arc::new),
        member_of: set(&json["user_groups"]),
    }
}

#[test]
fn parse() {
    let fixture = fixture("parse.json");
    let mut failures = Vec::new();
    let mut count = 0;
    for case in fixture["cases"].as_array().unwrap() {
        let Some(source) = case["source"].as_str() else {
            continue;
        };
        count += 1;
        let expected = case["expect"]["error"].as_str();
        let error = check(head(case), source).err();
        let found = error.as_ref().map(|error| error.category.as_str());
        if found != expected {
            failures.push(format!("{}: expected {expected:?}, found {error:?}", case["id"]));
        }
    }
    assert!(count > 300, "only {count} cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn bind() {
    let fixture = fixture("bind.json");
    let mut failures = Vec::new();
    for case in fixture["cases"].as_array().unwrap() {
        let context = context(&fixture["contexts"][case["context"].as_str().unwrap()]);
        let schema = &fixture["schemas"][case["schema"].as_str().unwrap()];
        let found = match bound(case, &context, schema) {
            Ok(found) => found,
            Err(category) => serde_json::json!({ "error": category }),
        };
        let expect = &case["expect"];
        let mut expected = expect.clone();
        if expected.get("signature").is_none()
            && let Some(object) = expected.as_object_mut()
            && let Some(signature) = found.get("signature")
        {
            object.insert("signature".into(), signature.clone());
        }
        // Text compares the order of members and the spelling of numbers too.
        let (expected, found) = (expected.to_string(), found.to_string());
        if expected != found {
            failures.push(format!("{}: expected {expected}, found {found}", case["id"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn bound(case: &Value, context: &SubjectContext, schema: &Value) -> Result<Value, String> {
    let fields = fields_from_schema(schema).unwrap();
    let category = |error: lakeward_policy_language::PolicyError| error.category.as_str().to_owned();
    let rule = check(head(case), case["source"].as_str().unwrap()).map_err(category)?;
    match rule.head() {
        RuleHead::Filter => {
            let predicate = rule.bind_filter(context, &fields).map_err(category)?.value;
            let wire: Value = serde_json::from_str(&predicate.wire_json()).unwrap();
            Ok(serde_json::json!({ "filter": wire, "signature": row_filter_signature(&predicate) }))
        }
        RuleHead::Mask => {
            let column = case["column"].as_str().unwrap();
            let field_id = fields.iter().find(|field| field.name == column).unwrap().id;
            let action = rule
                .bind_mask(context, &fields, field_id)
                .map_err(category)?
                .value;
            Ok(serde_json::json!({
                "mask": { "field-id": field_id, "action": action.as_str() },
                "signature": column_mask_signature(field_id, action),
            }))
        }
    }
}
