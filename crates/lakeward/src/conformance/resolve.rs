// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `resolve.json`: tags and policies to the restrictions of one table.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lakeward_governance::effective_tag::TaggedObject;
use lakeward_governance::policy::{StoredPolicy, UnknownPolicyType};
use lakeward_governance::resolve::{GovernanceFacts, PolicyOnTag, ResolutionInput, Uncached, resolve};
use lakeward_governance::selector::Selector;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_read_restrictions::field::Field;
use serde_json::Value;

use super::fixture::{Fixtures, array, error, member, text, texts};

pub(super) fn run(fixtures: &Fixtures, case: &Value) -> Result<Value, String> {
    let fields = fixtures.fields(case)?;
    let subject = fixtures.subject(case)?;
    let facts = facts(case, &fields)?;
    let lookup_failed = case.get("lookup_failure") == Some(&Value::Bool(true));
    let input = ResolutionInput {
        subject: &subject,
        fields: &fields,
        facts: (!lookup_failed).then_some(&facts),
    };
    Ok(match resolve(input, &Uncached) {
        Ok(resolution) => resolution.to_json(),
        Err(refusal) => error(refusal.category.as_str()),
    })
}

/// Rows of tag assignments by the path of their object; no value stands for an assignment without one.
type Assignments = BTreeMap<Vec<String>, Vec<(String, Option<String>)>>;

/// What the store would say about the table.
fn facts(case: &Value, fields: &[Field]) -> Result<GovernanceFacts, String> {
    let table = texts(case, "table")?;
    let assignments = assignments(case)?;
    let tagged = |path: &[String]| TaggedObject {
        object: object(path),
        tags: assignments.get(path).cloned().unwrap_or_default(),
    };
    let levels = (1..=table.len())
        .rev()
        .filter_map(|length| table.get(..length))
        .map(tagged)
        .collect();
    let columns = fields
        .iter()
        .map(|field| {
            let path: Vec<String> = table.iter().cloned().chain([field.name.clone()]).collect();
            (field.id, tagged(&path))
        })
        .filter(|(_, column)| !column.tags.is_empty())
        .collect();
    Ok(GovernanceFacts {
        levels,
        columns,
        associations: array(case, "associations")?
            .iter()
            .map(|association| {
                Ok(PolicyOnTag {
                    tag: text(association, "tag")?.to_owned(),
                    policy: text(association, "policy")?.to_owned(),
                    selector: Selector::parse(association.get("selector")),
                })
            })
            .collect::<Result<_, String>>()?,
        policies: policies(case)?,
    })
}

fn assignments(case: &Value) -> Result<Assignments, String> {
    let mut assignments = Assignments::new();
    for assignment in array(case, "assignments")? {
        let tag = text(assignment, "tag")?;
        let values = texts(assignment, "values")?;
        let rows = assignments.entry(texts(assignment, "object")?).or_default();
        if values.is_empty() {
            rows.push((tag.to_owned(), None));
        }
        rows.extend(values.into_iter().map(|value| (tag.to_owned(), Some(value))));
    }
    Ok(assignments)
}

fn policies(case: &Value) -> Result<HashMap<String, Arc<StoredPolicy>>, String> {
    array(case, "policies")?
        .iter()
        .zip(1_i64..)
        .map(|(policy, id)| {
            let name = text(policy, "name")?;
            let stored = StoredPolicy {
                id,
                name: name.to_owned(),
                policy_type: text(policy, "type")?
                    .parse()
                    .map_err(|error: UnknownPolicyType| error.to_string())?,
                enabled: member(policy, "enabled")?
                    .as_bool()
                    .ok_or("`enabled` is no boolean")?,
                revision: 1,
                content: member(policy, "content")?.to_string().into(),
            };
            Ok((name.to_owned(), Arc::new(stored)))
        })
        .collect()
}

fn object(path: &[String]) -> MetadataObject {
    let kind = match path.len() {
        1 => ObjectKind::Catalog,
        2 => ObjectKind::Schema,
        3 => ObjectKind::Table,
        _ => ObjectKind::Column,
    };
    MetadataObject {
        kind,
        path: path.to_vec(),
    }
}
