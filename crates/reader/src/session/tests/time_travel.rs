// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Other versions of a table: which are read, and what restricts them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::{Written, answer};

/// `t` with three snapshots of one file each: rows 1 Ann, 2 Bob, 3 Cid; column `gone` exists since and only until the
/// schema changed after the second, when `name` became `label`.
struct Travelled {
    metadata: Json,
    /// The snapshots, oldest first.
    snapshots: Vec<i64>,
}

fn old_fields() -> Json {
    json!([
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false},
        {"id": 3, "name": "gone", "type": "string", "required": false}
    ])
}

async fn travelled(directory: &TempDir) -> Travelled {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": old_fields()});
    let mut written = Written::new(directory.path(), schema, None).await;
    for (number, name) in [(1, "Ann"), (2, "Bob"), (3, "Cid")] {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![number])),
            Arc::new(StringArray::from(vec![name])),
            Arc::new(StringArray::from(vec!["secret"])),
        ];
        written.append(columns, None).await;
    }
    let mut metadata = written.metadata();
    let schema = json!({"type": "struct", "schema-id": 1, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "label", "type": "string", "required": false},
        {"id": 4, "name": "added", "type": "int", "required": false}
    ]});
    let member = |metadata: &mut Json, name: &str, value: Json| {
        metadata.as_object_mut().unwrap().insert(name.to_owned(), value);
    };
    let schemas = metadata.pointer_mut("/schemas").unwrap().as_array_mut().unwrap();
    schemas.push(schema);
    member(&mut metadata, "current-schema-id", json!(1));
    member(&mut metadata, "last-column-id", json!(4));
    let mut by_time: Vec<(i64, i64)> = metadata
        .pointer("/snapshots")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|snapshot| {
            let number = |name: &str| snapshot.get(name).unwrap().as_i64().unwrap();
            (number("sequence-number"), number("snapshot-id"))
        })
        .collect();
    by_time.sort_unstable();
    let snapshots: Vec<i64> = by_time.into_iter().map(|(_, id)| id).collect();
    // The third was written with the new schema, at times that a test can name.
    let mut log = Vec::new();
    for (day, id) in snapshots.iter().enumerate() {
        let ms = 1_767_225_600_000_i64 + i64::try_from(day).unwrap() * 86_400_000;
        log.push(json!({"snapshot-id": id, "timestamp-ms": ms}));
        for snapshot in metadata
            .pointer_mut("/snapshots")
            .unwrap()
            .as_array_mut()
            .unwrap()
        {
            if snapshot.get("snapshot-id").unwrap().as_i64() == Some(*id) {
                member(snapshot, "timestamp-ms", json!(ms));
                if day == 2 {
                    member(snapshot, "schema-id", json!(1));
                }
            }
        }
    }
    member(&mut metadata, "snapshot-log", json!(log));
    let reference = |kind: &str, number: usize| json!({"type": kind, "snapshot-id": snapshots.get(number)});
    let refs =
        json!({"main": reference("branch", 2), "fix": reference("branch", 1), "it's": reference("tag", 0)});
    member(&mut metadata, "refs", refs);
    Travelled { metadata, snapshots }
}

impl Travelled {
    fn id(&self, number: usize) -> i64 {
        *self.snapshots.get(number).unwrap()
    }
}

#[tokio::test]
async fn a_snapshot_and_a_tag_have_their_schema_and_a_branch_the_tables() {
    let directory = TempDir::new().unwrap();
    let travelled = travelled(&directory).await;
    let open = answer(&travelled.metadata, &Json::Null);
    let first = travelled.id(0);
    let query = |from: &str| format!("select * from {from}");
    let old = ["| 1 | Ann | secret |"];
    let two_now = ["| 1 | Ann | |", "| 2 | Bob | |"];
    for (from, expected) in [
        (format!("t for version as of {first}"), &old[..]),
        (format!("t VERSION AS OF {first} as u"), &old[..]),
        (
            format!("c.s.t /* c */ FOR\n SYSTEM_VERSION -- d\n AS OF {first}"),
            &old[..],
        ),
        ("t for version as of 'it''s'".to_owned(), &old[..]),
        ("t for version as of 'fix'".to_owned(), &two_now[..]),
        ("t for timestamp as of '2026-01-01'".to_owned(), &old[..]),
        (
            "t for timestamp as of timestamp '2026-01-02 00:59:59.999+01:00'".to_owned(),
            &old[..],
        ),
        (
            "t for system_time as of '2026-01-01T23:59:59.999Z' u".to_owned(),
            &old[..],
        ),
        (
            "t timestamp as of '2026-01-02'".to_owned(),
            &["| 1 | Ann | secret |", "| 2 | Bob | secret |"][..],
        ),
        (
            "t for version as of 'main'".to_owned(),
            &["| 1 | Ann | |", "| 2 | Bob | |", "| 3 | Cid | |"][..],
        ),
    ] {
        assert_eq!(rows(&query(&from), &[("t", &open)]).await, expected, "{from}");
    }
    // The name stays the table's.
    let sql = format!("select t.name, count(*) from t for version as of {first} group by t.name");
    assert_eq!(rows(&sql, &[("t", &open)]).await, ["| Ann | 1 |"]);
    let used = ask(&sql, &[("t", &open)]).await.unwrap().tables;
    assert_eq!(used.first().unwrap().snapshot, Some(first));
}

#[tokio::test]
async fn one_query_reads_two_versions_behind_todays_restrictions() {
    let directory = TempDir::new().unwrap();
    let travelled = travelled(&directory).await;
    let restrictions = json!({
        "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 1},
            "right": {"type": "literal", "value": 1, "data-type": "int"}},
        // The column was called otherwise then.
        "required-column-projections": [{"field-id": 2, "action": "mask-alphanum"}]
    });
    let body = answer(&travelled.metadata, &restrictions);
    let second = travelled.id(1);
    let sql = format!(
        "select a.x, a.name, b.label from t for version as of {second} as a right join t as b on a.x = b.x"
    );
    assert_eq!(
        rows(&sql, &[("t", &body)]).await,
        ["| 2 | xxx | xxx |", "| | | xxx |"]
    );
    let sql = format!(
        "select count(*) from t for version as of {second} a join t for version as of 'it''s' b on a.x = b.x"
    );
    assert_eq!(rows(&sql, &[("t", &body)]).await, ["| 0 |"]);
    // Without its row filter everybody would see what was dropped; with it nobody can say whether that was masked.
    let dropped = format!("select gone from t for version as of {second}");
    let refused = ask(&dropped, &[("t", &body)]).await.unwrap_err().to_string();
    assert!(refused.contains("`gone` was dropped since"), "{refused}");
    let star = format!("select * from t for version as of {second}");
    assert!(ask(&star, &[("t", &body)]).await.is_err());
    let counted = format!("select count(*) from t for version as of {second} where gone = 'secret'");
    assert!(ask(&counted, &[("t", &body)]).await.is_err());
}

#[tokio::test]
async fn a_restricted_field_must_have_been_there_as_it_is() {
    let directory = TempDir::new().unwrap();
    let mut travelled = travelled(&directory).await;
    let first = travelled.id(0);
    let on_added = json!({"required-column-projections": [{"field-id": 4, "action": "replace-with-null"}]});
    let body = answer(&travelled.metadata, &on_added);
    let sql = format!("select x from t for version as of {first}");
    let refused = ask(&sql, &[("t", &body)]).await.unwrap_err().to_string();
    assert!(refused.contains("did not exist then"), "{refused}");
    // A branch has today's schema.
    let branch = "select x, added from t for version as of 'fix'";
    assert_eq!(rows(branch, &[("t", &body)]).await, ["| 1 | |", "| 2 | |"]);
    *travelled
        .metadata
        .pointer_mut("/schemas/1/fields/0/type")
        .unwrap() = json!("long");
    let on_x = json!({"required-row-filter": {"type": "eq", "left": {"type": "reference", "id": 1},
        "right": {"type": "literal", "value": 1, "data-type": "long"}}});
    let body = answer(&travelled.metadata, &on_x);
    let refused = ask(&sql, &[("t", &body)]).await.unwrap_err().to_string();
    assert!(refused.contains("had another type then"), "{refused}");
    assert_eq!(rows("select x from t", &[("t", &body)]).await, ["| 1 |"]);
}

#[tokio::test]
async fn versions_that_do_not_exist_are_said_so() {
    let directory = TempDir::new().unwrap();
    let mut travelled = travelled(&directory).await;
    let open = answer(&travelled.metadata, &Json::Null);
    for (from, said) in [
        (
            "t for version as of 7",
            "no snapshot with this id; it may have expired",
        ),
        ("t for version as of 'nope'", "no branch or tag of this name"),
        ("t for timestamp as of '2025-12-31'", "does not reach so far back"),
        ("t for timestamp as of 'yesterday'", "is not a time"),
        ("t for timestamp as of now()", "takes a time in single quotes"),
        ("t for version as of x", "takes a snapshot's id"),
        (
            "t for version as of 99999999999999999999",
            "not the id of a snapshot",
        ),
        ("t as u for version as of 7", "directly behind the name"),
        (
            "(select * from t) for version as of 7",
            "directly behind the name",
        ),
        (
            "t for version as of 7 for version as of 8",
            "directly behind the name",
        ),
        ("f(1) for version as of 7", "directly behind the name"),
        ("t partition (\"lakeward version 0\")", "a partition of a table"),
        (
            "t, \"t FOR VERSION AS OF 7\", t for version as of 7 as v",
            "cannot be called",
        ),
        ("\"t$snapshots\" for version as of 7", "metadata tables"),
    ] {
        let sql = format!("select 1 from {from}");
        let refused = ask(&sql, &[("t", &open)]).await.map(|answer| answer.rows());
        let refused = refused.expect_err(from).to_string();
        assert!(refused.contains(said), "{from}: {refused}");
    }
    let cte = "with t as (select 1) select * from t for version as of 7";
    assert!(
        ask(cte, &[("t", &open)])
            .await
            .unwrap_err()
            .to_string()
            .contains("has no versions")
    );
    // What only looks like one.
    for (sql, expected) in [
        ("select version as of from (select 1 as version)", "| 1 |"),
        (
            "select 'for version as of 7' from t where x = 1",
            "| for version as of 7 |",
        ),
        ("select count(*) from t -- for version as of 7", "| 3 |"),
    ] {
        assert_eq!(rows(sql, &[("t", &open)]).await, [expected], "{sql}");
    }
    // An expired snapshot may still be in the history.
    let first = travelled.id(0);
    let snapshots = travelled
        .metadata
        .pointer_mut("/snapshots")
        .unwrap()
        .as_array_mut()
        .unwrap();
    snapshots.retain(|snapshot| snapshot.get("snapshot-id").unwrap().as_i64() != Some(first));
    travelled
        .metadata
        .pointer_mut("/refs")
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove("it's");
    let open = answer(&travelled.metadata, &Json::Null);
    let sql = "select 1 from t for timestamp as of '2026-01-01'";
    let refused = ask(sql, &[("t", &open)]).await.unwrap_err().to_string();
    assert!(refused.contains("has expired"), "{refused}");
}
