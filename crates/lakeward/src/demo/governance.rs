// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The governance of the demonstration, made through the native API. Every step may be repeated.

use anyhow::Context;
use serde_json::{Value, json};

use super::scenario::{CATALOG, COLUMN_TAG, METALAKE, PEOPLE, Scenario, TABLE_TAG};
use super::terminal::Terminal;
use crate::client::NativeClient;

/// Metalake, catalog, users with passwords, groups, and the role that lets groups read.
pub(super) async fn make_lake(admin: &NativeClient, password: &str) -> anyhow::Result<()> {
    let lake = ["metalakes", METALAKE];
    admin
        .ensure(
            &["metalakes"],
            json!({"name": METALAKE, "comment": "The demonstration", "properties": {}}),
        )
        .await?;
    let catalog = json!({"name": CATALOG, "type": "relational", "provider": "lakehouse-iceberg",
        "comment": "Iceberg tables of a shop", "properties": {}});
    admin
        .ensure(&[&lake[..], &["catalogs"]].concat(), catalog)
        .await?;
    for person in PEOPLE {
        admin
            .ensure(
                &["idp", "users"],
                json!({"user": person.name, "password": password}),
            )
            .await?;
        admin
            .put(&["idp", "users", person.name], json!({"password": password}))
            .await?;
        admin
            .ensure(&["idp", "groups"], json!({"group": person.group}))
            .await?;
        admin
            .put(
                &["idp", "groups", person.group, "users"],
                json!({"usersToAdd": [person.name]}),
            )
            .await?;
        admin
            .ensure(&[&lake[..], &["users"]].concat(), json!({"name": person.name}))
            .await?;
        admin
            .ensure(&[&lake[..], &["groups"]].concat(), json!({"name": person.group}))
            .await?;
    }
    let privileges =
        ["use_catalog", "use_schema", "select_table"].map(|name| json!({"name": name, "condition": "allow"}));
    let role = json!({"name": "reads-the-shop", "properties": {}, "securableObjects": [
        {"fullName": CATALOG, "type": "catalog", "privileges": privileges}]});
    admin.ensure(&[&lake[..], &["roles"]].concat(), role).await?;
    for person in PEOPLE {
        let grant = [&lake[..], &["permissions", "groups", person.group, "grant"]].concat();
        admin
            .put(&grant, json!({"roleNames": ["reads-the-shop"]}))
            .await?;
    }
    Ok(())
}

/// Tags with values on the table and on columns.
pub(super) async fn assign_tags(
    admin: &NativeClient,
    scenario: &Scenario,
    terminal: Terminal,
) -> anyhow::Result<()> {
    for (tag, comment) in [
        (TABLE_TAG, "Whose work a table belongs to"),
        (COLUMN_TAG, "Columns that tell who somebody is"),
    ] {
        admin
            .ensure(
                &["metalakes", METALAKE, "tags"],
                json!({"name": tag, "comment": comment, "properties": {}}),
            )
            .await?;
    }
    let value = &scenario.value;
    let table = scenario.full_name(&scenario.table);
    let object = ["metalakes", METALAKE, "objects", "table", &table, "tags"];
    admin.assign_tag(&object, TABLE_TAG, value).await?;
    terminal.fact(&format!("tag {TABLE_TAG}={value} on table {table}"));
    for masked in &scenario.masked {
        let column = format!("{}.{}", scenario.full_name(&masked.table), masked.column);
        let object = ["metalakes", METALAKE, "objects", "column", &column, "tags"];
        admin.assign_tag(&object, COLUMN_TAG, value).await?;
        terminal.fact(&format!("tag {COLUMN_TAG}={value} on column {column}"));
    }
    Ok(())
}

/// A row filter and a mask, disabled, each bound to a tag with a selector of its value.
pub(super) async fn make_policies(
    admin: &NativeClient,
    scenario: &Scenario,
    terminal: Terminal,
) -> anyhow::Result<()> {
    let mut policies = vec![(
        &scenario.row_policy,
        "system_row_filter",
        &scenario.row_expression,
        TABLE_TAG,
    )];
    if !scenario.masked.is_empty() {
        policies.push((
            &scenario.mask_policy,
            "system_column_mask",
            &scenario.mask_expression,
            COLUMN_TAG,
        ));
    }
    for (policy, policy_type, expression, tag) in policies {
        let body = json!({"name": policy, "comment": "", "policyType": policy_type, "enabled": false,
            "content": {"expression": expression}});
        let made = admin.ensure(&["metalakes", METALAKE, "policies"], body).await?;
        let selector = json!({"selector": {"type": "TAG_VALUE", "value": scenario.value}});
        admin
            .put(
                &["metalakes", METALAKE, "tags", tag, "policies", policy],
                selector,
            )
            .await?;
        let state = if made { "disabled" } else { "there already" };
        terminal.fact(&format!(
            "policy {policy} ({policy_type}, {state}) on tag {tag} where its value is {}",
            scenario.value
        ));
        for line in expression.lines() {
            terminal.note(&format!("  {line}"));
        }
    }
    Ok(())
}

/// Switches the policies on.
pub(super) async fn enable_policies(admin: &NativeClient, scenario: &Scenario) -> anyhow::Result<()> {
    for policy in policies(scenario) {
        admin
            .patch(
                &["metalakes", METALAKE, "policies", policy],
                json!({"enable": true}),
            )
            .await?;
    }
    Ok(())
}

fn policies(scenario: &Scenario) -> Vec<&str> {
    let mut policies = vec![scenario.row_policy.as_str()];
    if !scenario.masked.is_empty() {
        policies.push(&scenario.mask_policy);
    }
    policies
}

/// Why a user sees of the table what they see, one sentence per restriction. `preview` treats the policies as enabled.
pub(super) async fn explain(
    admin: &NativeClient,
    scenario: &Scenario,
    user: &str,
    preview: bool,
) -> anyhow::Result<Vec<String>> {
    let table = scenario.full_name(&scenario.table);
    let path = [
        "metalakes",
        METALAKE,
        "objects",
        "table",
        &table,
        "read-restrictions",
        "explain",
    ];
    let mut question = json!({ "user": user });
    if let (true, Some(question)) = (preview, question.as_object_mut()) {
        question.insert("policies".to_owned(), json!(policies(scenario)));
    }
    let answer = admin
        .post(&path, question)
        .await
        .with_context(|| format!("no explanation for `{user}`"))?;
    Ok(sentences(answer.get("explanation").unwrap_or(&Value::Null)))
}

/// The explanation in words.
fn sentences(explanation: &Value) -> Vec<String> {
    let items = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, member: &str| {
        value
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or("?")
            .to_owned()
    };
    let mut said = Vec::new();
    if let Some(error) = explanation.get("error") {
        said.push(format!("refused: {}", text(error, "message")));
    }
    let filters = items(explanation.get("row-filter"));
    if filters.is_empty() {
        said.push("rows: all, no row filter applies".to_owned());
    }
    for filter in filters {
        let predicate = text(&filter, "predicate");
        let rows = if predicate == "true" {
            "all".to_owned()
        } else {
            predicate
        };
        said.push(format!("rows: {rows} — {}", cause(&filter)));
    }
    for column in items(explanation.get("columns")) {
        for mask in items(column.get("masks")) {
            said.push(format!(
                "{}: {} — {}",
                text(&column, "column"),
                text(&mask, "action"),
                cause(&mask)
            ));
        }
    }
    said
}

/// Policy, tag, and where the tag was assigned.
fn cause(contribution: &Value) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("?").to_owned();
    let tags: Vec<String> = contribution
        .get("selected-by")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .map(|selecting| {
            let values: Vec<String> = selecting
                .get("values")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default()
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            format!(
                "tag {}={} on {} {}",
                text(selecting.get("tag")),
                values.join("|"),
                text(selecting.pointer("/assigned-on/type")),
                text(selecting.pointer("/assigned-on/fullName"))
            )
        })
        .collect();
    format!("policy {}, {}", text(contribution.get("policy")), tags.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::sentences;

    #[test]
    fn an_explanation_becomes_sentences() {
        let selected = |tag: &str, kind: &str, name: &str| {
            json!([{"tag": tag, "values": ["customers"], "assigned-on": {"type": kind, "fullName": name},
                "selector": {"type": "TAG_VALUE", "value": "customers"}}])
        };
        let explanation = json!({
            "restricted": true,
            "row-filter": [{"policy": "p", "predicate": "c_acctbal < 0", "selected-by": selected("duty", "table", "c.s.t")}],
            "columns": [{"field-id": 5, "column": "c_phone", "masks": [
                {"policy": "m", "action": "show-last-4", "selected-by": selected("personal", "column", "c.s.t.c_phone")}]}]
        });
        assert_eq!(
            sentences(&explanation),
            [
                "rows: c_acctbal < 0 — policy p, tag duty=customers on table c.s.t",
                "c_phone: show-last-4 — policy m, tag personal=customers on column c.s.t.c_phone"
            ]
        );
        assert_eq!(
            sentences(&json!({"restricted": false})),
            ["rows: all, no row filter applies"]
        );
    }
}
