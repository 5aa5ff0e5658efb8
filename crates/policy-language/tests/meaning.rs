// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The wire form means what the source says: random programs over all ten types, read here directly and without a shared line
//! of code, on random rows with nulls, NaN, both zeros and characters of every plane.
//!
//! A column has a few values in their order, so that a comparison is one of positions.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use lakeward_policy_language::{RuleHead, SubjectContext, check};
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::signature::row_filter_signature;
use lakeward_read_restrictions::value::Value;
use lakeward_wire_schema::read_restrictions_problems;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// The subject; also a value of the text column.
const USER: &str = "ann";

/// A column: its type, and its values in ascending order, each with how it is written as a literal, if it can be.
struct Column {
    field: Field,
    values: Vec<(Option<String>, Value)>,
}

/// Literal text and value in single-value JSON; an empty text cannot be written.
fn column(id: i32, name: &str, field_type: FieldType, values: &[(&str, Json)]) -> Column {
    Column {
        values: values
            .iter()
            .map(|(text, json)| {
                let value = Value::from_json(json, &field_type).unwrap();
                ((!text.is_empty()).then(|| (*text).to_owned()), value)
            })
            .collect(),
        field: Field {
            id,
            name: name.to_owned(),
            field_type,
            required: false,
        },
    }
}

static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let decimal = FieldType::Decimal {
        precision: 9,
        scale: 2,
    };
    let floats = |whole: &'static str, number: f64| {
        [
            ("", json!("-Infinity")),
            ("-1.5", json!(-1.5)),
            ("-0", json!(-0.0)),
            ("0.0", json!(0.0)),
            ("0.1", json!(0.1)),
            (whole, json!(number)),
            ("", json!("Infinity")),
            ("", json!("NaN")),
        ]
    };
    vec![
        column(
            10,
            "b",
            FieldType::Boolean,
            &[("false", json!(false)), ("true", json!(true))],
        ),
        column(
            2,
            "i",
            FieldType::Int,
            &[
                ("-2147483648", json!(i32::MIN)),
                ("-0", json!(0)),
                ("7.00", json!(7)),
                ("10", json!(10)),
            ],
        ),
        column(
            3,
            "l",
            FieldType::Long,
            &[
                ("-9223372036854775808", json!(i64::MIN)),
                ("0", json!(0)),
                ("9223372036854775807", json!(i64::MAX)),
            ],
        ),
        column(4, "f", FieldType::Float, &floats("16777216", 16_777_216.0)),
        column(
            5,
            "d",
            FieldType::Double,
            &floats("9007199254740992", 9_007_199_254_740_992.0),
        ),
        column(
            6,
            "dec",
            decimal,
            &[
                ("-1.5", json!("-1.50")),
                ("-0", json!("0.00")),
                ("10.000", json!("10.00")),
            ],
        ),
        column(
            7,
            "day",
            FieldType::Date,
            &[
                ("\"0001-01-01\"", json!("0001-01-01")),
                ("\"1969-12-31\"", json!("1969-12-31")),
                ("\"2024-02-29\"", json!("2024-02-29")),
            ],
        ),
        column(
            8,
            "clock",
            FieldType::Time,
            &[
                ("\"00:00:00\"", json!("00:00:00")),
                ("\"12:00:00.5\"", json!("12:00:00.500000")),
                ("\"23:59:59.999999\"", json!("23:59:59.999999")),
            ],
        ),
        column(
            9,
            "ts",
            FieldType::Timestamp,
            &[
                (
                    "\"1969-12-31T23:59:59.999999\"",
                    json!("1969-12-31T23:59:59.999999"),
                ),
                ("\"1970-01-01T00:00:00\"", json!("1970-01-01T00:00:00")),
            ],
        ),
        // By code point: U+FFFF is below U+1F600, whose first UTF-16 unit is not.
        column(
            1,
            "s \u{e9}\"\\",
            FieldType::String,
            &[
                (r#""""#, json!("")),
                (r#""\u0001""#, json!("\u{1}")),
                (r#""A""#, json!("A")),
                (r#""\u0061nn""#, json!(USER)),
                (r#""ann ""#, json!("ann ")),
                ("\"e\u{301}\"", json!("e\u{301}")),
                (r#""\u00e9""#, json!("\u{e9}")),
                ("\"\u{ffff}\"", json!("\u{ffff}")),
                (r#""\ud83d\ude00""#, json!("\u{1f600}")),
            ],
        ),
    ]
});

/// Positions of the columns above.
const BOOLEAN: usize = 0;
const TEXT: usize = 9;

/// A condition as a test thinks of it. Columns and values are positions.
#[derive(Debug, Clone)]
enum Expr {
    Constant(bool),
    Member(bool),
    UserIs(bool),
    UserIn(bool),
    IsNull(usize, bool),
    IsUser(bool),
    Compare {
        column: usize,
        operator: &'static str,
        value: usize,
        reversed: bool,
    },
    In(usize, Vec<usize>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
}

/// A program: conditional results, then the fallback.
#[derive(Debug, Clone)]
struct Program {
    branches: Vec<(Expr, Expr)>,
    fallback: Expr,
}

/// Positions of the values that can be written.
fn written(column: usize) -> Vec<usize> {
    let values = &COLUMNS[column].values;
    (0..values.len()).filter(|at| values[*at].0.is_some()).collect()
}

fn comparison() -> impl Strategy<Value = Expr> {
    (0..=TEXT).prop_flat_map(|column| {
        let operators: &[&str] = if column == BOOLEAN {
            &["==", "!="]
        } else {
            &["==", "!=", "<", "<=", ">", ">="]
        };
        (
            prop::sample::select(operators),
            prop::sample::select(written(column)),
            any::<bool>(),
        )
            .prop_map(move |(operator, value, reversed)| Expr::Compare {
                column,
                operator,
                value,
                reversed,
            })
    })
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Expr::Constant),
        1 => any::<bool>().prop_map(Expr::Member),
        1 => any::<bool>().prop_map(Expr::UserIs),
        1 => any::<bool>().prop_map(Expr::UserIn),
        2 => (0..=TEXT, any::<bool>()).prop_map(|(column, equal)| Expr::IsNull(column, equal)),
        1 => any::<bool>().prop_map(Expr::IsUser),
        6 => comparison(),
        3 => (0..=TEXT)
            .prop_flat_map(|column| {
                (Just(column), prop::collection::vec(prop::sample::select(written(column)), 1..4))
            })
            .prop_map(|(column, values)| Expr::In(column, values)),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| Expr::Not(Box::new(child))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::And),
            prop::collection::vec(inner, 2..4).prop_map(Expr::Or),
        ]
    })
}

fn program() -> impl Strategy<Value = Program> {
    (prop::collection::vec((expr(), expr()), 0..3), expr())
        .prop_map(|(branches, fallback)| Program { branches, fallback })
}

/// A position per column, or null.
fn row() -> impl Strategy<Value = Vec<Option<usize>>> {
    COLUMNS
        .iter()
        .map(|column| prop::option::weighted(0.8, 0..column.values.len()))
        .collect::<Vec<_>>()
}

fn source_of(program: &Program) -> String {
    let mut source = String::from("filter := ");
    for (condition, result) in &program.branches {
        source.push_str(&format!("{} if {}\n  else := ", text(result), text(condition)));
    }
    source.push_str(&text(&program.fallback));
    source
}

fn text(expr: &Expr) -> String {
    let columns = &COLUMNS;
    let col = |column: usize| format!("col({})", json!(columns[column].field.name));
    let literal = |column: usize, value: usize| columns[column].values[value].0.clone().unwrap();
    let equal = |equal: bool| if equal { "==" } else { "!=" };
    let joined = |children: &[Expr], word: &str| {
        let children: Vec<String> = children.iter().map(text).collect();
        format!("({})", children.join(word))
    };
    match expr {
        Expr::Constant(value) => value.to_string(),
        Expr::Member(is) => format!("is_group_member(\"{}\")", if *is { "in" } else { "out" }),
        Expr::UserIs(is) => format!("session_user() {} \"ann\"", equal(*is)),
        Expr::UserIn(is) => format!(
            "session_user() in [\"bob\", \"{}\"]",
            if *is { USER } else { "Ann" }
        ),
        Expr::IsNull(column, is) => format!("{} {} null", col(*column), equal(*is)),
        Expr::IsUser(is) => format!("{} {} session_user()", col(TEXT), equal(*is)),
        Expr::Compare {
            column,
            operator,
            value,
            reversed: false,
        } => format!("{} {operator} {}", col(*column), literal(*column, *value)),
        Expr::Compare {
            column,
            operator,
            value,
            reversed: true,
        } => {
            let turned = match *operator {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                ">=" => "<=",
                same => same,
            };
            format!("{} {turned} {}", literal(*column, *value), col(*column))
        }
        Expr::In(column, values) => {
            let values: Vec<String> = values.iter().map(|value| literal(*column, *value)).collect();
            format!("{} in [{}]", col(*column), values.join(", "))
        }
        Expr::Not(child) => format!("(not {})", text(child)),
        Expr::And(children) => joined(children, " and "),
        Expr::Or(children) => joined(children, " or "),
    }
}

/// The direct reading: null is below every value and equal to none.
fn holds(expr: &Expr, row: &[Option<usize>]) -> bool {
    let user = COLUMNS[TEXT]
        .values
        .iter()
        .position(|(_, value)| *value == Value::String(USER.to_owned()));
    match expr {
        Expr::Constant(value) | Expr::Member(value) | Expr::UserIs(value) | Expr::UserIn(value) => *value,
        Expr::IsNull(column, is) => row[*column].is_none() == *is,
        Expr::IsUser(is) => (row[TEXT] == user) == *is,
        Expr::Compare {
            column,
            operator,
            value,
            ..
        } => match (row[*column], *operator) {
            (None, operator) => matches!(operator, "!=" | "<" | "<="),
            (Some(found), "==") => found == *value,
            (Some(found), "!=") => found != *value,
            (Some(found), "<") => found < *value,
            (Some(found), "<=") => found <= *value,
            (Some(found), ">") => found > *value,
            (Some(found), _) => found >= *value,
        },
        Expr::In(column, values) => row[*column].is_some_and(|found| values.contains(&found)),
        Expr::Not(child) => !holds(child, row),
        Expr::And(children) => children.iter().all(|child| holds(child, row)),
        Expr::Or(children) => children.iter().any(|child| holds(child, row)),
    }
}

fn keeps(program: &Program, row: &[Option<usize>]) -> bool {
    let branch = program
        .branches
        .iter()
        .find(|(condition, _)| holds(condition, row));
    holds(branch.map_or(&program.fallback, |(_, result)| result), row)
}

/// Other orders of whatever commutes, and every comparison the other way round.
fn turned(expr: &Expr) -> Expr {
    match expr {
        Expr::Compare {
            column,
            operator,
            value,
            reversed,
        } => Expr::Compare {
            column: *column,
            operator,
            value: *value,
            reversed: !reversed,
        },
        Expr::In(column, values) => {
            let mut values: Vec<usize> = values.iter().rev().copied().collect();
            values.extend(values.first().copied());
            Expr::In(*column, values)
        }
        Expr::Not(child) => Expr::Not(Box::new(turned(child))),
        Expr::And(children) => Expr::And(children.iter().rev().map(turned).collect()),
        Expr::Or(children) => Expr::Or(children.iter().rev().map(turned).collect()),
        Expr::Constant(_)
        | Expr::Member(_)
        | Expr::UserIs(_)
        | Expr::UserIn(_)
        | Expr::IsNull(..)
        | Expr::IsUser(_) => expr.clone(),
    }
}

fn subject() -> SubjectContext {
    let set = |names: &[&str]| {
        Some(
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<BTreeSet<_>>(),
        )
    };
    SubjectContext {
        user: Some(USER.to_owned()),
        groups: set(&["in", "out"]).map(Arc::new),
        member_of: set(&["in"]),
    }
}

/// The canonical predicate; `None` for a program that would lower too deep and is refused when it is saved.
fn bound(program: &Program) -> Option<Predicate> {
    let fields: Vec<Field> = COLUMNS.iter().map(|column| column.field.clone()).collect();
    let rule = check(RuleHead::Filter, &source_of(program)).ok()?;
    // What saved must bind.
    Some(rule.bind_filter(&subject(), &fields).unwrap().value)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_wire_form_means_what_the_source_says(
        program in program(),
        rows in prop::collection::vec(row(), 1..8),
    ) {
        let Some(predicate) = bound(&program) else { return Ok(()) };
        let wire = format!("{{\"required-row-filter\":{}}}", predicate.wire_json());
        prop_assert_eq!(read_restrictions_problems(&serde_json::from_str(&wire).unwrap()), Vec::<String>::new());
        let columns = &COLUMNS;
        let fields: Vec<Field> = columns.iter().map(|column| column.field.clone()).collect();
        let read = ReadRestrictions::parse_text(&wire, &fields).unwrap();
        for row in &rows {
            let value = |id: i32| {
                let at = columns.iter().position(|column| column.field.id == id).unwrap();
                row[at].map_or(Value::Null, |value| columns[at].values[value].1.clone())
            };
            let values: Vec<(i32, Value)> = fields.iter().map(|field| (field.id, value(field.id))).collect();
            let kept = match read.row_filter() {
                None => true,
                Some(filter) => {
                    let of = |id: i32| &values.iter().find(|(known, _)| *known == id).unwrap().1;
                    evaluate(filter.predicate(), &of).unwrap()
                }
            };
            prop_assert_eq!(kept, keeps(&program, row), "{} on {:?}", source_of(&program), values);
        }
    }

    #[test]
    fn the_order_of_operands_changes_nothing(program in program()) {
        let other = Program {
            branches: program
                .branches
                .iter()
                .map(|(condition, result)| (turned(condition), turned(result)))
                .collect(),
            fallback: turned(&program.fallback),
        };
        let (Some(one), Some(other)) = (bound(&program), bound(&other)) else { return Ok(()) };
        prop_assert_eq!(one.wire_json(), other.wire_json());
        prop_assert_eq!(row_filter_signature(&one), row_filter_signature(&other));
    }
}

/// Most random programs are small enough to be saved; without this the properties could hold of nothing.
#[test]
fn most_programs_are_saved() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let saved = (0..200)
        .filter(|_| bound(&program().new_tree(&mut runner).unwrap().current()).is_some())
        .count();
    assert!(saved > 150, "{saved} of 200");
}
