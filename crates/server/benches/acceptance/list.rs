// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A list of ten thousand tables for somebody who holds ten thousand grants, against the same list without checks.

use lakeward_authorization::privilege::Privilege;
use lakeward_metadata::kind::ObjectKind;

use crate::measure::compare;
use crate::scene::{ALL, Scene, allow, create, named, user};

const TABLES: usize = 10_000;

async fn scene(has_authorization: bool) -> Scene {
    let scene = Scene::start(has_authorization).await;
    let (metalake, catalog, schema) = scene.tree().await;
    let store = scene.server.app.operations.store();
    let mut write = store.write(metalake, ALL, "root").await.unwrap();
    let role = create(&mut write, metalake, ObjectKind::Role, "reader").await;
    write.grant_role(role, &user("ann")).await.unwrap();
    allow(
        &mut write,
        role,
        catalog,
        named(ObjectKind::Catalog, "c"),
        Privilege::UseCatalog,
    )
    .await;
    allow(
        &mut write,
        role,
        schema,
        named(ObjectKind::Schema, "c.s"),
        Privilege::UseSchema,
    )
    .await;
    for number in 0..TABLES {
        let name = format!("table_{number:05}");
        let table = create(&mut write, schema, ObjectKind::Table, &name).await;
        if has_authorization {
            let object = named(ObjectKind::Table, &format!("c.s.{name}"));
            allow(&mut write, role, table, object, Privilege::SelectTable).await;
        }
    }
    write.commit().await.unwrap();
    scene
}

pub(crate) async fn run() {
    let (checked, open) = (scene(true).await, scene(false).await);
    let url = |scene: &Scene| {
        format!(
            "http://{}/api/metalakes/m/catalogs/c/schemas/s/tables",
            scene.server.native_addr
        )
    };
    let (checked_url, open_url) = (url(&checked), url(&open));
    assert_eq!(
        checked.get(&checked_url, "ann").await,
        open.get(&open_url, "ann").await,
        "both see all tables"
    );
    compare(
        async || {
            checked.get(&checked_url, "ann").await;
        },
        async || {
            open.get(&open_url, "ann").await;
        },
    )
    .await
    .print(
        "list of 10000 tables",
        ["with 10000 grants", "without authorization"],
        "at most 1.1",
    );
    checked.server.stop().await;
    open.server.stop().await;
}
