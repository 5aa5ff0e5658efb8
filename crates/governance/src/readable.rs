// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A bound predicate in words that its author recognises.

use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};
use serde_json::Value;

/// The predicate in the notation of the policy language, columns by name; a field id that the schema lacks stands
/// as `#id`. For people only: nothing parses it again.
pub fn readable(predicate: &Predicate, fields: &[Field]) -> String {
    let mut out = String::new();
    write(&mut out, predicate, fields, Binding::Loosest);
    out
}

/// How tightly the surroundings bind, to know where parentheses are needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loosest,
    Or,
    And,
    Not,
}

fn write(out: &mut String, predicate: &Predicate, fields: &[Field], around: Binding) {
    match predicate {
        Predicate::Constant(value) => out.push_str(if *value { "true" } else { "false" }),
        Predicate::IsNull { field } => out.push_str(&format!("{} == null", column(*field, fields))),
        Predicate::NotNull { field } => out.push_str(&format!("{} != null", column(*field, fields))),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => out.push_str(&format!(
            "{} {} {}",
            column(*field, fields),
            operator(*comparison),
            literal_text(literal)
        )),
        Predicate::In { field, values } => {
            let values: Vec<String> = values.iter().map(literal_text).collect();
            out.push_str(&format!("{} in [{}]", column(*field, fields), values.join(", ")));
        }
        Predicate::Not(child) => {
            out.push_str("not ");
            write(out, child, fields, Binding::Not);
        }
        Predicate::And(children) => join(out, children, fields, " and ", Binding::And, around),
        Predicate::Or(children) => join(out, children, fields, " or ", Binding::Or, around),
    }
}

fn join(
    out: &mut String,
    children: &[Predicate],
    fields: &[Field],
    word: &str,
    own: Binding,
    around: Binding,
) {
    let parentheses = around > own;
    if parentheses {
        out.push('(');
    }
    for (at, child) in children.iter().enumerate() {
        if at > 0 {
            out.push_str(word);
        }
        write(out, child, fields, own);
    }
    if parentheses {
        out.push(')');
    }
}

fn column(id: i32, fields: &[Field]) -> String {
    match fields.iter().find(|field| field.id == id) {
        Some(field) => format!("col({})", Value::from(field.name.as_str())),
        None => format!("#{id}"),
    }
}

fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "==",
        Comparison::NotEq => "!=",
        Comparison::Lt => "<",
        Comparison::LtEq => "<=",
        Comparison::Gt => ">",
        Comparison::GtEq => ">=",
    }
}

/// Decimals stand without the quotes of the wire form.
fn literal_text(literal: &Literal) -> String {
    let json = literal.value_json();
    match literal {
        Literal::Decimal { .. } => json.trim_matches('"').to_owned(),
        Literal::Boolean(_)
        | Literal::Int(_)
        | Literal::Long(_)
        | Literal::Float(_)
        | Literal::Double(_)
        | Literal::Date(_)
        | Literal::Time(_)
        | Literal::Timestamp(_)
        | Literal::String(_) => json,
    }
}
