// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a role may say of an object.

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;

use super::{ConditionedPrivilege, IllegalPrivilege, SecurableObject};
use crate::condition::Condition;

fn said(text: &str) -> Vec<ConditionedPrivilege> {
    let one = |part: &str| {
        let (privilege, condition) = part.split_once(' ').unwrap_or((part, "ALLOW"));
        ConditionedPrivilege {
            privilege: privilege.parse().unwrap(),
            condition: condition.parse().unwrap(),
        }
    };
    text.split(", ")
        .filter(|part| !part.is_empty())
        .map(one)
        .collect()
}

fn object(kind: ObjectKind, name: &str) -> MetadataObject {
    MetadataObject::parse(kind, name).unwrap()
}

fn shown(object: &SecurableObject) -> String {
    let pairs: Vec<String> = object
        .privileges()
        .iter()
        .map(|pair| match pair.condition {
            Condition::Allow => pair.privilege.to_string(),
            Condition::Deny => format!("{} DENY", pair.privilege),
        })
        .collect();
    pairs.join(", ")
}

#[test]
fn only_bindable_privileges_said_once_are_taken() {
    let model = || object(ObjectKind::Schema, "c.s");
    let take = |text: &str| SecurableObject::new(model(), said(text));
    assert_eq!(
        shown(&take("USE_SCHEMA, SELECT_TABLE DENY").unwrap()),
        "USE_SCHEMA, SELECT_TABLE DENY"
    );
    assert_eq!(
        shown(&take("CREATE_MODEL, REGISTER_MODEL").unwrap()),
        "CREATE_MODEL"
    );
    assert!(matches!(take(""), Err(IllegalPrivilege::Empty(_))));
    assert!(matches!(
        take("USE_CATALOG"),
        Err(IllegalPrivilege::NotBindable { .. })
    ));
    assert!(matches!(
        take("USE_SCHEMA, USE_SCHEMA DENY"),
        Err(IllegalPrivilege::Contradiction { .. })
    ));
    assert!(matches!(
        take("CREATE_MODEL, REGISTER_MODEL DENY"),
        Err(IllegalPrivilege::Contradiction { .. })
    ));
}

#[test]
fn grants_merge_and_revocations_remove_exact_pairs() {
    let held = SecurableObject::new(
        object(ObjectKind::Table, "c.s.t"),
        said("SELECT_TABLE, MODIFY_TABLE DENY"),
    )
    .unwrap();
    assert_eq!(held.with(&said("SELECT_TABLE")).unwrap(), held);
    assert!(matches!(
        held.with(&said("SELECT_TABLE DENY")),
        Err(IllegalPrivilege::Contradiction { .. })
    ));
    assert_eq!(
        shown(
            &held
                .without(&said("SELECT_TABLE DENY, MODIFY_TABLE DENY"))
                .unwrap()
        ),
        "SELECT_TABLE"
    );
    assert_eq!(held.without(&said("SELECT_TABLE, MODIFY_TABLE DENY")), None);
    let model = SecurableObject::new(object(ObjectKind::Schema, "c.s"), said("CREATE_MODEL")).unwrap();
    assert_eq!(model.without(&said("REGISTER_MODEL")), None);
}
