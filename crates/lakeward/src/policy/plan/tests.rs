// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Plans lead to what is wanted, and nothing opens on the way that is not said to.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_governance::selector::Selector;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use proptest::prelude::*;
use serde_json::json;

use super::simulation::make;
use super::{Plan, Surplus, ancestors};
use crate::policy::state::{Policy, State, Tag};

fn object(kind: ObjectKind, name: &str) -> MetadataObject {
    MetadataObject::parse(kind, name).unwrap()
}

fn objects() -> Vec<MetadataObject> {
    vec![
        object(ObjectKind::Catalog, "c"),
        object(ObjectKind::Schema, "c.a"),
        object(ObjectKind::Schema, "c.a:b"),
        object(ObjectKind::Table, "c.a:b.t"),
        object(ObjectKind::Table, "c.a.u"),
        object(ObjectKind::Column, "c.a:b.t.x"),
    ]
}

#[test]
fn the_objects_above_an_object() {
    let above = ancestors(&object(ObjectKind::Column, "c.a:b.t.x"));
    let names: Vec<String> = above.iter().map(ToString::to_string).collect();
    assert_eq!(
        names,
        ["table `c.a:b.t`", "schema `c.a:b`", "schema `c.a`", "catalog `c`"]
    );
}

/// Every enabled policy with every object and tag through which it is selected there.
fn closed(state: &State) -> BTreeSet<(String, String, String)> {
    let mut closed = BTreeSet::new();
    for (name, policy) in &state.policies {
        if !policy.enabled {
            continue;
        }
        for (tag, value) in &policy.on {
            let selector = value.clone().map_or(Selector::AllValues, Selector::TagValue);
            let assigned = &state.tags.get(tag).unwrap().assigned;
            for object in objects() {
                let nearest = [object.clone()]
                    .into_iter()
                    .chain(ancestors(&object))
                    .find_map(|object| assigned.get(&object));
                let is_selected = nearest
                    .is_some_and(|values| selector.matches(&values.iter().map(String::as_str).collect()));
                if is_selected {
                    closed.insert((name.clone(), object.to_string(), tag.clone()));
                }
            }
        }
    }
    closed
}

fn any_values() -> impl Strategy<Value = BTreeSet<String>> {
    proptest::collection::btree_set(prop_oneof!["a", "b"], 0..3)
}

fn any_tag() -> impl Strategy<Value = Tag> {
    let assigned = proptest::collection::btree_map(proptest::sample::select(objects()), any_values(), 0..4);
    let properties = proptest::collection::btree_map(prop_oneof!["k", "l"], prop_oneof!["1", "2"], 0..2);
    (
        assigned,
        properties,
        proptest::option::of(prop_oneof!["one", "two"]),
    )
        .prop_map(|(assigned, properties, comment)| Tag {
            comment,
            properties,
            allowed_values: None,
            assigned,
        })
}

fn any_policy(tags: Vec<String>) -> BoxedStrategy<Policy> {
    let on = if tags.is_empty() {
        Just(BTreeMap::new()).boxed()
    } else {
        let value = proptest::option::of(prop_oneof!["a", "b"]);
        proptest::collection::btree_map(proptest::sample::select(tags), value, 0..3).boxed()
    };
    (on, any::<bool>(), prop_oneof!["true", "false"])
        .prop_map(|(on, enabled, result)| Policy {
            policy_type: "system_row_filter".to_owned(),
            comment: None,
            enabled,
            content: json!({"expression": format!("filter := {result}")}),
            on,
        })
        .boxed()
}

fn any_state() -> impl Strategy<Value = State> {
    proptest::collection::btree_map(prop_oneof!["s", "t", "u"], any_tag(), 0..3).prop_flat_map(|tags| {
        let names = tags.keys().cloned().collect();
        proptest::collection::btree_map(prop_oneof!["p", "q", "r"], any_policy(names), 0..3).prop_map(
            move |policies| State {
                policies,
                tags: tags.clone(),
            },
        )
    })
}

proptest! {
    #[test]
    fn a_pruning_plan_leads_to_what_is_wanted(now in any_state(), wanted in any_state()) {
        let mut server = now.clone();
        let plan = Plan::new(&now, &wanted, Surplus::Prune);
        prop_assert!(plan.impossible.is_empty() && plan.kept.is_empty());
        for step in &plan.steps {
            make(&mut server, &step.change);
        }
        prop_assert_eq!(&server, &wanted);
        prop_assert!(Plan::new(&server, &wanted, Surplus::Prune).steps.is_empty());
    }

    #[test]
    fn only_steps_that_say_so_take_a_restriction_away(now in any_state(), wanted in any_state()) {
        let mut server = now.clone();
        for step in Plan::new(&now, &wanted, Surplus::Prune).steps {
            let before = closed(&server);
            make(&mut server, &step.change);
            if step.widens.is_none() {
                let lost: Vec<_> = before.difference(&closed(&server)).cloned().collect();
                prop_assert!(lost.is_empty(), "{}: {:?}", step.change, lost);
            }
        }
    }

    #[test]
    fn what_is_closed_before_and_after_is_closed_all_the_time(now in any_state(), wanted in any_state()) {
        let objects = |state: &State| -> BTreeSet<String> {
            closed(state).into_iter().map(|(_, object, _)| object).collect()
        };
        let always: BTreeSet<String> = objects(&now).intersection(&objects(&wanted)).cloned().collect();
        let mut server = now.clone();
        for step in Plan::new(&now, &wanted, Surplus::Prune).steps {
            make(&mut server, &step.change);
            let open: Vec<_> = always.difference(&objects(&server)).cloned().collect();
            prop_assert!(open.is_empty(), "{}: {:?}", step.change, open);
        }
    }

    #[test]
    fn without_pruning_everything_wanted_is_there_and_nothing_else_goes(now in any_state(), wanted in any_state()) {
        let mut server = now.clone();
        let plan = Plan::new(&now, &wanted, Surplus::Keep);
        for step in &plan.steps {
            make(&mut server, &step.change);
        }
        for (name, policy) in &wanted.policies {
            let there = server.policies.get(name).unwrap();
            prop_assert_eq!(&there.content, &policy.content);
            prop_assert_eq!(there.enabled, policy.enabled);
            prop_assert!(policy.on.iter().all(|(tag, value)| there.on.get(tag) == Some(value)));
        }
        for (name, tag) in &wanted.tags {
            let there = server.tags.get(name).unwrap();
            prop_assert!(tag.assigned.iter().all(|(object, values)| there.assigned.get(object) == Some(values)));
        }
        for (name, policy) in &now.policies {
            let there = server.policies.get(name).unwrap();
            prop_assert!(policy.on.keys().all(|tag| there.on.contains_key(tag)));
        }
        prop_assert!(Plan::new(&server, &wanted, Surplus::Keep).steps.is_empty());
    }

    #[test]
    fn broken_off_anywhere_it_goes_on(now in any_state(), wanted in any_state(), at in 0_usize..20) {
        let mut server = now.clone();
        for step in Plan::new(&now, &wanted, Surplus::Prune).steps.iter().take(at) {
            make(&mut server, &step.change);
        }
        for step in &Plan::new(&server, &wanted, Surplus::Prune).steps {
            make(&mut server, &step.change);
        }
        prop_assert_eq!(server, wanted);
    }
}

#[test]
fn new_policies_are_enabled_last_and_content_changes_after_them() {
    let table = object(ObjectKind::Table, "c.a.u");
    let policy = |expression: &str, enabled| Policy {
        policy_type: "system_row_filter".to_owned(),
        comment: None,
        enabled,
        content: json!({ "expression": expression }),
        on: BTreeMap::from([("t".to_owned(), Some("a".to_owned()))]),
    };
    let tag = |value: &str| Tag {
        assigned: BTreeMap::from([(table.clone(), BTreeSet::from([value.to_owned()]))]),
        ..Tag::default()
    };
    let now = State {
        policies: BTreeMap::from([("old".to_owned(), policy("filter := false", true))]),
        tags: BTreeMap::from([("t".to_owned(), tag("a"))]),
    };
    let wanted = State {
        policies: BTreeMap::from([
            ("old".to_owned(), policy("filter := true", true)),
            ("new".to_owned(), policy("filter := false", true)),
        ]),
        tags: BTreeMap::from([("t".to_owned(), tag("b"))]),
    };
    let plan = Plan::new(&now, &wanted, Surplus::Keep);
    let told: Vec<String> = plan.steps.iter().map(|step| step.change.to_string()).collect();
    assert_eq!(
        told,
        [
            "create policy new (system_row_filter), disabled",
            "put policy new on tag t where the value is a",
            "change t=a to t=[a, b] on table c.a.u",
            "enable policy new",
            "alter policy old: content",
            "change t=[a, b] to t=b on table c.a.u"
        ]
    );
    let widening: Vec<&str> = plan
        .widening()
        .filter_map(|step| step.widens.as_deref())
        .collect();
    assert_eq!(widening, ["takes new, old from table c.a.u"]);
}

#[test]
fn a_value_and_what_selects_it_change_together_without_opening() {
    let state = |value: &str| State {
        policies: BTreeMap::from([(
            "p".to_owned(),
            Policy {
                policy_type: "system_row_filter".to_owned(),
                comment: None,
                enabled: true,
                content: json!({"expression": "filter := false"}),
                on: BTreeMap::from([("t".to_owned(), Some(value.to_owned()))]),
            },
        )]),
        tags: BTreeMap::from([(
            "t".to_owned(),
            Tag {
                assigned: BTreeMap::from([(
                    object(ObjectKind::Table, "c.a.u"),
                    BTreeSet::from([value.to_owned()]),
                )]),
                ..Tag::default()
            },
        )]),
    };
    let plan = Plan::new(&state("a"), &state("b"), Surplus::Keep);
    assert_eq!(plan.widening().count(), 0);
    let told: Vec<String> = plan.steps.iter().map(|step| step.change.to_string()).collect();
    assert_eq!(
        told,
        [
            "change t=a to t=[a, b] on table c.a.u",
            "change policy p on tag t: where the value is b, until now where the value is a",
            "change t=[a, b] to t=b on table c.a.u"
        ]
    );
}

#[test]
fn policies_that_change_places_leave_nothing_open() {
    let policy = |value: &str| Policy {
        policy_type: "system_row_filter".to_owned(),
        comment: None,
        enabled: true,
        content: json!({"expression": "filter := false"}),
        on: BTreeMap::from([("t".to_owned(), Some(value.to_owned()))]),
    };
    let state = |p: &str, q: &str| State {
        policies: BTreeMap::from([("p".to_owned(), policy(p)), ("q".to_owned(), policy(q))]),
        tags: BTreeMap::from([(
            "t".to_owned(),
            Tag {
                assigned: BTreeMap::from([
                    (
                        object(ObjectKind::Table, "c.a.u"),
                        BTreeSet::from(["a".to_owned()]),
                    ),
                    (
                        object(ObjectKind::Table, "c.a.v"),
                        BTreeSet::from(["b".to_owned()]),
                    ),
                ]),
                ..Tag::default()
            },
        )]),
    };
    let plan = Plan::new(&state("a", "b"), &state("b", "a"), Surplus::Keep);
    let told: Vec<String> = plan.steps.iter().map(|step| step.change.to_string()).collect();
    assert_eq!(
        told,
        [
            "change policy p on tag t: for every value, until now where the value is a",
            "change policy q on tag t: for every value, until now where the value is b",
            "change policy p on tag t: where the value is b, until now for every value",
            "change policy q on tag t: where the value is a, until now for every value",
        ]
    );
    // In between both policies are on both tables, which a server asks about.
    assert!(plan.steps.iter().all(super::Step::takes_force));
}

#[test]
fn a_tag_that_a_policy_of_the_directory_is_on_is_not_pruned() {
    let policy = Policy {
        policy_type: "system_row_filter".to_owned(),
        comment: None,
        enabled: true,
        content: json!({"expression": "filter := false"}),
        on: BTreeMap::from([("used".to_owned(), None)]),
    };
    let tags = ["used", "unused"].map(|name| (name.to_owned(), Tag::default()));
    let now = State {
        policies: BTreeMap::new(),
        tags: BTreeMap::from(tags),
    };
    let wanted = State {
        policies: BTreeMap::from([("p".to_owned(), policy)]),
        tags: BTreeMap::new(),
    };
    let plan = Plan::new(&now, &wanted, Surplus::Prune);
    assert!(plan.impossible.is_empty());
    let told: Vec<String> = plan.steps.iter().map(|step| step.change.to_string()).collect();
    assert_eq!(
        told,
        [
            "create policy p (system_row_filter), disabled",
            "put policy p on tag used for every value",
            "enable policy p",
            "drop tag unused"
        ]
    );
}

#[test]
fn what_never_changes_is_said() {
    let state = |policy_type: &str, allowed: &[&str], tag: &str| State {
        policies: BTreeMap::from([(
            "p".to_owned(),
            Policy {
                policy_type: policy_type.to_owned(),
                comment: None,
                enabled: false,
                content: json!({}),
                on: BTreeMap::from([(tag.to_owned(), None)]),
            },
        )]),
        tags: BTreeMap::from([(
            "t".to_owned(),
            Tag {
                allowed_values: Some(allowed.iter().map(|value| (*value).to_owned()).collect()),
                ..Tag::default()
            },
        )]),
    };
    let plan = Plan::new(
        &state("system_row_filter", &["a"], "t"),
        &state("system_column_mask", &["b"], "ghost"),
        Surplus::Keep,
    );
    assert_eq!(plan.impossible.len(), 3, "{:?}", plan.impossible);
    assert!(plan.steps.is_empty());
}
