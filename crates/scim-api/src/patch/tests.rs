// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every kind of change with the habits of identity providers, and members that come and go at random.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Patch;
use crate::schema::ResourceType::{self, Group, User};
use crate::{Attributes, ScimError, ScimType};

const PATCH: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

fn object(value: Value) -> Attributes {
    match value {
        Value::Object(members) => members,
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            panic!("{other} is no object")
        }
    }
}

fn patched(of: ResourceType, before: &Value, operations: &Value) -> Result<Value, ScimError> {
    let body = json!({"schemas": [PATCH], "Operations": operations});
    let patch = Patch::from_body(&body)?;
    patch.apply(of, object(before.clone())).map(Value::Object)
}

fn check(of: ResourceType, before: Value, operations: Value, expected: Result<Value, ScimType>) {
    let found = patched(of, &before, &operations);
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{operations}"),
        (Err(error), Err(kind)) => assert_eq!(error.kind, kind, "{operations}: {error}"),
        (found, expected) => panic!("{operations}: {found:?} instead of {expected:?}"),
    }
}

fn user() -> Value {
    json!({
        "externalId": "x", "userName": "ann", "active": true, "name": {"familyName": "A", "givenName": "B"},
        "emails": [{"value": "w@x", "type": "work", "primary": true}, {"value": "h@x", "type": "home"}],
    })
}

/// [`user`] with other values; null is none.
fn with(changes: Value) -> Value {
    let mut user = object(user());
    for (name, value) in object(changes) {
        if value.is_null() {
            user.remove(&name);
        } else {
            user.insert(name, value);
        }
    }
    Value::Object(user)
}

#[test]
fn single_values() {
    for (operations, expected) in [
        (
            json!([{"op": "replace", "path": "active", "value": false}]),
            Ok(with(json!({"active": false}))),
        ),
        // As Entra and as Okta say it.
        (
            json!([{"op": "Replace", "path": "active", "value": "False"}]),
            Ok(with(json!({"active": false}))),
        ),
        (
            json!([{"op": "replace", "value": {"active": false}}]),
            Ok(with(json!({"active": false}))),
        ),
        (
            json!([{"op": "Add", "path": "displayName", "value": "Ann"}]),
            Ok(with(json!({"displayName": "Ann"}))),
        ),
        (
            json!([{"op": "add", "path": "name.formatted", "value": "A B"}]),
            Ok(with(
                json!({"name": {"familyName": "A", "givenName": "B", "formatted": "A B"}}),
            )),
        ),
        (
            json!([{"op": "replace", "value": {"name.familyName": "Z", "NAME": {"givenName": "Y"}}}]),
            Ok(with(json!({"name": {"familyName": "Z", "givenName": "Y"}}))),
        ),
        (
            json!([{"op": "replace", "path": "name", "value": {"formatted": "F"}}]),
            Ok(with(
                json!({"name": {"familyName": "A", "givenName": "B", "formatted": "F"}}),
            )),
        ),
        (
            json!([{"op": "remove", "path": "externalId"}]),
            Ok(with(json!({"externalId": null}))),
        ),
        (
            json!([{"op": "remove", "path": "name.familyName"}]),
            Ok(with(json!({"name": {"givenName": "B"}}))),
        ),
        (
            json!([{"op": "replace", "path": "externalId", "value": ""}]),
            Ok(with(json!({"externalId": null}))),
        ),
        (
            json!([{"op": "replace", "path": "urn:ietf:params:scim:schemas:core:2.0:User:userName", "value": "bea"}]),
            Ok(with(json!({"userName": "bea"}))),
        ),
        (
            json!([{"op": "add", "value": {"urn:ietf:params:scim:schemas:core:2.0:User": {"userName": "bea"}}}]),
            Ok(with(json!({"userName": "bea"}))),
        ),
        // What is not kept, and what only the server writes where no path names it.
        (
            json!([{"op": "add", "path": "title", "value": "Dr"}, {"op": "add", "path": "phoneNumbers[type eq \"work\"].value", "value": "1"}]),
            Ok(user()),
        ),
        (
            json!([{"op": "add", "value": {"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "x", "id": "1", "meta": {}}}]),
            Ok(user()),
        ),
        // One after the other.
        (
            json!([{"op": "replace", "path": "active", "value": false}, {"op": "replace", "path": "active", "value": true}]),
            Ok(user()),
        ),
        (
            json!([{"op": "replace", "path": "id", "value": "2"}]),
            Err(ScimType::Mutability),
        ),
        (
            json!([{"op": "add", "path": "groups", "value": [{"value": "2"}]}]),
            Err(ScimType::Mutability),
        ),
        (
            json!([{"op": "remove", "path": "userName"}]),
            Err(ScimType::Mutability),
        ),
        (
            json!([{"op": "remove", "path": "active"}]),
            Err(ScimType::Mutability),
        ),
        (
            json!([{"op": "replace", "path": "active", "value": null}]),
            Err(ScimType::InvalidValue),
        ),
        (
            json!([{"op": "replace", "path": "active", "value": "yes"}]),
            Err(ScimType::InvalidValue),
        ),
        (
            json!([{"op": "replace", "path": "userName", "value": 1}]),
            Err(ScimType::InvalidValue),
        ),
        (
            json!([{"op": "replace", "path": "active"}]),
            Err(ScimType::InvalidValue),
        ),
        (
            json!([{"op": "replace", "path": "nothing", "value": 1}]),
            Err(ScimType::InvalidPath),
        ),
        (
            json!([{"op": "replace", "path": "name.nothing", "value": 1}]),
            Err(ScimType::InvalidPath),
        ),
        (
            json!([{"op": "replace", "path": "name[type eq \"x\"]", "value": {}}]),
            Err(ScimType::InvalidPath),
        ),
        (
            json!([{"op": "replace", "path": "emails.value", "value": "x"}]),
            Err(ScimType::InvalidPath),
        ),
        (
            json!([{"op": "replace", "path": "emails[type eq \"work\"]x", "value": "x"}]),
            Err(ScimType::InvalidPath),
        ),
        (
            json!([{"op": "replace", "path": "emails[type is \"work\"]", "value": "x"}]),
            Err(ScimType::InvalidFilter),
        ),
        (json!([{"op": "remove"}]), Err(ScimType::NoTarget)),
        (json!([{"op": "add", "value": "x"}]), Err(ScimType::InvalidSyntax)),
        (
            json!([{"op": "move", "path": "active"}]),
            Err(ScimType::InvalidSyntax),
        ),
        (json!([]), Err(ScimType::InvalidSyntax)),
        (json!(["x"]), Err(ScimType::InvalidSyntax)),
    ] {
        check(User, user(), operations, expected);
    }
    assert!(Patch::from_body(&json!({"Operations": [{"op": "add", "value": {}}]})).is_err());
}

#[test]
fn several_values() {
    let home = json!({"value": "h@x", "type": "home"});
    for (operations, expected) in [
        (
            json!([{"op": "replace", "path": "emails[type eq \"work\"].value", "value": "n@x"}]),
            Ok(json!([{"value": "n@x", "type": "work", "primary": true}, home])),
        ),
        (
            json!([{"op": "Add", "path": "emails[type eq \"other\"].value", "value": "o@x"}]),
            Ok(
                json!([{"value": "w@x", "type": "work", "primary": true}, home, {"type": "other", "value": "o@x"}]),
            ),
        ),
        (
            json!([{"op": "replace", "path": "emails[type eq \"other\"].value", "value": "o@x"}]),
            Err(ScimType::NoTarget),
        ),
        (
            json!([{"op": "remove", "path": "emails[type eq \"work\"]"}]),
            Ok(json!([home])),
        ),
        (
            json!([{"op": "remove", "path": "emails[type eq \"other\"]"}]),
            Ok(user()["emails"].clone()),
        ),
        (
            json!([{"op": "remove", "path": "emails[type eq \"work\"].primary"}]),
            Ok(json!([{"value": "w@x", "type": "work"}, home])),
        ),
        (
            json!([{"op": "add", "path": "emails", "value": [{"value": "p@x", "primary": true}]}]),
            Ok(json!([{"value": "w@x", "type": "work"}, home, {"value": "p@x", "primary": true}])),
        ),
        (
            json!([{"op": "replace", "path": "emails[type eq \"home\"]", "value": {"primary": true}}]),
            Ok(json!([{"value": "w@x", "type": "work"}, {"value": "h@x", "type": "home", "primary": true}])),
        ),
        (
            json!([{"op": "replace", "path": "emails", "value": [{"value": "p@x"}]}]),
            Ok(json!([{"value": "p@x"}])),
        ),
        (
            json!([{"op": "replace", "path": "emails", "value": "p@x"}]),
            Ok(json!([{"value": "p@x"}])),
        ),
        (json!([{"op": "remove", "path": "emails"}]), Ok(Value::Null)),
    ] {
        check(
            User,
            user(),
            operations,
            expected.map(|emails| with(json!({"emails": emails}))),
        );
    }
}

#[test]
fn members_of_a_group() {
    let group = |ids: &[&str]| {
        let members: Vec<Value> = ids
            .iter()
            .map(|id| json!({"value": id, "display": "d", "type": "User"}))
            .collect();
        if ids.is_empty() {
            json!({"displayName": "g"})
        } else {
            json!({"displayName": "g", "members": members})
        }
    };
    let with_new = |ids: &[&str], new: &str| {
        let mut group = group(ids);
        let members = group["members"].as_array_mut();
        members
            .into_iter()
            .for_each(|members| members.push(json!({"value": new})));
        group
    };
    for (operations, expected) in [
        (
            json!([{"op": "add", "path": "members", "value": [{"value": "3"}]}]),
            with_new(&["1", "2"], "3"),
        ),
        (
            json!([{"op": "add", "value": {"members": [{"value": "3"}]}}]),
            with_new(&["1", "2"], "3"),
        ),
        (
            json!([{"op": "add", "path": "members", "value": [{"value": "1"}, {"value": "2", "display": "other", "type": "User"}]}]),
            group(&["1", "2"]),
        ),
        (
            json!([{"op": "remove", "path": "members[value eq \"1\"]"}]),
            group(&["2"]),
        ),
        (
            json!([{"op": "remove", "path": "members[value eq \"1\" or value eq \"2\"]"}]),
            group(&[]),
        ),
        (
            json!([{"op": "remove", "path": "members[value eq \"9\"]"}]),
            group(&["1", "2"]),
        ),
        // Entra: those in the value, and no others.
        (
            json!([{"op": "Remove", "path": "members", "value": [{"value": "2"}]}]),
            group(&["1"]),
        ),
        (json!([{"op": "remove", "path": "members"}]), group(&[])),
        (
            json!([{"op": "replace", "path": "members", "value": []}]),
            group(&[]),
        ),
        (
            json!([{"op": "replace", "value": {"id": "7", "displayName": "h"}}]),
            {
                let mut renamed = group(&["1", "2"]);
                renamed["displayName"] = json!("h");
                renamed
            },
        ),
    ] {
        check(Group, group(&["1", "2"]), operations, Ok(expected));
    }
}

proptest! {
    /// A group whose members come and go by single operations has those that a set has.
    #[test]
    fn members_come_and_go_as_in_a_set(steps in prop::collection::vec((0..4_u8, any::<bool>(), any::<bool>()), 0..24)) {
        let mut set = std::collections::BTreeSet::new();
        let operations: Vec<Value> = steps
            .iter()
            .map(|(id, adds, by_filter)| {
                let id = id.to_string();
                match (adds, by_filter) {
                    (true, _) => { set.insert(id.clone()); json!({"op": "Add", "path": "members", "value": [{"value": id}]}) }
                    (false, true) => { set.remove(&id); json!({"op": "remove", "path": format!("members[value eq \"{id}\"]")}) }
                    (false, false) => { set.remove(&id); json!({"op": "Remove", "path": "members", "value": [{"value": id}]}) }
                }
            })
            .collect();
        if operations.is_empty() {
            return Ok(());
        }
        let after = patched(Group, &json!({"displayName": "g"}), &json!(operations));
        let after = after.ok().map(object).map(crate::group::from_attributes);
        prop_assert_eq!(after.and_then(Result::ok).map(|group| group.members), Some(set));
    }

    #[test]
    fn no_path_breaks_the_parser(path in "(members|emails|value|type|eq|[\\[\\]. \"\\\\:]|é|1){0,24}", value in "[a-z]{0,3}") {
        for of in ResourceType::ALL {
            for op in ["add", "replace", "remove"] {
                let _ = patched(of, &user(), &json!([{"op": op, "path": path, "value": value}]));
            }
        }
    }
}
