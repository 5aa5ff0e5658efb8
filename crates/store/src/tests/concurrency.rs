// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Several writers and readers at once.

use std::collections::BTreeSet;
use std::time::Duration;

use lakeward_metadata::kind::ObjectKind::{Catalog, Table};
use sqlx::Row as _;

use super::scene::{Scene, Tree};
use crate::{Area, NewObject, OpenSwap, Page, PointerSwap, RequestOutcome, Store, SwapBegun, SwapContext};

pub(super) async fn writers_wait_for_each_other(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let mut first = scene.write(metalake).await;
    let node = scene.node().await;
    let second = tokio::spawn(async move {
        let mut write = node.write(metalake, &[Area::Objects], "bob").await.unwrap();
        // It waited for the first one, so it sees what that one did.
        let seen = write.child(metalake, Catalog, "first").await.unwrap().is_some();
        write
            .create_object(&NewObject::named(metalake, Catalog, "second"))
            .await
            .unwrap();
        write.commit().await.unwrap();
        seen
    });
    first
        .create_object(&NewObject::named(metalake, Catalog, "first"))
        .await
        .unwrap();
    assert!(!second.is_finished());
    first.commit().await.unwrap();
    assert!(second.await.unwrap());
}

/// While a write or a commit is open, nobody changes anything that it may have been decided on, whatever it changes itself.
pub(super) async fn what_a_change_is_decided_on_stays(scene: &Scene) {
    let tree = scene.table().await;
    let metalake = tree.metalake;
    let mut location = 1;
    for mine in [None, Some(Area::Objects), Some(Area::Grants)] {
        for other in Area::OF_METALAKE.into_iter().chain([Area::Server]) {
            let open = match mine {
                None => Err(begin(&scene.store, &tree, &mut location).await),
                Some(area) => Ok(scene.store.write(metalake, &[area], "ann").await.unwrap()),
            };
            let node = scene.node().await;
            let mut second = tokio::spawn(async move {
                let write = if other == Area::Server {
                    node.write_server("bob").await
                } else {
                    node.write(metalake, &[other], "bob").await
                };
                write.unwrap().commit().await.unwrap();
            });
            let early = tokio::time::timeout(Duration::from_millis(50), &mut second).await;
            assert!(early.is_err(), "{other:?} changed while {mine:?} was open");
            match open {
                Err(swap) => drop(swap.commit().await.unwrap()),
                Ok(write) => write.commit().await.unwrap(),
            }
            second.await.unwrap();
        }
    }
}

/// Many commit at once, though each holds what it was decided on.
pub(super) async fn commits_do_not_wait_for_each_other(scene: &Scene) {
    let tree = scene.table().await;
    if !scene.store.is_shared() {
        // There is one writer at a time.
        return;
    }
    let mut write = scene.write(tree.metalake).await;
    let new = NewObject::named(tree.schema, Table, "u");
    let table = write.create_object(&new).await.unwrap().id;
    write
        .set_table_pointer(table, "loc/1", "uuid-2", "one")
        .await
        .unwrap();
    write.commit().await.unwrap();
    let first = begin(&scene.store, &tree, &mut 1).await;
    let second = begin(&scene.node().await, &Tree { table, ..tree }, &mut 1).await;
    second.commit().await.unwrap();
    first.commit().await.unwrap();
}

/// Moves the pointer of the table of a scene on from `loc/N`, in a commit that stays open.
async fn begin(store: &Store, tree: &Tree, location: &mut u32) -> OpenSwap {
    let swap = PointerSwap {
        table_id: tree.table,
        expected: format!("loc/{location}"),
        new: format!("loc/{}", *location + 1),
        new_digest: "two".to_owned(),
    };
    *location += 1;
    let context = SwapContext {
        metalake: tree.metalake,
        actor: "ann",
        request: None,
        outcome: &RequestOutcome::default(),
    };
    let begun = store.begin_swap(&[swap], context).await.unwrap();
    let SwapBegun::Open(open) = begun else {
        panic!("{begun:?}");
    };
    open
}

pub(super) async fn snapshots_stay_where_they_are(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let before = snapshot.revision(metalake).await.unwrap();
    scene.object(metalake, metalake, Catalog, "c").await;
    assert_eq!(snapshot.revision(metalake).await.unwrap(), before);
    assert!(
        snapshot
            .children(metalake, Catalog, &Page::ALL)
            .await
            .unwrap()
            .is_empty()
    );
    drop(snapshot);
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(
        snapshot
            .children(metalake, Catalog, &Page::ALL)
            .await
            .unwrap()
            .len(),
        1
    );
}

pub(super) async fn a_cancelled_write_blocks_nobody(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    for round in 0..10 {
        let node = scene.node().await;
        let task = tokio::spawn(async move {
            let mut write = node.write(metalake, &Area::OF_METALAKE, "ann").await.unwrap();
            for number in 0..20 {
                let name = format!("c{round}_{number}");
                write
                    .create_object(&NewObject::named(metalake, Catalog, name))
                    .await
                    .unwrap();
            }
            write.commit().await.unwrap();
        });
        // Every round lets the write come a little further.
        for _ in 0..round * 40 {
            tokio::task::yield_now().await;
        }
        task.abort();
        let _cancelled = task.await;
        // Whatever became of it, all or nothing is there, and the counters in memory are those of the database.
        let mut snapshot = scene.store.snapshot().await.unwrap();
        let page = Page {
            after: Some(format!("c{round}_")),
            limit: None,
        };
        let made = snapshot.children(metalake, Catalog, &page).await.unwrap();
        let made = made
            .iter()
            .filter(|child| child.name.starts_with(&format!("c{round}_")))
            .count();
        assert!(made == 0 || made == 20, "{made}");
        let stored = snapshot.revision(metalake).await.unwrap();
        drop(snapshot);
        if let Some(hint) = scene.store.revision_hint(metalake) {
            assert!(hint.objects >= stored.objects, "memory is behind the database");
        }
        scene
            .object(metalake, metalake, Catalog, &format!("after{round}"))
            .await;
    }
}

/// Writers that wait for each other leave connections for what the one that writes asks beside its write.
pub(super) async fn waiting_writers_leave_connections(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let node = scene.node().await;
    let tasks = (0..20).map(|number| {
        let node = node.clone();
        tokio::spawn(async move {
            let mut write = node.write(metalake, &[Area::Objects], "ann").await.unwrap();
            let mut snapshot = node.snapshot().await.unwrap();
            snapshot.revision(metalake).await.unwrap();
            write
                .create_object(&NewObject::named(metalake, Catalog, format!("c{number}")))
                .await
                .unwrap();
            write.commit().await.unwrap();
        })
    });
    for outcome in futures::future::join_all(tasks).await {
        outcome.unwrap();
    }
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let made = snapshot.children(metalake, Catalog, &Page::ALL).await.unwrap();
    assert_eq!(made.len(), 20);
}

/// Without a check before every use, connections that the database closed are found out by their first statement.
pub(super) async fn connections_that_died_are_replaced(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    if scene.place().is_none() {
        return;
    }
    for _ in 0..2 {
        let snapshots = futures::future::join_all((0..4).map(|_| scene.store.snapshot())).await;
        drop(snapshots);
        scene.end_connections().await;
        assert!(scene.store.current("m").await.unwrap().is_some());
        scene.end_connections().await;
        let mut snapshot = scene.store.snapshot().await.unwrap();
        assert!(snapshot.object(metalake).await.unwrap().is_some());
        drop(snapshot);
        scene.end_connections().await;
        scene.write(metalake).await.commit().await.unwrap();
    }
}

/// Requests that are dropped while their writes wait leave the pool its connections, and the database no waits.
pub(super) async fn dropped_writers_give_their_connections_back(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let holder = scene.write(metalake).await;
    let node = scene.node().await;
    let mut known = BTreeSet::new();
    // Each round takes half of the connections.
    for _ in 0..4 {
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let node = node.clone();
                tokio::spawn(async move { drop(node.write(metalake, &[Area::Objects], "bob").await) })
            })
            .collect();
        if scene.place().is_some() {
            until(async || scene.waiting().await.difference(&known).count() == 3).await;
            known.extend(scene.waiting().await);
        }
        for task in tasks {
            task.abort();
            assert!(task.await.is_err(), "nobody had to wait");
        }
    }
    node.snapshot().await.unwrap();
    until(async || scene.waiting().await.is_empty()).await;
    holder.commit().await.unwrap();
    drop(node.write(metalake, &[Area::Objects], "bob").await.unwrap());
}

/// Who waits for a writer that is silent waits longer than that one lives, and a statement may wait for both locks.
pub(super) async fn who_waits_outlives_who_is_silent(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    if scene.place().is_none() {
        return;
    }
    let mut write = scene.write(metalake).await;
    let names = [
        "idle_in_transaction_session_timeout",
        "lock_timeout",
        "statement_timeout",
    ];
    let mut milliseconds = Vec::new();
    for name in names {
        let text = format!("SELECT setting::bigint FROM pg_settings WHERE name = '{name}'");
        let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(text)).fetch_one(write.connection());
        milliseconds.push(rows.await.unwrap().get::<i64, _>(0));
    }
    assert!(
        milliseconds[0] > 0 && milliseconds[0] < milliseconds[1],
        "{milliseconds:?}"
    );
    assert!(2 * milliseconds[1] < milliseconds[2], "{milliseconds:?}");
}

async fn until(holds: impl AsyncFn() -> bool) {
    let holding = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), holding)
        .await
        .expect("it never held");
}
