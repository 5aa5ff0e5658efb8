// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An explanation says what a load answers, for any set of policies, subject and reader.

use reqwest::Method;
use serde_json::{Value, json};

use crate::explain::{explained, policy, with_orders};
use crate::server::Server;

const FILTERS: &[&str] = &[
    "filter := col(\"region\") == \"US\"",
    "filter := \"US\" == col(\"region\")",
    "filter := col(\"region\") == session_user()",
    "filter := true if session_user() == \"bob\" else := col(\"amount\") < 10",
    "filter := is_group_member(\"auditors\")",
    "filter := col(\"nothing\") == 1",
    "filter := true",
];
const MASKS: &[&str] = &[
    "mask := action(\"show-last-4\")",
    "mask := action(\"show-first-4\") if session_user() == \"bob\" else := action(\"show-last-4\")",
    "mask := action(\"truncate-to-year\")",
];
const ROUNDS: usize = 24;

/// Numbers that are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn names() -> Vec<String> {
    (0..FILTERS.len() + MASKS.len())
        .map(|number| format!("p{number}"))
        .collect()
}

async fn scene() -> Server {
    let server = with_orders().await;
    for (object, tag) in [
        ("schema/lake.sales", "rows"),
        ("column/lake.sales.orders.phone", "pii"),
    ] {
        let path = format!("objects/{object}/tags");
        let body = json!({"tagsToAdd": [tag]});
        server.admin(Method::POST, &path, Some(body), 200).await;
    }
    let filters = FILTERS.iter().map(|filter| ("system_row_filter", "rows", filter));
    let masks = MASKS.iter().map(|mask| ("system_column_mask", "pii", mask));
    for (name, (policy_type, tag, expression)) in names().iter().zip(filters.chain(masks)) {
        let body = policy(name, policy_type, expression, false);
        server.admin(Method::POST, "policies", Some(body), 200).await;
        let path = format!("tags/{tag}/policies/{name}");
        server.admin(Method::PUT, &path, None, 200).await;
    }
    server
}

/// Both answers for one subject and one way in.
async fn compare(server: &Server, user: &str, through_reader: bool, capable: bool) -> u16 {
    let reader = if through_reader { "gateway" } else { "nobody" };
    let mut question = json!({"reader": reader});
    if capable {
        question["capabilities"] = json!("read-restrictions.v1");
    }
    let told = explained(server, user, question).await;
    let (status, body) = server.load(user, "orders", through_reader, capable).await;
    let what = format!("{user}, reader {through_reader}, capable {capable}: {told} against {body}");
    assert_eq!(told["access"]["allowed"], true, "{what}");
    // Who is no operator is told both outcomes where they differ.
    let admission = &told["admission"];
    let expected = if admission["status"].is_null() {
        let known = if through_reader {
            "trusted-status"
        } else {
            "untrusted-status"
        };
        &admission[known]
    } else {
        &admission["status"]
    };
    assert_eq!(*expected, json!(status), "{what}");
    if status == 200 {
        let served = body.get("read-restrictions").unwrap_or(&Value::Null);
        assert_eq!(told["read-restrictions"], *served, "{what}");
        assert_eq!(told["restricted"], json!(!served.is_null()), "{what}");
    } else if let Some(code) = told["error"]["code"].as_str() {
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains(code), "{what}");
        assert!(
            !message.contains("rows") && !message.contains("`p"),
            "no names: {what}"
        );
    }
    status
}

#[tokio::test]
async fn an_explanation_says_what_a_load_answers() {
    let server = scene().await;
    let mut numbers = Numbers(20_261_130);
    let mut enabled = vec![false; names().len()];
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..ROUNDS {
        for (name, now) in names().iter().zip(enabled.iter_mut()) {
            let next = numbers.below(5) == 0;
            if next != *now {
                let path = format!("policies/{name}?force=true");
                let body = json!({"enable": next});
                server.admin(Method::PATCH, &path, Some(body), 200).await;
                *now = next;
            }
        }
        for user in ["admin", "bob"] {
            for (through_reader, capable) in [(true, true), (false, true), (true, false)] {
                let status = compare(&server, user, through_reader, capable).await;
                *seen.entry(status).or_insert(0) += 1;
            }
        }
    }
    // All outcomes were met, or the test compares less than it says.
    let statuses: Vec<u16> = seen.keys().copied().collect();
    assert_eq!(statuses, [200, 403, 406], "{seen:?}");
}
