// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A well-formed request for every governed operation. Paths come from the routes; only bodies are written here.

use lakeward_server::http::routes::{Mounted, Tree};
use lakeward_server::listing::all_routes;
use serde_json::{Value, json};

use crate::scene::{NONE, Scene, creation};

/// One way to ask for an operation.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) mounted: Mounted,
    pub(crate) path: String,
    pub(crate) body: Value,
    /// What is special about it, for messages.
    pub(crate) variant: &'static str,
}

impl Ask {
    pub(crate) fn method(&self) -> &str {
        self.mounted.method.as_str()
    }
}

impl std::fmt::Display for Ask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}{}", self.mounted.method, self.path, self.variant)
    }
}

/// Requests of every governed operation, for the table `t` of a namespace or a new one in it. `new` makes names of new
/// tables differ from call to call.
pub(crate) fn asks(scene: &Scene, namespace: &str, new: &str) -> Vec<Ask> {
    let routes = all_routes();
    let governed = routes
        .mounted()
        .iter()
        .filter(|mounted| mounted.governance.is_governed());
    governed
        .flat_map(|mounted| asks_of(scene, mounted, namespace, new))
        .collect()
}

fn asks_of(scene: &Scene, mounted: &Mounted, namespace: &str, new: &str) -> Vec<Ask> {
    let path: Vec<String> = format!("{}{}", mounted.tree.base(), mounted.path)
        .split('/')
        .map(|segment| match segment {
            "{metalake}" => "m".to_owned(),
            "{prefix}" | "{catalog}" => "ice".to_owned(),
            "{namespace}" | "{schema}" => namespace.to_owned(),
            "{table}" => "t".to_owned(),
            "{fullName}" => format!("ice.{namespace}.t"),
            "{type}" => "table".to_owned(),
            "{partition}" => "p=1".to_owned(),
            literal => {
                assert!(
                    !literal.starts_with('{'),
                    "say what `{literal}` stands for in {mounted:?}"
                );
                literal.to_owned()
            }
        })
        .collect();
    let bodies = bodies(scene, mounted, namespace, new);
    assert!(
        !bodies.is_empty(),
        "`{} {}` is governed: write a request for it in tests/gate/requests.rs, so that the gate before it is tested",
        mounted.method,
        mounted.path
    );
    bodies
        .into_iter()
        .map(|(variant, body)| Ask {
            mounted: mounted.clone(),
            path: format!("{}{}", path.join("/"), query(variant)),
            body,
            variant: if variant.starts_with('?') { "" } else { variant },
        })
        .collect()
}

fn query(variant: &'static str) -> &'static str {
    if variant.starts_with('?') { variant } else { "" }
}

/// Bodies, each with a query (`?…`) or a note.
fn bodies(scene: &Scene, mounted: &Mounted, namespace: &str, new: &str) -> Vec<(&'static str, Value)> {
    let without_body = [http::Method::GET, http::Method::HEAD, http::Method::DELETE];
    match (mounted.tree, mounted.operation) {
        (Tree::Iceberg, "LoadTable") => vec![("", NONE), ("?snapshots=refs", NONE)],
        (Tree::Iceberg, "DropTable") => vec![("", NONE), ("?purgeRequested=true", NONE)],
        (Tree::Iceberg, "CreateTable") => {
            let mut staged = creation(&format!("{new}_staged"));
            staged["stage-create"] = json!(true);
            vec![("", creation(new)), (" (staged)", staged)]
        }
        (Tree::Iceberg, "RegisterTable") => vec![(
            "",
            json!({"name": format!("{new}_registered"), "metadata-location": scene.loose_metadata}),
        )],
        (Tree::Iceberg, "CommitTable") => vec![("", commit())],
        (Tree::Iceberg, "RenameTable") => {
            let name = |name: &str| json!({"namespace": [namespace], "name": name});
            vec![(
                "",
                json!({"source": name("t"), "destination": name(&format!("{new}_renamed"))}),
            )]
        }
        (Tree::Iceberg, "CommitTransaction") => {
            let mut change = commit();
            change["identifier"] = json!({"namespace": [namespace], "name": "t"});
            vec![("", json!({"table-changes": [change]}))]
        }
        (Tree::Native, "CreateTable") => {
            let columns = json!([
                {"name": "id", "type": "long", "nullable": false},
                {"name": "zz_column", "type": "string", "nullable": true}]);
            vec![("", json!({"name": format!("{new}_native"), "columns": columns}))]
        }
        (Tree::Native, "AlterTable") => {
            let update = |update: Value| json!({ "updates": [update] });
            vec![
                ("", update(json!({"@type": "updateComment", "newComment": "c"}))),
                (
                    " (rename)",
                    update(json!({"@type": "rename", "newName": format!("{new}_moved")})),
                ),
            ]
        }
        (Tree::Native, "DropSchema") => vec![("?cascade=true", NONE)],
        (Tree::Native, "DropCatalog") => vec![("?force=true", NONE)],
        (Tree::Native, "UpdateStatistics") => vec![("", json!({"updates": {"custom-rows": 1}}))],
        (Tree::Native, "DropStatistics") => vec![("", json!({"names": ["custom-rows"]}))],
        (Tree::Native, "UpdatePartitionStatistics") => vec![(
            "",
            json!({"updates": [{"partitionName": "p", "statistics": {"custom-rows": 1}}]}),
        )],
        (Tree::Native, "DropPartitionStatistics") => vec![(
            "",
            json!({"drops": [{"partitionName": "p", "statisticNames": ["custom-rows"]}]}),
        )],
        (Tree::Native, "AddPartitions") => vec![("", json!({"partitions": []}))],
        (Tree::Native, "ExplainRestrictions") => vec![("", NONE)],
        _ if without_body.contains(&mounted.method) => vec![("", NONE)],
        _ => Vec::new(),
    }
}

/// A commit that sets a property.
pub(crate) fn commit() -> Value {
    json!({"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": "v"}}]})
}
