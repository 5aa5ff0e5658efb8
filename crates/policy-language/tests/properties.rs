// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of the canonical form and of lowering, and that no text makes the language panic.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_policy_language::canonical::{canonical, depth};
use lakeward_policy_language::{RuleHead, SubjectContext, check, limits};
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};
use lakeward_read_restrictions::signature::row_filter_signature;
use lakeward_read_restrictions::value::Value;
use proptest::prelude::*;

/// Fields 1 (int), 10 (string) and 2 (double): ids whose text order differs from their numeric order.
fn fields() -> Vec<Field> {
    [
        (1, "i", FieldType::Int),
        (10, "s", FieldType::String),
        (2, "d", FieldType::Double),
    ]
    .into_iter()
    .map(|(id, name, field_type)| Field {
        id,
        name: name.to_owned(),
        field_type,
        required: false,
    })
    .collect()
}

fn literal(field: i32) -> BoxedStrategy<Literal> {
    match field {
        1 => (-3..12).prop_map(Literal::Int).boxed(),
        10 => "[a-c\\x01\"]{0,2}".prop_map(Literal::String).boxed(),
        _ => prop::sample::select(vec![-0.0, 0.0, 0.5, 1.0, 10.0])
            .prop_map(Literal::Double)
            .boxed(),
    }
}

fn leaf() -> impl Strategy<Value = Predicate> {
    prop::sample::select(vec![1, 10, 2]).prop_flat_map(|field| {
        prop_oneof![
            any::<bool>().prop_map(Predicate::Constant),
            Just(Predicate::IsNull { field }),
            Just(Predicate::NotNull { field }),
            (
                prop::sample::select(vec![
                    Comparison::Eq,
                    Comparison::NotEq,
                    Comparison::Lt,
                    Comparison::GtEq
                ]),
                literal(field)
            )
                .prop_map(move |(comparison, literal)| Predicate::Compare {
                    comparison,
                    field,
                    literal
                }),
            prop::collection::vec(literal(field), 0..4)
                .prop_map(move |values| Predicate::In { field, values }),
        ]
    })
}

fn predicate() -> impl Strategy<Value = Predicate> {
    leaf().prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| Predicate::Not(Box::new(child))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Predicate::And),
            prop::collection::vec(inner, 1..4).prop_map(Predicate::Or),
        ]
    })
}

fn row() -> impl Strategy<Value = [Value; 3]> {
    (
        prop::option::of(-3..12),
        prop::option::of("[a-c]{0,2}"),
        prop::option::of(prop::sample::select(vec![-0.0, 0.0, 0.5, 10.0, f64::NAN])),
    )
        .prop_map(|(int, text, double)| {
            [
                int.map_or(Value::Null, Value::Int),
                text.map_or(Value::Null, Value::String),
                double.map_or(Value::Null, Value::Double),
            ]
        })
}

fn kept(predicate: &Predicate, row: &[Value; 3]) -> bool {
    evaluate(predicate, &|field| match field {
        1 => &row[0],
        10 => &row[1],
        _ => &row[2],
    })
    .unwrap()
}

/// Another order of everything that commutes.
fn shuffled(predicate: Predicate, turns: usize) -> Predicate {
    let turn = |children: Vec<Predicate>| {
        let mut children: Vec<Predicate> = children
            .into_iter()
            .map(|child| shuffled(child, turns + 1))
            .collect();
        let length = children.len().max(1);
        children.rotate_left(turns % length);
        if turns.is_multiple_of(2) {
            children.reverse();
        }
        children
    };
    match predicate {
        Predicate::In { field, mut values } => {
            values.reverse();
            values.extend(values.first().cloned());
            Predicate::In { field, values }
        }
        Predicate::Not(child) => Predicate::Not(Box::new(shuffled(*child, turns + 1))),
        Predicate::And(children) => Predicate::And(turn(children)),
        Predicate::Or(children) => Predicate::Or(turn(children)),
        Predicate::Constant(_)
        | Predicate::IsNull { .. }
        | Predicate::NotNull { .. }
        | Predicate::Compare { .. } => predicate,
    }
}

/// Source text of one condition.
fn condition() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("is_group_member(\"in\")".to_owned()),
        Just("is_group_member(\"out\")".to_owned()),
        Just("session_user() == \"ann\"".to_owned()),
        Just("session_user() in [\"bob\", \"cy\"]".to_owned()),
        Just("col(\"s\") == session_user()".to_owned()),
        Just("col(\"s\") != null".to_owned()),
        (-3..12).prop_map(|value| format!("col(\"i\") < {value}")),
        (-3..12).prop_map(|value| format!("{value} < col(\"i\")")),
        Just("col(\"d\") in [0.5, -0.0]".to_owned()),
        Just("col(\"s\") in [\"a\", \"b\"]".to_owned()),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| format!("not ({child})")),
            prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|children| format!("({})", children.join(" and "))),
            prop::collection::vec(inner, 2..4).prop_map(|children| format!("({})", children.join(" or "))),
        ]
    })
}

fn ann() -> SubjectContext {
    let set = |names: &[&str]| {
        Some(
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<BTreeSet<_>>(),
        )
    };
    SubjectContext {
        user: Some("ann".to_owned()),
        groups: set(&["in", "out"]).map(Arc::new),
        member_of: set(&["in"]),
    }
}

fn bound(source: &str) -> Predicate {
    check(RuleHead::Filter, source)
        .unwrap()
        .bind_filter(&ann(), &fields())
        .unwrap()
        .value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonicalization_is_idempotent(predicate in predicate()) {
        let once = canonical(predicate);
        let twice = canonical(once.clone());
        prop_assert_eq!(once.wire_json(), twice.wire_json());
        prop_assert_eq!(depth(&once), depth(&twice));
    }

    #[test]
    fn canonicalization_ignores_order(predicate in predicate(), turns in 0_usize..5) {
        let other = shuffled(predicate.clone(), turns);
        prop_assert_eq!(
            row_filter_signature(&canonical(predicate)),
            row_filter_signature(&canonical(other))
        );
    }

    #[test]
    fn canonicalization_keeps_the_meaning(predicate in predicate(), row in row()) {
        prop_assert_eq!(kept(&predicate, &row), kept(&canonical(predicate.clone()), &row));
    }

    #[test]
    fn a_chain_means_its_first_true_branch(
        branches in prop::collection::vec((condition(), condition()), 0..4),
        fallback in condition(),
        row in row(),
    ) {
        let mut source = String::from("filter := ");
        for (condition, result) in &branches {
            source.push_str(&format!("{result} if {condition} else := "));
        }
        source.push_str(&fallback);
        // What lowers too deep is refused when saved; what saved must bind.
        if let Ok(rule) = check(RuleHead::Filter, &source) {
            let whole = rule.bind_filter(&ann(), &fields()).unwrap();
            let holds = |part: &str| kept(&bound(&format!("filter := {part}")), &row);
            let expected = branches
                .iter()
                .find(|(condition, _)| holds(condition))
                .map_or_else(|| holds(&fallback), |(_, result)| holds(result));
            prop_assert_eq!(kept(&whole.value, &row), expected);
            prop_assert_eq!(whole.branches.len(), rule.branch_count());
            prop_assert!(depth(&whole.value) <= limits::DEPTH);
            prop_assert_eq!(canonical(whole.value.clone()).wire_json(), whole.value.wire_json());
        }
    }

    #[test]
    fn equal_keys_give_equal_results(condition in condition(), result in condition()) {
        let Ok(rule) = check(RuleHead::Filter, &format!("filter := {result} if {condition} else := false")) else {
            return Ok(());
        };
        let other = SubjectContext { user: Some("bob".to_owned()), ..ann() };
        if rule.reads().key(&ann()) == rule.reads().key(&other) {
            prop_assert_eq!(
                rule.bind_filter(&ann(), &fields()).unwrap(),
                rule.bind_filter(&other, &fields()).unwrap()
            );
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,80}") {
        if let Err(error) = check(RuleHead::Filter, &text) {
            error.render(&text);
        }
    }

    #[test]
    fn no_sequence_of_tokens_panics(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "filter", "mask", ":=", "if", "else", "and", "or", "not", "in", "true", "null", "col(\"a\")",
                "session_user()", "is_group_member(\"g\")", "action(\"show-last-4\")", "(", ")", "[", "]", ",",
                "==", "<", "\"x\"", "1.5", "é", "\n",
            ]),
            0..40,
        ),
        head in prop::sample::select(vec![RuleHead::Filter, RuleHead::Mask]),
    ) {
        let text = format!("{} := {}", head.as_str(), tokens.join(" "));
        match check(head, &text) {
            Ok(_) => {}
            Err(error) => {
                prop_assert!(error.render(&text).contains(error.code));
            }
        }
    }
}
