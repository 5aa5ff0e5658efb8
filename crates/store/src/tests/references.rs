// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whatever is dropped, nothing that is left refers to it.

#![expect(clippy::disallowed_methods, reason = "looks into the tables from outside")]

use lakeward_authorization::condition::Condition::Allow;
use lakeward_authorization::privilege::Privilege::{ApplyTag, SelectTable};
use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_metadata::kind::ObjectKind::{Fileset, Job, JobTemplate, Model, Role, Table, Tag};
use sqlx::Row as _;

use super::scene::{Scene, Tree, group, named, user};
use crate::{Area, NewGroup, NewJob, NewObject, NewPolicy, Store, StoredSelector};

/// Every column that refers to an object which may end.
const REFERENCES: [(&str, &str); 19] = [
    ("owner", "object_id"),
    ("role_user", "role_id"),
    ("role_group", "role_id"),
    ("role_object", "role_id"),
    ("role_object", "object_id"),
    ("tag_assignment", "tag_id"),
    ("tag_assignment", "object_id"),
    ("policy_tag", "policy_id"),
    ("policy_tag", "tag_id"),
    ("policy_object", "policy_id"),
    ("policy_object", "object_id"),
    ("iceberg_table", "table_id"),
    ("model_version", "model_id"),
    ("model_version_alias", "model_id"),
    ("table_location", "table_id"),
    ("fileset_location", "fileset_id"),
    ("metalake_user", "metalake_id"),
    ("job", "job_id"),
    ("job", "metalake_id"),
];

async fn count(store: &Store, text: String) -> i64 {
    sqlx::query(sqlx::AssertSqlSafe(text))
        .fetch_one(&store.inner.pool)
        .await
        .unwrap()
        .get(0)
}

/// Objects of every kind that refer to each other in every way. Gives the table, a role, a tag and a policy.
async fn fill(scene: &Scene, tree: &Tree) -> [lakeward_metadata::id::ObjectId; 4] {
    let mut write = scene.write(tree.metalake).await;
    write.add_group(&NewGroup::named("staff")).await.unwrap();
    let mut ids = Vec::new();
    for (kind, name) in [(Role, "r"), (Tag, "t")] {
        let new = NewObject::named(tree.metalake, kind, name);
        ids.push(write.create_object(&new).await.unwrap().id);
    }
    let (role, tag) = (ids[0], ids[1]);
    let policy = NewPolicy {
        name: "p".to_owned(),
        comment: None,
        policy_type: "custom".to_owned(),
        is_enabled: true,
        content_schema: "custom 1".to_owned(),
        content: "{}".to_owned(),
    };
    let policy = write.create_policy(&policy).await.unwrap().object.object.id;
    for object in [tree.catalog, tree.schema, tree.table, role, tag, policy] {
        write.set_owner(object, &user("ann")).await.unwrap();
    }
    write.grant_role(role, &user("ann")).await.unwrap();
    write.grant_role(role, &group("staff")).await.unwrap();
    for (id, object, privilege) in [
        (tree.table, named(Table, "c.s.t"), SelectTable),
        (tag, named(Tag, "t"), ApplyTag),
    ] {
        let privileges = vec![ConditionedPrivilege {
            privilege,
            condition: Allow,
        }];
        let securable = SecurableObject::new(object, privileges).unwrap();
        write.put_role_object(role, Some(id), &securable).await.unwrap();
    }
    let column = write.ensure_column(tree.table, 1).await.unwrap().id;
    for object in [tree.schema, tree.table, column] {
        write.assign_tag(tag, object, None).await.unwrap();
    }
    write.attach_policy(policy, tree.table).await.unwrap();
    let selector = StoredSelector {
        selector_type: "ALL_VALUES".to_owned(),
        value: None,
    };
    write.put_policy_on_tag(policy, tag, &selector).await.unwrap();
    let template = NewObject::named(tree.metalake, JobTemplate, "j");
    let template = write.create_object(&template).await.unwrap().id;
    let job = NewObject::named(tree.metalake, Job, "job-1");
    let job = write.create_object(&job).await.unwrap().id;
    let new = NewJob {
        template,
        template_name: "j".to_owned(),
        executor: "x".to_owned(),
    };
    write.insert_job(job, &new).await.unwrap();
    write.claim_table_location(tree.table, "file:///t").await.unwrap();
    let model = NewObject::named(tree.schema, Model, "n");
    let model = write.create_object(&model).await.unwrap().id;
    let body = super::models::body(&["latest"]);
    write.link_model_version(model, &body).await.unwrap();
    let fileset = NewObject::named(tree.schema, Fileset, "f");
    let fileset = write.create_object(&fileset).await.unwrap().id;
    super::filesets::claim(&mut write, fileset, "file:///f", &[]).await;
    write.commit().await.unwrap();
    [tree.table, role, tag, policy]
}

pub(super) async fn nothing_refers_to_what_is_dropped(scene: &Scene) {
    let tree = scene.table().await;
    let kinds = fill(scene, &tree).await;
    for (table, _) in REFERENCES {
        let rows = count(&scene.store, format!("SELECT count(*) FROM {table}")).await;
        assert!(rows > 0, "{table} is empty, so this test shows nothing of it");
    }
    let areas = [&[Area::Server], &Area::OF_METALAKE[..]].concat();
    for dropped in kinds.into_iter().chain([tree.catalog, tree.metalake]) {
        let mut write = scene.store.write(tree.metalake, &areas, "ann").await.unwrap();
        write.drop_object(dropped).await.unwrap();
        write.commit().await.unwrap();
        for (table, column) in REFERENCES {
            let text = format!(
                "SELECT count(*) FROM {table} JOIN object ON object.id = {table}.{column} WHERE object.deleted_at <> 0"
            );
            assert_eq!(
                count(&scene.store, text).await,
                0,
                "{table}.{column} refers to the dead"
            );
        }
        let text = "SELECT count(*) FROM role_privilege
            WHERE role_object_id NOT IN (SELECT role_object.id FROM role_object)";
        assert_eq!(count(&scene.store, text.to_owned()).await, 0);
    }
}
