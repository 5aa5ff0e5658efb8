// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The targets: each takes any bytes, must not panic, and asserts what holds of every input.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_iceberg_api::load_table_response::LoadTableResponse;
use lakeward_policy_language::canonical::{canonical, depth};
use lakeward_policy_language::{Category, PolicyError, Rule, RuleHead, SubjectContext, check, limits};
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::json::parse_strict;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::{ReadRestrictions, RequiredColumnProjection};
use lakeward_read_restrictions::signature::row_filter_signature;
use lakeward_read_restrictions::value::Value;

/// A target.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 4] = [
    ("language", language),
    ("bind", bind),
    ("wire", wire),
    ("capabilities", capabilities),
];

/// Lexer, parser, static checks and limits, on any text.
pub fn language(data: &[u8]) {
    let Ok(source) = std::str::from_utf8(data) else {
        return;
    };
    let outcomes = [RuleHead::Filter, RuleHead::Mask].map(|head| {
        let outcome = check(head, source);
        assert_eq!(
            summary(&outcome),
            summary(&check(head, source)),
            "not deterministic"
        );
        match &outcome {
            Ok(rule) => {
                assert_eq!(rule.source(), source);
                // Blanks around a program mean nothing; there is no printer to go through.
                let spaced = format!(" {source}\n");
                if spaced.len() <= limits::SOURCE_BYTES {
                    assert_eq!(
                        summary(&check(head, &spaced)),
                        summary(&outcome),
                        "a blank changes the program"
                    );
                }
            }
            Err(error) => assert!(
                error.render(source).contains(error.code),
                "an error without its code"
            ),
        }
        outcome.is_ok()
    });
    assert_ne!(outcomes, [true, true], "a program of two kinds");
}

/// What is seen of a checked rule from outside, or the refusal.
fn summary(outcome: &Result<Rule, PolicyError>) -> String {
    match outcome {
        Ok(rule) => format!("{:?} {:?} {:?}", rule.head(), rule.columns(), rule.branch_count()),
        Err(error) => format!("{} {}", error.category.as_str(), error.code),
    }
}

/// Types of fields that a schema is made of, with and without value predicates.
const TYPES: [FieldType; 16] = [
    FieldType::Boolean,
    FieldType::Int,
    FieldType::Long,
    FieldType::Float,
    FieldType::Double,
    FieldType::Decimal {
        precision: 9,
        scale: 2,
    },
    FieldType::Decimal {
        precision: 38,
        scale: 38,
    },
    FieldType::Date,
    FieldType::Time,
    FieldType::Timestamp,
    FieldType::String,
    FieldType::Timestamptz,
    FieldType::Uuid,
    FieldType::Binary,
    FieldType::Unknown,
    FieldType::String,
];

/// One byte is the subject, one the number of fields, two each field, the rest the source.
pub fn bind(data: &[u8]) {
    let [who, count, rest @ ..] = data else { return };
    let Some((described, source)) = rest.split_at_checked(usize::from(count % 8) * 2) else {
        return;
    };
    let Ok(source) = std::str::from_utf8(source) else {
        return;
    };
    let fields: Vec<Field> = described
        .chunks_exact(2)
        .filter_map(|pair| <[u8; 2]>::try_from(pair).ok())
        .map(|[kind, place]| field(kind, place))
        .collect();
    let subject = subject(*who);
    if let Ok(rule) = check(RuleHead::Filter, source) {
        let bound = rule.bind_filter(&subject, &fields);
        assert_eq!(
            bound
                .as_ref()
                .map(|bound| bound.value.wire_json())
                .map_err(|error| error.code),
            rule.bind_filter(&subject, &fields)
                .as_ref()
                .map(|bound| bound.value.wire_json())
                .map_err(|error| error.code),
            "not deterministic"
        );
        match bound {
            Ok(bound) => sent_and_read(&bound.value, &fields),
            Err(error) => refused(&error, source),
        }
    }
    if let (Ok(rule), Some(field)) = (check(RuleHead::Mask, source), fields.first()) {
        match rule.bind_mask(&subject, &fields, field.id) {
            Ok(bound) => {
                assert!(
                    bound.value.applies_to(field).is_ok(),
                    "a mask that does not apply"
                );
            }
            Err(error) => refused(&error, source),
        }
    }
}

/// What could be saved is within the limits for every subject.
fn refused(error: &PolicyError, source: &str) {
    assert_ne!(
        error.category,
        Category::Limit,
        "a limit that was not seen when saving"
    );
    assert!(error.render(source).contains(error.code));
}

/// A field whose name is one of a few, so that sources find it.
fn field(kind: u8, place: u8) -> Field {
    const NAMES: [&str; 8] = ["a", "b", "c", "i", "s", "d", "city", "\u{e9}"];
    Field {
        id: i32::from(place >> 3),
        name: NAMES[usize::from(place & 7)].to_owned(),
        field_type: TYPES[usize::from(kind & 15)].clone(),
        required: kind & 16 != 0,
    }
}

/// A subject by its bits: with a name, with groups that exist, with memberships.
fn subject(who: u8) -> SubjectContext {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    SubjectContext {
        user: (who & 1 != 0).then(|| {
            if who & 16 != 0 {
                "a\"\\\u{1}\u{1f600}"
            } else {
                "ann"
            }
            .to_owned()
        }),
        groups: (who & 2 != 0).then(|| Arc::new(set(&["g", "in", "x"]))),
        member_of: (who & 4 != 0).then(|| if who & 8 != 0 { set(&["g", "in"]) } else { set(&[]) }),
    }
}

/// A bound predicate is canonical, within its limit, and a reader gets back what was sent.
fn sent_and_read(predicate: &Predicate, fields: &[Field]) {
    let wire = predicate.wire_json();
    assert_eq!(canonical(predicate.clone()).wire_json(), wire, "not canonical");
    assert!(depth(predicate) <= limits::DEPTH, "too deep");
    let Ok(restrictions) = ReadRestrictions::combine(Some(predicate.clone()), []) else {
        panic!("one filter cannot conflict")
    };
    read_back(&restrictions, fields);
    if let Some(filter) = restrictions.row_filter() {
        assert_eq!(
            row_filter_signature(filter.predicate()),
            row_filter_signature(predicate)
        );
        // Nothing but nulls: every null test and comparison has an answer.
        assert!(evaluate(predicate, &|_| &Value::Null).is_ok());
    }
}

fn read_back(restrictions: &ReadRestrictions, fields: &[Field]) {
    let text = restrictions.wire_json();
    match ReadRestrictions::parse_text(&text, fields) {
        Ok(read) => {
            assert_eq!(read.wire_json(), text, "another text");
            assert_eq!(&read, restrictions, "another meaning");
        }
        Err(error) => panic!("what was written cannot be read: {error}: {text}"),
    }
}

/// The schema of the wire target: a field of every type, ids 1 to 16, the last of them required.
pub fn wire_fields() -> Vec<Field> {
    (1..)
        .zip(TYPES)
        .map(|(id, field_type)| Field {
            id,
            name: format!("c{id}"),
            field_type,
            required: id == 16,
        })
        .collect()
}

/// The parsers of a reader: the member alone, and a whole loadTable answer.
pub fn wire(data: &[u8]) {
    if let Ok(answer) = LoadTableResponse::parse(data) {
        if let Ok(restrictions) = answer.restrictions() {
            assert!(answer.read_restrictions.is_some() || !restrictions.is_active());
            match answer.current_fields() {
                Ok(fields) => written_and_read(&restrictions, &fields),
                Err(_) => assert!(!restrictions.is_active(), "restrictions without a schema"),
            }
        }
        return;
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let fields = wire_fields();
    let read = ReadRestrictions::parse_text(text, &fields);
    let by_value = parse_strict(text).and_then(|json| ReadRestrictions::parse(&json, &fields));
    assert_eq!(read.is_ok(), by_value.is_ok(), "the two ways disagree");
    let Ok(restrictions) = read else { return };
    written_and_read(&restrictions, &fields);
    let masks: Vec<RequiredColumnProjection> = restrictions.projections().to_vec();
    let Some(filter) = restrictions.row_filter() else {
        return;
    };
    let folded = canonical(filter.predicate().clone());
    assert_eq!(
        canonical(folded.clone()).wire_json(),
        folded.wire_json(),
        "not idempotent"
    );
    let null = |_: i32| &Value::Null;
    assert_eq!(
        evaluate(&folded, &null),
        evaluate(filter.predicate(), &null),
        "another meaning"
    );
    if let Ok(folded) = ReadRestrictions::combine(Some(folded), masks) {
        read_back(&folded, &fields);
    }
}

/// What was read, once written, is read as the same text for ever.
fn written_and_read(restrictions: &ReadRestrictions, fields: &[Field]) {
    let text = restrictions.wire_json();
    match ReadRestrictions::parse_text(&text, fields) {
        Ok(read) => assert_eq!(read.wire_json(), text, "another text"),
        Err(error) => panic!("what was read cannot be written and read: {error}: {text}"),
    }
}

/// The capability header: each line of the input is a line of the header.
pub fn capabilities(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
    let read = Capabilities::parse(&lines);
    let joined = lines.join(&b',');
    assert_eq!(
        read,
        Capabilities::parse(&[&joined]),
        "lines are not joined by commas"
    );
    let declared: BTreeSet<&str> = read.declared().collect();
    assert_eq!(declared, by_the_grammar(&joined), "not the grammar");
    assert_eq!(
        read.understands_read_restrictions(),
        declared.contains("read-restrictions.v1")
    );
}

/// Section 13 of the language reference once more: nothing at all as soon as one token is not of the form.
fn by_the_grammar(header: &[u8]) -> BTreeSet<&str> {
    let Ok(text) = std::str::from_utf8(header) else {
        return BTreeSet::new();
    };
    let tokens: Vec<&str> = text
        .split(',')
        .map(|token| token.trim_matches([' ', '\t']))
        .collect();
    let small = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    let fits = |token: &&str| {
        token.starts_with(small)
            && token
                .chars()
                .all(|character| small(character) || ".-".contains(character))
    };
    if tokens.iter().all(fits) {
        tokens.into_iter().collect()
    } else {
        BTreeSet::new()
    }
}
