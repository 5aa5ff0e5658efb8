// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Golden JSON of identifiers, lists and renaming.

use super::{ListTablesResponse, RenameTableRequest, TableIdentifier};
use crate::request::parse_body;

#[test]
fn reads_and_writes_the_recorded_forms() {
    let body =
        r#"{"source":{"namespace":["n1"],"name":"t1"},"destination":{"namespace":["n1"],"name":"t1b"}}"#;
    let rename: RenameTableRequest = parse_body(body.as_bytes()).unwrap();
    assert_eq!(rename.source.name.as_str(), "t1");
    assert_eq!(serde_json::to_string(&rename).unwrap(), body);
    let list = ListTablesResponse {
        identifiers: vec![rename.destination],
        next_page_token: Some("p".to_owned()),
    };
    assert_eq!(
        serde_json::to_string(&list).unwrap(),
        r#"{"identifiers":[{"namespace":["n1"],"name":"t1b"}],"next-page-token":"p"}"#
    );
}

#[test]
fn refuses_names_that_are_none() {
    for body in [
        r#"{"namespace":["n1"],"name":""}"#,
        r#"{"namespace":[],"name":"t"}"#,
        r#"{"namespace":["n1"],"name":null}"#,
        r#"{"namespace":["n1"]}"#,
        r#"{"namespace":["n1"],"name":"t","x":1}"#,
    ] {
        assert!(parse_body::<TableIdentifier>(body.as_bytes()).is_err(), "{body}");
    }
}
