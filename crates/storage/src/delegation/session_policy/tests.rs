// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a policy permits, as its reader understands it.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::{DelegationScope, FileAccess};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::session_policy;

fn scope(location: &str, access: FileAccess) -> DelegationScope {
    DelegationScope {
        principal: "ann".to_owned(),
        locations: vec![location.to_owned()],
        access,
        is_table: true,
    }
}

fn policy(location: &str, access: FileAccess) -> Value {
    serde_json::from_str(&session_policy(&scope(location, access), "aws").unwrap()).unwrap()
}

#[test]
fn readers_read_one_prefix() {
    assert_eq!(
        policy("s3a://b/w/t", FileAccess::Read),
        json!({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["arn:aws:s3:::b/w/t/*"]},
            {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": ["arn:aws:s3:::b"],
             "Condition": {"StringLike": {"s3:prefix": ["w/t/*"]}}},
        ]})
    );
}

#[test]
fn writers_write_and_delete_there_too() {
    let written = policy("s3://b/w/t", FileAccess::ReadWrite);
    let actions = &written["Statement"][0]["Action"];
    assert_eq!(
        *actions,
        json!([
            "s3:GetObject",
            "s3:PutObject",
            "s3:DeleteObject",
            "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts"
        ])
    );
    assert_eq!(
        written["Statement"][1],
        policy("s3://b/w/t", FileAccess::Read)["Statement"][1]
    );
}

/// What a policy says of an action on an object: a denial outweighs what is allowed.
fn allows(policy: &Value, action: &str, object: &str) -> bool {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let speaks = |effect: &str| {
        list(&policy["Statement"]).iter().any(|statement| {
            statement["Effect"] == effect
                && list(&statement["Action"]).contains(&json!(action))
                && list(&statement["Resource"])
                    .iter()
                    .any(|pattern| matches(pattern.as_str().unwrap(), object))
        })
    };
    speaks("Allow") && !speaks("Deny")
}

#[test]
fn the_catalog_alone_writes_what_says_what_a_table_is() {
    let table = policy("s3://b/w/t", FileAccess::ReadWrite);
    let of_catalog = [
        "metadata/00001-9c12d441.metadata.json",
        "metadata/v2.metadata.json",
        "metadata/v2.gz.metadata.json",
        "metadata/v2.metadata.json.gz",
        "metadata/version-hint.text",
        "elsewhere/deep/00001-9c12d441.metadata.json",
    ];
    let of_engines = [
        "metadata/9c12d441-m0.avro",
        "metadata/snap-1-1-9c12d441.avro",
        "metadata/1.stats",
        "metadata/partition-stats-1.parquet",
        "data/metadata.json/part-0.parquet",
        "data/p=x.metadata.json.parquet",
    ];
    for (files, writes) in [(&of_catalog, false), (&of_engines, true)] {
        for file in files {
            let object = format!("arn:aws:s3:::b/w/t/{file}");
            assert!(allows(&table, "s3:GetObject", &object), "{file}");
            for action in ["s3:PutObject", "s3:DeleteObject"] {
                assert_eq!(allows(&table, action, &object), writes, "{action} {file}");
            }
        }
    }
    let fileset = DelegationScope {
        is_table: false,
        ..scope("s3://b/w/t", FileAccess::ReadWrite)
    };
    let fileset = serde_json::from_str(&session_policy(&fileset, "aws").unwrap()).unwrap();
    let object = "arn:aws:s3:::b/w/t/x.metadata.json";
    assert!(allows(&fileset, "s3:PutObject", object));
}

#[test]
fn buckets_are_named_as_their_part_of_the_clouds_names_them() {
    let text = session_policy(&scope("s3://b/w/t", FileAccess::ReadWrite), "aws-us-gov").unwrap();
    assert_eq!(
        text.matches("arn:aws-us-gov:s3:::").count(),
        text.matches("arn:").count()
    );
}

#[test]
fn several_places_are_several_prefixes() {
    let scope = DelegationScope {
        locations: vec!["s3://a/x".to_owned(), "s3://b/y".to_owned()],
        ..scope("", FileAccess::Read)
    };
    let policy: Value = serde_json::from_str(&session_policy(&scope, "aws").unwrap()).unwrap();
    assert_eq!(
        policy["Statement"][0]["Resource"],
        json!(["arn:aws:s3:::a/x/*", "arn:aws:s3:::b/y/*"])
    );
    assert_eq!(policy["Statement"].as_array().unwrap().len(), 3);
}

#[test]
fn wildcards_and_variables_stand_for_themselves() {
    assert_eq!(
        super::literal("a*b?c$d${aws:userid}"),
        "a${*}b${?}c$d${$}{aws:userid}"
    );
    let odd = policy("s3://b/w/${aws:username}/\"t'", FileAccess::Read);
    assert_eq!(
        odd["Statement"][0]["Resource"][0],
        "arn:aws:s3:::b/w/${$}{aws:username}/\"t'/*"
    );
}

#[test]
fn other_characters_are_escaped() {
    let text = session_policy(&scope("s3://b/w/blå/𝒳/\u{7ff}", FileAccess::Read), "aws").unwrap();
    assert!(text.is_ascii(), "{text}");
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        read["Statement"][0]["Resource"][0],
        "arn:aws:s3:::b/w/blå/𝒳/\u{7ff}/*"
    );
}

#[test]
fn what_no_policy_should_say_is_refused() {
    for refused in [
        "s3://b",
        "s3://b/",
        "file:///w/t",
        "/w/t",
        "s3://b/w/../t",
        "s3://b/w/*",
        "s3://*/w",
    ] {
        let error = session_policy(&scope(refused, FileAccess::Read), "aws").unwrap_err();
        assert!(
            matches!(error, CatalogError::LocationRefused(_)),
            "{refused}: {error}"
        );
    }
    let long = format!("s3://b/{}", "x".repeat(1000));
    assert!(matches!(
        session_policy(&scope(&long, FileAccess::Read), "aws"),
        Err(CatalogError::Invalid(_))
    ));
}

/// Whether a pattern of a policy matches a text, as the language of policies says.
fn matches(pattern: &str, text: &str) -> bool {
    let mut tokens: Vec<Option<char>> = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let escaped = ["${*}", "${?}", "${$}"]
            .iter()
            .find(|escape| rest.starts_with(**escape));
        if let Some(escape) = escaped {
            tokens.push(escape.chars().nth(2));
            rest = &rest[escape.len()..];
        } else {
            // Anything else in braces would be a variable, whose value nobody here knows.
            assert!(
                !rest.starts_with("${") && first != '?',
                "a pattern of its own in `{pattern}`"
            );
            tokens.push((first != '*').then_some(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    let text: Vec<char> = text.chars().collect();
    let mut reached: Vec<bool> = vec![false; text.len() + 1];
    reached[0] = true;
    for token in tokens {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            match token {
                None => next[at] = reached[..=at].contains(&true),
                Some(wanted) if at > 0 && reached[at - 1] && text[at - 1] == wanted => next[at] = true,
                Some(_) => {}
            }
        }
        reached = next;
    }
    reached[text.len()]
}

proptest! {
    /// The pattern of a folder matches what is below it, and nothing else.
    #[test]
    fn a_policy_matches_its_own_prefix_alone(
        name in "[a-c$*?{}:/é\"\\\\]{1,12}",
        other in "[a-c$*?{}:/é\"\\\\]{1,16}",
    ) {
        let pattern = format!("{}/*", super::literal(&name));
        let below = format!("{name}/data/f");
        prop_assert!(matches(&pattern, &below));
        let own = format!("{name}/");
        prop_assert_eq!(matches(&pattern, &other), other.starts_with(&own));
    }
}
