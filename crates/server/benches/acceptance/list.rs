// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of tables: of ten thousand with authorization against the same without, also with a thousand scattered denials;
//! and of the ten that are visible of a hundred thousand against ten that are all there is.

use lakeward_authorization::condition::Condition;
use lakeward_authorization::privilege::Privilege;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::Write;

use crate::measure::{compare, size};
use crate::scene::{ALL, Scene, allow, create, named, say, user};

/// How ten thousand tables come to be visible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grants {
    /// Authorization is off.
    None,
    /// One for each.
    Each,
    /// One for the schema, and a denial of every tenth table.
    SchemaButDenials,
}

/// The role `reader` of ann, who may use the catalog and the schema.
async fn reader(
    write: &mut Write,
    metalake: ObjectId,
    catalog: ObjectId,
    schemas: &[(ObjectId, &str)],
) -> ObjectId {
    let role = create(write, metalake, ObjectKind::Role, "reader").await;
    write.grant_role(role, &user("ann")).await.unwrap();
    allow(
        write,
        role,
        catalog,
        named(ObjectKind::Catalog, "c"),
        Privilege::UseCatalog,
    )
    .await;
    for (schema, name) in schemas {
        allow(
            write,
            role,
            *schema,
            named(ObjectKind::Schema, name),
            Privilege::UseSchema,
        )
        .await;
    }
    role
}

async fn scene(grants: Grants) -> Scene {
    let scene = Scene::start(grants != Grants::None).await;
    let (metalake, catalog, schema) = scene.tree().await;
    let store = scene.server.app.operations.store();
    let mut write = store.write(metalake, ALL, "root").await.unwrap();
    let role = reader(&mut write, metalake, catalog, &[(schema, "c.s")]).await;
    if grants == Grants::SchemaButDenials {
        let all = create(&mut write, metalake, ObjectKind::Role, "all").await;
        write.grant_role(all, &user("ann")).await.unwrap();
        allow(
            &mut write,
            all,
            schema,
            named(ObjectKind::Schema, "c.s"),
            Privilege::SelectTable,
        )
        .await;
    }
    for number in 0..size(10_000) {
        let name = format!("table_{number:05}");
        let table = create(&mut write, schema, ObjectKind::Table, &name).await;
        let object = named(ObjectKind::Table, &format!("c.s.{name}"));
        match grants {
            Grants::None => {}
            Grants::Each => allow(&mut write, role, table, object, Privilege::SelectTable).await,
            Grants::SchemaButDenials if number % 10 == 7 => {
                say(
                    &mut write,
                    role,
                    table,
                    object,
                    Privilege::SelectTable,
                    Condition::Deny,
                )
                .await;
            }
            Grants::SchemaButDenials => {}
        }
    }
    write.commit().await.unwrap();
    scene
}

fn tables(scene: &Scene, schema: &str) -> String {
    format!(
        "http://{}/api/metalakes/m/catalogs/c/schemas/{schema}/tables",
        scene.server.native_addr
    )
}

async fn compare_scenes(checked: &Scene, open: &Scene, how: &str) {
    let (checked_url, open_url) = (tables(checked, "s"), tables(open, "s"));
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
        &format!("list of {} tables", size(10_000)),
        [how, "without authorization"],
        "at most 1.1",
    );
}

pub(crate) async fn run() {
    let open = scene(Grants::None).await;
    let each = scene(Grants::Each).await;
    assert_eq!(
        each.get(&tables(&each, "s"), "ann").await,
        open.get(&tables(&open, "s"), "ann").await,
        "both see all tables"
    );
    compare_scenes(&each, &open, "with a grant for each").await;
    each.server.stop().await;
    let denied = scene(Grants::SchemaButDenials).await;
    assert!(
        denied.get(&tables(&denied, "s"), "ann").await < open.get(&tables(&open, "s"), "ann").await,
        "some are denied"
    );
    compare_scenes(&denied, &open, "with 1 in 10 denied").await;
    denied.server.stop().await;
    open.server.stop().await;
    few_of_many().await;
}

/// Ten tables that ann may see: among a hundred thousand in the schema `s`, and by themselves in the schema `few`.
async fn few_of_many() {
    let many = size(100_000);
    let scene = Scene::start(true).await;
    let (metalake, catalog, schema) = scene.tree().await;
    let store = scene.server.app.operations.store();
    let mut write = store.write(metalake, ALL, "root").await.unwrap();
    let few = create(&mut write, catalog, ObjectKind::Schema, "few").await;
    let schemas = [(schema, "c.s"), (few, "c.few")];
    let role = reader(&mut write, metalake, catalog, &schemas).await;
    for number in 0..many {
        let name = format!("table_{number:06}");
        let table = create(&mut write, schema, ObjectKind::Table, &name).await;
        if number % (many / 10) == 0 {
            let object = named(ObjectKind::Table, &format!("c.s.{name}"));
            allow(&mut write, role, table, object, Privilege::SelectTable).await;
            let table = create(&mut write, few, ObjectKind::Table, &name).await;
            let object = named(ObjectKind::Table, &format!("c.few.{name}"));
            allow(&mut write, role, table, object, Privilege::SelectTable).await;
        }
    }
    write.commit().await.unwrap();
    let (of_many, of_few) = (tables(&scene, "s"), tables(&scene, "few"));
    compare(
        async || {
            scene.get(&of_many, "ann").await;
        },
        async || {
            scene.get(&of_few, "ann").await;
        },
    )
    .await
    .print(
        "list of 10 tables",
        [&format!("10 visible of {many}"), "10 of 10"],
        "at most 2",
    );
    scene.server.stop().await;
}
