// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Plans as people read them.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use serde_json::json;

use super::describe;
use crate::policy::plan::{Plan, Surplus};
use crate::policy::state::{Policy, State, Tag};

fn state(expression: &str, enabled: bool, selects: Option<&str>, values: &[&str]) -> State {
    let schema = MetadataObject::parse(ObjectKind::Schema, "lake.sales").unwrap();
    State {
        policies: BTreeMap::from([(
            "own".to_owned(),
            Policy {
                policy_type: "system_row_filter".to_owned(),
                comment: None,
                enabled,
                content: json!({ "expression": expression }),
                on: BTreeMap::from([("access".to_owned(), selects.map(str::to_owned))]),
            },
        )]),
        tags: BTreeMap::from([(
            "access".to_owned(),
            Tag {
                assigned: BTreeMap::from([(
                    schema,
                    values
                        .iter()
                        .map(|value| (*value).to_owned())
                        .collect::<BTreeSet<_>>(),
                )]),
                ..Tag::default()
            },
        )]),
    }
}

#[track_caller]
fn check(now: &State, wanted: &State, expected: &str) {
    let plan = Plan::new(now, wanted, Surplus::Keep);
    assert_eq!(describe(&plan, &[]), expected);
}

#[test]
fn everything_new() {
    check(
        &State::default(),
        &state(
            "filter := true if is_group_member(\"a\")\nelse := false",
            true,
            Some("strict"),
            &["strict"],
        ),
        "\
+ create tag access
+ create policy own (system_row_filter), disabled
      + filter := true if is_group_member(\"a\")
      + else := false
+ put policy own on tag access where the value is strict
+ assign access=strict to schema lake.sales
~ enable policy own
5 changes
",
    );
}

#[test]
fn what_widens_is_marked() {
    check(
        &state("filter := false", true, Some("strict"), &["strict"]),
        &state("filter := true", false, None, &["lax", "other"]),
        "\
~ change policy own on tag access: for every value, until now where the value is strict
~ change access=strict to access=[lax, other, strict] on schema lake.sales
~ change access=[lax, other, strict] to access=[lax, other] on schema lake.sales
- disable policy own
      ! takes own from schema lake.sales (needs --force)
~ alter policy own: content
      - filter := false
      + filter := true
5 changes, 1 of them taking restrictions away
",
    );
}

#[test]
fn what_the_directory_does_not_have_stays() {
    check(
        &state("filter := false", true, None, &[]),
        &State::default(),
        "  stays: policy own (not in the directory; --prune removes it)
  stays: tag access (not in the directory; --prune removes it)
nothing to do
",
    );
}
