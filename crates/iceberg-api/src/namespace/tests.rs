// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Encoding, and the bodies about namespaces.

use proptest::prelude::*;

use super::{
    CreateNamespaceRequest, ListNamespacesResponse, Namespace, NamespaceResponse,
    UpdateNamespacePropertiesRequest, UpdateNamespacePropertiesResponse,
};
use crate::request::parse_body;

fn levels(levels: &[&str]) -> Namespace {
    Namespace::new(levels.iter().map(|level| (*level).to_owned()).collect()).unwrap()
}

fn check(namespace: &[&str], segment: &str) {
    let namespace = levels(namespace);
    assert_eq!(namespace.to_path_segment(), segment);
    assert_eq!(Namespace::from_path_segment(segment), Ok(namespace));
}

#[test]
fn every_namespace_has_its_own_segment() {
    check(&["a", "b"], "a%1Fb");
    check(&["a.b"], "a.b");
    check(&["a b"], "a%20b");
    check(&["a+b"], "a%2Bb");
    check(&["a/b"], "a%2Fb");
    check(&["ü"], "%C3%BC");
    check(&["%1F"], "%251F");
    check(&["a%2Fb", "-._~"], "a%252Fb%1F-._~");
}

#[test]
fn nothing_is_decoded_twice() {
    assert_eq!(Namespace::from_path_segment("a%251Fb"), Ok(levels(&["a%1Fb"])));
    assert_eq!(Namespace::from_decoded("a%1Fb"), Ok(levels(&["a%1Fb"])));
    assert_eq!(Namespace::from_decoded("a\u{1f}b"), Ok(levels(&["a", "b"])));
    assert_eq!(Namespace::from_path_segment("a+b"), Ok(levels(&["a+b"])));
    assert_eq!(Namespace::from_path_segment("a%1fb"), Ok(levels(&["a", "b"])));
}

#[test]
fn refuses_what_names_nothing() {
    for segment in ["", "%1F", "a%1F", "%1Fa", "a%1F%1Fb", "%FF"] {
        assert!(Namespace::from_path_segment(segment).is_err(), "{segment}");
    }
    assert!(Namespace::new(Vec::new()).is_err());
    assert!(Namespace::new(vec!["a\u{1f}b".to_owned()]).is_err());
    let message = Namespace::new(vec!["a".to_owned(), String::new()]).map_err(|error| error.to_string());
    assert_eq!(
        message,
        Err("invalid namespace `a.`: a level of a namespace is not empty".to_owned())
    );
}

proptest! {
    #[test]
    fn segments_go_both_ways(names in prop::collection::vec("[^\u{1f}]{1,6}", 1..4)) {
        let namespace = Namespace::new(names).unwrap();
        let segment = namespace.to_path_segment();
        prop_assert!(segment.is_ascii() && !segment.contains('/'));
        prop_assert_eq!(Namespace::from_path_segment(&segment), Ok(namespace));
    }

    #[test]
    fn never_panics(segment in "\\PC{0,20}|(%[0-9A-F]{2}){0,6}") {
        let _ = Namespace::from_path_segment(&segment);
    }
}

#[test]
fn reads_requests() {
    let create: CreateNamespaceRequest =
        parse_body(br#"{"namespace":["n1","sub"],"properties":{"k":"v"}}"#).unwrap();
    assert_eq!(create.namespace, levels(&["n1", "sub"]));
    assert!(parse_body::<CreateNamespaceRequest>(br#"{"namespace":["n1"]}"#).is_ok());
    let update: UpdateNamespacePropertiesRequest =
        parse_body(br#"{"updates":{"a":"b","c":"d"},"removals":["k","a"]}"#).unwrap();
    assert_eq!(update.contradictions(), ["a"]);
    assert!(
        parse_body::<UpdateNamespacePropertiesRequest>(b"{}")
            .is_ok_and(|update| update.contradictions().is_empty())
    );
}

#[test]
fn refuses_requests_with_the_place() {
    for (body, expected) in [
        (r#"{"namespace":[]}"#, "a namespace has at least one level"),
        (r#"{"namespace":["a",""]}"#, "a level of a namespace is not empty"),
        (
            r#"{"namespace":"a"}"#,
            "invalid type: string \"a\", expected a sequence",
        ),
        (r#"{"namespace":["a"],"x":1}"#, "unknown field `x`"),
        (
            r#"{"namespace":["a"],"properties":{"k":1}}"#,
            "invalid type: integer `1`, expected a string",
        ),
        (
            r#"{"namespace":["a"],"namespace":["b"]}"#,
            "duplicate field `namespace`",
        ),
        (r#"{"#, "EOF while parsing an object at line 1 column 1"),
        ("", "EOF while parsing a value"),
    ] {
        let message =
            parse_body::<CreateNamespaceRequest>(body.as_bytes()).map_err(|error| error.to_string());
        assert!(
            message.as_ref().is_err_and(|message| message.contains(expected)),
            "{body}: {message:?}"
        );
    }
    assert!(parse_body::<CreateNamespaceRequest>(b"\xff").is_err());
}

#[test]
fn writes_the_recorded_answers() {
    let namespace = NamespaceResponse {
        namespace: levels(&["n1", "sub"]),
        properties: [("k".to_owned(), "v".to_owned())].into(),
    };
    assert_eq!(
        serde_json::to_string(&namespace).unwrap(),
        r#"{"namespace":["n1","sub"],"properties":{"k":"v"}}"#
    );
    let list = ListNamespacesResponse {
        namespaces: vec![levels(&["n1"]), levels(&["zz"])],
        next_page_token: None,
    };
    assert_eq!(
        serde_json::to_string(&list).unwrap(),
        r#"{"namespaces":[["n1"],["zz"]],"next-page-token":null}"#
    );
    let update = UpdateNamespacePropertiesResponse {
        removed: vec!["k".to_owned()],
        updated: vec!["a".to_owned()],
        missing: vec!["zz".to_owned()],
    };
    assert_eq!(
        serde_json::to_string(&update).unwrap(),
        r#"{"removed":["k"],"updated":["a"],"missing":["zz"]}"#
    );
}
