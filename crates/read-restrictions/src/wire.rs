// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Canonical JSON text: the bytes that are signed, sorted and sent (language reference, section 9).

use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::restrictions::{ReadRestrictions, RequiredColumnProjection};

impl Comparison {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::NotEq => "not-eq",
            Self::Lt => "lt",
            Self::LtEq => "lt-eq",
            Self::Gt => "gt",
            Self::GtEq => "gt-eq",
        }
    }

    /// The comparison of a wire name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Eq, Self::NotEq, Self::Lt, Self::LtEq, Self::Gt, Self::GtEq]
            .into_iter()
            .find(|comparison| comparison.as_str() == name)
    }
}

impl Predicate {
    /// The predicate as canonical JSON: fixed member order, no blanks, `and` and `or` as balanced binary trees in the given
    /// order of children. Sorting and folding are the business of who built the predicate.
    pub fn wire_json(&self) -> String {
        let mut out = String::new();
        self.write_wire(&mut out);
        out
    }

    pub(crate) fn write_wire(&self, out: &mut String) {
        match self {
            Self::Constant(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::IsNull { field } => write_null_test(out, "is-null", *field),
            Self::NotNull { field } => write_null_test(out, "not-null", *field),
            Self::Compare {
                comparison,
                field,
                literal,
            } => {
                out.push_str("{\"type\":\"");
                out.push_str(comparison.as_str());
                out.push_str("\",\"left\":");
                write_reference(out, *field);
                out.push_str(",\"right\":");
                literal.write_wire(out);
                out.push('}');
            }
            // The list has no type to state; the same rows are kept.
            Self::In { values, .. } if values.is_empty() => out.push_str("false"),
            Self::In { field, values } => {
                out.push_str("{\"type\":\"in\",\"child\":");
                write_reference(out, *field);
                out.push_str(",\"values\":{\"type\":\"literals\",\"values\":[");
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    value.write_value(out);
                }
                out.push(']');
                if let Some(first) = values.first() {
                    write_data_type(out, first);
                }
                out.push_str("}}");
            }
            Self::Not(child) => {
                out.push_str("{\"type\":\"not\",\"child\":");
                child.write_wire(out);
                out.push('}');
            }
            Self::And(children) => write_balanced(out, "and", true, children),
            Self::Or(children) => write_balanced(out, "or", false, children),
        }
    }
}

impl Literal {
    /// The typed literal as canonical JSON, `{"type":"literal","value":…,"data-type":…}`.
    pub fn wire_json(&self) -> String {
        let mut out = String::new();
        self.write_wire(&mut out);
        out
    }

    /// The bare value as canonical JSON; its bytes are the one total order of `in` values.
    pub fn value_json(&self) -> String {
        let mut out = String::new();
        self.write_value(&mut out);
        out
    }

    fn write_wire(&self, out: &mut String) {
        out.push_str("{\"type\":\"literal\",\"value\":");
        self.write_value(out);
        write_data_type(out, self);
        out.push('}');
    }

    fn write_value(&self, out: &mut String) {
        match self {
            Self::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Long(value) => out.push_str(&value.to_string()),
            Self::Float(value) => out.push_str(&crate::float::canonical_f32(*value)),
            Self::Double(value) => out.push_str(&crate::float::canonical_f64(*value)),
            Self::Decimal { unscaled, scale, .. } => {
                write_json_string(out, &crate::decimal::format_decimal(*unscaled, *scale));
            }
            Self::Date(days) => write_json_string(out, &crate::temporal::format_date(*days)),
            Self::Time(micros) => write_json_string(out, &crate::temporal::format_time(*micros)),
            Self::Timestamp(micros) => {
                write_json_string(out, &crate::temporal::format_timestamp(*micros));
            }
            Self::String(text) => write_json_string(out, text),
        }
    }
}

impl RequiredColumnProjection {
    /// The projection as canonical JSON, `{"field-id":…,"action":…}`.
    pub fn wire_json(&self) -> String {
        format!(
            "{{\"field-id\":{},\"action\":\"{}\"}}",
            self.field_id,
            self.action.as_str()
        )
    }
}

impl ReadRestrictions {
    /// The `read-restrictions` object as canonical JSON; `{}` when nothing is restricted (then no member is sent).
    pub fn wire_json(&self) -> String {
        let mut out = String::from("{");
        if let Some(filter) = self.row_filter() {
            out.push_str("\"required-row-filter\":");
            filter.predicate().write_wire(&mut out);
        }
        if !self.projections().is_empty() {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str("\"required-column-projections\":[");
            for (at, projection) in self.projections().iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&projection.wire_json());
            }
            out.push(']');
        }
        out.push('}');
        out
    }
}

fn write_reference(out: &mut String, field: i32) {
    out.push_str("{\"type\":\"reference\",\"id\":");
    out.push_str(&field.to_string());
    out.push('}');
}

fn write_null_test(out: &mut String, name: &str, field: i32) {
    out.push_str("{\"type\":\"");
    out.push_str(name);
    out.push_str("\",\"child\":");
    write_reference(out, field);
    out.push('}');
}

fn write_data_type(out: &mut String, literal: &Literal) {
    out.push_str(",\"data-type\":\"");
    out.push_str(&literal.field_type().to_string());
    out.push('"');
}

/// `neutral` is what no child at all means.
fn write_balanced(out: &mut String, name: &str, neutral: bool, children: &[Predicate]) {
    match children {
        [] => Predicate::Constant(neutral).write_wire(out),
        [only] => only.write_wire(out),
        _ => {
            let (left, right) = children.split_at(children.len() / 2);
            out.push_str("{\"type\":\"");
            out.push_str(name);
            out.push_str("\",\"left\":");
            write_balanced(out, name, neutral, left);
            out.push_str(",\"right\":");
            write_balanced(out, name, neutral, right);
            out.push('}');
        }
    }
}

/// A JSON string with the escapes of section 9: only quotes, backslashes and U+0000 to U+001F.
pub fn write_json_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests;
