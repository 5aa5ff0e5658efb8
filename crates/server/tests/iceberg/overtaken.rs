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
}

/// Makes a change when a commit is about to swap pointers: everything was decided, every file is written.
#[derive(Clone)]
struct Meanwhile {
    /// The server owns its observer.
    server: Weak<Server>,
    next: Arc<Mutex<Option<Change>>>,
}

impl std::fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meanwhile").finish_non_exhaustive()
    }
}

impl Meanwhile {
    fn plan(&self, change: Change) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(change);
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
        }
    }
}

impl Observer for Meanwhile {
    fn reached(&self, step: Step, _: &str) -> Verdict {
        if step == Step::Swap {
            let next = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(change) = next {
                block_in_place(|| Handle::current().block_on(self.make(change)));
            }
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
