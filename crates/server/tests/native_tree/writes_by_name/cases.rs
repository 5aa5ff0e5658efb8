// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A request for every route that writes what it names.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Kind;

/// What short forms of routes begin with.
const SHORT: [(&str, &str); 4] = [
    ("N:", "/iceberg/v1/{prefix}/namespaces/{namespace}"),
    ("I:", "/iceberg/v1/{prefix}"),
    (
        "S:",
        "/api/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}",
    ),
    ("M:", "/api/metalakes/{metalake}"),
];

/// Routes that write nothing by the name of an object, and why.
pub(super) const EXEMPT: &[(&str, &[&str])] = &[
    (
        "the configuration alone decides; `server_writes` has one that its caller may no longer send",
        &[
            "DELETE /api/idp/groups/{group}",
            "DELETE /api/idp/users/{user}",
            "DELETE /api/idp/users/{user}/tokens/{token}",
            "DELETE /api/readers/{reader}",
            "POST /api/idp/groups",
            "POST /api/idp/users",
            "POST /api/metalakes",
            "POST /api/readers",
            "PUT /api/idp/groups/{group}/users",
            "PUT /api/idp/users/{user}",
            "DELETE /scim/v2/Groups/{id}",
            "DELETE /scim/v2/Users/{id}",
            "PATCH /scim/v2/Groups/{id}",
            "PATCH /scim/v2/Users/{id}",
            "POST /scim/v2/Groups",
            "POST /scim/v2/Users",
            "PUT /scim/v2/Groups/{id}",
            "PUT /scim/v2/Users/{id}",
        ],
    ),
    (
        "no object of a metalake is named",
        &[
            "DELETE /api/authn/me/tokens/{token}",
            "POST /api/authn/me/tokens",
            "POST /api/lineage",
            "POST /oauth/token",
            "PUT /api/authn/me/password",
        ],
    ),
    (
        "nothing is written",
        &[
            "DELETE N:/tables/{table}/plan/{plan-id}",
            "POST M:/catalogs/testConnection",
            "POST M:/catalogs/{catalog}/testConnection",
            "POST M:/objects/table/{fullName}/read-restrictions/explain",
            "POST M:/objects/{type}/{fullName}/access/explain",
            "POST M:/read-restrictions/impact",
            "POST N:/tables/{table}/plan",
            "POST N:/tables/{table}/sign",
            "POST N:/tables/{table}/tasks",
            "POST /scim/v2/.search",
            "POST /scim/v2/Groups/.search",
            "POST /scim/v2/Users/.search",
        ],
    ),
    (
        "no provider has partition objects",
        &[
            "DELETE S:/tables/{table}/partitions/{partition}",
            "POST S:/tables/{table}/partitions",
        ],
    ),
];

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// As in the list of routes: `PUT /api/metalakes/{metalake}`.
    pub(super) route: String,
    /// What follows the path.
    pub(super) query: String,
    /// `null` for none.
    pub(super) body: Value,
    /// What of that which it names is replaced by another of that name.
    pub(super) kind: Kind,
}

/// A route in full.
pub(super) fn in_full(route: &str) -> String {
    let (method, path) = route.split_once(' ').unwrap();
    let short = SHORT
        .iter()
        .find_map(|(short, long)| path.strip_prefix(short).map(|rest| format!("{long}{rest}")));
    format!("{method} {}", short.unwrap_or_else(|| path.to_owned()))
}

/// The body that makes an object `name` of a kind. Every fileset lies in a place of its own below the folder.
pub(super) fn creation(kind: Kind, name: &str, folder: &Path) -> Value {
    let column = json!([{"name": "c", "type": "long", "nullable": true}]);
    match kind {
        Kind::Table => json!({"name": name, "columns": column}),
        Kind::View => json!({"name": name, "columns": column,
            "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS c"}]}),
        Kind::Function => {
            json!({"name": name, "functionType": "SCALAR", "deterministic": true, "definitions": [
            {"parameters": [], "returnType": "integer", "impls": [
                {"language": "SQL", "runtime": "SPARK", "sql": "1"}]}]})
        }
        Kind::Policy => json!({"name": name, "policyType": "custom", "enabled": true, "content":
            {"customRules": {"a": 1}, "supportedObjectTypes": ["TABLE"], "properties": {}}}),
        Kind::JobTemplate => {
            json!({"jobTemplate": {"jobType": "shell", "name": name, "executable": "/bin/true"}})
        }
        Kind::Role => json!({"name": name, "securableObjects": [
            {"type": "catalog", "fullName": "ice", "privileges": [{"name": "USE_CATALOG", "condition": "ALLOW"}]}]}),
        Kind::Catalog("ice") => json!({"name": name, "type": "RELATIONAL", "provider": "lakehouse-iceberg"}),
        Kind::Catalog("kaf") => json!({"name": name, "type": "MESSAGING", "provider": "kafka",
            "properties": {"bootstrap.servers": "localhost:1"}}),
        Kind::Catalog("files") => json!({"name": name, "type": "FILESET"}),
        Kind::Catalog(_) => json!({"name": name, "type": "MODEL"}),
        Kind::Fileset => {
            let place = folder.join(uuid::Uuid::new_v4().to_string());
            json!({"name": name, "storageLocation": format!("file://{}", place.display())})
        }
        Kind::Model | Kind::Topic | Kind::Tag | Kind::Schema(_) | Kind::Metalake | Kind::Nothing => {
            json!({ "name": name })
        }
    }
}

/// What requests need: metadata files of a table and of a view that were dropped, and a folder for filesets.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub(super) table: Value,
    pub(super) view: Value,
    pub(super) folder: PathBuf,
}

/// All of them, leaves first: what contains others is replaced last.
pub(super) fn cases(given: &Given) -> Vec<Case> {
    let update = |update: Value| json!({ "updates": [update] });
    let comment = || update(json!({"@type": "updateComment", "newComment": "changed"}));
    let rename = || update(json!({"@type": "rename", "newName": "renamed"}));
    let set = || update(json!({"@type": "setProperty", "property": "k", "value": "changed"}));
    let moved = update(json!({"@type": "rename", "newName": "renamed", "newSchemaName": "other"}));
    let iceberg_rename = |name: &str| {
        json!({"source": {"namespace": ["s"], "name": name},
            "destination": {"namespace": ["other"], "name": "renamed"}})
    };
    let commit = json!({"requirements": [],
        "updates": [{"action": "set-properties", "updates": {"k": "v"}}]});
    let mut part = commit.clone();
    part["identifier"] = json!({"namespace": ["s"], "name": "x"});
    let report = json!({"report-type": "commit-report", "table-name": "x", "snapshot-id": 1, "sequence-number": 1,
        "operation": "append", "metrics": {}});
    let field = json!([{"id": 1, "name": "id", "required": false, "type": "long"}]);
    let iceberg_table = json!({"name": "new", "schema": {"type": "struct", "schema-id": 0, "fields": field}});
    let iceberg_view = json!({"name": "new", "schema": iceberg_table["schema"], "properties": {},
        "view-version": {"version-id": 1, "timestamp-ms": 1_700_000_000_000_i64, "schema-id": 0, "summary": {},
            "representations": [{"type": "sql", "sql": "select 1 as id", "dialect": "spark"}],
            "default-namespace": ["s"]}});
    let privileges = json!({"privileges": [{"name": "SELECT_TABLE", "condition": "ALLOW"}]});
    let partition = json!({"partitionName": "p", "statistics": {"custom-rows": 1}});
    let owner = json!({"name": "bob", "type": "USER"});
    let selector = json!({"selector": {"type": "TAG_VALUE", "value": "v"}});
    let roles = || json!({"roleNames": ["x"]});
    let users = json!({"users": [{"name": "new"}]});
    let in_use = || json!({"inUse": false});
    let new = |kind| creation(kind, "new", &given.folder);
    let run = json!({"jobTemplateName": "x", "jobConf": {}});
    let version = || json!({"updates": [{"@type": "updateComment", "newComment": "changed"}]});
    let tags = || json!({"tagsToAdd": ["x"]});
    let policies = || json!({"policiesToAdd": ["x"]});
    let properties = json!({"updates": {"k": "v"}});
    let none = Value::Null;
    let at_once: Vec<(Kind, &str, Value)> = vec![
        (Kind::Table, "PUT S:/tables/{table}", comment()),
        (Kind::Table, "PUT S:/tables/{table}", rename()),
        (Kind::Table, "PUT S:/tables/{table}", moved),
        (Kind::Table, "DELETE S:/tables/{table}", none.clone()),
        (Kind::Table, "DELETE S:/tables/{table}?purge=true", none.clone()),
        (
            Kind::Table,
            "PUT M:/objects/{type}/{fullName}/statistics",
            json!({"updates": {"custom-rows": 1}}),
        ),
        (
            Kind::Table,
            "POST M:/objects/{type}/{fullName}/statistics",
            json!({"names": ["custom-rows"]}),
        ),
        (
            Kind::Table,
            "PUT M:/objects/{type}/{fullName}/statistics/partitions",
            json!({"updates": [partition]}),
        ),
        (
            Kind::Table,
            "POST M:/objects/{type}/{fullName}/statistics/partitions",
            json!({"drops": [{"partitionName": "p", "statisticNames": ["custom-rows"]}]}),
        ),
        (Kind::Table, "POST M:/objects/{type}/{fullName}/tags", tags()),
        (Kind::Tag, "POST M:/objects/{type}/{fullName}/tags", tags()),
        (Kind::Table, "POST M:/tags/{type}/{fullName}", tags()),
        (
            Kind::Table,
            "POST M:/objects/{type}/{fullName}/policies",
            policies(),
        ),
        (
            Kind::Policy,
            "POST M:/objects/{type}/{fullName}/policies",
            policies(),
        ),
        (Kind::Table, "PUT M:/owners/{type}/{fullName}", owner),
        (
            Kind::Table,
            "PUT M:/permissions/roles/{role}/{type}/{fullName}/grant",
            privileges.clone(),
        ),
        (
            Kind::Table,
            "PUT M:/permissions/roles/{role}/{type}/{fullName}/revoke",
            privileges,
        ),
        (Kind::Table, "POST N:/tables/{table}/metrics", report),
        (Kind::Table, "DELETE N:/tables/{table}", none.clone()),
        (
            Kind::Table,
            "DELETE N:/tables/{table}?purgeRequested=true",
            none.clone(),
        ),
        (Kind::Table, "POST I:/tables/rename", iceberg_rename("x")),
        (Kind::Table, "POST N:/tables/{table}", commit.clone()),
        (
            Kind::Table,
            "POST I:/transactions/commit",
            json!({"table-changes": [part]}),
        ),
        (Kind::View, "PUT S:/views/{view}", set()),
        (Kind::View, "PUT S:/views/{view}", rename()),
        (Kind::View, "DELETE S:/views/{view}", none.clone()),
        (Kind::View, "POST I:/views/rename", iceberg_rename("v")),
        (Kind::View, "DELETE N:/views/{view}", none.clone()),
        (Kind::View, "POST N:/views/{view}", commit),
        (Kind::Function, "PUT S:/functions/{function}", comment()),
        (Kind::Function, "DELETE S:/functions/{function}", none.clone()),
        (Kind::Fileset, "PUT S:/filesets/{fileset}", comment()),
        (Kind::Fileset, "PUT S:/filesets/{fileset}", rename()),
        (Kind::Fileset, "DELETE S:/filesets/{fileset}", none.clone()),
        (Kind::Model, "PUT S:/models/{model}", comment()),
        (Kind::Model, "PUT S:/models/{model}", rename()),
        (
            Kind::Model,
            "POST S:/models/{model}/versions",
            json!({"uri": "s3://b/1", "aliases": []}),
        ),
        (Kind::Model, "PUT S:/models/{model}/versions/{version}", version()),
        (Kind::Model, "PUT S:/models/{model}/aliases/{alias}", version()),
        (
            Kind::Model,
            "DELETE S:/models/{model}/versions/{version}",
            none.clone(),
        ),
        (
            Kind::Model,
            "DELETE S:/models/{model}/aliases/{alias}",
            none.clone(),
        ),
        (Kind::Model, "DELETE S:/models/{model}", none.clone()),
        (Kind::Topic, "PUT S:/topics/{topic}", comment()),
        (Kind::Topic, "DELETE S:/topics/{topic}", none.clone()),
        (Kind::Tag, "PUT M:/tags/{tag}", comment()),
        (Kind::Tag, "PUT M:/tags/{tag}", rename()),
        (Kind::Tag, "PUT M:/tags/{tag}/policies/{policy}", selector.clone()),
        (Kind::Policy, "PUT M:/tags/{tag}/policies/{policy}", selector),
        (
            Kind::Policy,
            "DELETE M:/tags/{tag}/policies/{policy}",
            none.clone(),
        ),
        (Kind::Tag, "DELETE M:/tags/{tag}", none.clone()),
        (Kind::Policy, "PUT M:/policies/{policy}", comment()),
        (Kind::Policy, "PUT M:/policies/{policy}", rename()),
        (
            Kind::Policy,
            "PATCH M:/policies/{policy}",
            json!({"enable": false}),
        ),
        (Kind::Policy, "DELETE M:/policies/{policy}", none.clone()),
        (
            Kind::JobTemplate,
            "PUT M:/jobs/templates/{jobTemplate}",
            comment(),
        ),
        (Kind::JobTemplate, "POST M:/jobs/runs", run),
        (
            Kind::JobTemplate,
            "DELETE M:/jobs/templates/{jobTemplate}",
            none.clone(),
        ),
        (Kind::Nothing, "POST M:/jobs/runs/{job}", none.clone()),
        (Kind::Role, "DELETE M:/roles/{role}", none.clone()),
        (Kind::Schema("ice"), "POST S:/tables", new(Kind::Table)),
        (Kind::Schema("ice"), "POST S:/views", new(Kind::View)),
        (Kind::Schema("ice"), "POST S:/functions", new(Kind::Function)),
        (Kind::Schema("files"), "POST S:/filesets", new(Kind::Fileset)),
        (Kind::Schema("models"), "POST S:/models", new(Kind::Model)),
        (Kind::Schema("ice"), "POST N:/tables", iceberg_table),
        (Kind::Schema("ice"), "POST N:/views", iceberg_view),
        (
            Kind::Schema("ice"),
            "POST N:/register",
            json!({"name": "new", "metadata-location": given.table}),
        ),
        (
            Kind::Schema("ice"),
            "POST N:/register-view",
            json!({"name": "new", "metadata-location": given.view}),
        ),
        (Kind::Schema("ice"), "POST N:/properties", properties),
        (Kind::Schema("ice"), "PUT S:", set()),
        (Kind::Schema("ice"), "DELETE S:?cascade=true", none.clone()),
        (Kind::Schema("files"), "DELETE S:?cascade=true", none.clone()),
        (Kind::Schema("ice"), "DELETE N:", none.clone()),
        (Kind::Catalog("kaf"), "POST S:/topics", new(Kind::Topic)),
        (
            Kind::Catalog("models"),
            "POST M:/catalogs/{catalog}/schemas",
            json!({"name": "new"}),
        ),
        (
            Kind::Catalog("ice"),
            "POST I:/namespaces",
            json!({"namespace": ["new"]}),
        ),
        (Kind::Catalog("ice"), "PUT M:/catalogs/{catalog}", set()),
        (Kind::Catalog("ice"), "PUT M:/catalogs/{catalog}", rename()),
        (Kind::Catalog("ice"), "PATCH M:/catalogs/{catalog}", in_use()),
        (
            Kind::Catalog("ice"),
            "DELETE M:/catalogs/{catalog}?force=true",
            none.clone(),
        ),
        (
            Kind::Catalog("files"),
            "DELETE M:/catalogs/{catalog}?force=true",
            none.clone(),
        ),
        (Kind::Metalake, "POST M:/catalogs", new(Kind::Catalog("models"))),
        (Kind::Metalake, "POST M:/tags", new(Kind::Tag)),
        (Kind::Metalake, "POST M:/policies", new(Kind::Policy)),
        (
            Kind::Metalake,
            "POST M:/roles",
            json!({"name": "new", "securableObjects": []}),
        ),
        (Kind::Metalake, "POST M:/jobs/templates", new(Kind::JobTemplate)),
        (Kind::Metalake, "POST M:/users", json!({"name": "new"})),
        (Kind::Metalake, "POST M:/groups", json!({"name": "new"})),
        (Kind::Metalake, "PUT M:/users/{user}", json!({"enabled": false})),
        (Kind::Metalake, "DELETE M:/users/{user}", none.clone()),
        (Kind::Metalake, "DELETE M:/groups/{group}", none.clone()),
        (
            Kind::Metalake,
            "POST /api/bulk/metalakes/{metalake}/users/add",
            users,
        ),
        (
            Kind::Metalake,
            "POST /api/bulk/metalakes/{metalake}/users/remove",
            json!({"names": ["bob"]}),
        ),
        (Kind::Metalake, "PUT M:/permissions/users/{user}/grant", roles()),
        (Kind::Metalake, "PUT M:/permissions/users/{user}/revoke", roles()),
        (Kind::Metalake, "PUT M:/permissions/groups/{group}/grant", roles()),
        (
            Kind::Metalake,
            "PUT M:/permissions/groups/{group}/revoke",
            roles(),
        ),
        (
            Kind::Metalake,
            "PUT M:/permissions/roles/{role}",
            json!({"overrides": creation(Kind::Role, "x", &given.folder)["securableObjects"]}),
        ),
        (Kind::Metalake, "PUT M:", set()),
        (Kind::Metalake, "PUT M:", rename()),
        (Kind::Metalake, "PATCH M:", in_use()),
        (Kind::Metalake, "DELETE M:?force=true", none),
    ];
    at_once
        .into_iter()
        .map(|(kind, route, body)| {
            let (route, query) = route.split_once('?').unwrap_or((route, ""));
            let query = if query.is_empty() {
                String::new()
            } else {
                format!("?{query}")
            };
            Case {
                route: in_full(route),
                query,
                body,
                kind,
            }
        })
        .collect()
}
