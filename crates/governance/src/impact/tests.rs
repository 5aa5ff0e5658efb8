// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What fails is found for every subject; what fails for nobody is not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::SubjectContext;
use lakeward_read_restrictions::field::{Field, FieldType};
use proptest::prelude::*;

use super::{Focus, ImpactInput, POSSIBLE_CONFLICT, TableImpact, may_reach, table_impact};
use crate::effective_tag::TaggedObject;
use crate::policy::{PolicyType, StoredPolicy};
use crate::resolve::{GovernanceFacts, PolicyOnTag, ResolutionInput, Uncached, resolve};
use crate::selector::Selector;

fn groups() -> Arc<BTreeSet<String>> {
    Arc::new(["a", "b", "c"].map(str::to_owned).into())
}

fn fields() -> Vec<Field> {
    let field = |id, name: &str, field_type, required| Field {
        id,
        name: name.to_owned(),
        field_type,
        required,
    };
    vec![
        field(1, "region", FieldType::String, false),
        field(2, "phone", FieldType::String, true),
        field(3, "amount", FieldType::Long, false),
    ]
}

/// `c.s.t` with the tag `rows`, its column `phone` with the tag `pii`. Filters are on `rows`, masks on `pii`.
fn facts(expressions: &[(&str, &str)]) -> GovernanceFacts {
    let level = |kind, name: &str, tag: &str| TaggedObject {
        object: MetadataObject::parse(kind, name).unwrap(),
        tags: vec![(tag.to_owned(), None)],
    };
    let mut facts = GovernanceFacts {
        levels: vec![level(ObjectKind::Table, "c.s.t", "rows")],
        columns: BTreeMap::from([(2, level(ObjectKind::Column, "c.s.t.2", "pii"))]),
        ..GovernanceFacts::default()
    };
    for (at, (name, expression)) in expressions.iter().enumerate() {
        let is_filter = expression.starts_with("filter");
        facts.associations.push(PolicyOnTag {
            tag: if is_filter { "rows" } else { "pii" }.to_owned(),
            policy: (*name).to_owned(),
            selector: Ok(Selector::AllValues),
        });
        let policy = StoredPolicy {
            id: i64::try_from(at).unwrap() + 1,
            name: (*name).to_owned(),
            policy_type: if is_filter {
                PolicyType::RowFilter
            } else {
                PolicyType::ColumnMask
            },
            enabled: true,
            revision: 1,
            content: serde_json::json!({ "expression": expression }).to_string().into(),
        };
        facts.policies.insert((*name).to_owned(), Arc::new(policy));
    }
    facts
}

fn impact_of(facts: &GovernanceFacts, policy: &str, hidden: &[&str]) -> TableImpact {
    let input = ImpactInput {
        facts,
        fields: &fields(),
        groups: &groups(),
        is_hidden: &|policy| hidden.contains(&policy),
    };
    table_impact(input, &Focus::Policy(policy.to_owned()), &Uncached)
}

/// The first failure as (code, certain).
fn failure(expressions: &[(&str, &str)]) -> Option<(&'static str, bool)> {
    let impact = impact_of(&facts(expressions), "p", &[]);
    let first = impact.failures.first()?;
    Some((first.code, first.is_certain))
}

#[test]
fn what_cannot_be_bound_fails_for_everybody() {
    for (expression, code) in [
        ("filter := col(\"nothing\") == 1", "restriction-schema"),
        (
            "filter := col(\"amount\") == session_user()",
            "restriction-schema",
        ),
        ("filter := col(\"phone\") == null", "restriction-schema"),
        ("filter := col(\"amount\") == 1.5", "restriction-literal"),
        ("filter := is_group_member(\"unheard-of\")", "restriction-context"),
        // Every branch counts, also one that few subjects get.
        (
            "filter := col(\"nothing\") == 1 if is_group_member(\"a\") else := true",
            "restriction-schema",
        ),
        ("mask := action(\"replace-with-null\")", "restriction-action"),
        ("mask := action(\"truncate-to-year\")", "restriction-action"),
    ] {
        assert_eq!(failure(&[("p", expression)]), Some((code, true)), "{expression}");
    }
    assert_eq!(failure(&[("p", "filter := col(\"region\") == \"US\"")]), None);
    assert_eq!(failure(&[("p", "mask := action(\"show-last-4\")")]), None);
}

#[test]
fn an_action_of_one_branch_fails_for_some() {
    let branch =
        "mask := action(\"show-last-4\") if is_group_member(\"a\") else := action(\"replace-with-null\")";
    assert_eq!(failure(&[("p", branch)]), Some(("restriction-action", false)));
    let never = "mask := action(\"show-last-4\") if true else := action(\"replace-with-null\")";
    assert_eq!(failure(&[("p", never)]), None);
}

#[test]
fn a_conflict_is_certain_possible_or_none() {
    let us = "filter := col(\"region\") == \"US\"";
    for (other, expected) in [
        (
            "filter := col(\"region\") == \"EU\"",
            Some(("restriction-conflict", true)),
        ),
        ("filter := \"US\" == col(\"region\")", None),
        (
            "filter := col(\"region\") == \"US\" if is_group_member(\"a\") else := false",
            Some((POSSIBLE_CONFLICT, false)),
        ),
        (
            "filter := false if session_user() == \"ann\" else := col(\"region\") == \"US\"",
            Some((POSSIBLE_CONFLICT, false)),
        ),
        // Equal for the one user who is called `US`.
        (
            "filter := col(\"region\") == session_user()",
            Some((POSSIBLE_CONFLICT, false)),
        ),
    ] {
        assert_eq!(failure(&[("p", us), ("q", other)]), expected, "{other}");
        assert_eq!(
            failure(&[("q", us), ("p", other)]),
            expected,
            "{other}, the other way round"
        );
    }
    let own = "filter := col(\"region\") == session_user()";
    assert_eq!(failure(&[("p", own), ("q", own)]), None);
    let masks = [
        ("p", "mask := action(\"show-last-4\")"),
        (
            "q",
            "mask := action(\"show-first-4\") if is_group_member(\"b\") else := action(\"show-last-4\")",
        ),
    ];
    assert_eq!(failure(&masks), Some((POSSIBLE_CONFLICT, false)));
}

#[test]
fn a_possible_conflict_names_somebody_who_has_it() {
    let facts = facts(&[
        (
            "p",
            "filter := col(\"region\") == \"US\" if is_group_member(\"a\") else := true",
        ),
        (
            "q",
            "filter := col(\"region\") == \"US\" if is_group_member(\"b\") else := true",
        ),
    ]);
    let detail = &impact_of(&facts, "p", &[]).failures[0].detail;
    assert_eq!(
        detail,
        "row filter: policies `p`, `q` give distinct restrictions for some subjects, for instance for a user whom the \
         rules do not name in `a` and not in `b`: `p` gives `col(\"region\") == \"US\"`, `q` gives `true`"
    );
}

#[test]
fn others_failures_are_not_ours() {
    let broken = ("q", "filter := col(\"nothing\") == 1");
    let expressions = [("p", "mask := action(\"show-last-4\")"), broken];
    assert_eq!(failure(&expressions), None);
    let impact = impact_of(&facts(&expressions), "p", &[]);
    assert_eq!(
        (impact.row_filter, impact.columns),
        (false, vec!["phone".to_owned()])
    );
    assert_eq!(impact.policies, BTreeSet::from(["p".to_owned()]));
}

#[test]
fn what_is_hidden_is_not_compared() {
    let us = ("p", "filter := col(\"region\") == \"US\"");
    for theirs in ["filter := col(\"region\") == \"US\"", "filter := false"] {
        let facts = facts(&[us, ("q", theirs)]);
        let failures = impact_of(&facts, "p", &["q"]).failures;
        assert_eq!(failures.len(), 1);
        assert_eq!(
            (failures[0].code, failures[0].is_certain),
            (POSSIBLE_CONFLICT, false)
        );
        assert!(!failures[0].detail.contains('q'), "{}", failures[0].detail);
    }
}

#[test]
fn a_tag_reaches_what_it_is_on() {
    let facts = facts(&[("p", "mask := action(\"show-last-4\")")]);
    let of_tag = |tag: &str, on: Option<(ObjectKind, &str)>| {
        let focus = Focus::Tag {
            tag: tag.to_owned(),
            assigned_on: on.map(|(kind, name)| MetadataObject::parse(kind, name).unwrap()),
        };
        let input = ImpactInput {
            facts: &facts,
            fields: &fields(),
            groups: &groups(),
            is_hidden: &|_| false,
        };
        (may_reach(&facts, &focus), table_impact(input, &focus, &Uncached))
    };
    let (may, pii) = of_tag("pii", None);
    assert!(may && pii.is_reached());
    assert_eq!(pii.columns, ["phone"]);
    assert_eq!(pii.policies, BTreeSet::from(["p".to_owned()]));
    // A tag without policies reaches all the same.
    let (may, rows) = of_tag("rows", None);
    assert!(may && rows.is_reached() && rows.policies.is_empty());
    let (may, elsewhere) = of_tag("rows", Some((ObjectKind::Schema, "c.s")));
    assert!(!may && !elsewhere.is_reached());
    let (may, here) = of_tag("pii", Some((ObjectKind::Column, "c.s.t.2")));
    assert!(may && here.columns == ["phone"]);
}

#[test]
fn a_conflict_counts_where_it_is_asked_for() {
    let mut facts = facts(&[
        ("p", "mask := action(\"show-last-4\")"),
        ("q", "mask := action(\"mask-alphanum\")"),
    ]);
    // The same conflict on an earlier column, which is not asked for.
    let phone = facts.columns.get(&2).unwrap().clone();
    let region = TaggedObject {
        object: MetadataObject::parse(ObjectKind::Column, "c.s.t.1").unwrap(),
        ..phone.clone()
    };
    facts.columns.insert(1, region);
    let focus = Focus::Tag {
        tag: "pii".to_owned(),
        assigned_on: Some(phone.object),
    };
    let input = ImpactInput {
        facts: &facts,
        fields: &fields(),
        groups: &groups(),
        is_hidden: &|_| false,
    };
    let impact = table_impact(input, &focus, &Uncached);
    assert_eq!(impact.columns, ["phone"]);
    let codes: Vec<_> = impact.failures.iter().map(|failure| failure.code).collect();
    assert_eq!(codes, ["restriction-conflict"]);
}

#[test]
fn columns_that_a_mask_does_not_fit_are_one_failure() {
    let mut facts = facts(&[("p", "mask := action(\"show-last-4\")")]);
    facts.levels[0].tags.push(("pii".to_owned(), None));
    let mut fields = fields();
    fields.push(Field {
        id: 4,
        name: "price".to_owned(),
        field_type: FieldType::Double,
        required: false,
    });
    let input = ImpactInput {
        facts: &facts,
        fields: &fields,
        groups: &groups(),
        is_hidden: &|_| false,
    };
    let impact = table_impact(input, &Focus::Policy("p".to_owned()), &Uncached);
    assert_eq!(impact.columns, ["region", "phone", "amount", "price"]);
    assert_eq!(impact.failures.len(), 1);
    let detail = &impact.failures[0].detail;
    assert!(
        detail.contains("`amount`") && detail.ends_with("for 1 more column"),
        "{detail}"
    );
}

fn condition() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "is_group_member(\"a\")",
        "is_group_member(\"b\")",
        "session_user() == \"ann\"",
        "session_user() in [\"ann\", \"bob\"]",
        "not is_group_member(\"c\")",
        "true",
    ])
    .prop_map(str::to_owned)
}

fn result() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "col(\"region\") == \"ann\"",
        "col(\"region\") == session_user()",
        "col(\"region\") != \"US\"",
        "true",
        "false",
    ])
    .prop_map(str::to_owned)
}

fn rule() -> impl Strategy<Value = String> {
    (prop::collection::vec((result(), condition()), 0..3), result()).prop_map(|(branches, fallback)| {
        let mut text = String::from("filter := ");
        for (result, condition) in branches {
            text.push_str(&format!("{result} if {condition} else := "));
        }
        text + &fallback
    })
}

proptest! {
    /// The verdict is that of resolving for many subjects one by one, also for names that no rule mentions.
    #[test]
    fn the_verdict_is_that_of_every_subject(one in rule(), other in rule()) {
        let facts = facts(&[("p", &one), ("q", &other)]);
        let failures = impact_of(&facts, "p", &[]).failures;
        let mut resolved = 0;
        let mut conflicts = 0;
        for user in ["ann", "bob", "US", "carl", "dora"] {
            for membership in 0_u8..8 {
                let member_of = ["a", "b", "c"].iter().enumerate()
                    .filter(|(at, _)| membership >> at & 1 == 1)
                    .map(|(_, group)| (*group).to_owned())
                    .collect();
                let subject = SubjectContext {
                    user: Some(user.to_owned()),
                    groups: Some(groups()),
                    member_of: Some(member_of),
                };
                let input = ResolutionInput { subject: &subject, fields: &fields(), facts: Some(&facts) };
                match resolve(input, &Uncached) {
                    Ok(_) => resolved += 1,
                    Err(error) => {
                        prop_assert_eq!(error.code(), "restriction-conflict");
                        conflicts += 1;
                    }
                }
            }
        }
        let expected = match (resolved, conflicts) {
            (_, 0) => None,
            (0, _) => Some(("restriction-conflict", true)),
            _ => Some((POSSIBLE_CONFLICT, false)),
        };
        prop_assert_eq!(failures.first().map(|failure| (failure.code, failure.is_certain)), expected);
    }
}
