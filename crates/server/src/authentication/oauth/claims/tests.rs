// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What claims say of users, groups, clients and actors.

use serde_json::json;

use super::*;

fn reader() -> ClaimReader {
    let fields = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    ClaimReader {
        principal_fields: fields(&["upn", "sub"]),
        groups_fields: fields(&["groups", "roles"]),
        principal_mapper: NameMapper::new("^([^@]+)(?:@corp)?$").unwrap(),
        group_mapper: NameMapper::new("^/(.*)$").unwrap(),
    }
}

fn identity(claims: &Value) -> Result<Identity, TokenRefusal> {
    reader().identity(claims.as_object().unwrap())
}

#[test]
fn the_first_claim_that_is_a_text_names_the_user() {
    let user = |claims: Value| identity(&claims).map(|identity| identity.subject.user);
    assert_eq!(user(json!({"sub": "ann"})), Ok("ann".to_owned()));
    assert_eq!(user(json!({"upn": "bob@corp", "sub": "7"})), Ok("bob".to_owned()));
    assert_eq!(user(json!({"upn": "", "sub": "ann"})), Ok("ann".to_owned()));
    assert_eq!(user(json!({"upn": ["x"], "sub": "ann"})), Ok("ann".to_owned()));
    assert_eq!(
        user(json!({"upn": "bob@other", "sub": "7"})),
        Err(TokenRefusal::UnmappedPrincipal)
    );
    assert!(matches!(user(json!({})), Err(TokenRefusal::NoPrincipal(_))));
    assert_eq!(
        user(json!({"upn": "anonymous@corp"})),
        Err(TokenRefusal::BadPrincipal)
    );
    // Who is named by another claim needs no `sub`, and then nothing says for whom a reader comes.
    let without = identity(&json!({"upn": "bob", "azp": "trino"})).unwrap();
    assert_eq!(without.subject.user, "bob");
    let token = without.token.unwrap();
    assert_eq!((token.subject, token.client.as_deref()), (None, Some("trino")));
}

#[test]
fn groups_that_cannot_be_read_are_not_none() {
    let check = |groups: Value, expected: Option<&[&str]>| {
        let mut claims = json!({"sub": "ann"});
        claims
            .as_object_mut()
            .unwrap()
            .extend(groups.as_object().unwrap().clone());
        let expected = expected.map_or(GroupClaim::Unreadable, |names| {
            GroupClaim::Known(names.iter().map(|name| (*name).to_owned()).collect())
        });
        assert_eq!(identity(&claims).unwrap().subject.groups, expected, "{groups}");
    };
    check(json!({}), None);
    check(json!({"groups": []}), Some(&[]));
    check(
        json!({"groups": ["/hr", "/a/b", "plain"]}),
        Some(&["hr", "a/b", "plain"]),
    );
    check(json!({"groups": "hr"}), None);
    check(json!({"groups": null}), None);
    check(json!({"groups": {"hr": true}}), None);
    check(json!({"groups": ["hr", 1]}), None);
    check(json!({"groups": ["hr", ""]}), None);
    check(json!({"groups": "hr", "roles": ["it"]}), Some(&["it"]));
    check(json!({"groups": ["hr"], "roles": ["it"]}), Some(&["hr"]));
}

#[test]
fn clients_and_actors() {
    let token = |claims: Value| identity(&claims).unwrap().token.unwrap();
    let client = |claims: Value| token(claims).client;
    assert_eq!(client(json!({"sub": "ann"})), None);
    for name in ["azp", "client_id", "cid"] {
        assert_eq!(
            client(json!({"sub": "ann", name: "trino"})).as_deref(),
            Some("trino")
        );
    }
    let both = json!({"sub": "ann", "azp": "trino", "client_id": "trino"});
    assert_eq!(client(both).as_deref(), Some("trino"));
    assert_eq!(
        client(json!({"sub": "ann", "azp": "trino", "client_id": "x"})),
        None
    );
    assert_eq!(client(json!({"sub": "ann", "azp": ["trino"]})), None);

    let acting = |act: Value| token(json!({"sub": "ann", "iss": "https://idp", "act": act})).acting;
    assert_eq!(acting(json!({"sub": "gw"})), Acting::By("gw".to_owned()));
    let nested = json!({"sub": "gw", "act": {"sub": "earlier"}});
    assert_eq!(acting(nested), Acting::By("gw".to_owned()));
    let ours = json!({"sub": "gw", "iss": "https://idp"});
    assert_eq!(acting(ours), Acting::By("gw".to_owned()));
    let foreign = json!({"sub": "gw", "iss": "https://other"});
    assert_eq!(acting(foreign), Acting::BySomebodyElse);
    for bad in [json!("gw"), json!(null), json!({}), json!({"sub": ""})] {
        let claims = json!({"sub": "ann", "act": bad});
        assert_eq!(identity(&claims), Err(TokenRefusal::BadActor), "{bad}");
    }
}

#[test]
fn tokens_that_a_client_got_for_itself() {
    let reader = ClaimReader {
        principal_mapper: NameMapper::new("^(.*)$").unwrap(),
        ..reader()
    };
    let own = |claims: Value| {
        let identity = reader.identity(claims.as_object().unwrap());
        identity.unwrap().token.unwrap().is_of_client_itself
    };
    assert!(!own(json!({"sub": "ann", "azp": "trino"})));
    assert!(!own(
        json!({"sub": "ann", "azp": "trino", "preferred_username": "service-account-x"})
    ));
    for claims in [
        json!({"sub": "trino", "azp": "trino"}),
        json!({"sub": "trino", "client_id": "trino"}),
        json!({"sub": "trino@clients", "azp": "trino", "gty": "client-credentials"}),
        json!({"sub": "trino@clients", "azp": "trino"}),
        json!({"sub": "7d1", "azp": "trino", "preferred_username": "service-account-trino"}),
        json!({"sub": "7d1", "azp": "trino", "idtyp": "app"}),
    ] {
        assert!(own(claims.clone()), "{claims}");
    }
}
