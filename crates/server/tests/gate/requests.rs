// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A well-formed request for every governed operation. Paths come from the routes; only bodies are written here.

use lakeward_server::http::routes::{Mounted, Tree};
use lakeward_server::listing::all_routes;
use serde_json::{Value, json};

use crate::scene::{NONE, creation};

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

/// What the requests are about.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) namespace: String,
    /// A table that exists.
    pub(crate) table: String,
    /// What names of new tables begin with.
    pub(crate) new: String,
    /// A metadata file that no table has.
    pub(crate) loose_metadata: String,
    /// The id of a plan of [`crate::scene::ADMIN`] for the table `t` of [`crate::scene::RESTRICTED`].
    pub(crate) plan: String,
}

/// Requests of every governed operation.
pub(crate) fn asks(names: &Names) -> Vec<Ask> {
    let routes = all_routes();
    let governed = routes
        .mounted()
        .iter()
        .filter(|mounted| mounted.governance.is_governed());
    governed.flat_map(|mounted| asks_of(mounted, names)).collect()
}

fn asks_of(mounted: &Mounted, names: &Names) -> Vec<Ask> {
    let path: Vec<String> = format!("{}{}", mounted.tree.base(), mounted.path)
        .split('/')
        .map(|segment| match segment {
            "{metalake}" => "m".to_owned(),
            "{prefix}" | "{catalog}" => "ice".to_owned(),
            "{namespace}" | "{schema}" => names.namespace.clone(),
            "{table}" => names.table.clone(),
            "{fullName}" => format!("ice.{}.{}", names.namespace, names.table),
            "{type}" => "table".to_owned(),
            "{partition}" => "p=1".to_owned(),
            "{plan-id}" => names.plan.clone(),
            literal => {
                assert!(
                    !literal.starts_with('{'),
                    "say what `{literal}` stands for in {mounted:?}"
                );
                literal.to_owned()
            }
        })
        .collect();
    let bodies = bodies(mounted, names);
    assert!(
        !bodies.is_empty(),
        "`{} {}` is governed: write a request for it in tests/gate/requests.rs, so that the gate before it is tested",
        mounted.method,
        mounted.path
    );
    let ask = |(variant, body): (&'static str, Value)| {
        let (query, variant) = if variant.starts_with('?') {
            (variant, "")
        } else {
            ("", variant)
        };
        Ask {
            mounted: mounted.clone(),
            path: format!("{}{query}", path.join("/")),
            body,
            variant,
        }
    };
    bodies.into_iter().map(ask).collect()
}

/// Bodies, each with a query (`?…`) or a note.
fn bodies(mounted: &Mounted, names: &Names) -> Vec<(&'static str, Value)> {
    let Names {
        namespace,
        table,
        new,
        ..
    } = names;
    let without_body = [http::Method::GET, http::Method::HEAD, http::Method::DELETE];
    match (mounted.tree, mounted.operation) {
        (Tree::Iceberg, "LoadTable") => vec![("", NONE), ("?snapshots=refs", NONE)],
        (Tree::Iceberg, "DropTable") => vec![("", NONE), ("?purgeRequested=true", NONE)],
        (Tree::Iceberg, "CreateTable") => {
            let mut staged = creation(&format!("{new}_staged"));
            staged["stage-create"] = json!(true);
            vec![("", creation(&format!("{new}_made"))), (" (staged)", staged)]
        }
        (Tree::Iceberg, "RegisterTable") => vec![(
            "",
            json!({"name": format!("{new}_registered"), "metadata-location": names.loose_metadata}),
        )],
        (Tree::Iceberg, "ReportMetrics") => vec![(
            "",
            json!({"report-type": "commit-report", "table-name": table, "snapshot-id": 1, "sequence-number": 1,
                "operation": "append", "metrics": {}}),
        )],
        (Tree::Iceberg, "SignRequest") => vec![(
            "",
            json!({"method": "GET", "uri": "https://s3.amazonaws.com/b/k", "region": "r", "headers": {}}),
        )],
        (Tree::Iceberg, "PlanTableScan") => vec![("", json!({})), (" (filter)", json!({"filter": false}))],
        (Tree::Iceberg, "FetchScanTasks") => vec![("", json!({"plan-task": names.plan}))],
        (Tree::Iceberg, "CommitTable") => vec![("", commit())],
        (Tree::Iceberg, "RenameTable") => {
            let name = |name: &str| json!({"namespace": [namespace], "name": name});
            let body = json!({"source": name(table), "destination": name(&format!("{new}_renamed"))});
            vec![("", body)]
        }
        (Tree::Iceberg, "CommitTransaction") => {
            let mut change = commit();
            change["identifier"] = json!({"namespace": [namespace], "name": table});
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
            let comment = json!({"@type": "updateComment", "newComment": "c"});
            let rename = json!({"@type": "rename", "newName": format!("{new}_moved")});
            vec![("", update(comment)), (" (rename)", update(rename))]
        }
        (Tree::Native, "DropSchema") => vec![("?cascade=true", NONE)],
        (Tree::Native, "DropMetalake") => vec![("?force=true", NONE)],
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
        (Tree::Native, "RestrictionsImpact") => vec![("", json!({"tag": "zz_tag_some"}))],
        (Tree::Native, "ExplainRestrictions") => vec![("", NONE)],
        _ if without_body.contains(&mounted.method) => vec![("", NONE)],
        _ => Vec::new(),
    }
}

/// A commit that sets a property.
pub(crate) fn commit() -> Value {
    json!({"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": "v"}}]})
}
