// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Golden answers: metadata byte for byte, optional members only when they say something.

use lakeward_read_restrictions::admission::{Governed, Trust, TrustedReader, Ungoverned, admit};
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde_json::value::RawValue;

use super::{LoadCredentialsResponse, LoadTableResult, SnapshotsMode, StorageCredential, TableContents};
use crate::load_table_response::LoadTableResponse;

const METADATA: &str = "{\"format-version\" : 2,  \"x\":1.10,\"current-schema-id\":0,\"schemas\":[{\"schema-id\":0,\"fields\":[]}]}";

fn credential() -> StorageCredential {
    StorageCredential {
        prefix: "s3://b/t".to_owned(),
        config: [("k".to_owned(), "v".to_owned())].into(),
    }
}

fn answer(contents: TableContents<'_>, restrictions: ReadRestrictions) -> String {
    let capabilities = Capabilities::parse(&[b"read-restrictions.v1"]);
    let trust = Trust::Trusted(TrustedReader {
        name: "gateway".to_owned(),
        revision: 1,
    });
    let governed = admit(Ungoverned::new(contents), restrictions, &capabilities, &trust).unwrap();
    serde_json::to_string(&LoadTableResult::new(governed)).unwrap()
}

fn check(contents: TableContents<'_>, restrictions: ReadRestrictions, expected: &str) {
    let text = answer(contents, restrictions.clone());
    assert_eq!(text, expected);
    let read = LoadTableResponse::parse(text.as_bytes()).unwrap();
    assert_eq!(read.metadata.get(), METADATA);
    assert_eq!(read.restrictions().unwrap(), restrictions);
}

#[test]
fn writes_metadata_unchanged() {
    let metadata: &RawValue = serde_json::from_str(METADATA).unwrap();
    let plain = TableContents {
        metadata_location: Some("file:/t/metadata/0.json"),
        metadata,
        config: Default::default(),
        storage_credentials: Vec::new(),
    };
    check(
        plain.clone(),
        ReadRestrictions::none(),
        &format!(r#"{{"metadata-location":"file:/t/metadata/0.json","metadata":{METADATA}}}"#),
    );
    let deny = ReadRestrictions::combine(Some(Predicate::Constant(false)), []).unwrap();
    check(
        TableContents {
            metadata_location: None,
            config: [("a".to_owned(), "b".to_owned())].into(),
            storage_credentials: vec![credential()],
            ..plain
        },
        deny,
        &format!(
            r#"{{"metadata":{METADATA},"config":{{"a":"b"}},"storage-credentials":[{{"prefix":"s3://b/t","config":{{"k":"v"}}}}],"read-restrictions":{{"required-row-filter":false}}}}"#
        ),
    );
}

#[test]
fn writes_credentials() {
    let governed = admit(
        Ungoverned::new(vec![credential()]),
        ReadRestrictions::none(),
        &Capabilities::default(),
        &Trust::Untrusted,
    );
    assert_eq!(
        serde_json::to_string(&LoadCredentialsResponse::new(governed.unwrap())).unwrap(),
        r#"{"storage-credentials":[{"prefix":"s3://b/t","config":{"k":"v"}}]}"#
    );
}

#[test]
fn reads_the_snapshots_parameter() {
    for (parameter, expected) in [
        (None, Some("all")),
        (Some("all"), Some("all")),
        (Some("refs"), Some("refs")),
        (Some("REFS"), None),
        (Some(""), None),
    ] {
        assert_eq!(
            SnapshotsMode::new(parameter).ok().map(SnapshotsMode::as_str),
            expected
        );
    }
}

#[test]
fn credentials_do_not_print_themselves() {
    const SECRET: &str = "correct-horse";
    let config: std::collections::BTreeMap<_, _> =
        [("s3.secret-access-key".to_owned(), SECRET.to_owned())].into();
    let metadata = RawValue::from_string("{}".to_owned()).unwrap();
    let contents = TableContents {
        metadata_location: Some("s3://b/t/metadata/v1.metadata.json"),
        metadata: &metadata,
        config: config.clone(),
        storage_credentials: vec![StorageCredential {
            prefix: "s3://b/t".to_owned(),
            config,
        }],
    };
    let shown = [
        format!("{contents:?}"),
        format!(
            "{:?}",
            LoadCredentialsResponse::new(unrestricted(contents.storage_credentials.clone()))
        ),
        format!("{:?}", LoadTableResult::new(unrestricted(contents.clone()))),
    ];
    for shown in shown {
        assert!(!shown.contains(SECRET) && shown.contains("s3://b/t"), "{shown}");
    }
}

fn unrestricted<T>(value: T) -> Governed<T> {
    let free = ReadRestrictions::default();
    admit(
        Ungoverned::new(value),
        free,
        &Capabilities::parse(&[]),
        &Trust::Untrusted,
    )
    .unwrap()
}
