// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The recorded behaviour of both ways to assign tags.

use super::{AssignmentError, AssignmentRequest, CurrentTag, TagValue};
use crate::tag::{AllowedValues, TagError};

fn pair(text: &str) -> TagValue {
    match text.split_once('=') {
        Some((tag, value)) => TagValue {
            tag: tag.to_owned(),
            value: Some(value.to_owned()),
        },
        None => TagValue {
            tag: text.to_owned(),
            value: None,
        },
    }
}

fn pairs(texts: &[&str]) -> Vec<TagValue> {
    texts.iter().map(|text| pair(text)).collect()
}

/// `domain` allows `finance` and `risk`, `free` anything, `pii` anything; `now` is what the object has.
fn current(now: &[&str]) -> impl Fn(&str) -> Option<CurrentTag> {
    let now = pairs(now);
    move |tag| {
        let allowed_values = match tag {
            "domain" => AllowedValues::Only(vec!["finance".to_owned(), "risk".to_owned()]),
            "free" | "pii" => AllowedValues::Any,
            _ => return None,
        };
        let mine: Vec<_> = now.iter().filter(|pair| pair.tag == tag).collect();
        Some(CurrentTag {
            allowed_values,
            values: (!mine.is_empty()).then(|| mine.iter().filter_map(|pair| pair.value.clone()).collect()),
        })
    }
}

#[track_caller]
fn names(now: &[&str], add: &[&str], remove: &[&str], expected: Result<(&[&str], &[&str]), AssignmentError>) {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let request = AssignmentRequest::Names {
        add: list(add),
        remove: list(remove),
    };
    check(&request, now, expected);
}

#[track_caller]
fn values(
    now: &[&str],
    add: &[&str],
    remove: &[&str],
    expected: Result<(&[&str], &[&str]), AssignmentError>,
) {
    let request = AssignmentRequest::Values {
        add: pairs(add),
        remove: pairs(remove),
    };
    check(&request, now, expected);
}

#[track_caller]
fn check(request: &AssignmentRequest, now: &[&str], expected: Result<(&[&str], &[&str]), AssignmentError>) {
    let found = request.plan(current(now)).map(|plan| (plan.add, plan.remove));
    assert_eq!(found, expected.map(|(add, remove)| (pairs(add), pairs(remove))));
}

#[test]
fn whole_tags() {
    names(&[], &["pii"], &[], Ok((&["pii"], &[])));
    names(
        &["pii"],
        &["pii"],
        &[],
        Err(AssignmentError::AlreadyAssociated(vec!["pii".to_owned()])),
    );
    names(&[], &["nosuch"], &["nosuch2"], Ok((&[], &[])));
    names(&["pii"], &["pii"], &["pii"], Ok((&[], &[])));
    names(
        &["domain=finance", "domain=risk"],
        &[],
        &["domain"],
        Ok((&[], &["domain=finance", "domain=risk"])),
    );
    names(
        &["free=x"],
        &["free"],
        &[],
        Err(AssignmentError::Mixed("free".to_owned())),
    );
    names(&[], &[" "], &[], Err(AssignmentError::EmptyName("tagsToAdd")));
    names(
        &[],
        &["domain"],
        &[],
        Err(AssignmentError::Value(TagError::ValueRequired {
            tag: "domain".to_owned(),
            allowed: vec!["finance".to_owned(), "risk".to_owned()],
        })),
    );
}

#[test]
fn single_values() {
    values(
        &[],
        &["domain=finance", "domain=risk"],
        &[],
        Ok((&["domain=finance", "domain=risk"], &[])),
    );
    values(&["domain=finance"], &["domain=finance"], &[], Ok((&[], &[])));
    values(
        &["domain=finance"],
        &["domain=risk"],
        &["domain=finance"],
        Ok((&["domain=risk"], &["domain=finance"])),
    );
    values(&["domain=finance"], &[], &["domain"], Ok((&[], &[])));
    values(&["domain=finance"], &[], &["domain=zzz"], Ok((&[], &[])));
    values(
        &["free=x"],
        &["free"],
        &[],
        Err(AssignmentError::Mixed("free".to_owned())),
    );
    values(&["free"], &["free=x"], &["free"], Ok((&["free=x"], &["free"])));
    // A value takes the place of none; none takes the place of no value.
    values(
        &["free"],
        &["free=x", "free=y"],
        &[],
        Ok((&["free=x", "free=y"], &["free"])),
    );
    values(&["free"], &[], &["free=x"], Ok((&[], &[])));
    values(
        &[],
        &["free", "free=x"],
        &[],
        Err(AssignmentError::Mixed("free".to_owned())),
    );
    values(&[], &["free=x"], &["free=x"], Err(AssignmentError::Overlap));
    values(
        &[],
        &["free="],
        &[],
        Err(AssignmentError::Value(TagError::EmptyValue("tagsToAdd"))),
    );
    values(&[], &["nosuch=a"], &[], Ok((&[], &[])));
    assert!(
        matches!(
            AssignmentRequest::Values {
                add: pairs(&["domain=Finance"]),
                remove: Vec::new()
            }
            .plan(current(&[])),
            Err(AssignmentError::Value(TagError::ValueNotAllowed { .. }))
        ),
        "values are case-sensitive"
    );
}
