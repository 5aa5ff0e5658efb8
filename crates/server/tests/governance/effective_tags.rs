// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! After any history of renames, moves, drops and re-creations, the tags of an object and what they select are what a
//! naive model says: in the listings, and in the resolution that restricts readers.
//!
//! The histories are the same on every run. `LAKEWARD_HISTORIES` and `LAKEWARD_HISTORY_STEPS` ask for more or longer
//! ones.

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::Server;
use history::{POLICIES, Place, Step, TAGS, TableName};
use model::{Effective, Model};

mod history;
mod model;

const VERSION_2: &str = "application/vnd.gravitino.v2+json";
/// After so many steps everything is compared, not only what the step named.
const FULL_COMPARISON_EVERY: usize = 8;

#[test]
fn equal_a_naive_model_after_any_history() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Server::start(&[("lakeward.read-restrictions.enabled", "true")]));
    let number = Cell::new(0);
    let config = Config {
        cases: asked("LAKEWARD_HISTORIES", 64),
        max_shrink_iters: 60,
        failure_persistence: None,
        ..Config::default()
    };
    let steps = asked("LAKEWARD_HISTORY_STEPS", 40) as usize;
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let happened = Cell::new(0);
    let outcome = runner.run(
        &proptest::collection::vec(history::step(), steps..=steps),
        |steps| {
            number.set(number.get() + 1);
            let world = World {
                server: &server,
                metalake: format!("h{}", number.get()),
            };
            let steps = history::beginning().into_iter().chain(steps);
            happened.set(happened.get() + runtime.block_on(world.live_through(steps))?);
            Ok(())
        },
    );
    if let Err(error) = outcome {
        panic!("{error}");
    }
    // A model that refuses nearly everything would agree with a server that does.
    assert!(
        happened.get() > number.get() * steps / 3,
        "{} steps happened",
        happened.get()
    );
}

fn asked(name: &str, otherwise: u32) -> u32 {
    std::env::var(name)
        .ok()
        .map_or(otherwise, |number| number.parse().unwrap())
}

/// A metalake of its own for each history.
struct World<'a> {
    server: &'a Server,
    metalake: String,
}

impl World<'_> {
    /// Gives how many steps were not refused.
    async fn live_through(&self, steps: impl Iterator<Item = Step>) -> Result<usize, TestCaseError> {
        self.make_metalake().await?;
        let mut model = Model::new();
        let mut happened = 0;
        for (number, step) in steps.enumerate() {
            let answer = self.perform(&model, step).await?;
            let expected = model.apply(step);
            happened += usize::from(expected);
            if (200..300).contains(&answer.0) != expected {
                return Err(TestCaseError::fail(format!(
                    "step {number}, {step:?}, {}: {} {}",
                    if expected {
                        "is in order"
                    } else {
                        "is to be refused"
                    },
                    answer.0,
                    answer.1
                )));
            }
            if (number + 1) % FULL_COMPARISON_EVERY == 0 {
                self.compare(&model).await?;
            }
        }
        self.compare(&model).await?;
        Ok(happened)
    }

    async fn make_metalake(&self) -> Result<(), TestCaseError> {
        let metalake = json!({"name": self.metalake, "comment": "", "properties": {}});
        self.expect(Method::POST, "/api/metalakes", Some(metalake))
            .await?;
        let catalog = json!({
            "name": "lake", "type": "relational", "provider": "lakehouse-iceberg", "comment": "", "properties": {}
        });
        self.expect(Method::POST, &self.path("catalogs"), Some(catalog))
            .await?;
        for (name, policy_type) in POLICIES {
            let policy = match policy_type {
                "custom" => json!({"name": name, "policyType": policy_type, "enabled": true, "content": {
                    "customRules": {}, "supportedObjectTypes": ["CATALOG", "SCHEMA", "TABLE"], "properties": {}
                }}),
                "system_row_filter" => json!({"name": name, "policyType": policy_type, "enabled": false,
                    "content": {"expression": "filter := false"}}),
                // Equal actions never conflict, and this one fits every column here.
                _ => json!({"name": name, "policyType": policy_type, "enabled": false,
                    "content": {"expression": "mask := action(\"replace-with-null\")"}}),
            };
            self.expect(Method::POST, &self.path("policies"), Some(policy))
                .await?;
        }
        Ok(())
    }

    /// Asks the server for a step; gives the status and the answer.
    async fn perform(&self, model: &Model, step: Step) -> Result<(u16, Value), TestCaseError> {
        let lake = model.catalog();
        let tables = |schema: &str| format!("catalogs/{lake}/schemas/{schema}/tables");
        let table = |name: TableName| format!("{}/{}", tables(name.schema), name.table);
        let update = |update: Value| Some(json!({"updates": [update]}));
        let column = |name: &str| json!({"name": name, "type": "string", "nullable": true, "comment": ""});
        let on_tag = |policy: &str, tag: &str| format!("tags/{tag}/policies/{policy}");
        let (method, path, body) = match step {
            Step::RenameCatalog => {
                let rename = json!({"@type": "rename", "newName": model.next_catalog()});
                (Method::PUT, format!("catalogs/{lake}"), update(rename))
            }
            Step::CreateSchema(name) => {
                let body = json!({"name": name, "comment": "", "properties": {}});
                (Method::POST, format!("catalogs/{lake}/schemas"), Some(body))
            }
            Step::DropSchema(name) => {
                let path = format!("catalogs/{lake}/schemas/{name}?cascade=true");
                (Method::DELETE, path, None)
            }
            Step::CreateTable(name) => {
                let columns: Vec<Value> = ["id", "c", "d"].into_iter().map(column).collect();
                let body = json!({"name": name.table, "comment": "", "properties": {}, "columns": columns});
                (Method::POST, tables(name.schema), Some(body))
            }
            Step::DropTable(name) => (Method::DELETE, table(name), None),
            Step::MoveTable(from, to) => {
                let rename = json!({"@type": "rename", "newName": to.table, "newSchemaName": to.schema});
                (Method::PUT, table(from), update(rename))
            }
            Step::AddColumn(name, column) => {
                let add =
                    json!({"@type": "addColumn", "fieldName": [column], "type": "string", "nullable": true});
                (Method::PUT, table(name), update(add))
            }
            Step::RenameColumn(name, from, to) => {
                let rename = json!({"@type": "renameColumn", "oldFieldName": [from], "newFieldName": to});
                (Method::PUT, table(name), update(rename))
            }
            Step::DropColumn(name, column) => {
                let drop = json!({"@type": "deleteColumn", "fieldName": [column], "ifExists": false});
                (Method::PUT, table(name), update(drop))
            }
            Step::CreateTag(name) => (Method::POST, "tags".to_owned(), Some(json!({"name": name}))),
            Step::DropTag(name) => (Method::DELETE, format!("tags/{name}"), None),
            Step::RenameTag(from, to) => {
                let rename = json!({"@type": "rename", "newName": to});
                (Method::PUT, format!("tags/{from}"), update(rename))
            }
            Step::AssignName(place, tag) => {
                (Method::POST, on(&lake, place), Some(json!({"tagsToAdd": [tag]})))
            }
            Step::UnassignName(place, tag) => {
                let body = json!({"tagsToRemove": [tag]});
                (Method::POST, on(&lake, place), Some(body))
            }
            Step::AssignValue(place, tag, value) => {
                let body = json!({"tagsToAdd": [{"name": tag, "value": value}]});
                return self
                    .ask(Method::POST, &self.path(&on(&lake, place)), Some(body), true)
                    .await;
            }
            Step::UnassignValue(place, tag, value) => {
                let body = json!({"tagsToRemove": [{"name": tag, "value": value}]});
                return self
                    .ask(Method::POST, &self.path(&on(&lake, place)), Some(body), true)
                    .await;
            }
            Step::Bind(policy, tag, None) => (Method::PUT, on_tag(policy, tag), None),
            Step::Bind(policy, tag, Some(value)) => {
                let body = json!({"selector": {"type": "TAG_VALUE", "value": value}});
                (Method::PUT, on_tag(policy, tag), Some(body))
            }
            Step::Unbind(policy, tag) => (Method::DELETE, on_tag(policy, tag), None),
        };
        self.ask(method, &self.path(&path), body, false).await
    }

    /// Compares everything that can be asked with the model.
    async fn compare(&self, model: &Model) -> Result<(), TestCaseError> {
        for (id, kind, name) in model.living() {
            let listed = self
                .get(&format!("objects/{kind}/{name}/tags?details=true"))
                .await?;
            let mut listed: Vec<(String, BTreeSet<String>, bool)> = listed["tags"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tag| {
                    let values = texts(&tag["assignmentValues"]);
                    (text(&tag["name"]), values, tag["inherited"] == true)
                })
                .collect();
            listed.sort();
            let effective = model.effective(id);
            let expected: Vec<_> = effective
                .iter()
                .map(|tag| (tag.tag.to_owned(), owned(&tag.values), tag.is_inherited))
                .collect();
            same(&format!("tags of {kind} {name}"), &listed, &expected)?;
            if kind == "column" {
                continue;
            }
            let policies = self.get(&format!("objects/{kind}/{name}/policies")).await?;
            let plain = !model.selecting(id, "plain").is_empty();
            let expected: BTreeSet<String> = plain.then(|| "plain".to_owned()).into_iter().collect();
            same(
                &format!("policies of {kind} {name}"),
                &texts(&policies["names"]),
                &expected,
            )?;
            if kind == "table" {
                self.compare_resolution(model, id, &name).await?;
            }
        }
        for tag in TAGS {
            if model.has_tag(tag) {
                let objects = self.get(&format!("tags/{tag}/objects")).await?;
                let objects: BTreeSet<String> = objects["metadataObjects"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|object| text(&object["fullName"]))
                    .collect();
                same(&format!("objects of tag {tag}"), &objects, &model.tagged(tag))?;
            }
        }
        Ok(())
    }

    /// What would restrict readers of a table if the policies were enabled, and through which tags.
    async fn compare_resolution(&self, model: &Model, table: u32, name: &str) -> Result<(), TestCaseError> {
        let restrictions: Vec<&str> = POLICIES[..3].iter().map(|(name, _)| *name).collect();
        let path = self.path(&format!("objects/table/{name}/read-restrictions/explain"));
        let question = json!({"policies": restrictions});
        let told = self.expect(Method::POST, &path, Some(question)).await?["explanation"].clone();
        let mut resolved: BTreeSet<(String, String, Through)> = BTreeSet::new();
        let mut note = |place: &str, policies: &Value| {
            for policy in policies.as_array().into_iter().flatten() {
                resolved.extend(
                    through(&policy["selected-by"])
                        .map(|tag| (place.to_owned(), text(&policy["policy"]), tag)),
                );
            }
        };
        note("rows", &told["row-filter"]);
        for column in told["columns"].as_array().into_iter().flatten() {
            note(column["column"].as_str().unwrap(), &column["masks"]);
        }
        let mut expected = BTreeSet::new();
        let mut expect = |place: &str, policy: &str, tags: Vec<Effective>| {
            for tag in tags {
                let through = (tag.tag.to_owned(), owned(&tag.values), tag.assigned_on);
                expected.insert((place.to_owned(), policy.to_owned(), through));
            }
        };
        expect("rows", "none", model.selecting(table, "none"));
        for policy in ["mask1", "mask2"] {
            for (column, name) in model.columns(table) {
                expect(&name, policy, model.selecting(column, policy));
            }
            // A column of which nothing was ever said.
            expect("id", policy, model.selecting(table, policy));
        }
        same(&format!("what restricts {name}, {told}"), &resolved, &expected)
    }

    async fn get(&self, path: &str) -> Result<Value, TestCaseError> {
        self.expect(Method::GET, &self.path(path), None).await
    }

    async fn expect(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, TestCaseError> {
        let shown = format!("{method} {path}");
        let (status, body) = self.ask(method, path, body, false).await?;
        if status != 200 {
            return Err(TestCaseError::fail(format!("{shown}: {status} {body}")));
        }
        Ok(body)
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        values: bool,
    ) -> Result<(u16, Value), TestCaseError> {
        let version_2 = [("Accept", VERSION_2), ("Content-Type", VERSION_2)];
        let headers = if values { &version_2[..] } else { &[] };
        let answer = self.server.send("admin", method, path, body, headers).await;
        Ok((answer.status.as_u16(), answer.body))
    }

    fn path(&self, below: &str) -> String {
        format!("/api/metalakes/{}/{below}", self.metalake)
    }
}

/// A tag that selects: name, values, where it was assigned.
type Through = (String, BTreeSet<String>, String);

fn through(selected_by: &Value) -> impl Iterator<Item = Through> {
    selected_by.as_array().into_iter().flatten().map(|tag| {
        let on = text(&tag["assigned-on"]["fullName"]);
        (text(&tag["tag"]), texts(&tag["values"]), on)
    })
}

/// Where the tags of an object are.
fn on(lake: &str, place: Place) -> String {
    let table = |name: TableName| format!("{lake}.{}.{}", name.schema, name.table);
    match place {
        Place::Catalog => format!("objects/catalog/{lake}/tags"),
        Place::Schema(name) => format!("objects/schema/{lake}.{name}/tags"),
        Place::Table(name) => format!("objects/table/{}/tags", table(name)),
        Place::Column(name, column) => format!("objects/column/{}.{column}/tags", table(name)),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, seen: &T, expected: &T) -> Result<(), TestCaseError> {
    if seen == expected {
        return Ok(());
    }
    Err(TestCaseError::fail(format!(
        "{what}:\n  {seen:?}\n  instead of\n  {expected:?}"
    )))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn texts(values: &Value) -> BTreeSet<String> {
    values.as_array().unwrap().iter().map(text).collect()
}

fn owned(values: &BTreeSet<&'static str>) -> BTreeSet<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}
