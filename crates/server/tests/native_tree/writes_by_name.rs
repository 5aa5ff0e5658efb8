// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every route that writes what it names, held between its decision and its write. Where the right to it is taken away
//! meanwhile, it is refused; where something else has got the name of what was decided on, that is not touched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lakeward_metadata::id::ObjectId;
use lakeward_server::listing::listing;
use lakeward_store::Revision;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::held::Scene;
use crate::in_process::Broker;
use crate::scene::{Place, on_both_stores};
use cases::{Case, EXEMPT, Given, cases, creation, in_full};

mod cases;

on_both_stores!(
    who_may_no_longer_changes_nothing,
    what_got_the_name_is_not_changed,
    rights_end_in_many_ways,
);

const M: &str = "/api/metalakes/m";

/// What a request names, as it is made and replaced. Leaves are called `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    View,
    Function,
    Fileset,
    Model,
    Topic,
    Tag,
    Policy,
    JobTemplate,
    Role,
    /// `s` in a catalog.
    Schema(&'static str),
    /// A catalog by its name.
    Catalog(&'static str),
    Metalake,
    /// Nothing that could get the name of another.
    Nothing,
}

impl Kind {
    /// Those with which a test begins, each after what it lies in.
    const ALL: [Self; 18] = [
        Self::Metalake,
        Self::Catalog("ice"),
        Self::Catalog("files"),
        Self::Catalog("models"),
        Self::Catalog("kaf"),
        Self::Schema("ice"),
        Self::Schema("files"),
        Self::Schema("models"),
        Self::Table,
        Self::View,
        Self::Function,
        Self::Fileset,
        Self::Model,
        Self::Topic,
        Self::Tag,
        Self::Policy,
        Self::JobTemplate,
        Self::Role,
    ];

    /// Where its kind lies, and its name.
    fn place(self) -> (String, &'static str) {
        let leaf = |catalog: &str, schema: &str, kind: &str| {
            (format!("{M}/catalogs/{catalog}/schemas/{schema}/{kind}"), "x")
        };
        match self {
            Self::Table => leaf("ice", "s", "tables"),
            // Tables and views share their names.
            Self::View => (leaf("ice", "s", "views").0, "v"),
            Self::Function => leaf("ice", "s", "functions"),
            Self::Fileset => leaf("files", "s", "filesets"),
            Self::Model => leaf("models", "s", "models"),
            Self::Topic => leaf("kaf", "default", "topics"),
            Self::Tag => (format!("{M}/tags"), "x"),
            Self::Policy => (format!("{M}/policies"), "x"),
            Self::JobTemplate => (format!("{M}/jobs/templates"), "x"),
            Self::Role => (format!("{M}/roles"), "x"),
            Self::Schema(catalog) => (format!("{M}/catalogs/{catalog}/schemas"), "s"),
            Self::Catalog(name) => (format!("{M}/catalogs"), name),
            Self::Metalake | Self::Nothing => ("/api/metalakes".to_owned(), "m"),
        }
    }

    /// Whether it can get another name.
    fn is_renamed(self) -> bool {
        !matches!(
            self,
            Self::Function | Self::Topic | Self::Role | Self::Schema(_) | Self::Nothing
        )
    }
}

/// A tree with one of each kind, made by `admin`; `ann` owns the metalake.
struct Tree {
    scene: Scene,
    given: Given,
    /// Lives as long.
    _folder: TempDir,
    job: String,
    number: usize,
}

impl Tree {
    async fn new(place: &Place) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let staging = folder.path().join("staging");
        let filesets = std::fs::canonicalize(folder.path()).unwrap().join("filesets");
        let settings = [("gravitino.job.stagingDir", staging.to_str().unwrap())];
        let scene = Scene::with(place, Broker::default(), &settings).await;
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Metalake) {
            make(&scene, "admin", kind, &filesets).await;
        }
        for path in ["catalogs/ice/schemas", "catalogs/files/schemas"] {
            scene
                .done("POST", &format!("{M}/{path}"), json!({"name": "other"}))
                .await;
        }
        for user in ["ann", "bob"] {
            scene
                .done("POST", &format!("{M}/users"), json!({"name": user}))
                .await;
        }
        scene
            .done("POST", &format!("{M}/groups"), json!({"name": "g"}))
            .await;
        let version = json!({"uri": "s3://b/0", "aliases": ["a"]});
        let versions = format!("{M}/catalogs/models/schemas/s/models/x/versions");
        scene.done("POST", &versions, version).await;
        let run = json!({"jobTemplateName": "x", "jobConf": {}});
        let job = scene.done("POST", &format!("{M}/jobs/runs"), run).await;
        let given = Given {
            table: loose(&scene, "tables", creation(Kind::Table, "loose", &filesets)).await,
            view: loose(&scene, "views", creation(Kind::View, "loose", &filesets)).await,
            folder: filesets,
        };
        let tree = Self {
            scene,
            given,
            _folder: folder,
            job: job["job"]["jobId"].as_str().unwrap().to_owned(),
            number: 0,
        };
        tree.hand_over("admin", "ann").await;
        tree
    }

    /// Gives the metalake, and with it everything in it, another owner.
    async fn hand_over(&self, from: &str, to: &str) {
        let owner = json!({"name": to, "type": "USER"});
        self.as_user(from, "PUT", &format!("{M}/owners/metalake/m"), owner)
            .await;
    }

    async fn as_user(&self, user: &str, method: &str, path: &str, body: Value) {
        let (status, answer) = self.scene.server.call(user, method, path, Some(body)).await;
        assert_eq!(status, 200, "{method} {path}: {answer}");
    }

    /// What the metalake `m` is and how often it changed.
    async fn state(&self) -> (ObjectId, Revision) {
        let store = self.scene.server.running.app.operations.store();
        store.current("m").await.unwrap().unwrap()
    }

    /// The path of a request.
    fn path(&self, case: &Case) -> (String, String) {
        let (method, template) = case.route.split_once(' ').unwrap();
        let catalog = match case.kind {
            Kind::Schema(catalog) | Kind::Catalog(catalog) => catalog,
            Kind::Fileset => "files",
            Kind::Model => "models",
            Kind::Topic => "kaf",
            Kind::Table
            | Kind::View
            | Kind::Function
            | Kind::Tag
            | Kind::Policy
            | Kind::JobTemplate
            | Kind::Role
            | Kind::Metalake
            | Kind::Nothing => "ice",
        };
        let segments = template.split('/').map(|segment| match segment {
            "{metalake}" => "m",
            "{catalog}" | "{prefix}" => catalog,
            "{schema}" if catalog == "kaf" => "default",
            "{schema}" | "{namespace}" => "s",
            "{type}" => "table",
            "{fullName}" => "ice.s.x",
            "{version}" => "0",
            "{alias}" => "a",
            "{user}" => "bob",
            "{group}" => "g",
            "{job}" => &self.job,
            "{view}" => "v",
            name if name.starts_with('{') => "x",
            literal => literal,
        });
        let path = segments.collect::<Vec<_>>().join("/");
        (method.to_owned(), format!("{path}{}", case.query))
    }

    /// Has `ann` ask, and `change` made between decision and write. Gives the answer, and whether `m` has changed since.
    async fn meanwhile(&mut self, case: &Case, change: impl AsyncFnOnce(&Self)) -> (u16, Value, bool) {
        self.number += 1;
        let (method, path) = self.path(case);
        let body = (!case.body.is_null()).then(|| case.body.clone());
        let id = format!("case-{}", self.number);
        let waiting = self.scene.held_of("ann", &id, 1, (&method, &path, body)).await;
        change(self).await;
        let before = self.state().await;
        let (status, answer) = waiting.goes_on().await;
        (status, answer, self.state().await != before)
    }
}

async fn make(scene: &Scene, user: &str, kind: Kind, folder: &Path) {
    let (parent, name) = kind.place();
    let (status, answer) = scene
        .server
        .call(user, "POST", &parent, Some(creation(kind, name, folder)))
        .await;
    assert_eq!(status, 200, "{parent}: {answer}");
}

/// The metadata file of a table or view that was dropped.
async fn loose(scene: &Scene, kind: &str, body: Value) -> Value {
    let native = format!("{M}/catalogs/ice/schemas/s/{kind}");
    scene.done("POST", &native, body).await;
    let path = format!("/iceberg/v1/ice/namespaces/s/{kind}/loose");
    let (status, loaded) = scene.server.call("admin", "GET", &path, None).await;
    assert_eq!(status, 200, "{loaded}");
    scene.done("DELETE", &format!("{native}/loose"), None).await;
    loaded["metadata-location"].clone()
}

#[test]
fn every_route_that_writes_is_here() {
    let given = Given {
        table: Value::Null,
        view: Value::Null,
        folder: PathBuf::default(),
    };
    let mut here: BTreeSet<String> = cases(&given).into_iter().map(|case| case.route).collect();
    for (_, routes) in EXEMPT {
        for route in *routes {
            assert!(here.insert(in_full(route)), "`{route}` is exempt and has a case");
        }
    }
    let writing: BTreeSet<String> = listing()
        .lines()
        .filter(|line| !line.starts_with("GET\t") && !line.starts_with("HEAD\t"))
        .map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let missing: Vec<&String> = writing.difference(&here).collect();
    assert!(missing.is_empty(), "write a case for {missing:#?}");
    let outdated: Vec<&String> = here.difference(&writing).collect();
    assert!(outdated.is_empty(), "there are no such routes: {outdated:#?}");
}

async fn who_may_no_longer_changes_nothing(place: Place) {
    let mut tree = Tree::new(&place).await;
    for case in cases(&tree.given) {
        let (status, answer, has_changed) = tree
            .meanwhile(&case, async |tree| tree.hand_over("ann", "admin").await)
            .await;
        assert!(
            status == 403 || status == 409 && case.route.contains("/iceberg/"),
            "{case:?}: {status} {answer}"
        );
        assert!(!has_changed, "{case:?}");
        tree.hand_over("admin", "ann").await;
    }
    // The files of what was to be dropped are there, too.
    assert_eq!(std::fs::read_dir(&tree.given.folder).unwrap().count(), 1);
    let table = "/iceberg/v1/ice/namespaces/s/tables/x";
    let (status, answer) = tree.scene.server.call("ann", "GET", table, None).await;
    assert_eq!(status, 200, "{answer}");
}

async fn what_got_the_name_is_not_changed(place: Place) {
    let mut tree = Tree::new(&place).await;
    for case in cases(&tree.given) {
        if case.kind == Kind::Nothing {
            continue;
        }
        let away = format!("away{}", tree.number);
        let (status, answer, has_changed) = tree
            .meanwhile(&case, async |tree| replace(tree, case.kind, &away).await)
            .await;
        assert!(
            matches!(status, 403 | 404 | 409) || answer["dropped"] == false,
            "{case:?}: {status} {answer}"
        );
        assert!(!has_changed, "{case:?}: {status} {answer}");
        refill(&tree, case.kind).await;
    }
}

/// Puts another object in the place of one, which gets another name where it can.
async fn replace(tree: &Tree, kind: Kind, away: &str) {
    let (parent, name) = kind.place();
    let path = format!("{parent}/{name}");
    if kind.is_renamed() {
        let body = json!({"updates": [{"@type": "rename", "newName": away}]});
        tree.as_user("ann", "PUT", &path, body).await;
    } else {
        let path = format!("{path}?cascade=true");
        let (status, answer) = tree.scene.server.call("ann", "DELETE", &path, None).await;
        assert_eq!(
            (status, &answer["dropped"]),
            (200, &json!(true)),
            "{path}: {answer}"
        );
    }
    if kind == Kind::Metalake {
        make(&tree.scene, "admin", kind, &tree.given.folder).await;
        for user in ["ann", "bob"] {
            tree.scene
                .done("POST", &format!("{M}/users"), json!({"name": user}))
                .await;
        }
        tree.scene
            .done("POST", &format!("{M}/groups"), json!({"name": "g"}))
            .await;
        make(&tree.scene, "admin", Kind::Role, &tree.given.folder).await;
        tree.hand_over("admin", "ann").await;
    } else {
        make(&tree.scene, "ann", kind, &tree.given.folder).await;
    }
}

/// Makes what a container had that was replaced.
async fn refill(tree: &Tree, kind: Kind) {
    match kind {
        Kind::Model => {
            let version = json!({"uri": "s3://b/0", "aliases": ["a"]});
            let path = format!("{M}/catalogs/models/schemas/s/models/x/versions");
            tree.as_user("ann", "POST", &path, version).await;
        }
        Kind::Catalog("kaf") | Kind::Metalake => {}
        Kind::Catalog(_) => {
            for schema in ["s", "other"] {
                let (parent, _) = kind.place();
                let path = format!("{parent}/{}/schemas", kind.place().1);
                tree.as_user("ann", "POST", &path, json!({"name": schema})).await;
            }
        }
        Kind::Table
        | Kind::View
        | Kind::Function
        | Kind::Fileset
        | Kind::Topic
        | Kind::Tag
        | Kind::Policy
        | Kind::JobTemplate
        | Kind::Role
        | Kind::Schema(_)
        | Kind::Nothing => {}
    }
}

async fn rights_end_in_many_ways(place: Place) {
    let tree = Tree::new(&place).await;
    tree.hand_over("ann", "admin").await;
    let scene = &tree.scene;
    let user = format!("{M}/users/ann");
    let permissions = format!("{M}/permissions/users/ann");
    let objects = |condition: &str| {
        let privileges = [
            "USE_CATALOG",
            "USE_SCHEMA",
            "MODIFY_TABLE",
            "WRITE_FILESET",
            "MODIFY_FUNCTION",
        ]
        .map(|name| json!({"name": name, "condition": condition}));
        json!([{"type": "metalake", "fullName": "m", "privileges": privileges}])
    };
    for (role, condition) in [("writer", "ALLOW"), ("denied", "DENY")] {
        let body = json!({"name": role, "securableObjects": objects(condition)});
        scene.done("POST", &format!("{M}/roles"), body).await;
    }
    let writer = || json!({"roleNames": ["writer"]});
    scene.done("PUT", &format!("{permissions}/grant"), writer()).await;
    let denied = json!({"roleNames": ["denied"]});
    let ends = [
        (
            "PUT",
            format!("{permissions}/revoke"),
            writer(),
            ("PUT", format!("{permissions}/grant"), writer()),
        ),
        (
            "PUT",
            format!("{permissions}/grant"),
            denied.clone(),
            ("PUT", format!("{permissions}/revoke"), denied),
        ),
        (
            "PUT",
            user.clone(),
            json!({"enabled": false}),
            ("PUT", user, json!({"enabled": true})),
        ),
    ];
    let comment = json!({"updates": [{"@type": "updateComment", "newComment": "changed"}]});
    for kind in [Kind::Table, Kind::Fileset, Kind::Function] {
        let (parent, name) = kind.place();
        let path = format!("{parent}/{name}");
        for (number, (method, end, body, again)) in ends.iter().enumerate() {
            let id = format!("{kind:?}{number}");
            let waiting = scene
                .held_of("ann", &id, 1, ("PUT", &path, Some(comment.clone())))
                .await;
            scene.done(method, end, body.clone()).await;
            let before = tree.state().await;
            let (status, answer) = waiting.goes_on().await;
            assert_eq!(status, 403, "{path} after {end}: {answer}");
            assert!(answer["message"].as_str().unwrap().contains("`alter"), "{answer}");
            assert_eq!(tree.state().await, before, "{path} after {end}");
            let (method, path, body) = again;
            scene.done(method, path, body.clone()).await;
        }
        // Something else that happens does not hinder it.
        let waiting = scene
            .held_of(
                "ann",
                &format!("{kind:?}"),
                1,
                ("PUT", &path, Some(comment.clone())),
            )
            .await;
        let other = json!({"name": format!("{kind:?}")});
        scene.done("POST", &format!("{M}/tags"), other).await;
        assert_eq!(waiting.goes_on().await.0, 200, "{path}");
    }
}
