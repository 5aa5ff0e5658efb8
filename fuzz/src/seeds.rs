// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the targets begin with: the conformance fixtures.

use serde_json::Value;

/// Longer ones only slow the fuzzer down.
const LONGEST: usize = 2_000;

/// The inputs of a target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let mut seeds = match target {
        "language" => sources().into_iter().map(String::into_bytes).collect(),
        "bind" => sources()
            .into_iter()
            .zip(0_u8..=255)
            // Every subject, and a schema of four fields that most sources find.
            .map(|(source, number)| {
                let fields = [10, 8, 1, 17, 4, 26, 10, 39];
                let mut seed = vec![number | 1, 4];
                seed.extend(fields);
                seed.extend(source.into_bytes());
                seed
            })
            .collect(),
        "wire" => wire(),
        _ => headers(),
    };
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}

fn cases(text: &str) -> Vec<Value> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut file)) => match file.remove("cases") {
            Some(Value::Array(cases)) => cases,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn sources() -> Vec<String> {
    let files = [
        include_str!("../../fixtures/conformance/bind.json"),
        include_str!("../../fixtures/conformance/parse.json"),
    ];
    files
        .into_iter()
        .flat_map(cases)
        .filter_map(|case| case.get("source").and_then(Value::as_str).map(str::to_owned))
        .collect()
}

/// Restrictions of the fixtures, alone and in a loadTable answer.
fn wire() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(include_str!("../../fixtures/conformance/eval.json")) {
        let restrictions = match case.get("filter") {
            Some(filter) => format!("{{\"required-row-filter\":{filter}}}"),
            None => case.get("restrictions").unwrap_or(&Value::Null).to_string(),
        };
        seeds.push(
            format!(
                "{{\"metadata\":{{\"current-schema-id\":0,\"schemas\":[{{\"schema-id\":0,\"fields\":[\
                 {{\"id\":2,\"name\":\"i\",\"type\":\"int\",\"required\":false}}]}}]}},\"read-restrictions\":{restrictions}}}"
            )
            .into_bytes(),
        );
        seeds.push(restrictions.into_bytes());
    }
    for case in cases(include_str!("../../fixtures/conformance/bind.json")) {
        if let Some(filter) = case.get("expect").and_then(|expect| expect.get("filter")) {
            seeds.push(format!("{{\"required-row-filter\":{filter}}}").into_bytes());
        }
    }
    seeds
}

fn headers() -> Vec<Vec<u8>> {
    cases(include_str!("../../fixtures/conformance/capabilities.json"))
        .iter()
        .filter_map(|case| case.get("headers").and_then(Value::as_array))
        .map(|lines| {
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            lines.join("\n").into_bytes()
        })
        .collect()
}
