// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every operator, every place of a mistake, and filters made at random beside what they mean.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Filter, MAX_DEPTH, MAX_TERMS};
use crate::schema::ResourceType::{Group, User};
use crate::{Attributes, ScimType};

fn ann() -> Attributes {
    let Value::Object(ann) = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "id": "Id-1",
        "externalId": "X1",
        "userName": "Ann@Example.org",
        "displayName": "Ann \"Q\" Öz",
        "name": {"familyName": "Öz", "givenName": "Ann"},
        "active": true,
        "emails": [
            {"value": "ann@work.example", "type": "work", "primary": true},
            {"value": "ann@home.example", "type": "home"},
        ],
        "meta": {"resourceType": "User", "created": "2026-01-02T03:04:05Z"},
    }) else {
        panic!("an object")
    };
    ann
}

fn check(filter: &str, expected: bool) {
    match Filter::parse(User, filter) {
        Ok(parsed) => assert_eq!(parsed.matches(&ann()), expected, "{filter}"),
        Err(error) => panic!("{filter}: {error}"),
    }
}

#[test]
fn every_operator() {
    for (filter, expected) in [
        (r#"userName eq "ann@example.ORG""#, true),
        (r#"USERNAME EQ "ann@example.org""#, true),
        (r#"userName eq "ann""#, false),
        (r#"userName ne "ann""#, true),
        (r#"userName co "@EXAMPLE""#, true),
        (r#"userName sw "ann@""#, true),
        (r#"userName ew ".org""#, true),
        (r#"userName ew "ann""#, false),
        (r#"userName gt "ann""#, true),
        (r#"userName ge "ann@example.org""#, true),
        (r#"userName lt "ann@example.org""#, false),
        (r#"userName le "ann@example.org""#, true),
        ("userName pr", true),
        ("name pr", true),
        ("name.formatted pr", false),
        ("groups pr", false),
        // Where case counts.
        (r#"externalId eq "X1""#, true),
        (r#"externalId eq "x1""#, false),
        (r#"id sw "Id""#, true),
        (r#"id sw "id""#, false),
        ("active eq true", true),
        (r#"active eq "True""#, true),
        ("active ne true", false),
        ("active eq false", false),
        ("name.formatted eq null", true),
        ("name.familyName ne null", true),
        (r#"name.formatted ne "x""#, true),
        (r#"meta.created gt "2026-01-02T03:04:04Z""#, true),
        (r#"meta.created eq "2026-01-02T04:04:05+01:00""#, true),
        (r#"meta.created lt "2025-01-01T00:00:00Z""#, false),
        (r#"meta.resourceType eq "User""#, true),
        (r#"displayName eq "ann \"q\" öz""#, true),
        (
            r#"urn:ietf:params:scim:schemas:core:2.0:User:userName sw "a""#,
            true,
        ),
        (
            r#"urn:ietf:params:scim:schemas:core:2.0:User:name.familyName eq "öz""#,
            true,
        ),
        (r#"schemas eq "urn:ietf:params:scim:schemas:core:2.0:User""#, true),
    ] {
        check(filter, expected);
    }
}

#[test]
fn several_values_and_brackets() {
    for (filter, expected) in [
        (r#"emails co "home""#, true),
        (r#"emails.type eq "work""#, true),
        (r#"emails.type eq "other""#, false),
        // Each by one value, not by one together.
        (r#"emails.type eq "home" and emails.primary eq true"#, true),
        (r#"emails[type eq "home" and primary eq true]"#, false),
        (r#"emails[type eq "work" and value ew "work.example"]"#, true),
        (r#"emails[type eq "work"].value eq "ann@work.example""#, true),
        (r#"emails[type eq "work"].value eq "ann@home.example""#, false),
        (r#"emails[not (type eq "home")]"#, true),
        // `and` before `or`, `not` before both.
        (r#"userName eq "x" and active eq true or active eq true"#, true),
        (r#"userName eq "x" and (active eq true or active eq true)"#, false),
        (r#"not (userName eq "x") and active eq true"#, true),
        (r#"NOT(userName eq "x")"#, true),
        (r#"not (userName eq "x" or active eq true)"#, false),
        (r#"((active eq true))"#, true),
    ] {
        check(filter, expected);
    }
}

#[test]
fn what_is_no_filter_is_refused_with_its_place() {
    for (filter, expected) in [
        ("", "filter, character 1: the name of an attribute is expected"),
        (
            "userName",
            "filter, character 9: one of eq, ne, co, sw, ew, pr, gt, ge, lt, le is expected",
        ),
        ("userName is \"x\"", "one of eq"),
        ("userName eq", "a text in quotation marks"),
        ("userName eq x", "a text in quotation marks"),
        (r#"userName eq "a\u0000""#, "a text has no U+0000"),
        ("userName eq \"x", "a text in quotation marks"),
        (
            "userName eq 1",
            "`userName` cannot be compared by `eq` with such a value",
        ),
        ("userName eq \"x\" and", "the name of an attribute is expected"),
        (
            "userName eq \"x\" active pr",
            "`and`, `or` or the end is expected",
        ),
        ("(userName pr", "`)` is expected"),
        ("emails[type pr", "`]` is expected"),
        ("userName[value pr]", "`userName` has no parts"),
        ("emails[members[value pr]]", "`members` is no attribute here"),
        ("nothing pr", "`nothing` is no attribute here"),
        ("emails.nothing pr", "`emails.nothing` is no attribute here"),
        ("title pr", "`title` is not kept here"),
        (
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager pr",
            "is not kept here",
        ),
        ("active gt true", "`active` cannot be compared by `gt`"),
        ("active eq \"yes\"", "`active` cannot be compared"),
        ("active co \"tr\"", "`active` cannot be compared"),
        ("meta.created co \"2026\"", "`created` cannot be compared"),
        ("meta.created gt \"today\"", "what is no instant"),
        ("userName gt null", "with null"),
        ("name eq \"x\"", "name one of its parts"),
        ("not userName pr", "`not` is no attribute here"),
    ] {
        let error = Filter::parse(User, filter).unwrap_err();
        assert_eq!(error.kind, ScimType::InvalidFilter, "{filter}");
        assert!(error.detail.contains(expected), "{filter}: {error}");
    }
    assert!(Filter::parse(Group, "userName pr").is_err());
    assert!(Filter::parse(Group, "members.value pr").is_ok());
}

#[test]
fn filters_are_bounded() {
    let nested = |depth: usize| format!("{}active pr{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(User, &nested(MAX_DEPTH)).is_ok());
    assert!(Filter::parse(User, &nested(MAX_DEPTH + 1)).is_err());
    let many = |terms: usize| vec!["active pr"; terms].join(" or ");
    assert!(Filter::parse(User, &many(MAX_TERMS)).is_ok());
    assert!(Filter::parse(User, &many(MAX_TERMS + 1)).is_err());
    assert!(Filter::parse(User, &"(".repeat(super::MAX_FILTER_BYTES + 1)).is_err());
}

#[test]
fn what_a_store_can_look_up() {
    let required = |filter: &str, name: &str| {
        let filter = Filter::parse(User, filter).unwrap();
        filter.required(name).map(str::to_owned)
    };
    assert_eq!(
        required(r#"userName eq "Ann""#, "userName").as_deref(),
        Some("ann")
    );
    let both = r#"active eq true and externalId eq "X""#;
    assert_eq!(required(both, "externalId").as_deref(), Some("X"));
    for filter in [
        r#"userName ne "a""#,
        r#"not (userName eq "a")"#,
        r#"userName eq "a" or active pr"#,
    ] {
        assert_eq!(required(filter, "userName"), None, "{filter}");
    }
}

/// A filter with what it must answer of [`ann`], worked out beside it.
fn filters() -> impl Strategy<Value = (String, bool)> {
    let leaf = prop::sample::select(vec![
        ("userName sw \"ann\"", true),
        ("userName eq \"x\"", false),
        ("active eq true", true),
        ("active eq false", false),
        ("emails[type eq \"work\"]", true),
        ("displayName co \")\\\" or\"", false),
        ("name.formatted pr", false),
        ("id pr", true),
    ])
    .prop_map(|(text, truth)| (text.to_owned(), truth));
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|(text, truth)| (format!("not ({text})"), !truth)),
            (inner.clone(), inner.clone()).prop_map(|((a, x), (b, y))| (format!("({a}) and ({b})"), x && y)),
            (inner.clone(), inner).prop_map(|((a, x), (b, y))| (format!("({a} or {b})"), x || y)),
        ]
    })
}

proptest! {
    #[test]
    fn a_filter_means_what_it_is_made_of((text, truth) in filters()) {
        let filter = Filter::parse(User, &text);
        // Beyond the bounds it is refused, and never means something else.
        if let Ok(filter) = filter {
            prop_assert_eq!(filter.matches(&ann()), truth, "{}", text);
        } else {
            let error = filter.unwrap_err();
            prop_assert!(error.detail.contains("more than"), "{}: {}", text, error);
        }
    }

    #[test]
    fn no_text_breaks_the_parser(text in "(userName|emails|not|and|or|eq|pr|active|[ ()\\[\\].\"\\\\]|é|true|null|1){0,40}") {
        if let Ok(filter) = Filter::parse(User, &text) {
            filter.matches(&ann());
        }
        let _ = super::brackets(&text);
    }
}
