// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Facts are exact at once, and cost no query when nothing changed.

#![expect(
    clippy::disallowed_methods,
    reason = "what a test finds in the store is written without a request"
)]

use lakeward_authorization::Chain;
use lakeward_authorization::authorize;
use lakeward_catalog::registry::Registry;
use lakeward_metadata::principal::Principal;
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_store::{NewObject, ROOT, Store, StoreOptions, StoreUrl};

use super::*;
use crate::OperationSettings;
use crate::paths::{CatalogPath, SchemaPath};

const MEMBER: Requirement = Requirement::Member;
const LOAD_CATALOG: Requirement = *Requirement::load(ObjectKind::Catalog);

struct World {
    operations: Operations,
    metalake: ObjectId,
    catalog: ObjectId,
}

async fn world(mode: Mode) -> World {
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .unwrap();
    let mut write = store.write_server("ann").await.unwrap();
    let metalake = write
        .create_object(&NewObject::named(ROOT, ObjectKind::Metalake, "m"))
        .await
        .unwrap()
        .id;
    write.commit().await.unwrap();
    let mut write = store
        .write(metalake, &[Area::Objects, Area::Identities], "ann")
        .await
        .unwrap();
    write.add_user(&NewUser::named("ann")).await.unwrap();
    write.add_user(&NewUser::named("bob")).await.unwrap();
    let catalog = write
        .create_object(&NewObject::named(metalake, ObjectKind::Catalog, "c"))
        .await
        .unwrap()
        .id;
    write.set_owner(catalog, &user("ann")).await.unwrap();
    write.commit().await.unwrap();
    let settings = OperationSettings {
        mode,
        ..OperationSettings::default()
    };
    World {
        operations: Operations::new(store, Registry::default(), settings),
        metalake,
        catalog,
    }
}

fn user(name: &str) -> Principal {
    Principal {
        kind: lakeward_metadata::principal::PrincipalKind::User,
        name: name.to_owned(),
    }
}

fn caller(user: &str) -> Caller {
    Caller {
        subject: Subject {
            user: user.to_owned(),
            groups: GroupClaim::Unknown,
        },
        proof: crate::caller::Proof::Foreign,
        active_roles: ActiveRoles::All,
        standing: Standing::default(),
        trust: Trust::Untrusted,
        capabilities: Capabilities::default(),
        request_id: "test".to_owned(),
        remote: None,
    }
}

fn catalog(name: &str) -> CatalogPath {
    CatalogPath {
        metalake: "m".to_owned(),
        catalog: name.to_owned(),
    }
}

async fn may(world: &World, user: &str, requirement: &Requirement) -> bool {
    use crate::named::Names;
    let path = catalog("c");
    let facts = world
        .operations
        .open_gate(&mut caller(user), &path.named())
        .await
        .unwrap();
    authorize(requirement, path, facts.target(), facts.grants()).is_ok()
}

#[tokio::test]
async fn a_repeated_request_asks_no_database() {
    use crate::named::Names;
    let world = world(Mode::Enforced).await;
    assert!(may(&world, "ann", &LOAD_CATALOG).await);
    world.operations.store().close().await;
    assert!(may(&world, "ann", &LOAD_CATALOG).await);
    let not_cached = world
        .operations
        .open_gate(&mut caller("bob"), &catalog("c").named())
        .await;
    assert!(matches!(
        not_cached,
        Err(OperationError::Unavailable { .. } | OperationError::Internal { .. })
    ));
}

#[tokio::test]
async fn every_change_counts_with_the_next_request() {
    let world = world(Mode::Enforced).await;
    let store = world.operations.store().clone();
    assert!(may(&world, "ann", &LOAD_CATALOG).await);
    assert!(!may(&world, "bob", &LOAD_CATALOG).await);
    assert!(may(&world, "bob", &MEMBER).await);
    assert!(!may(&world, "carol", &MEMBER).await);

    let mut write = store
        .write(world.metalake, &[Area::Objects], "ann")
        .await
        .unwrap();
    write.set_owner(world.catalog, &user("bob")).await.unwrap();
    write.commit().await.unwrap();
    assert!(!may(&world, "ann", &LOAD_CATALOG).await);
    assert!(may(&world, "bob", &LOAD_CATALOG).await);

    // A write that was given up changes nothing.
    let mut write = store
        .write(world.metalake, &[Area::Objects], "ann")
        .await
        .unwrap();
    write.set_owner(world.catalog, &user("ann")).await.unwrap();
    write.rollback().await.unwrap();
    assert!(may(&world, "bob", &LOAD_CATALOG).await);

    let mut write = store
        .write(world.metalake, &Area::OF_METALAKE, "ann")
        .await
        .unwrap();
    write.alter_user("bob", None, false).await.unwrap();
    write.commit().await.unwrap();
    assert!(!may(&world, "bob", &MEMBER).await, "suspended");
}

#[tokio::test]
async fn what_is_missing_is_named_from_the_top() {
    use crate::named::Names;
    let world = world(Mode::Off).await;
    let check = async |path: SchemaPath, expected: &str| {
        let facts = world
            .operations
            .open_gate(&mut caller("ann"), &path.named())
            .await
            .unwrap();
        assert!(
            facts
                .target()
                .chain()
                .is_some_and(|chain| !Chain::is_found(chain))
        );
        assert_eq!(facts.row().unwrap_err().to_string(), expected);
    };
    let schema = |metalake: &str, catalog: &str| SchemaPath {
        metalake: metalake.to_owned(),
        catalog: catalog.to_owned(),
        schema: "a:b".to_owned(),
    };
    check(schema("n", "c"), "metalake `n` does not exist").await;
    check(schema("m", "d"), "catalog `d` does not exist").await;
    check(schema("m", "c"), "schema `a:b` does not exist").await;
}

#[tokio::test]
async fn a_caller_of_a_server_that_passes_checks_through_becomes_a_user() {
    let world = world(Mode::PassThrough).await;
    assert!(may(&world, "carol", &LOAD_CATALOG).await);
    assert!(may(&world, "carol", &LOAD_CATALOG).await);
    let mut snapshot = world.operations.store().snapshot().await.unwrap();
    assert!(snapshot.user(world.metalake, "carol").await.unwrap().is_some());
}

#[tokio::test]
async fn a_role_that_is_not_held_cannot_be_active() {
    use crate::named::Names;
    let world = world(Mode::Enforced).await;
    let mut caller = caller("ann");
    caller.active_roles = ActiveRoles::Named(["none".to_owned()].into());
    let found = world
        .operations
        .open_gate(&mut caller, &catalog("c").named())
        .await;
    assert!(matches!(found, Err(OperationError::Forbidden(_))));
}
