// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tree.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind::{
    Catalog, Column, Fileset, Metalake, Role, Schema, Table, Tag, View,
};
use lakeward_metadata::object::MetadataObject;

use super::scene::{Scene, named, user};
use crate::{Area, Assignments, NewObject, ObjectChange, Page, StoreError};

pub(super) async fn creates_loads_and_alters(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let mut write = scene.write(metalake).await;
    let made = write
        .create_object(&NewObject {
            comment: Some("first".to_owned()),
            properties: [("k".to_owned(), "v".to_owned())].into(),
            detail: serde_json::json!({"provider": "lakehouse-iceberg"}),
            ..NewObject::named(metalake, Catalog, "c")
        })
        .await
        .unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let loaded = snapshot.object(made.id).await.unwrap().unwrap();
    assert_eq!(loaded.object, made);
    assert_eq!(loaded.owner, None);
    assert_eq!(
        snapshot.child(metalake, Catalog, "c").await.unwrap().unwrap(),
        loaded
    );
    assert_eq!(snapshot.child(metalake, Catalog, "C").await.unwrap(), None);
    assert_eq!(snapshot.metalake_id("m").await.unwrap(), Some(metalake));
    drop(snapshot);

    let mut write = scene.write(metalake).await;
    let altered = write
        .alter_object(
            made.id,
            &ObjectChange {
                comment: Some(None),
                properties: Some([("k".to_owned(), "w".to_owned())].into()),
                detail: None,
            },
        )
        .await
        .unwrap();
    write.commit().await.unwrap();
    assert_eq!(altered.comment, None);
    assert_eq!(altered.detail, made.detail);
    assert_eq!(altered.audit.last_modifier.as_deref(), Some("ann"));
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.object(made.id).await.unwrap().unwrap().object, altered);
}

pub(super) async fn names_are_unique_among_the_living(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let error = write
        .create_object(&NewObject::named(tree.schema, Table, "t"))
        .await
        .unwrap_err();
    assert!(error.is_unique(), "{error}");
    drop(write);

    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.table).await.unwrap();
    let again = write
        .create_object(&NewObject::named(tree.schema, Table, "t"))
        .await
        .unwrap();
    write.commit().await.unwrap();
    assert_ne!(again.id, tree.table);
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.object(tree.table).await.unwrap(), None);
    assert_eq!(snapshot.table_pointer(again.id).await.unwrap(), None);
}

pub(super) async fn tables_and_views_share_names(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let error = write
        .create_object(&NewObject::named(tree.schema, View, "t"))
        .await
        .unwrap_err();
    assert!(error.is_unique(), "{error}");
    drop(write);

    scene.object(tree.metalake, tree.schema, View, "v").await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert!(snapshot.child(tree.schema, Table, "v").await.unwrap().is_none());
    let chain = snapshot.chain("m", &named(Table, "c.s.v")).await.unwrap();
    assert!(!chain.is_found);
    assert_eq!(chain.rows.len(), 3);
    assert!(snapshot.chain("m", &named(View, "c.s.v")).await.unwrap().is_found);
}

pub(super) async fn a_chain_ends_where_something_is_missing(scene: &Scene) {
    let tree = scene.table().await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    for (metalake, kind, name, rows, is_found) in [
        ("m", Metalake, "m", 1, true),
        ("m", Catalog, "c", 2, true),
        ("m", Table, "c.s.t", 4, true),
        ("m", Column, "c.s.t.x", 4, true),
        ("m", Table, "c.s.u", 3, false),
        ("m", Table, "c.x.t", 2, false),
        ("m", Table, "x.s.t", 1, false),
        ("n", Table, "c.s.t", 0, false),
        ("m", Tag, "no.such", 1, false),
    ] {
        let chain = snapshot.chain(metalake, &named(kind, name)).await.unwrap();
        assert_eq!(
            (chain.rows.len(), chain.is_found),
            (rows, is_found),
            "{kind} {name}"
        );
        assert_eq!(chain.to_decide().is_found(), is_found);
    }
    let chain = snapshot.chain("m", &named(Table, "c.s.t")).await.unwrap();
    assert_eq!(chain.metalake().unwrap().owner, Some(user("ann")));
    assert_eq!(chain.of_kind(Schema).unwrap().object.id, tree.schema);
    assert_eq!(chain.object().unwrap().object.id, tree.table);
    assert_eq!(snapshot.ancestors(tree.table).await.unwrap(), chain.rows);
}

pub(super) async fn chains_walk_nested_schemas(scene: &Scene) {
    let tree = scene.table().await;
    let a = scene.object(tree.metalake, tree.catalog, Schema, "a").await;
    let b = scene.object(tree.metalake, a, Schema, "b").await;
    let t = scene.object(tree.metalake, b, Table, "t").await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let chain = snapshot.chain("m", &named(Table, "c.a:b.t")).await.unwrap();
    let ids: Vec<_> = chain.rows.iter().map(|row| row.object.id).collect();
    assert_eq!(ids, [tree.metalake, tree.catalog, a, b, t]);
    assert_eq!(chain.of_kind(Schema).unwrap().object.id, b);
    let chain = snapshot.chain("m", &named(Table, "c.a:x.t")).await.unwrap();
    assert_eq!((chain.rows.len(), chain.is_found), (3, false));
    assert_eq!(
        snapshot.full_name(t).await.unwrap(),
        Some(named(Table, "c.a:b.t"))
    );
}

pub(super) async fn a_chain_survives_odd_names(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    for name in ["ü.ber 'quoted' \"x\"", "0004tag0", "%_", "x".repeat(500).as_str()] {
        let id = scene.object(metalake, metalake, Tag, name).await;
        let mut snapshot = scene.store.snapshot().await.unwrap();
        let object = MetadataObject {
            kind: Tag,
            path: vec![name.to_owned()],
        };
        let chain = snapshot.chain("m", &object).await.unwrap();
        assert_eq!(chain.object().unwrap().object.id, id);
    }
    let mut snapshot = scene.store.snapshot().await.unwrap();
    for name in ["nul\0", "", "x".repeat(10_000).as_str()] {
        let object = MetadataObject {
            kind: Tag,
            path: vec![name.to_owned()],
        };
        assert!(!snapshot.chain("m", &object).await.unwrap().is_found);
    }
}

pub(super) async fn a_rename_keeps_the_id(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    write.rename_object(tree.schema, "s2").await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let chain = snapshot.chain("m", &named(Table, "c.s2.t")).await.unwrap();
    assert_eq!(chain.object().unwrap().object.id, tree.table);
    assert!(
        !snapshot
            .chain("m", &named(Table, "c.s.t"))
            .await
            .unwrap()
            .is_found
    );
}

pub(super) async fn a_move_takes_along_what_is_its_own(scene: &Scene) {
    let tree = scene.table().await;
    let s2 = scene.object(tree.metalake, tree.catalog, Schema, "s2").await;
    let (mine, old, new) = (
        scene.object(tree.metalake, tree.metalake, Tag, "mine").await,
        scene.object(tree.metalake, tree.metalake, Tag, "old").await,
        scene.object(tree.metalake, tree.metalake, Tag, "new").await,
    );
    let mut write = scene.write(tree.metalake).await;
    write.set_owner(tree.table, &user("ann")).await.unwrap();
    for (tag, object) in [(mine, tree.table), (old, tree.schema), (new, s2)] {
        assert!(write.assign_tag(tag, object, None).await.unwrap());
    }
    write.move_object(tree.table, s2, "t2").await.unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let chain = snapshot.chain("m", &named(Table, "c.s2.t2")).await.unwrap();
    assert_eq!(chain.object().unwrap().object.id, tree.table);
    assert_eq!(chain.object().unwrap().owner, Some(user("ann")));
    let tags: Vec<_> = snapshot
        .assigned_tags(tree.table)
        .await
        .unwrap()
        .into_iter()
        .map(|assigned| assigned.tag.object.name)
        .collect();
    assert_eq!(tags, ["mine", "new"]);
    assert!(snapshot.child(tree.schema, Table, "t").await.unwrap().is_none());
    drop(snapshot);
    scene.object(tree.metalake, tree.schema, Table, "t").await;
}

pub(super) async fn a_move_below_itself_is_refused(scene: &Scene) {
    let tree = scene.table().await;
    let other = scene.metalake("n").await;
    let inner = scene.object(tree.metalake, tree.schema, Schema, "inner").await;
    let mut write = scene.write(tree.metalake).await;
    for parent in [inner, tree.schema, other] {
        let error = write.move_object(tree.schema, parent, "x").await.unwrap_err();
        assert!(error.is_missing(), "{error}");
    }
}

pub(super) async fn a_drop_ends_all_below(scene: &Scene) {
    let tree = scene.table().await;
    let tag = scene.object(tree.metalake, tree.metalake, Tag, "pii").await;
    let mut write = scene.write(tree.metalake).await;
    let column = write.ensure_column(tree.table, 3).await.unwrap();
    assert_eq!(write.ensure_column(tree.table, 3).await.unwrap().id, column.id);
    write.set_owner(tree.table, &user("ann")).await.unwrap();
    write.assign_tag(tag, column.id, Some("x")).await.unwrap();
    write.assign_tag(tag, tree.schema, None).await.unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert!(snapshot.has_children(tree.catalog).await.unwrap());
    assert!(snapshot.has_children(tree.schema).await.unwrap());
    assert!(!snapshot.has_children(tree.table).await.unwrap());
    assert!(snapshot.column(tree.table, 3).await.unwrap().is_some());
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    let dropped = write.drop_object(tree.catalog).await.unwrap();
    write.commit().await.unwrap();
    let kinds: Vec<_> = dropped.iter().map(|object| object.kind).collect();
    assert_eq!(kinds, [Catalog, Schema, Table, Column]);
    assert_eq!(dropped[2].metadata_location.as_deref(), Some("loc/1"));

    let mut snapshot = scene.store.snapshot().await.unwrap();
    for id in [tree.catalog, tree.schema, tree.table, column.id] {
        assert_eq!(snapshot.object(id).await.unwrap(), None);
        assert_eq!(snapshot.owner(id).await.unwrap(), None);
        assert!(snapshot.ancestors(id).await.unwrap().is_empty());
    }
    assert_eq!(snapshot.table_pointer(tree.table).await.unwrap(), None);
    assert!(snapshot.tagged_objects(tag).await.unwrap().is_empty());
    assert!(!snapshot.has_children(tree.metalake).await.unwrap());
    drop(snapshot);
    let mut write = scene.write(tree.metalake).await;
    assert!(write.drop_object(tree.catalog).await.unwrap_err().is_missing());
}

pub(super) async fn a_metalake_goes_with_everything(scene: &Scene) {
    let tree = scene.table().await;
    scene.object(tree.metalake, tree.metalake, Role, "r").await;
    let areas = [&[Area::Server], &Area::OF_METALAKE[..]].concat();
    let mut write = scene.store.write(tree.metalake, &areas, "ann").await.unwrap();
    write.drop_object(tree.metalake).await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(scene.store.current("m").await.unwrap(), None);
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.metalakes_of_user("ann").await.unwrap(), []);
    assert_eq!(snapshot.users(tree.metalake).await.unwrap(), []);
    drop(snapshot);
    assert_ne!(scene.metalake("m").await, tree.metalake);
}

pub(super) async fn lists_are_paged_by_bytes(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    for name in ["B", "a", "Z", "ä", "_", "a1"] {
        write
            .create_object(&NewObject::named(tree.schema, Table, name))
            .await
            .unwrap();
    }
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let all: Vec<_> = snapshot
        .children(tree.schema, Table, &Page::ALL)
        .await
        .unwrap()
        .into_iter()
        .map(|child| child.name)
        .collect();
    assert_eq!(all, ["B", "Z", "_", "a", "a1", "t", "ä"]);
    let mut paged = Vec::new();
    let mut page = Page {
        after: None,
        limit: Some(3),
    };
    loop {
        let rows = snapshot
            .children_in_full(tree.schema, Table, &page)
            .await
            .unwrap();
        let Some(last) = rows.last() else { break };
        page.after = Some(last.object.name.clone());
        paged.extend(rows.into_iter().map(|row| row.object.name));
    }
    assert_eq!(paged, all);
    assert_eq!(
        snapshot.children(tree.schema, View, &Page::ALL).await.unwrap(),
        []
    );
}

pub(super) async fn a_write_names_its_areas(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene
        .store
        .write(tree.metalake, &[Area::Governance], "ann")
        .await
        .unwrap();
    let error = write.rename_object(tree.table, "x").await.unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::UndeclaredArea {
                area: Area::Objects,
                ..
            }
        ),
        "{error}"
    );
    let tag = write
        .create_object(&NewObject::named(tree.metalake, Tag, "pii"))
        .await
        .unwrap();
    assert_eq!(
        write
            .unassign_tag(tag.id, tree.table, Assignments::All)
            .await
            .unwrap(),
        0
    );
    assert!(
        write
            .create_object(&NewObject::named(crate::ROOT, Metalake, "n"))
            .await
            .is_err()
    );
    let missing = scene.store.write(tree.table, &[Area::Objects], "ann");
    drop(write);
    assert!(missing.await.unwrap_err().is_missing());
}

pub(super) async fn a_dropped_write_leaves_nothing(scene: &Scene) {
    let tree = scene.table().await;
    let before = scene.store.current("m").await.unwrap().unwrap();
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.catalog).await.unwrap();
    assert!(write.object(tree.table).await.unwrap().is_none());
    drop(write);
    let mut write = scene.write(tree.metalake).await;
    assert!(write.object(tree.table).await.unwrap().is_some());
    write.rollback().await.unwrap();
    assert_eq!(scene.store.current("m").await.unwrap().unwrap(), before);
}

pub(super) async fn metalakes_do_not_touch_each_other(scene: &Scene) {
    let tree = scene.table().await;
    let other = scene.metalake("n").await;
    let mut write = scene.write(other).await;
    assert!(
        write
            .rename_object(tree.table, "x")
            .await
            .unwrap_err()
            .is_missing()
    );
    assert!(write.drop_object(tree.table).await.unwrap_err().is_missing());
    let new = NewObject::named(tree.schema, Table, "x");
    assert!(write.create_object(&new).await.unwrap_err().is_missing());
    let tag = write
        .create_object(&NewObject::named(other, Tag, "pii"))
        .await
        .unwrap();
    assert!(
        write
            .assign_tag(tag.id, tree.table, None)
            .await
            .unwrap_err()
            .is_missing()
    );
}

pub(super) async fn ways_of_several_are_told_apart(scene: &Scene) {
    let tree = scene.table().await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let several = [tree.table, tree.catalog, ObjectId::new(999_999), tree.metalake];
    let ways = snapshot.ancestors_of(&several).await.unwrap();
    assert_eq!(ways.len(), 3);
    for id in [tree.table, tree.catalog, tree.metalake] {
        assert_eq!(ways.get(&id), Some(&snapshot.ancestors(id).await.unwrap()));
    }
    assert!(snapshot.ancestors_of(&[]).await.unwrap().is_empty());
}

pub(super) async fn secrets_are_found_below(scene: &Scene) {
    let tree = scene.table().await;
    let urn = |owner: u64| format!("urn:gravitino-secret:files:fileset:{owner}:k");
    let mut write = scene.write(tree.metalake).await;
    for (name, property) in [("f", urn(7)), ("g", "plain".to_owned())] {
        let fileset = NewObject {
            properties: [("k".to_owned(), property)].into(),
            ..NewObject::named(tree.schema, Fileset, name)
        };
        write.create_object(&fileset).await.unwrap();
    }
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    for (object, expected) in [(tree.metalake, 1), (tree.schema, 1), (tree.table, 0)] {
        let found = snapshot.secret_properties_below(object).await.unwrap();
        assert_eq!(found.len(), expected);
        assert!(
            found
                .iter()
                .all(|properties| properties.get("k") == Some(&urn(7)))
        );
    }
}
