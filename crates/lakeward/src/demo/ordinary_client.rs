// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an ordinary Iceberg client gets for a restricted table.

use lakeward_read_restrictions::capabilities::{CAPABILITIES_HEADER, READ_RESTRICTIONS_V1};
use serde_json::Value;

use super::scenario::{CATALOG, PEOPLE, Scenario};
use super::terminal::Terminal;

/// Loads the table over the open listener, first as it is, then with the header that only a trusted reader may use.
pub(super) async fn show(
    iceberg: &str,
    password: &str,
    scenario: &Scenario,
    terminal: Terminal,
) -> anyhow::Result<()> {
    let http = reqwest::Client::new();
    let user = PEOPLE.first().map(|person| person.name).unwrap_or_default();
    let url = format!(
        "{iceberg}/v1/{CATALOG}/namespaces/{}/tables/{}",
        scenario.schema, scenario.table
    );
    terminal.note(&format!("GET {url} as {user}"));
    for (who, declares) in [
        ("an ordinary client, without the capability header", false),
        (
            "a client that claims to understand restrictions, but is no enrolled reader",
            true,
        ),
    ] {
        let mut request = http.get(&url).basic_auth(user, Some(password));
        if declares {
            request = request.header(CAPABILITIES_HEADER, READ_RESTRICTIONS_V1);
        }
        let response = request.send().await?;
        let status = response.status();
        let body: Value = response.json().await.unwrap_or(Value::Null);
        let said = body
            .pointer("/error/message")
            .and_then(Value::as_str)
            .unwrap_or("(no message)");
        anyhow::ensure!(
            !status.is_success(),
            "an ordinary client was given a restricted table (status {status})"
        );
        terminal.refused(status.as_u16(), who, said.lines().next().unwrap_or_default());
    }
    Ok(())
}
