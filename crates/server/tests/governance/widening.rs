// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every change that takes an enabled restriction from an object: it asks, it can be meant, the audit log has what was
//! widened, and `widening=allow` turns the question off.

use reqwest::Method;
use serde_json::{Value, json};

use crate::explain::policy;
use crate::server::{Answer, Server};
use changes::{Change, harmless, never, widening};

mod changes;

/// The tables of each scene; what is in the second schema is tagged itself.
const TABLES: [(&str, &str); 3] = [("{s}", "orders"), ("{s}o", "people"), ("{s}o", "direct")];
/// One change in a scene of its own.
struct Scene<'a> {
    server: &'a Server,
    number: usize,
}

impl Scene<'_> {
    fn fill(&self, text: &str) -> String {
        let number = self.number;
        text.replace("{s}", &format!("s{number}-"))
            .replace("{t}", &format!("t{number}-"))
            .replace("{p}", &format!("p{number}-"))
    }

    async fn make(&self, method: Method, path: &str, body: Value) {
        let body = serde_json::from_str(&self.fill(&body.to_string())).unwrap();
        self.server.admin(method, &self.fill(path), Some(body), 200).await;
    }

    async fn set(&self) {
        let column = |name: &str| json!({"name": name, "type": "string", "nullable": true, "comment": ""});
        for schema in ["{s}", "{s}o"] {
            self.make(Method::POST, "catalogs/lake/schemas", json!({"name": schema}))
                .await;
        }
        for (schema, name) in TABLES {
            let table =
                json!({"name": name, "properties": {}, "columns": [column("region"), column("phone")]});
            self.make(
                Method::POST,
                &format!("catalogs/lake/schemas/{schema}/tables"),
                table,
            )
            .await;
        }
        for tag in ["{t}", "{t}m", "{t}d"] {
            self.make(Method::POST, "tags", json!({"name": tag})).await;
        }
        let spares = "filter := true if session_user() == \"admin\" else := col(\"region\") == \"US\"";
        let last4 = "mask := action(\"show-last-4\")";
        for (name, policy_type, expression) in [
            ("{p}", "system_row_filter", spares),
            ("{p}d", "system_row_filter", spares),
            ("{p}m", "system_column_mask", last4),
        ] {
            self.make(
                Method::POST,
                "policies",
                policy(name, policy_type, expression, false),
            )
            .await;
        }
        let restricted = json!({"selector": {"type": "TAG_VALUE", "value": "restricted"}});
        self.make(Method::PUT, "tags/{t}/policies/{p}", restricted).await;
        for on_tag in ["tags/{t}d/policies/{p}d", "tags/{t}m/policies/{p}m"] {
            self.make(Method::PUT, on_tag, json!({})).await;
        }
        for policy in ["{p}", "{p}d", "{p}m"] {
            // `force`: no reader is enrolled here.
            self.make(
                Method::PATCH,
                &format!("policies/{policy}?force=true"),
                json!({"enable": true}),
            )
            .await;
        }
        let values = json!({"tagsToAdd": [{"name": self.fill("{t}"), "value": "restricted"}]});
        self.server
            .values(&self.fill("objects/schema/lake.{s}/tags"), values, 200)
            .await;
        for (object, tag) in [
            ("table/lake.{s}o.direct", "{t}d"),
            ("column/lake.{s}o.people.phone", "{t}m"),
        ] {
            self.make(
                Method::POST,
                &format!("objects/{object}/tags"),
                json!({"tagsToAdd": [tag]}),
            )
            .await;
        }
    }

    async fn ask(&self, change: &Change, query: &str) -> Answer {
        let path = self.fill(change.path);
        let mut path = if path.starts_with('/') {
            path
        } else {
            format!("/api/metalakes/m/{path}")
        };
        if !query.is_empty() {
            path.push(if path.contains('?') { '&' } else { '?' });
            path.push_str(query);
        }
        let version_2 = "application/vnd.gravitino.v2+json";
        let headers = [("Accept", version_2), ("Content-Type", version_2)];
        let headers = if change.values { &headers[..] } else { &[] };
        let body = self.fill(&change.body.to_string());
        let body = serde_json::from_str::<Value>(&body).unwrap();
        let body = (!body.is_null()).then_some(body);
        self.server
            .send("admin", change.method.clone(), &path, body, headers)
            .await
    }

    /// A table in the schema that all changes move to would be in the way of the next; most leave none there.
    async fn make_room(&self) {
        let moved = "catalogs/lake/schemas/elsewhere/tables/orders?purge=true";
        let _ = self.server.ask("admin", Method::DELETE, moved, None).await;
    }

    /// How many of the three tables are restricted for bob.
    async fn closed(&self) -> usize {
        let mut closed = 0;
        for (schema, table) in TABLES {
            let path = self.fill(&format!(
                "objects/table/lake.{schema}.{table}/read-restrictions/explain"
            ));
            let question = json!({"user": "bob", "groups": []});
            let told = self
                .server
                .ask("admin", Method::POST, &path, Some(question))
                .await;
            closed += usize::from(told.body["explanation"]["restricted"] == true);
        }
        closed
    }
}

async fn server(widening: &str) -> Server {
    let server = Server::start(&[
        ("lakeward.read-restrictions.enabled", "true"),
        ("lakeward.read-restrictions.widening", widening),
    ])
    .await;
    for (path, body) in [
        ("catalogs/lake/schemas", json!({"name": "elsewhere"})),
        ("groups", json!({"name": "auditors"})),
    ] {
        server.admin(Method::POST, path, Some(body), 200).await;
    }
    server
}

#[tokio::test]
async fn every_widening_change_asks_and_is_audited() {
    let server = server("ask").await;
    for (number, change) in widening().into_iter().enumerate() {
        let scene = Scene {
            server: &server,
            number,
        };
        scene.set().await;
        assert_eq!(scene.closed().await, 3, "{}", change.name);
        let asked = scene.ask(&change, "").await;
        assert_eq!(asked.status.as_u16(), 409, "{}: {}", change.name, asked.body);
        let message = asked.body.to_string();
        let (policy, schema) = (scene.fill("{p}"), scene.fill("lake.{s}"));
        for part in ["force=true", policy.as_str(), schema.as_str()] {
            assert!(message.contains(part), "{}: {message}", change.name);
        }
        assert_eq!(scene.closed().await, 3, "{}: nothing was changed", change.name);
        let before = server.widenings(&policy).await;
        assert_eq!(before, Vec::<Value>::new(), "{}", change.name);
        let meant = scene.ask(&change, "force=true").await;
        assert_eq!(
            meant.status.as_u16(),
            change.done,
            "{}: {}",
            change.name,
            meant.body
        );
        assert_eq!(scene.closed().await, 2, "{}", change.name);
        let records = server.widenings(&policy).await;
        assert_eq!(records.len(), 1, "{}: {records:?}", change.name);
        let record = &records[0];
        assert_eq!(
            (&record["user"], &record["outcome"], &record["forced"]),
            (&json!("admin"), &json!("allowed"), &json!(true)),
            "{}: {record}",
            change.name
        );
        let objects = record["widened"][0]["objects"].to_string();
        assert!(objects.contains(&schema), "{}: {record}", change.name);
        scene.make_room().await;
    }
}

#[tokio::test]
async fn an_operator_can_turn_the_question_off() {
    let server = server("allow").await;
    for (number, change) in widening().into_iter().enumerate() {
        let scene = Scene {
            server: &server,
            number: 1000 + number,
        };
        scene.set().await;
        let made = scene.ask(&change, "").await;
        assert_eq!(
            made.status.as_u16(),
            change.done,
            "{}: {}",
            change.name,
            made.body
        );
        assert_eq!(scene.closed().await, 2, "{}", change.name);
        let records = server.widenings(&scene.fill("{p}")).await;
        assert!(
            records.len() == 1 && records[0]["forced"].is_null(),
            "{}: {records:?}",
            change.name
        );
        scene.make_room().await;
    }
}

#[tokio::test]
async fn what_opens_nothing_asks_nothing() {
    let server = server("ask").await;
    for (number, change) in harmless().into_iter().enumerate() {
        let scene = Scene {
            server: &server,
            number: 2000 + number,
        };
        scene.set().await;
        let made = scene.ask(&change, "").await;
        assert_eq!(
            made.status.as_u16(),
            change.done,
            "{}: {}",
            change.name,
            made.body
        );
    }
}

#[tokio::test]
async fn what_would_destroy_unseen_is_refused_even_when_meant() {
    for widening in ["ask", "allow"] {
        let server = server(widening).await;
        for (number, change) in never().into_iter().enumerate() {
            let scene = Scene {
                server: &server,
                number: 3000 + number,
            };
            scene.set().await;
            for query in ["", "force=true"] {
                let refused = scene.ask(&change, query).await;
                assert_eq!(
                    refused.status.as_u16(),
                    change.done,
                    "{}: {}",
                    change.name,
                    refused.body
                );
                assert!(
                    refused.body.to_string().contains("[restriction-write]"),
                    "{}: {}",
                    change.name,
                    refused.body
                );
            }
            assert_eq!(scene.closed().await, 3, "{}", change.name);
        }
    }
}
