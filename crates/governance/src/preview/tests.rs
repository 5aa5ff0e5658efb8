// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Facts as they would be, and that nothing else changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;

use super::{Draft, IntendedAssignment, Preview};
use crate::effective_tag::TaggedObject;
use crate::policy::{PolicyType, StoredPolicy};
use crate::resolve::{GovernanceFacts, PolicyOnTag, RuleSource, Uncached};
use crate::selector::Selector;

fn object(kind: ObjectKind, name: &str) -> MetadataObject {
    MetadataObject::parse(kind, name).unwrap()
}

fn tagged(kind: ObjectKind, name: &str, tags: &[(&str, Option<&str>)]) -> TaggedObject {
    TaggedObject {
        object: object(kind, name),
        tags: tags
            .iter()
            .map(|(tag, value)| ((*tag).to_owned(), value.map(str::to_owned)))
            .collect(),
    }
}

fn on_tag(tag: &str, policy: &str, selector: Selector) -> PolicyOnTag {
    PolicyOnTag {
        tag: tag.to_owned(),
        policy: policy.to_owned(),
        selector: Ok(selector),
    }
}

/// `c.s.t` with `access=restricted` on its schema; the disabled policy `own` is on that tag for this value.
fn facts() -> GovernanceFacts {
    let own = StoredPolicy {
        id: 7,
        name: "own".to_owned(),
        policy_type: PolicyType::RowFilter,
        enabled: false,
        revision: 3,
        content: Arc::from(r#"{"expression": "filter := false"}"#),
    };
    GovernanceFacts {
        levels: vec![
            tagged(ObjectKind::Table, "c.s.t", &[]),
            tagged(ObjectKind::Schema, "c.s", &[("access", Some("restricted"))]),
        ],
        columns: BTreeMap::new(),
        associations: vec![on_tag(
            "access",
            "own",
            Selector::TagValue("restricted".to_owned()),
        )],
        policies: [("own".to_owned(), Arc::new(own))].into(),
    }
}

fn draft(name: &str, tags: Vec<(String, Selector)>) -> Draft {
    let content = r#"{"expression": "filter := true"}"#;
    Draft::parse(name, PolicyType::RowFilter, content, tags).unwrap()
}

#[test]
fn a_disabled_policy_counts_as_enabled() {
    let preview = Preview {
        enabled: ["own".to_owned(), "unheard-of".to_owned()].into(),
        ..Preview::default()
    };
    let as_would_be = preview.apply(&facts());
    assert!(as_would_be.policies["own"].enabled);
    assert_eq!(as_would_be.policies["own"].revision, 3);
    assert_eq!(as_would_be.policies.len(), 1);
    assert_eq!(
        preview.unused(&as_would_be, ["own", "unheard-of"]),
        ["unheard-of"]
    );
}

#[test]
fn a_draft_stands_in_for_a_policy_and_keeps_its_tags() {
    let preview = Preview {
        drafts: vec![draft("own", vec![("pii".to_owned(), Selector::AllValues)])],
        ..Preview::default()
    };
    let as_would_be = preview.apply(&facts());
    let stands_in = &as_would_be.policies["own"];
    assert!(stands_in.enabled);
    let rule = preview.rules(&Uncached).rule(stands_in).unwrap();
    assert_eq!(rule.source(), "filter := true");
    // What is stored has its own rule still.
    let stored = preview.rules(&Uncached).rule(&facts().policies["own"]).unwrap();
    assert_eq!(stored.source(), "filter := false");
    let tags: Vec<&str> = as_would_be
        .associations
        .iter()
        .map(|association| association.tag.as_str())
        .collect();
    assert_eq!(tags, ["access", "pii"]);
    assert!(preview.unused(&as_would_be, ["own"]).is_empty());
}

#[test]
fn a_draft_on_a_tag_of_the_policy_gives_it_another_selector_there() {
    let preview = Preview {
        drafts: vec![draft("own", vec![("access".to_owned(), Selector::AllValues)])],
        ..Preview::default()
    };
    assert_eq!(
        preview.apply(&facts()).associations,
        [on_tag("access", "own", Selector::AllValues)]
    );
}

#[test]
fn an_assignment_takes_the_place_of_what_the_object_has() {
    let assigned = |kind, name: &str, values: &[&str]| {
        let assignment = IntendedAssignment {
            object: object(kind, name),
            tag: "access".to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let preview = Preview {
            assignment: Some(assignment),
            ..Preview::default()
        };
        preview.apply(&facts())
    };
    let on_schema = assigned(ObjectKind::Schema, "c.s", &["a", "b"]);
    let expected = tagged(
        ObjectKind::Schema,
        "c.s",
        &[("access", Some("a")), ("access", Some("b"))],
    );
    assert_eq!(on_schema.levels[1], expected);
    let on_table = assigned(ObjectKind::Table, "c.s.t", &[]);
    assert_eq!(
        on_table.levels[0],
        tagged(ObjectKind::Table, "c.s.t", &[("access", None)])
    );
    let on_column = assigned(ObjectKind::Column, "c.s.t.4", &["x"]);
    assert_eq!(
        on_column.columns[&4],
        tagged(ObjectKind::Column, "c.s.t.4", &[("access", Some("x"))])
    );
    // Elsewhere it says nothing of this table.
    for (kind, name) in [
        (ObjectKind::Schema, "c.other"),
        (ObjectKind::Column, "c.s.other.4"),
    ] {
        let elsewhere = assigned(kind, name, &["x"]);
        assert_eq!(elsewhere.levels, facts().levels);
        assert!(elsewhere.columns.is_empty());
    }
}

#[test]
fn a_draft_that_is_no_rule_says_where() {
    let content = r#"{"expression": "filter :=\n  region"}"#;
    let error = Draft::parse("x", PolicyType::RowFilter, content, Vec::new()).unwrap_err();
    assert!(error.to_string().ends_with("(line 2, column 3)"), "{error}");
}
