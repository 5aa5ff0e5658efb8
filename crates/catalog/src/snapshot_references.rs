// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `snapshots=refs`: a copy of the metadata text with only the snapshots that branches and tags refer to. Members
//! other than `snapshots` are copied as they are written, and a snapshot is never parsed beyond its id.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Reference {
    #[serde(rename = "snapshot-id")]
    snapshot_id: i64,
}

#[derive(Deserialize)]
struct SnapshotHead {
    #[serde(rename = "snapshot-id")]
    snapshot_id: i64,
}

/// Drops unreferenced snapshots. The current snapshot counts as referenced, so that a table of an old writer
/// without `refs` stays readable.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn keep_referenced_snapshots(json: &RawValue) -> Result<Box<RawValue>, String> {
    let members: IndexMap<String, &RawValue> =
        serde_json::from_str(json.get()).map_err(|error| error.to_string())?;
    let Some(snapshots) = members.get("snapshots") else {
        return Ok(json.to_owned());
    };
    let mut kept = BTreeSet::new();
    if let Some(references) = members.get("refs") {
        let references: Option<BTreeMap<String, Reference>> =
            serde_json::from_str(references.get()).map_err(|error| format!("`refs`: {error}"))?;
        kept.extend(
            references
                .unwrap_or_default()
                .values()
                .map(|reference| reference.snapshot_id),
        );
    }
    if let Some(current) = members.get("current-snapshot-id") {
        let current: Option<i64> =
            serde_json::from_str(current.get()).map_err(|error| format!("`current-snapshot-id`: {error}"))?;
        kept.extend(current);
    }
    let snapshots: Option<Vec<&RawValue>> =
        serde_json::from_str(snapshots.get()).map_err(|error| format!("`snapshots`: {error}"))?;
    let mut chosen = Vec::new();
    for snapshot in snapshots.unwrap_or_default() {
        let head: SnapshotHead =
            serde_json::from_str(snapshot.get()).map_err(|error| format!("`snapshots`: {error}"))?;
        if kept.contains(&head.snapshot_id) {
            chosen.push(snapshot);
        }
    }
    let chosen = serde_json::value::to_raw_value(&chosen).map_err(|error| error.to_string())?;
    let mut members = members;
    members.insert("snapshots".to_owned(), &chosen);
    serde_json::value::to_raw_value(&members).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        let input = RawValue::from_string(input.to_owned()).unwrap();
        assert_eq!(keep_referenced_snapshots(&input).unwrap().get(), expected);
    }

    #[test]
    fn only_unreferenced_snapshots_go() {
        check(
            r#"{"z":1.0,"current-snapshot-id":3,"refs":{"main":{"snapshot-id":3,"type":"branch"},"t":{"snapshot-id":1}},"snapshots":[{"snapshot-id":1,"x":1},{"snapshot-id":2},{"snapshot-id":3}],"else":{"kept":[ 1 ]}}"#,
            r#"{"z":1.0,"current-snapshot-id":3,"refs":{"main":{"snapshot-id":3,"type":"branch"},"t":{"snapshot-id":1}},"snapshots":[{"snapshot-id":1,"x":1},{"snapshot-id":3}],"else":{"kept":[ 1 ]}}"#,
        );
    }

    #[test]
    fn absent_and_null_members_are_tolerated() {
        check(r#"{"a":1}"#, r#"{"a":1}"#);
        check(
            r#"{"refs":null,"current-snapshot-id":-1,"snapshots":null}"#,
            r#"{"refs":null,"current-snapshot-id":-1,"snapshots":[]}"#,
        );
    }
}
