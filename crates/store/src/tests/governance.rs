// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags, policies, facts.

use lakeward_metadata::kind::ObjectKind::{Schema, Table, Tag};

use super::scene::{Scene, named};
use crate::{Assignments, NewPolicy, StoredSelector};

fn all_values() -> StoredSelector {
    StoredSelector {
        selector_type: "ALL_VALUES".to_owned(),
        value: None,
    }
}

fn policy(name: &str) -> NewPolicy {
    NewPolicy {
        name: name.to_owned(),
        comment: Some("why".to_owned()),
        policy_type: "system_row_filter".to_owned(),
        is_enabled: false,
        content_schema: "read-restrictions-content 1".to_owned(),
        content: r#"{"expression":"a"}"#.to_owned(),
    }
}

pub(super) async fn tags_inherit_over_every_level(scene: &Scene) {
    let tree = scene.table().await;
    let a = scene.object(tree.metalake, tree.catalog, Schema, "a").await;
    let b = scene.object(tree.metalake, a, Schema, "b").await;
    let table = scene.object(tree.metalake, b, Table, "t").await;
    let pii = scene.object(tree.metalake, tree.metalake, Tag, "pii").await;
    let tier = scene.object(tree.metalake, tree.metalake, Tag, "tier").await;
    let mut write = scene.write(tree.metalake).await;
    write.assign_tag(pii, a, Some("far")).await.unwrap();
    write.assign_tag(pii, table, Some("near")).await.unwrap();
    write.assign_tag(tier, tree.catalog, None).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let tags: Vec<_> = snapshot
        .assigned_tags(table)
        .await
        .unwrap()
        .into_iter()
        .map(|assigned| {
            (
                assigned.tag.object.name,
                assigned.distance,
                assigned.value,
                assigned.object_id,
            )
        })
        .collect();
    assert_eq!(
        tags,
        [
            ("pii".to_owned(), 0, Some("near".to_owned()), table),
            ("pii".to_owned(), 2, Some("far".to_owned()), a),
            ("tier".to_owned(), 3, None, tree.catalog),
        ]
    );
}

pub(super) async fn a_dropped_tag_takes_only_its_own(scene: &Scene) {
    let tree = scene.table().await;
    let other = scene.metalake("m2").await;
    let foreign = scene.object(other, other, Tag, "t1").await;
    let t1 = scene.object(tree.metalake, tree.metalake, Tag, "t1").await;
    let t2 = scene.object(tree.metalake, tree.metalake, Tag, "t2").await;
    let mut write = scene.write(tree.metalake).await;
    let column = write.ensure_column(tree.table, 1).await.unwrap().id;
    for tag in [t1, t2] {
        write.assign_tag(tag, column, None).await.unwrap();
    }
    let filter = write.create_policy(&policy("p")).await.unwrap().object.object.id;
    write.put_policy_on_tag(filter, t1, &all_values()).await.unwrap();
    write.put_policy_on_tag(filter, t2, &all_values()).await.unwrap();
    write.drop_object(t1).await.unwrap();
    write.commit().await.unwrap();

    let again = scene.object(tree.metalake, tree.metalake, Tag, "t1").await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert!(snapshot.object(foreign).await.unwrap().is_some());
    assert!(snapshot.tagged_objects(again).await.unwrap().is_empty());
    assert!(snapshot.policies_of_tag(again).await.unwrap().is_empty());
    let tagged = snapshot.tagged_objects(t2).await.unwrap();
    assert_eq!(tagged[0].object.full_name(), "c.s.t.1");
    let facts = snapshot.governance_facts(tree.table).await.unwrap();
    assert_eq!(facts.assignments.len(), 1);
    assert_eq!(facts.policies.len(), 1);
    assert_eq!(facts.policies[0].tag_id, t2);
    let tags: Vec<_> = snapshot
        .tags_of_policy(filter)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.tag_name)
        .collect();
    assert_eq!(tags, ["t2"]);
}

pub(super) async fn values_come_and_go(scene: &Scene) {
    let tree = scene.table().await;
    let tag = scene.object(tree.metalake, tree.metalake, Tag, "tier").await;
    let mut write = scene.write(tree.metalake).await;
    for (value, is_new) in [
        (Some("a"), true),
        (Some("a"), false),
        (Some("b"), true),
        (None, true),
        (None, false),
    ] {
        assert_eq!(
            write.assign_tag(tag, tree.table, value).await.unwrap(),
            is_new,
            "{value:?}"
        );
    }
    assert_eq!(write.tagged_objects(tag).await.unwrap()[0].values, ["a", "b"]);
    for (which, count) in [
        (Assignments::Valued("a"), 1),
        (Assignments::Valued("a"), 0),
        (Assignments::Valueless, 1),
        (Assignments::All, 1),
        (Assignments::All, 0),
    ] {
        assert_eq!(
            write.unassign_tag(tag, tree.table, which).await.unwrap(),
            count,
            "{which:?}"
        );
    }
    assert!(write.tagged_objects(tag).await.unwrap().is_empty());
}

pub(super) async fn policies_keep_every_revision(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let mut write = scene.write(metalake).await;
    let made = write.create_policy(&policy("p")).await.unwrap();
    let id = made.object.object.id;
    assert!(write.policy(id).await.unwrap() == Some(made));
    let revised = write
        .revise_policy(id, "read-restrictions-content 1", "{}")
        .await
        .unwrap();
    assert_eq!((revised.state.revision, revised.state.is_enabled), (2, false));
    let enabled = write.enable_policy(id, true).await.unwrap();
    assert_eq!((enabled.state.revision, enabled.state.is_enabled), (3, true));
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.policies(metalake).await.unwrap(), [enabled]);
    let revisions: Vec<_> = snapshot
        .policy_revisions(id)
        .await
        .unwrap()
        .into_iter()
        .map(|row| (row.revision, row.content, row.is_enabled, row.author))
        .collect();
    let ann = || "ann".to_owned();
    assert_eq!(
        revisions,
        [
            (3, "{}".to_owned(), true, ann()),
            (2, "{}".to_owned(), false, ann()),
            (1, r#"{"expression":"a"}"#.to_owned(), false, ann()),
        ]
    );
    drop(snapshot);
    let mut write = scene.write(metalake).await;
    assert!(write.enable_policy(metalake, true).await.is_err());
    assert!(write.create_policy(&policy("p")).await.unwrap_err().is_unique());
}

pub(super) async fn facts_of_a_table(scene: &Scene) {
    let tree = scene.table().await;
    let region = scene.object(tree.metalake, tree.metalake, Tag, "region").await;
    let pii = scene.object(tree.metalake, tree.metalake, Tag, "pii").await;
    let idle = scene.object(tree.metalake, tree.metalake, Tag, "idle").await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let nothing = snapshot.governance_facts(tree.table).await.unwrap();
    assert!(nothing.assignments.is_empty() && nothing.policies.is_empty());
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    let column = write.ensure_column(tree.table, 7).await.unwrap().id;
    write.assign_tag(region, tree.schema, Some("eu")).await.unwrap();
    write.assign_tag(pii, column, None).await.unwrap();
    let filter = write
        .create_policy(&policy("filter"))
        .await
        .unwrap()
        .object
        .object
        .id;
    let unused = write
        .create_policy(&policy("unused"))
        .await
        .unwrap()
        .object
        .object
        .id;
    let selector = StoredSelector {
        selector_type: "TAG_VALUE".to_owned(),
        value: Some("eu".to_owned()),
    };
    write
        .put_policy_on_tag(filter, region, &all_values())
        .await
        .unwrap();
    write.put_policy_on_tag(filter, region, &selector).await.unwrap();
    write.put_policy_on_tag(filter, pii, &all_values()).await.unwrap();
    write
        .put_policy_on_tag(unused, idle, &all_values())
        .await
        .unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let facts = snapshot.governance_facts(tree.table).await.unwrap();
    let assignments: Vec<_> = facts
        .assignments
        .iter()
        .map(|fact| {
            (
                fact.tag_name.as_str(),
                fact.distance,
                fact.field_id,
                fact.value.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        assignments,
        [("pii", 0, Some(7), None), ("region", 1, None, Some("eu"))]
    );
    let mut policies: Vec<_> = facts
        .policies
        .iter()
        .map(|fact| (fact.policy_name.as_str(), fact.tag_id, fact.selector.clone()))
        .collect();
    policies.sort();
    let mut expected = [
        ("filter", region, selector.clone()),
        ("filter", pii, all_values()),
    ];
    expected.sort();
    assert_eq!(policies, expected);
    assert_eq!(facts.policies[0].state.content, r#"{"expression":"a"}"#);
    let rows = snapshot.policies_of_tag(region).await.unwrap();
    assert_eq!(rows[0].selector, selector);
    // A neighbour without columns of its own inherits only what is above it.
    drop(snapshot);
    let neighbour = scene.object(tree.metalake, tree.schema, Table, "u").await;
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(
        snapshot
            .governance_facts(neighbour)
            .await
            .unwrap()
            .assignments
            .len(),
        1
    );
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    assert!(write.remove_policy_from_tag(filter, region).await.unwrap());
    assert!(!write.remove_policy_from_tag(filter, region).await.unwrap());
    write.drop_object(filter).await.unwrap();
    assert!(
        write
            .governance_facts(tree.table)
            .await
            .unwrap()
            .policies
            .is_empty()
    );
}

pub(super) async fn policies_attach_to_objects(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let id = write.create_policy(&policy("p")).await.unwrap().object.object.id;
    assert!(write.attach_policy(id, tree.schema).await.unwrap());
    assert!(!write.attach_policy(id, tree.schema).await.unwrap());
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let attached = snapshot.attached_policies(tree.table).await.unwrap();
    assert_eq!(attached.len(), 1);
    assert_eq!((attached[0].distance, attached[0].object_id), (1, tree.schema));
    assert_eq!(attached[0].policy.object.object.id, id);
    assert_eq!(
        snapshot.objects_of_policy(id).await.unwrap(),
        [(tree.schema, named(Schema, "c.s"))]
    );
    drop(snapshot);
    let mut write = scene.write(tree.metalake).await;
    assert!(write.detach_policy(id, tree.schema).await.unwrap());
    assert!(!write.detach_policy(id, tree.schema).await.unwrap());
    assert!(write.attached_policies(tree.table).await.unwrap().is_empty());
}
