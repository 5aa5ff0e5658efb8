// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A restriction that takes effect, or a privilege that is taken away, while a commit is decided and written is not too
//! late: the commit changes nothing.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use lakeward_operations::step::{Observer, Step, Verdict};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::harness::{ADMIN, NONE, Server, set_property};

const TABLE: &str = "/ice/namespaces/n1/tables/t";
const TRANSACTION: &str = "/ice/transactions/commit";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Restrict,
    Release,
    Revoke,
    /// Somebody else is given a role, and another table comes and goes.
    Elsewhere,
    /// `eve` leaves a group, and then the group is given what it takes to load.
    LeaveAndGrant,
}

/// Makes a change when a request reaches a step: a commit that is about to swap pointers was decided, and every file of it is
/// written.
#[derive(Clone)]
struct Meanwhile {
    /// The server owns its observer.
    server: Weak<Server>,
    next: Arc<Mutex<Option<(Step, Change)>>>,
}

impl std::fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meanwhile").finish_non_exhaustive()
    }
}

impl Meanwhile {
    fn plan(&self, change: Change) {
        self.plan_at(Step::Swap, change);
    }

    fn plan_at(&self, step: Step, change: Change) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some((step, change));
    }

    async fn make(&self, change: Change) {
        let server = self.server.upgrade().expect("the test runs");
        let tags = "/metalakes/m/objects/table/ice.n1.t/tags?force=true";
        match change {
            Change::Restrict => server.tag("table", "ice.n1.t", "pii").await,
            Change::Release => {
                let body = json!({"tagsToRemove": ["pii"]});
                server.native(ADMIN, "POST", tags, body).await.is(200);
            }
            Change::Revoke => {
                let path = "/metalakes/m/permissions/users/eve/revoke";
                let body = json!({"roleNames": ["writer"]});
                server.native(ADMIN, "PUT", path, body).await.is(200);
            }
            Change::Elsewhere => {
                let path = "/metalakes/m/permissions/users/bob/grant";
                let body = json!({"roleNames": ["reader"]});
                server.native(ADMIN, "PUT", path, body).await.is(200);
                server.table("n1", "passing").await;
                let path = "/ice/namespaces/n1/tables/passing";
                server.ask("DELETE", path, NONE).await.is(204);
            }
            Change::LeaveAndGrant => {
                let body = json!({"usersToRemove": ["eve"]});
                let path = "/idp/groups/staff/users";
                server.native(ADMIN, "PUT", path, body).await.is(200);
                let body = json!({"roleNames": ["reader"]});
                let path = "/metalakes/m/permissions/groups/staff/grant";
                server.native(ADMIN, "PUT", path, body).await.is(200);
            }
        }
    }
}

impl Observer for Meanwhile {
    fn reached(&self, step: Step, _: &str) -> Verdict {
        let mut planned = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = planned.take_if(|(at, _)| *at == step);
        drop(planned);
        if let Some((_, change)) = now {
            block_in_place(|| Handle::current().block_on(self.make(change)));
        }
        Verdict::Proceed
    }
}

/// One commit with one table, and with two.
fn commits() -> [(&'static str, Value); 3] {
    let change = |name: &str, mut commit: Value| {
        commit["identifier"] = json!({"namespace": ["n1"], "name": name});
        commit
    };
    let both = [
        change("t", set_property("a", "1")),
        change("u", set_property("a", "1")),
    ];
    let location = json!({"requirements": [], "updates": [
        {"action": "set-properties", "updates": {"a": "1"}}, {"action": "set-location", "location": ""}]});
    [
        (TABLE, set_property("a", "1")),
        (TABLE, location),
        (TRANSACTION, json!({"table-changes": both})),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_changes_before_the_swap_is_not_too_late() {
    let server = Arc::new(Server::start().await);
    server.namespace("n1").await;
    let location = server.table("n1", "t").await.body["metadata"]["location"].clone();
    let elsewhere = format!("{}-2", location.as_str().expect("a location"));
    server.table("n1", "u").await;
    server
        .add_filter("some", "pii", "filter := col(\"name\") == \"a\"")
        .await;
    server.add_user("eve").await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE"];
    server
        .grant("eve", "writer", &[("CATALOG", "ice", privileges)])
        .await;
    let meanwhile = Meanwhile {
        server: Arc::downgrade(&server),
        next: Arc::default(),
    };
    assert!(
        server.steps().watch(Box::new(meanwhile.clone())),
        "the first observer"
    );
    let files = server.files();
    for (path, mut commit) in commits() {
        if let Some(location) = commit.pointer_mut("/updates/1/location") {
            *location = json!(elsewhere);
        }
        meanwhile.plan(Change::Restrict);
        let refused = server.ask_as("eve", "POST", path, commit.clone()).await;
        refused.fails(409, "CommitFailedException");
        // Told to retry, the client hears what holds now.
        let refused = server.ask_as("eve", "POST", path, commit.clone()).await;
        refused.fails(406, "ReadRestrictionException");
        meanwhile.make(Change::Release).await;

        meanwhile.plan(Change::Revoke);
        let refused = server.ask_as("eve", "POST", path, commit.clone()).await;
        refused.fails(409, "CommitFailedException");
        let refused = server.ask_as("eve", "POST", path, commit.clone()).await;
        refused.fails(403, "ForbiddenException");
        assert_eq!(
            server.files(),
            files,
            "nothing is written and nothing left behind"
        );
        let again = json!({"roleNames": ["writer"]});
        let path_of_eve = "/metalakes/m/permissions/users/eve/grant";
        server.native(ADMIN, "PUT", path_of_eve, again).await.is(200);
    }
    let loaded = server.ask("GET", TABLE, NONE).await.is(200);
    assert_eq!(loaded.body["metadata"]["properties"]["a"], Value::Null);
    let (path, commit) = &commits()[2];
    server.ask_as("eve", "POST", path, commit.clone()).await.is(204);
}

/// A server whose requests a change can come between.
async fn server() -> (Arc<Server>, Meanwhile) {
    let server = Arc::new(Server::start().await);
    server.namespace("n1").await;
    server.table("n1", "t").await;
    server.table("n1", "u").await;
    let meanwhile = Meanwhile {
        server: Arc::downgrade(&server),
        next: Arc::default(),
    };
    assert!(
        server.steps().watch(Box::new(meanwhile.clone())),
        "the first observer"
    );
    for user in ["eve", "bob"] {
        server.add_user(user).await;
    }
    (server, meanwhile)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_changes_elsewhere_disturbs_no_commit() {
    let (server, meanwhile) = server().await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE"];
    server
        .grant("eve", "writer", &[("CATALOG", "ice", privileges)])
        .await;
    server.grant("eve", "reader", &[]).await;
    for (path, commit) in [commits()[0].clone(), commits()[2].clone()] {
        meanwhile.plan(Change::Elsewhere);
        let made = server.ask_as("eve", "POST", path, commit).await;
        assert!([200, 204].contains(&made.status), "{path}: {}", made.body);
    }
}

/// Which groups an account is in and what they are granted are of one state: in none was this user in a group that had the
/// role.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn groups_and_grants_are_of_one_state() {
    let (server, meanwhile) = server().await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE"];
    server
        .grant("bob", "reader", &[("CATALOG", "ice", privileges)])
        .await;
    for (path, body) in [
        ("/idp/groups", json!({"group": "staff"})),
        ("/metalakes/m/groups", json!({"name": "staff"})),
    ] {
        server.native(ADMIN, "POST", path, body).await.is(200);
    }
    let body = json!({"usersToAdd": ["eve"]});
    server
        .native(ADMIN, "PUT", "/idp/groups/staff/users", body)
        .await
        .is(200);
    meanwhile.plan_at(Step::Reader, Change::LeaveAndGrant);
    let refused = server.ask_as("eve", "GET", TABLE, NONE).await;
    refused.fails(403, "ForbiddenException");
}
