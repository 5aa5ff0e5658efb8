// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server that is killed in the middle of its writes leaves a store that opens again and makes sense.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use lakeward_metadata::kind::ObjectKind::{Catalog, Metalake, Schema, Table};

use crate::{Area, NewObject, Page, PointerSwap, Store, StoreOptions, StoreUrl};

const FILE: &str = "LAKEWARD_KILL_TEST_FILE";

/// Not a case of its own: the process that [`a_killed_writer_leaves_a_sound_store`] starts and kills. Without the file
/// it does nothing.
#[tokio::test]
async fn victim() {
    let Ok(file) = std::env::var(FILE) else { return };
    let store = Store::open(&StoreUrl::Sqlite(file.into()), StoreOptions::default())
        .await
        .unwrap();
    let metalake = match store.current("m").await.unwrap() {
        Some((id, _)) => id,
        None => {
            let mut write = store.write_server("ann").await.unwrap();
            let row = write
                .create_object(&NewObject::named(crate::ROOT, Metalake, "m"))
                .await
                .unwrap();
            write.commit().await.unwrap();
            row.id
        }
    };
    for round in 0.. {
        let mut write = store.write(metalake, &[Area::Objects], "ann").await.unwrap();
        let name = format!("c{}_{round}", std::process::id());
        let catalog = write
            .create_object(&NewObject::named(metalake, Catalog, name.as_str()))
            .await
            .unwrap();
        let schema = write
            .create_object(&NewObject::named(catalog.id, Schema, "s"))
            .await
            .unwrap();
        let table = write
            .create_object(&NewObject::named(schema.id, Table, "t"))
            .await
            .unwrap();
        write
            .set_table_pointer(table.id, "loc/1", "uuid", "one")
            .await
            .unwrap();
        write.commit().await.unwrap();
        let swap = PointerSwap {
            table_id: table.id,
            expected: "loc/1".to_owned(),
            new: "loc/2".to_owned(),
            new_digest: "two".to_owned(),
        };
        store.swap_table_pointers(&[swap], None, "ann").await.unwrap();
        // From here on the parent may rely on it.
        println!("\ncommitted {name}");
    }
}

#[tokio::test]
async fn a_killed_writer_leaves_a_sound_store() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("store.db");
    let mut answered = Vec::new();
    for life in 1..=4 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "tests::kill::victim",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(FILE, &file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = 0;
        while seen < 5 * life {
            let line = lines.next().expect("the victim ended by itself").unwrap();
            if let Some(name) = line.strip_prefix("committed ") {
                answered.push(name.to_owned());
                seen += 1;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let store = Store::open(&StoreUrl::Sqlite(file.clone()), StoreOptions::default())
            .await
            .unwrap();
        let (metalake, revision) = store.current("m").await.unwrap().unwrap();
        let mut snapshot = store.snapshot().await.unwrap();
        let catalogs = snapshot.children(metalake, Catalog, &Page::ALL).await.unwrap();
        for name in &answered {
            assert!(
                catalogs.iter().any(|catalog| &catalog.name == name),
                "{name} is lost"
            );
        }
        for catalog in &catalogs {
            let schema = snapshot.child(catalog.id, Schema, "s").await.unwrap().unwrap();
            let table = snapshot
                .child(schema.object.id, Table, "t")
                .await
                .unwrap()
                .unwrap();
            assert!(snapshot.table_pointer(table.object.id).await.unwrap().is_some());
        }
        // Every count has its change, and every change its count.
        let log = snapshot
            .changes_since(metalake, Area::Objects, 1, u32::MAX)
            .await
            .unwrap();
        assert_eq!(log.len(), catalogs.len() * 3);
        assert_eq!(revision.objects, 1 + i64::try_from(catalogs.len()).unwrap());
        let check: String = sqlx::query_scalar("PRAGMA integrity_check")
            .fetch_one(&store.inner.pool)
            .await
            .unwrap();
        assert_eq!(check, "ok");
        drop(snapshot);
        store.close().await;
    }
}
