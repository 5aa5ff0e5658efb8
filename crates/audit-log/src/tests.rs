// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Records reach the file whole and in order; a target that takes none is told.

use std::path::Path;

use serde::Serialize;

use super::*;

fn settings(file: &Path, max_file_bytes: u64) -> AuditSettings {
    AuditSettings {
        enabled: true,
        file: file.to_owned(),
        max_file_bytes,
        required: false,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Record<'a> {
    request_id: &'a str,
}

fn record(request_id: &str) -> Record<'_> {
    Record { request_id }
}

fn ids(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            record["request-id"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[tokio::test]
async fn records_are_appended_in_order_and_after_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep").join("audit.jsonl");
    for start in [0, 100] {
        let audit = Audit::open(&settings(&file, u64::MAX)).unwrap();
        for number in start..start + 100 {
            audit.note(&record(&number.to_string()));
        }
        audit.flush().await;
        assert_eq!(audit.counted(), (100, 0));
    }
    let expected: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    assert_eq!(ids(&file), expected);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_full_file_is_put_aside_and_no_record_is_split() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let audit = Audit::open(&settings(&file, 300)).unwrap();
    for number in 0..40 {
        audit.keep(&record(&number.to_string())).await.unwrap();
    }
    let mut seen = 0;
    let mut files = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(path.extension().unwrap(), "jsonl");
        seen += ids(&path).len();
        files += 1;
    }
    assert_eq!(seen, 40);
    assert!(files > 1, "{files}");
}

#[tokio::test]
async fn a_line_that_was_cut_off_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    std::fs::write(&file, "{\"request-id\":\"cut").unwrap();
    let audit = Audit::open(&settings(&file, u64::MAX)).unwrap();
    audit.keep(&record("whole")).await.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert!(text.lines().nth(1).unwrap().contains("\"whole\""));
}

#[tokio::test]
async fn what_cannot_be_written_is_told_and_counted() {
    // A device that is always full.
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let audit = Audit::open(&settings(full, u64::MAX));
    let Ok(audit) = audit else {
        // Where the device cannot even be opened for appending, starting says so.
        return;
    };
    assert_eq!(audit.keep(&record("r")).await, Err(NotKept));
    audit.note(&record("s"));
    audit.flush().await;
    assert_eq!(audit.counted(), (0, 2));
}

#[test]
fn a_folder_in_the_place_of_the_file_ends_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let error = Audit::open(&settings(folder.path(), u64::MAX)).unwrap_err();
    assert!(error.to_string().contains("cannot be opened"), "{error}");
}
