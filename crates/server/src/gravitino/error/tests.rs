// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statuses, codes and types as recorded from the original.

use super::*;

fn check(error: OperationError, status: u16, code: i32, kind: &str) {
    let (found, found_code, found_kind) = classify(&Fault::Operation(error.clone()));
    assert_eq!(
        (found.as_u16(), found_code.value(), found_kind.as_str()),
        (status, code, kind),
        "{error}"
    );
}

#[test]
fn recorded_combinations() {
    let disabled = |noun: ObjectKind| OperationError::Disabled {
        noun: noun.into(),
        name: "x".to_owned(),
    };
    check(
        OperationError::not_found(ObjectKind::Table, "t"),
        404,
        1003,
        "NoSuchTableException",
    );
    check(
        OperationError::not_found(Noun::Owner, "t"),
        404,
        1003,
        "NotFoundException",
    );
    check(
        OperationError::not_found(Noun::Thing("plan"), "t"),
        404,
        1003,
        "NotFoundException",
    );
    check(
        OperationError::already_exists(ObjectKind::Role, "t"),
        409,
        1004,
        "RoleAlreadyExistsException",
    );
    check(
        OperationError::already_exists(Noun::TagAssignment, "t"),
        409,
        1004,
        "TagAlreadyAssociatedException",
    );
    check(
        OperationError::not_found(Noun::TagAssignment, "t"),
        404,
        1003,
        "NoSuchTagException",
    );
    check(
        disabled(ObjectKind::Metalake),
        409,
        1009,
        "MetalakeNotInUseException",
    );
    check(
        OperationError::Unsupported("no".to_owned()),
        405,
        1006,
        "UnsupportedOperationException",
    );
    check(
        OperationError::mistake(Mistake::Role, "no"),
        400,
        1001,
        "IllegalRoleException",
    );
    check(
        OperationError::Unauthenticated("no".to_owned()),
        401,
        1011,
        "UnauthorizedException",
    );
    check(OperationError::internal("secret"), 500, 1002, "RuntimeException");
}

#[test]
fn the_cause_of_a_failure_is_not_told() {
    assert!(!message(&Fault::Operation(OperationError::internal("secret"))).contains("secret"));
}
