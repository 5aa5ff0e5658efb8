// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What does not fit into memory goes to the disk and gives the same answer, or is refused by the limit in the way.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use futures::StreamExt;
use serde_json::json;

use super::start;
use crate::error::ReaderError;
use crate::session::resources::{Limit, ResourceSettings, Resources, SpillSettings};
use crate::session::spill_folder::SpillFolder;
use crate::written_tables::Written;

const MIB: usize = 1024 * 1024;
const PLENTY: usize = 1024 * MIB;
/// Of a query that has to spill.
const LITTLE: usize = 40 * MIB;
const ROWS: i64 = 160_000;

/// A table with a key, a key in another order, a group and a long text, of some 20 MB in memory; 3 of 4 rows are shown.
async fn table(directory: &Path) -> String {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "required": false, "type": "long"},
        {"id": 2, "name": "shuffled", "required": false, "type": "long"},
        {"id": 3, "name": "bucket", "required": false, "type": "long"},
        {"id": 4, "name": "text", "required": false, "type": "string"}
    ]});
    let mut table = Written::new(directory, schema, None)
        .await
        .with_rows_per_group(20_000);
    for part in 0..4 {
        let ids = || (part * ROWS / 4)..((part + 1) * ROWS / 4);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(ids())),
            Arc::new(Int64Array::from_iter_values(ids().map(|id| id * 7_919 % ROWS))),
            Arc::new(Int64Array::from_iter_values(ids().map(|id| id % 4))),
            Arc::new(StringArray::from_iter_values(
                ids().map(|id| format!("{:0>120}", id * 31 % ROWS)),
            )),
        ];
        table.append(columns, None).await;
    }
    table.answer(&json!({
        "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 3},
            "right": {"type": "literal", "value": 3, "data-type": "long"}},
        "required-column-projections": []
    }))
}

struct Setup {
    resources: Resources,
    spilled: std::path::PathBuf,
}

fn setup(directory: &Path, per_query: usize, disk_per_query: usize, disk: usize) -> Setup {
    let limit = |bytes, setting| Limit { bytes, setting };
    let folder = SpillFolder::create(&directory.join("spilled")).unwrap();
    let spilled = folder.path().to_owned();
    let resources = Resources::new(ResourceSettings {
        memory: limit(4 * PLENTY, "--memory"),
        memory_per_user: limit(4 * PLENTY, "--memory-per-user"),
        memory_per_query: limit(per_query, "--memory-per-query"),
        queries: 4,
        spill: Some(SpillSettings {
            folder,
            total: limit(disk, "--spill-limit"),
            per_query: limit(disk_per_query, "--spill-limit-per-query"),
        }),
    });
    Setup { resources, spilled }
}

impl Setup {
    /// The rows, and the bytes that were spilled.
    async fn ask(&self, sql: &str, table: &str) -> Result<(RecordBatch, u64), ReaderError> {
        let before = self.resources.usage().spilled_in_all;
        let share = Some(self.resources.of_user("ann"));
        let answer = start(sql, &[("t", table)], share).await?.collect(None).await?;
        let rows = arrow::compute::concat_batches(&answer.schema, &answer.batches).unwrap();
        Ok((rows, self.resources.usage().spilled_in_all - before))
    }

    /// Nothing is reserved and nothing lies on the disk; tasks that were given up may take a moment to end.
    async fn is_empty(&self) {
        loop {
            let usage = self.resources.usage();
            let folders = self.spilled.read_dir().unwrap().count() - 1;
            if (usage.queries, usage.memory_reserved, usage.spilled_files, folders) == (0, 0, 0, 0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Each gives its rows in an order.
const QUERIES: [(&str, &str); 2] = [
    ("sort", "SELECT shuffled, text FROM t ORDER BY text, shuffled"),
    ("sort backwards", "SELECT id, text FROM t ORDER BY shuffled DESC"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_spills_gives_the_same_answer() {
    let directory = tempfile::tempdir().unwrap();
    let table = table(directory.path()).await;
    let large = setup(directory.path(), PLENTY, PLENTY, PLENTY);
    let small = setup(directory.path(), LITTLE, PLENTY, PLENTY);
    let mut wrong = Vec::new();
    for (name, sql) in QUERIES {
        let (expected, _) = large.ask(sql, &table).await.unwrap();
        assert!(expected.num_rows() > 25_000, "{name}");
        match small.ask(sql, &table).await {
            Ok((rows, _)) if rows != expected => wrong.push((name, "other rows".to_owned())),
            Ok((_, 0)) => wrong.push((name, "nothing was spilled".to_owned())),
            Ok(_) => {}
            Err(error) => wrong.push((name, error.to_string())),
        }
        small.is_empty().await;
        large.is_empty().await;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_is_given_up_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let table = table(directory.path()).await;
    let small = setup(directory.path(), LITTLE, PLENTY, PLENTY);
    for (name, sql) in QUERIES {
        let share = Some(small.resources.of_user("ann"));
        let mut rows = start(sql, &[("t", &table)], share).await.unwrap().into_rows();
        // In the middle of it, with files on the disk.
        let on_disk = async {
            while small.resources.usage().spilled_files == 0 {
                tokio::task::yield_now().await;
            }
        };
        let first = tokio::select! {
            biased;
            () = on_disk => None,
            row = rows.next() => row,
        };
        assert!(first.is_none(), "{name} was over before");
        drop(rows);
        small.is_empty().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_in_the_way_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let table = table(directory.path()).await;
    let sort = "SELECT shuffled, text FROM t ORDER BY text";
    // No key to sort by: such a join holds one side, whatever the disk.
    let cross = "SELECT count(*) FROM t a JOIN t b ON a.text < b.text || 'x' AND a.id + b.id = 17";
    for (memory, per_query, disk, sql, named) in [
        (
            LITTLE,
            2 * MIB,
            PLENTY,
            sort,
            "one query may use 2.0 MB (--spill-limit-per-query)",
        ),
        (LITTLE, PLENTY, 2 * MIB, sort, "(--spill-limit)"),
        (
            8 * MIB,
            PLENTY,
            PLENTY,
            "SELECT text, count(*) OVER () FROM t",
            "one query may use 8.0 MB (--memory-per-query)",
        ),
        (
            2 * MIB,
            PLENTY,
            PLENTY,
            cross,
            "one query may use 2.0 MB (--memory-per-query)",
        ),
    ] {
        let setup = setup(directory.path(), memory, per_query, disk);
        let error = setup.ask(sql, &table).await.unwrap_err();
        assert!(matches!(error, ReaderError::Exhausted(_)), "{error:?}");
        assert!(error.to_string().contains(named), "{error}");
        setup.is_empty().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_queries_together_have_one_disk_limit() {
    let directory = tempfile::tempdir().unwrap();
    let table = table(directory.path()).await;
    let small = setup(directory.path(), LITTLE, PLENTY, 100 * MIB);
    let sort = "SELECT shuffled, text FROM t ORDER BY text";
    small.ask(sort, &table).await.unwrap();
    // Another query's file.
    let other = small.resources.of_user("bob").begin().unwrap();
    let mut file = other.env.disk_manager.create_tmp_file("test").unwrap();
    file.inner().as_file().set_len(99 * 1024 * 1024).unwrap();
    file.update_disk_usage().unwrap();
    let error = small.ask(sort, &table).await.unwrap_err().to_string();
    assert!(
        error.contains("all queries together may use 100.0 MB (--spill-limit)"),
        "{error}"
    );
    drop((file, other));
    small.is_empty().await;
}

/// Without a folder nothing reaches a disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_folder_what_does_not_fit_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let table = table(directory.path()).await;
    let limit = |setting| Limit {
        bytes: LITTLE,
        setting,
    };
    let resources = Resources::new(ResourceSettings {
        memory: limit("--memory"),
        memory_per_user: limit("--memory-per-user"),
        memory_per_query: limit("--memory-per-query"),
        queries: 1,
        spill: None,
    });
    for (name, sql) in QUERIES {
        let share = Some(resources.of_user("ann"));
        let answer = start(sql, &[("t", &table)], share)
            .await
            .unwrap()
            .collect(None)
            .await;
        let error = answer.unwrap_err().to_string();
        assert!(
            error.contains("not enough memory") && error.contains("no folder"),
            "{name}: {error}"
        );
    }
}
