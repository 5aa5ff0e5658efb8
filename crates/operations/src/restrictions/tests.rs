// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Restrictions come from facts that are no older than the request, and every doubt is a refusal.

#![expect(
    clippy::disallowed_methods,
    reason = "what a test finds in the store is written without a request"
)]

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::{Mode, Standing};
use lakeward_catalog::registry::Registry;
use lakeward_governance::resolve::Resolution;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::field::FieldType;
use lakeward_store::{
    Area, NewGroup, NewObject, NewPolicy, NewUser, ROOT, Store, StoreOptions, StoreUrl, StoredSelector, Write,
};

use super::*;
use crate::OperationSettings;
use crate::caller::{Caller, Demand};
use crate::named::Names;
use crate::paths::{SchemaPath, TableKind};
use crate::upstream::Met;

/// A table that ann owns, in a metalake with the group `eu`, with the tag `pii` on its schema and the policy `p` on
/// that tag.
struct World {
    operations: Operations,
    metalake: ObjectId,
    table: ObjectId,
    schema: ObjectId,
    tag: ObjectId,
    policy: ObjectId,
}

const ALL: [Area; 4] = [Area::Objects, Area::Identities, Area::Grants, Area::Governance];

impl World {
    async fn new(enabled: bool, policy_type: &str, content: &str) -> Self {
        let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
            .await
            .unwrap();
        let mut write = store.write_server("ann").await.unwrap();
        let metalake = create(&mut write, ROOT, ObjectKind::Metalake, "m").await;
        write.commit().await.unwrap();
        let mut write = store.write(metalake, &ALL, "ann").await.unwrap();
        write.add_user(&NewUser::named("ann")).await.unwrap();
        write.add_group(&NewGroup::named("eu")).await.unwrap();
        let catalog = create(&mut write, metalake, ObjectKind::Catalog, "c").await;
        let schema = create(&mut write, catalog, ObjectKind::Schema, "s").await;
        let table = create(&mut write, schema, ObjectKind::Table, "t").await;
        let tag = create(&mut write, metalake, ObjectKind::Tag, "pii").await;
        let policy = NewPolicy {
            name: "p".to_owned(),
            comment: None,
            policy_type: policy_type.to_owned(),
            is_enabled: true,
            content_schema: "1".to_owned(),
            content: content.to_owned(),
        };
        let policy = write.create_policy(&policy).await.unwrap().object.object.id;
        write.put_policy_on_tag(policy, tag, &all_values()).await.unwrap();
        write.assign_tag(tag, schema, None).await.unwrap();
        write.set_owner(catalog, &ann()).await.unwrap();
        write.commit().await.unwrap();
        let settings = OperationSettings {
            mode: Mode::Enforced,
            read_restrictions_enabled: enabled,
            ..OperationSettings::default()
        };
        Self {
            operations: Operations::new(store, Registry::default(), settings),
            metalake,
            table,
            schema,
            tag,
            policy,
        }
    }

    async fn with_filter(expression: &str) -> Self {
        let content = serde_json::json!({ "expression": expression }).to_string();
        Self::new(true, "system_row_filter", &content).await
    }

    /// A request of ann's, as the gate lets it in.
    async fn call(&self, groups: GroupClaim) -> Call {
        let subject = Subject {
            user: "ann".to_owned(),
            groups,
        };
        let mut caller = Caller {
            subject,
            proof: crate::caller::Proof::Foreign,
            active_roles: ActiveRoles::All,
            standing: Standing::default(),
            trust: Trust::Untrusted,
            capabilities: Capabilities::default(),
            request_id: "test".to_owned(),
            remote: None,
        };
        let table = SchemaPath {
            metalake: "m".to_owned(),
            catalog: "c".to_owned(),
            schema: "s".to_owned(),
        }
        .leaf::<TableKind>("t");
        let named = table.named();
        let facts = self.operations.open_gate(&mut caller, &named).await.unwrap();
        Call {
            caller,
            facts,
            demand: Demand::new(*Requirement::load(ObjectKind::Table), named, "loadTable"),
            notes: Default::default(),
            met: Met::default(),
            keyed: None,
        }
    }

    async fn resolve(&self, groups: GroupClaim) -> Result<Resolution, OperationError> {
        let call = self.call(groups).await;
        self.operations.restrictions(&call, &fields()).await
    }

    async fn write(&self) -> Write {
        self.operations
            .store()
            .write(self.metalake, &ALL, "ann")
            .await
            .unwrap()
    }
}

async fn create(write: &mut Write, parent: ObjectId, kind: ObjectKind, name: &str) -> ObjectId {
    write
        .create_object(&NewObject::named(parent, kind, name))
        .await
        .unwrap()
        .id
}

fn all_values() -> StoredSelector {
    StoredSelector {
        selector_type: "ALL_VALUES".to_owned(),
        value: None,
    }
}

fn ann() -> Principal {
    Principal {
        kind: PrincipalKind::User,
        name: "ann".to_owned(),
    }
}

fn fields() -> Vec<Field> {
    vec![Field {
        id: 1,
        name: "region".to_owned(),
        field_type: FieldType::String,
        required: false,
    }]
}

fn code(result: Result<Resolution, OperationError>) -> &'static str {
    match result {
        Err(OperationError::Restriction { code, message, .. }) => {
            assert!(!message.contains("pii") && !message.contains("`p`"), "{message}");
            code.as_str()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn owners_are_restricted_and_repeated_requests_ask_no_database() {
    let world = World::with_filter("filter := col(\"region\") == session_user()").await;
    let first = world.resolve(GroupClaim::Unknown).await.unwrap();
    let filter = first.restrictions.row_filter().unwrap().predicate().wire_json();
    assert!(filter.contains("\"ann\""), "{filter}");
    world.operations.store().close().await;
    assert_eq!(world.resolve(GroupClaim::Unknown).await.unwrap(), first);
}

#[tokio::test]
async fn groups_of_the_token_count_only_where_the_metalake_knows_them() {
    let world = World::with_filter("filter := true if is_group_member(\"eu\") else := false").await;
    let known = |names: &[&str]| GroupClaim::Known(names.iter().map(|name| (*name).to_owned()).collect());
    assert!(
        !world
            .resolve(known(&["eu", "nowhere"]))
            .await
            .unwrap()
            .restrictions
            .is_active()
    );
    assert!(
        world
            .resolve(known(&["nowhere"]))
            .await
            .unwrap()
            .restrictions
            .is_active()
    );
    assert_eq!(
        code(world.resolve(GroupClaim::Unknown).await),
        "restriction-context"
    );
}

#[tokio::test]
async fn every_change_counts_with_the_next_request() {
    let world = World::with_filter("filter := false").await;
    assert!(
        world
            .resolve(GroupClaim::Unknown)
            .await
            .unwrap()
            .restrictions
            .is_active()
    );
    let mut write = world.write().await;
    write
        .revise_policy(world.policy, "1", "{\"expression\":\"filter := true\"}")
        .await
        .unwrap();
    write.commit().await.unwrap();
    let open = world.resolve(GroupClaim::Unknown).await.unwrap();
    assert!(!open.restrictions.is_active());
    assert_eq!(open.omitted, ["p"]);
    let mut write = world.write().await;
    write
        .revise_policy(world.policy, "1", "{\"expression\":\"filter := oops\"}")
        .await
        .unwrap();
    write.commit().await.unwrap();
    assert_eq!(
        code(world.resolve(GroupClaim::Unknown).await),
        "restriction-syntax"
    );
    let mut write = world.write().await;
    write.enable_policy(world.policy, false).await.unwrap();
    write.commit().await.unwrap();
    assert!(
        !world
            .resolve(GroupClaim::Unknown)
            .await
            .unwrap()
            .restrictions
            .is_active()
    );
}

#[tokio::test]
async fn access_is_decided_again_when_the_store_moved_on() {
    let world = World::with_filter("filter := false").await;
    let call = world.call(GroupClaim::Unknown).await;
    // First ann loses the table, then the restriction goes: her old request must not see the open table.
    let mut write = world.write().await;
    write.remove_user("ann").await.unwrap();
    write.commit().await.unwrap();
    let mut write = world.write().await;
    write.enable_policy(world.policy, false).await.unwrap();
    write.commit().await.unwrap();
    let late = world.operations.restrictions(&call, &fields()).await;
    assert!(matches!(late, Err(OperationError::Refused { .. })), "{late:?}");
}

#[tokio::test]
async fn a_change_that_leaves_access_is_seen_by_the_request_it_overtakes() {
    let world = World::with_filter("filter := true").await;
    let call = world.call(GroupClaim::Unknown).await;
    // Kept under the counters of the request: but its metadata is read later than the gate, and may be newer.
    let kept = world.operations.restrictions(&call, &fields()).await.unwrap();
    assert!(!kept.restrictions.is_active());
    let mut write = world.write().await;
    write
        .revise_policy(world.policy, "1", "{\"expression\":\"filter := false\"}")
        .await
        .unwrap();
    write.commit().await.unwrap();
    let restrictions = world
        .operations
        .restrictions(&call, &fields())
        .await
        .unwrap()
        .restrictions;
    assert!(restrictions.is_active());
}

#[tokio::test]
async fn a_table_that_moved_away_is_not_found_under_its_old_name() {
    let world = World::with_filter("filter := false").await;
    let call = world.call(GroupClaim::Unknown).await;
    let mut write = world.write().await;
    let schema = write.object(world.schema).await.unwrap().unwrap().object;
    let other = create(&mut write, schema.parent_id, ObjectKind::Schema, "other").await;
    write.move_object(world.table, other, "t").await.unwrap();
    write.commit().await.unwrap();
    let moved = world.operations.restrictions(&call, &fields()).await;
    assert!(matches!(moved, Err(OperationError::NotFound { .. })), "{moved:?}");
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    let unknown_type = World::new(true, "system_from_the_future", "{}").await;
    assert_eq!(
        code(unknown_type.resolve(GroupClaim::Unknown).await),
        "restriction-lookup"
    );
    let function = World::new(true, "system_row_filter", "{\"function\":{}}").await;
    assert_eq!(
        code(function.resolve(GroupClaim::Unknown).await),
        "restriction-content"
    );
    let world = World::with_filter("filter := true").await;
    let mut write = world.write().await;
    let unknown = StoredSelector {
        selector_type: "EXPRESSION".to_owned(),
        value: None,
    };
    write
        .put_policy_on_tag(world.policy, world.tag, &unknown)
        .await
        .unwrap();
    write.commit().await.unwrap();
    assert_eq!(
        code(world.resolve(GroupClaim::Unknown).await),
        "restriction-lookup"
    );
}

#[tokio::test]
async fn while_the_feature_is_off_a_governed_table_is_not_served() {
    let content = "{\"expression\":\"filter := true\"}";
    let world = World::new(false, "system_row_filter", content).await;
    assert_eq!(
        code(world.resolve(GroupClaim::Unknown).await),
        RestrictionCode::Disabled.as_str()
    );
    let mut write = world.write().await;
    write.enable_policy(world.policy, false).await.unwrap();
    write.commit().await.unwrap();
    assert!(world.resolve(GroupClaim::Unknown).await.is_ok());
    let other = World::new(false, "custom", "{}").await;
    assert!(
        other.resolve(GroupClaim::Unknown).await.is_ok(),
        "other types restrict nothing"
    );
}

#[tokio::test]
async fn nobody_is_no_subject() {
    let world = World::with_filter("filter := true").await;
    let mut call = world.call(GroupClaim::Unknown).await;
    ANONYMOUS.clone_into(&mut call.caller.subject.user);
    let result = world.operations.restrictions(&call, &fields()).await;
    assert_eq!(code(result), "restriction-context");
}
