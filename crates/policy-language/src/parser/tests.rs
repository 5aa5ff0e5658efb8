// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Shape of the tree, and inputs made to exhaust the parser.

use crate::ast::{Expression, Node, ParsedRule};
use crate::error::{Category, ParseError, StageError};
use crate::lexer::tokens;
use crate::parser::parse;
use crate::source::Source;

fn parsed(text: &str) -> Result<ParsedRule, ParseError> {
    parse(tokens(Source::new(text).unwrap()).unwrap()).map_err(|located| located.error)
}

/// The tree with explicit parentheses.
fn shown(expression: &Expression) -> String {
    let list = |children: &[Expression]| children.iter().map(shown).collect::<Vec<_>>().join(" ");
    match &expression.node {
        Node::Column(name) => name.clone(),
        Node::SessionUser => "user".to_owned(),
        Node::GroupMember(name) => format!("member:{name}"),
        Node::Text(text) => format!("{text:?}"),
        Node::Number(number) => number.plain(),
        Node::Boolean(value) => value.to_string(),
        Node::Null => "null".to_owned(),
        Node::Array(elements) => format!("[{}]", list(elements)),
        Node::Compare { operator, operands } => {
            format!(
                "({} {} {})",
                operator.as_str(),
                shown(&operands.0),
                shown(&operands.1)
            )
        }
        Node::Not(child) => format!("(not {})", shown(child)),
        Node::And(children) => format!("(and {})", list(children)),
        Node::Or(children) => format!("(or {})", list(children)),
    }
}

#[track_caller]
fn check(source: &str, expected: &str) {
    match parsed(&format!("filter := {source}")).unwrap() {
        ParsedRule::Filter { chain, .. } => assert_eq!(shown(&chain.fallback), expected),
        ParsedRule::Mask { .. } => panic!("a mask"),
    }
}

#[test]
fn precedence() {
    check(
        "true or false and not col(\"a\") == 1 or true",
        "(or true (and false (not (== a 1))) true)",
    );
    check("not not true and false", "(and (not (not true)) false)");
    check("(true or false) and true", "(and (or true false) true)");
    check("not (true and false)", "(not (and true false))");
    check("(col(\"a\")) == ((\"x\"))", "(== a \"x\")");
    check("(col(\"a\") in [1, -2.50])", "(in a [1 -2.5])");
}

#[test]
fn same_operators_are_spliced() {
    check(
        "true and (true and (false and true))",
        "(and true true false true)",
    );
    check(
        "(true or false) or (true and (false or true))",
        "(or true false (and true (or false true)))",
    );
}

#[test]
fn hostile_inputs_end_with_an_error() {
    for (source, expected) in [
        ("(".repeat(16_000), ParseError::TooManyParentheses),
        ("not ".repeat(4_000), ParseError::TooDeep),
        ("not(".repeat(4_000), ParseError::TooManyParentheses),
        ("true and (false or (".repeat(800), ParseError::TooManyParentheses),
    ] {
        let error = parsed(&format!("filter := {source}")).unwrap_err();
        assert_eq!(error, expected);
        assert_eq!(error.category(), Category::Limit);
    }
    let chained = format!("filter := {}1{}", "(".repeat(250), " == 1)".repeat(250));
    assert!(parsed(&chained).is_ok(), "a wrong shape is for typing to refuse");
}

#[test]
fn what_does_not_fit() {
    for source in [
        "",
        "filter",
        "filter :=",
        "filter := true true",
        "filter := true if true",
        "filter := true if true else := false if true",
        "filter := true else := false",
        "filter := col(mask) == 1",
        "filter := col(\"a\") == not true",
        "filter := col(\"a\") in []",
        "filter := col(\"a\") in [1,]",
        "filter := col(\"a\") in [[1]]",
        "filter := 1 < col(\"a\") < 2",
        "filter := (true",
        "filter := true)",
        "mask := \"show-last-4\"",
        "mask := action(\"a\") and true",
        "filter := action(\"a\")",
    ] {
        assert_eq!(
            parsed(source).map(|_| ()).map_err(|error| error.category()),
            Err(Category::Syntax),
            "{source}"
        );
    }
}
