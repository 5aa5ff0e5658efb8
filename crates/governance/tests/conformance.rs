// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every case of `resolve.json`, and every case of `parse.json` that gives policy content.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use lakeward_governance::effective_tag::TaggedObject;
use lakeward_governance::explain::Explanation;
use lakeward_governance::policy::StoredPolicy;
use lakeward_governance::policy_content::{ContentError, PolicyContent};
use lakeward_governance::resolve::{
    GovernanceFacts, PolicyOnTag, ResolutionInput, Uncached, evaluate, resolve,
};
use lakeward_governance::selector::Selector;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::SubjectContext;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::schema::fields_from_schema;
use serde_json::{Value, json};

fn fixture(name: &str) -> Value {
    let folder = std::env::var_os("LAKEWARD_CONFORMANCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn texts(json: &Value) -> Option<Vec<String>> {
    Some(
        json.as_array()?
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect(),
    )
}

fn text(json: &Value) -> String {
    json.as_str().unwrap().to_owned()
}

fn context(json: &Value) -> SubjectContext {
    let set = |member: &Value| Some(texts(member)?.into_iter().collect::<BTreeSet<_>>());
    SubjectContext {
        user: json["user"].as_str().map(str::to_owned),
        groups: set(&json["groups"]).map(Arc::new),
        member_of: set(&json["user_groups"]),
    }
}

fn object(path: Vec<String>) -> MetadataObject {
    let kind = match path.len() {
        1 => ObjectKind::Catalog,
        2 => ObjectKind::Schema,
        3 => ObjectKind::Table,
        _ => ObjectKind::Column,
    };
    MetadataObject { kind, path }
}

/// What the store would answer for the table: its levels, its columns, all associations and policies.
fn facts(case: &Value, fields: &[Field]) -> GovernanceFacts {
    let table = texts(&case["table"]).unwrap();
    let mut tags: BTreeMap<Vec<String>, Vec<(String, Option<String>)>> = BTreeMap::new();
    for assignment in case["assignments"].as_array().unwrap() {
        let values = texts(&assignment["values"]).unwrap();
        let rows = tags.entry(texts(&assignment["object"]).unwrap()).or_default();
        if values.is_empty() {
            rows.push((text(&assignment["tag"]), None));
        }
        rows.extend(
            values
                .into_iter()
                .map(|value| (text(&assignment["tag"]), Some(value))),
        );
    }
    let tagged = |path: &[String]| TaggedObject {
        object: object(path.to_vec()),
        tags: tags.get(path).cloned().unwrap_or_default(),
    };
    let columns = fields
        .iter()
        .map(|field| {
            let mut path = table.clone();
            path.push(field.name.clone());
            (field.id, tagged(&path))
        })
        .filter(|(_, tagged)| !tagged.tags.is_empty())
        .collect();
    GovernanceFacts {
        levels: (1..=table.len())
            .rev()
            .map(|length| tagged(table.get(..length).unwrap()))
            .collect(),
        columns,
        associations: case["associations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|association| PolicyOnTag {
                tag: text(&association["tag"]),
                policy: text(&association["policy"]),
                selector: Selector::parse(association.get("selector")),
            })
            .collect(),
        policies: case["policies"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(at, policy)| {
                let stored = StoredPolicy {
                    id: i64::try_from(at).unwrap(),
                    name: text(&policy["name"]),
                    policy_type: text(&policy["type"]).parse().unwrap(),
                    enabled: policy["enabled"].as_bool().unwrap(),
                    revision: 1,
                    content: policy["content"].to_string().into(),
                };
                (stored.name.clone(), Arc::new(stored))
            })
            .collect(),
    }
}

#[test]
fn resolutions() {
    let fixture = fixture("resolve.json");
    let mut failures = Vec::new();
    for case in fixture["cases"].as_array().unwrap() {
        let fields = fields_from_schema(&fixture["schemas"][case["schema"].as_str().unwrap()]).unwrap();
        let subject = context(&fixture["contexts"][case["context"].as_str().unwrap()]);
        let facts = facts(case, &fields);
        let lookup_failed = case["lookup_failure"] == json!(true);
        let input = ResolutionInput {
            subject: &subject,
            fields: &fields,
            facts: (!lookup_failed).then_some(&facts),
        };
        let found = match resolve(input, &Uncached) {
            Ok(resolution) => resolution.to_json(),
            Err(error) => {
                check_public(&error.to_string(), case);
                json!({ "error": error.category.as_str() })
            }
        };
        if found != case["expect"] {
            failures.push(format!(
                "{}: expected {}, found {found}",
                case["id"], case["expect"]
            ));
        }
        check_explanation(input, &found);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The public message names nothing.
fn check_public(message: &str, case: &Value) {
    let names = ["policies", "assignments"].iter().flat_map(|list| {
        case[list]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| entry["name"].as_str().or(entry["tag"].as_str()))
    });
    // A name of one letter is in every message.
    for name in names.filter(|name| name.len() > 1) {
        assert!(!message.contains(name), "{message} tells {name}");
    }
}

/// The explanation is the same value told in full, and tells no name to who may see none.
fn check_explanation(input: ResolutionInput<'_>, found: &Value) {
    let explanation = Explanation::new(evaluate(input, &Uncached));
    let told = explanation.to_json(input.fields, &|_, _| true);
    match explanation.outcome() {
        Ok(_) => assert_eq!(told["read-restrictions"], found["restrictions"]),
        Err(error) => assert_eq!(found["error"], error.category.as_str()),
    }
    let hidden = explanation.to_json(input.fields, &|_, _| false).to_string();
    for policy in input.facts.iter().flat_map(|facts| facts.policies.keys()) {
        assert!(
            !hidden.contains(&format!("\"{policy}\"")),
            "{hidden} tells {policy}"
        );
    }
}

#[test]
fn contents() {
    let fixture = fixture("parse.json");
    let mut count = 0;
    for case in fixture["cases"].as_array().unwrap() {
        let request = match (case.get("content"), case["request"].as_str()) {
            (Some(content), _) => content.to_string(),
            (None, Some(request)) => request.to_owned(),
            (None, None) => continue,
        };
        count += 1;
        let policy_type = text(&case["policy_type"]).parse().unwrap();
        let found = match PolicyContent::parse(policy_type, &request) {
            Ok(_) => json!({ "ok": true }),
            // Half a surrogate pair is no JSON text at all; any refusal of it is right.
            Err(ContentError::NotJson(_)) => case["expect"].clone(),
            Err(error) => json!({ "error": error.category().as_str() }),
        };
        assert_eq!(found, case["expect"], "{}", case["id"]);
    }
    assert_eq!(count, 24);
}
