// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A running server against the model of the decisions (`crates/authorization/tests/decisions/model.rs`), through a random
//! history of objects, roles, denials, owners, groups, renames, moves and drops: what is explained is what the model says,
//! and what is explained of a load is what a load answers.

use lakeward_authorization::{Condition, Privilege};
use lakeward_metadata::kind::ObjectKind::{self, *};
use lakeward_metadata::principal::{Principal, PrincipalKind};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::explain::operation_of;
use crate::harness::{ADMIN, NONE, Server, StoreEngine};
use crate::history::{Done, Step};
use crate::model::{Deed, Lake};
use crate::on_each_store;

const M: &str = "/metalakes/m";
const USERS: &[&str] = &[ADMIN, "ann", "bob"];
const GROUPS: &[&str] = &["staff", "team"];
/// Steps, and how many there are between comparisons.
const STEPS: usize = 160;
const COMPARE: usize = 40;

fn step(random: &mut StdRng) -> Step {
    let mut at = || random.random_range(0..1_000);
    let numbers = (at(), at());
    let kinds = [Catalog, Schema, Table, Table, View, Tag, Role, Role];
    let privileges = [
        Privilege::UseCatalog,
        Privilege::UseCatalog,
        Privilege::UseSchema,
        Privilege::UseSchema,
        Privilege::SelectTable,
        Privilege::ModifyTable,
        Privilege::SelectView,
        Privilege::CreateTable,
        Privilege::CreateSchema,
        Privilege::ApplyTag,
        Privilege::ManageGrants,
    ];
    let condition = if random.random_ratio(1, 5) {
        Condition::Deny
    } else {
        Condition::Allow
    };
    let (one, other) = numbers;
    match random.random_range(0..44) {
        0..12 => Step::Create {
            kind: *kinds.choose(random).expect("some"),
            parent: one,
        },
        12 => Step::Drop(one),
        13 => Step::Rename(one),
        14..16 => Step::Move {
            leaf: one,
            schema: other,
        },
        16..19 => Step::SetOwner {
            of: one,
            owner: other,
        },
        19..33 => Step::Say {
            role: one,
            condition,
            privilege: *privileges.choose(random).expect("some"),
            on: other,
        },
        33 => Step::Unsay(one),
        34..39 => Step::GiveRole {
            role: one,
            holder: other,
        },
        39 => Step::TakeRole(one),
        40..42 => Step::Join {
            user: one,
            group: other,
        },
        42 => Step::Leave {
            user: one,
            group: other,
        },
        _ => Step::Enable(one, random.random_ratio(3, 4)),
    }
}

/// A server and what the model knows of it.
struct World {
    server: Server,
    lake: Lake,
}

impl World {
    async fn new(engine: StoreEngine) -> Self {
        let server = Server::start(engine, "accounts").await;
        for user in USERS.iter().filter(|user| **user != ADMIN) {
            server.account(user).await;
            let body = json!({"name": user});
            server
                .call(ADMIN, "POST", &format!("{M}/users"), body)
                .await
                .is(200);
        }
        for group in GROUPS {
            server
                .call(ADMIN, "POST", "/idp/groups", json!({"group": group}))
                .await
                .is(200);
            let body = json!({"name": group});
            server
                .call(ADMIN, "POST", &format!("{M}/groups"), body)
                .await
                .is(200);
        }
        Self {
            server,
            lake: Lake::new(USERS, GROUPS),
        }
    }

    async fn change(&self, method: &str, path: &str, body: Value) {
        let answer = self.server.call(ADMIN, method, &format!("{M}{path}"), body).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    }

    /// Takes a step in the model and on the server; whether it made sense.
    async fn take(&mut self, step: &Step) -> bool {
        let before = self.lake.clone();
        let Some(done) = self.lake.take(step) else {
            return false;
        };
        let is_served = match &done {
            // Nested schemas have their own tests; nobody renames a schema.
            Done::Created(at) => {
                self.kind(*at) != Schema
                    || self.lake.things[*at].parent.map(|parent| self.kind(parent)) == Some(Catalog)
            }
            Done::Renamed(at) => self.kind(*at) != Schema,
            _ => true,
        };
        if !is_served {
            self.lake = before;
            return false;
        }
        match done {
            Done::Created(at) => {
                self.create(at).await;
                // Whoever creates an object owns it.
                self.lake.things[at].owner = Some(Principal {
                    kind: PrincipalKind::User,
                    name: ADMIN.to_owned(),
                });
            }
            Done::Dropped(at) => {
                let end = match self.kind(at) {
                    Catalog => "?force=true",
                    Schema => "?cascade=true",
                    _ => "",
                };
                self.change("DELETE", &format!("{}{end}", self.path(&before, at)), NONE)
                    .await;
            }
            Done::Renamed(at) => {
                let rename = json!({"updates": [{"@type": "rename", "newName": self.lake.things[at].name}]});
                self.change("PUT", &self.path(&before, at), rename).await;
            }
            Done::Moved(at) => {
                let schema = self.lake.things[at].parent.expect("a schema");
                let rename = json!({"updates": [{"@type": "rename", "newName": self.lake.things[at].name,
                    "newSchemaName": self.lake.things[schema].name}]});
                self.change("PUT", &self.path(&before, at), rename).await;
            }
            Done::Owned(at) => {
                let owner = self.lake.things[at].owner.clone().expect("an owner");
                let body = json!({"name": owner.name, "type": kind_of(&owner)});
                self.change("PUT", &format!("/owners/{}", self.object(at)), body)
                    .await;
            }
            Done::Said(said) => self.say("grant", &said).await,
            Done::Unsaid(said) => self.say("revoke", &said).await,
            Done::Given(role, holder) => self.give("grant", role, &holder).await,
            Done::Taken(role, holder) => self.give("revoke", role, &holder).await,
            Done::Joined { user, group } => self.membership("usersToAdd", &user, &group).await,
            Done::Left { user, group } => self.membership("usersToRemove", &user, &group).await,
            Done::Enabled(user, is_enabled) => {
                self.change("PUT", &format!("/users/{user}"), json!({"enabled": is_enabled}))
                    .await;
            }
        }
        true
    }

    async fn create(&self, at: usize) {
        let name = &self.lake.things[at].name;
        let column = json!({"name": "id", "type": "integer", "nullable": true});
        let body = match self.kind(at) {
            Catalog => {
                json!({"name": name, "type": "relational", "provider": "lakehouse-iceberg", "properties": {}})
            }
            Table => json!({"name": name, "columns": [column], "properties": {}}),
            View => json!({"name": name, "columns": [column],
                "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS id"}]}),
            Role => json!({"name": name, "securableObjects": []}),
            _ => json!({"name": name}),
        };
        let path = self.path(&self.lake, at);
        let (collection, _) = path.rsplit_once('/').expect("a collection");
        self.change("POST", collection, body).await;
    }

    async fn say(&self, verb: &str, said: &crate::model::Said) {
        let role = &self.lake.things[said.role].name;
        let path = format!("/permissions/roles/{role}/{}/{verb}", self.object(said.on));
        let privilege = json!({"name": said.privilege.as_str(), "condition": said.condition.as_str()});
        self.change("PUT", &path, json!({"privileges": [privilege]}))
            .await;
    }

    async fn give(&self, verb: &str, role: usize, holder: &Principal) {
        let path = format!("/permissions/{}s/{}/{verb}", kind_of(holder), holder.name);
        self.change("PUT", &path, json!({"roleNames": [self.lake.things[role].name]}))
            .await;
    }

    async fn membership(&self, member: &str, user: &str, group: &str) {
        let path = format!("/idp/groups/{group}/users");
        self.server
            .call(ADMIN, "PUT", &path, json!({member: [user]}))
            .await
            .is(200);
    }

    fn kind(&self, at: usize) -> ObjectKind {
        self.lake.things[at].kind
    }

    /// The names from the catalog down.
    fn names(&self, lake: &Lake, at: usize) -> Vec<String> {
        let way = lake.upwards(at);
        let below = way.iter().rev().skip(1);
        let names: Vec<String> = below.map(|place| lake.things[*place].name.clone()).collect();
        if names.is_empty() {
            vec!["m".to_owned()]
        } else {
            names
        }
    }

    /// `table/c.s.t`
    fn object(&self, at: usize) -> String {
        let names = self.names(&self.lake, at).join(".");
        format!("{}/{names}", self.kind(at).lower_case())
    }

    /// `/catalogs/c/schemas/s/tables/t`
    fn path(&self, lake: &Lake, at: usize) -> String {
        let names = self.names(lake, at);
        let kinds = match lake.things[at].kind {
            Metalake => return String::new(),
            Tag => vec!["tags"],
            Role => vec!["roles"],
            Catalog => vec!["catalogs"],
            Schema => vec!["catalogs", "schemas"],
            View => vec!["catalogs", "schemas", "views"],
            _ => vec!["catalogs", "schemas", "tables"],
        };
        kinds
            .iter()
            .zip(&names)
            .map(|(kind, name)| format!("/{kind}/{name}"))
            .collect()
    }

    /// What can be asked about, with the name of its operation.
    fn deeds(&self) -> Vec<(Deed, usize, Option<String>)> {
        let tags = self.lake.living(|kind| kind == Tag);
        let mut deeds = Vec::new();
        for at in self.lake.living(|_| true) {
            let own = match self.kind(at) {
                Metalake => "/metalakes/{metalake}",
                Catalog => "/catalogs/{catalog}",
                Schema => "/schemas/{schema}",
                Table => "/tables/{table}",
                View => "/views/{view}",
                Tag => "/tags/{tag}",
                _ => "",
            };
            deeds.push((Deed::Load, at, None));
            if !own.is_empty() {
                deeds.push((Deed::Alter, at, Some(operation_of("PUT", own))));
                deeds.push((Deed::Drop, at, Some(operation_of("DELETE", own))));
            }
            deeds.push((
                Deed::SetOwner,
                at,
                Some(operation_of("PUT", "/owners/{type}/{fullName}")),
            ));
            let grant = "/permissions/roles/{role}/{type}/{fullName}/grant";
            deeds.push((Deed::Grant, at, Some(operation_of("PUT", grant))));
            let children: &[(ObjectKind, &str)] = match self.kind(at) {
                Metalake => &[(Catalog, "/catalogs"), (Tag, "/tags"), (Role, "/roles")],
                Catalog => &[(Schema, "/{catalog}/schemas")],
                Schema => &[(Table, "/{schema}/tables"), (View, "/{schema}/views")],
                _ => &[],
            };
            let created = |(child, end): &(ObjectKind, &str)| {
                let end = format!(
                    "{}{end}",
                    if self.kind(at) == Metalake {
                        "{metalake}"
                    } else {
                        ""
                    }
                );
                (Deed::Create(*child), at, Some(operation_of("POST", &end)))
            };
            deeds.extend(children.iter().map(created));
            if self.kind(at).is_taggable() {
                let attach = operation_of("POST", "/objects/{type}/{fullName}/tags");
                deeds.extend(tags.first().map(|tag| (Deed::Attach(*tag), at, Some(attach))));
            }
        }
        deeds
    }

    /// Compares everything that can be done; gives how much that was, and how much of it is allowed.
    async fn compare(&self) -> (usize, usize) {
        let (mut compared, mut allowed) = (0, 0);
        for user in ["ann", "bob"] {
            for (deed, at, operation) in self.deeds() {
                let expected = self.lake.may(user, deed, at);
                let mut question = json!({"user": user});
                if let Some(operation) = operation {
                    question["operation"] = json!(operation);
                }
                if let Deed::Attach(tag) = deed {
                    question["instruments"] =
                        json!([{"type": "tag", "fullName": self.lake.things[tag].name}]);
                }
                let path = format!("{M}/objects/{}/access/explain", self.object(at));
                let told = self
                    .server
                    .call(ADMIN, "POST", &path, question)
                    .await
                    .is(200)
                    .body;
                let told = &told["explanation"];
                assert_eq!(
                    told["allowed"], expected,
                    "{user} {deed:?} {:?}: {told:#}",
                    self.lake.things[at]
                );
                if deed == Deed::Load {
                    let path = format!("{M}{}", self.path(&self.lake, at));
                    let answer = self.server.call(user, "GET", &path, NONE).await;
                    let status = if expected { 200 } else { 403 };
                    assert_eq!(
                        answer.status, status,
                        "{user} GET {path}: {} {told:#}",
                        answer.body
                    );
                }
                compared += 1;
                allowed += usize::from(expected);
            }
        }
        (compared, allowed)
    }
}

fn kind_of(principal: &Principal) -> &'static str {
    match principal.kind {
        PrincipalKind::User => "user",
        PrincipalKind::Group => "group",
    }
}

on_each_store!(a_server_decides_as_the_model_whatever_happened);

async fn a_server_decides_as_the_model_whatever_happened(engine: StoreEngine) {
    let mut world = World::new(engine).await;
    let mut random = StdRng::seed_from_u64(6);
    let (mut taken, mut compared, mut allowed) = (0, 0, 0);
    while taken < STEPS {
        if !world.take(&step(&mut random)).await {
            continue;
        }
        taken += 1;
        if taken % COMPARE == 0 {
            let (more, of_these) = world.compare().await;
            compared += more;
            allowed += of_these;
        }
    }
    assert!(
        compared > 500 && allowed * 20 > compared,
        "{allowed} of {compared} are allowed"
    );
}
