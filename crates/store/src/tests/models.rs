// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Versions of models.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind::{Model, Schema};
use lakeward_metadata::model::ModelVersionBody;

use super::scene::{Scene, Tree};
use crate::{Area, StoreError};

pub(super) fn body(aliases: &[&str]) -> ModelVersionBody {
    ModelVersionBody {
        comment: Some("c".to_owned()),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        uris: BTreeMap::from([("unknown".to_owned(), "s3://a".to_owned())]),
        properties: BTreeMap::from([("k".to_owned(), "v".to_owned())]),
    }
}

async fn model(scene: &Scene) -> (Tree, ObjectId) {
    let tree = scene.table().await;
    let model = scene.object(tree.metalake, tree.schema, Model, "n").await;
    (tree, model)
}

async fn link(scene: &Scene, tree: &Tree, model: ObjectId, aliases: &[&str]) -> Result<i64, StoreError> {
    let areas = [Area::Objects];
    let mut write = scene.store.write(tree.metalake, &areas, "bob").await.unwrap();
    let linked = write.link_model_version(model, &body(aliases)).await?;
    write.commit().await.unwrap();
    Ok(linked.version)
}

pub(super) async fn versions_are_counted_named_and_deleted(scene: &Scene) {
    let (tree, model) = model(scene).await;
    assert_eq!(link(scene, &tree, model, &["b", "a"]).await.unwrap(), 0);
    assert_eq!(link(scene, &tree, model, &[]).await.unwrap(), 1);
    // Whoever fails takes no number.
    let taken = link(scene, &tree, model, &["new", "a"]).await.unwrap_err();
    assert!(taken.is_unique(), "{taken}");
    assert_eq!(link(scene, &tree, model, &["A"]).await.unwrap(), 2);

    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.model_version_numbers(model).await.unwrap(), [0, 1, 2]);
    let versions = snapshot.model_versions(model).await.unwrap();
    assert_eq!(versions[0].body, body(&["a", "b"]));
    assert_eq!(versions[0].audit.creator, "bob");
    assert_eq!(versions[1].body.aliases, BTreeSet::new());
    assert_eq!(
        snapshot.model_version(model, 0).await.unwrap().as_ref(),
        Some(&versions[0])
    );
    assert_eq!(snapshot.model_version(model, 9).await.unwrap(), None);
    assert_eq!(
        snapshot.model_version_of_alias(model, "b").await.unwrap(),
        Some(0)
    );
    assert_eq!(snapshot.model_version_of_alias(model, "new").await.unwrap(), None);
    let row = snapshot.object(model).await.unwrap().unwrap().object;
    // Linking counts, and is no change of the model.
    assert_eq!(row.linked_versions().unwrap(), 3);
    assert_eq!(row.audit.last_modifier, None);
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    let mut altered = versions[0].clone();
    altered.body.aliases = body(&["b", "c"]).aliases;
    altered.body.comment = None;
    let altered = write.alter_model_version(model, altered).await.unwrap();
    assert_eq!(altered.audit.last_modifier.as_deref(), Some("ann"));
    assert_eq!(
        write.model_version(model, 0).await.unwrap().as_ref(),
        Some(&altered)
    );
    assert!(write.delete_model_version(model, 0).await.unwrap());
    assert!(!write.delete_model_version(model, 0).await.unwrap());
    write.commit().await.unwrap();

    // The aliases are free again, the number is not.
    assert_eq!(link(scene, &tree, model, &["b"]).await.unwrap(), 3);
    let mut write = scene.write(tree.metalake).await;
    let mut clash = write.model_version(model, 1).await.unwrap().unwrap();
    clash.body.aliases = body(&["b"]).aliases;
    let taken = write.alter_model_version(model, clash).await.unwrap_err();
    assert!(taken.is_unique(), "{taken}");
}

pub(super) async fn versions_go_with_their_model(scene: &Scene) {
    let (tree, model) = model(scene).await;
    let schema = scene.object(tree.metalake, tree.catalog, Schema, "other").await;
    let second = scene.object(tree.metalake, schema, Model, "n").await;
    link(scene, &tree, model, &["a"]).await.unwrap();
    link(scene, &tree, second, &["a"]).await.unwrap();
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(model).await.unwrap();
    write.commit().await.unwrap();
    assert!(link(scene, &tree, model, &[]).await.unwrap_err().is_missing());
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.model_versions(model).await.unwrap(), []);
    assert_eq!(snapshot.model_version_of_alias(model, "a").await.unwrap(), None);
    assert_eq!(snapshot.model_version_numbers(second).await.unwrap(), [0]);
    drop(snapshot);
    // A new model of the name begins anew.
    let again = scene.object(tree.metalake, tree.schema, Model, "n").await;
    assert_eq!(link(scene, &tree, again, &["a"]).await.unwrap(), 0);
}

pub(super) async fn links_at_the_same_time_get_numbers_of_their_own(scene: &Scene) {
    let (tree, model) = model(scene).await;
    let node = scene.node().await;
    let links = (0..12).map(|number| {
        let store = if number % 2 == 0 { &scene.store } else { &node };
        async move {
            let mut write = store.write(tree.metalake, &[Area::Objects], "bob").await.unwrap();
            // Every third one wants the same alias.
            let aliases: &[&str] = if number % 3 == 0 { &["latest"] } else { &[] };
            match write.link_model_version(model, &body(aliases)).await {
                Ok(linked) => {
                    write.commit().await.unwrap();
                    Some(linked.version)
                }
                Err(error) => {
                    assert!(error.is_unique(), "{error}");
                    None
                }
            }
        }
    });
    let linked = futures::future::join_all(links).await;
    let mut numbers: Vec<i64> = linked.into_iter().flatten().collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..9).collect::<Vec<i64>>());
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let versions = snapshot.model_versions(model).await.unwrap();
    let named = versions.iter().filter(|version| !version.body.aliases.is_empty());
    assert_eq!(named.count(), 1);
}
