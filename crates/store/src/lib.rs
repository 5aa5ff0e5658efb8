// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keeps rows and gives consistent snapshots of them, on an embedded SQLite file or on a PostgreSQL that any
//! number of nodes share.
//!
//! ```text
//! let store = Store::open(&url, StoreOptions::default()).await?;   // migrates
//! let mut snapshot = store.snapshot().await?;                       // one consistent read transaction; drop ends it
//! let chain = snapshot.chain("m", &object).await?;
//! let mut write = store.write(metalake, &[Area::Objects], "ann").await?;   // counters first, held to commit
//! write.create_object(&new).await?;                                 // also writes the change log
//! write.commit().await?;                                            // dropped without commit = rolled back
//! ```
//!
//! Knows nothing of HTTP, of a protocol's JSON or of decisions. What is absent on purpose: a trait over stores
//! (two engines differ only in [`engine`]), statements outside `sql/`, and constraint names in error handling.

mod access;
mod access_token;
mod change_log;
mod clock;
mod column;
mod connect;
mod directory;
mod ended_location;
mod engine;
mod error;
mod fileset_location;
mod finished_request;
mod governance_facts;
mod grants;
mod group;
mod iceberg_table;
mod identity_provider;
mod job;
mod lent_location;
mod list;
mod metrics_report;
mod migrate;
mod model_version;
mod object;
mod owner;
mod path;
mod permission;
mod pointer_cache;
mod policy;
mod policy_object;
mod policy_tag;
mod reader;
mod revision;
mod role;
mod row;
mod secret;
mod seen_groups;
mod setting;
mod snapshot;
mod statistic;
mod store;
mod table_location;
mod tag_assignment;
mod tree;
mod upstream_identity;
mod user;
mod write;

#[cfg(test)]
mod tests;

pub use access::Saying;
pub use access_token::AccessToken;
pub use change_log::{Change, ChangeLogRow};
pub use connect::{StoreOptions, StoreUrl};
pub use directory::{DirectoryKey, DirectoryPage, DirectoryRow, FormerName, IdAndName};
pub use error::{Class, StoreError};
pub use fileset_location::{FilesetLocationRow, PlacedFileset};
pub use finished_request::{FinishedRequest, KeyedRequest, RequestOutcome};
pub use governance_facts::{AssignmentFact, GovernanceFacts, PolicyFact};
pub use group::{GroupRow, NewGroup};
pub use iceberg_table::{
    Grounds, OpenSwap, PointerSwap, ReadMetadata, SwapBegun, SwapContext, Swapped, TablePointer,
};
pub use identity_provider::{IdpGroup, IdpUser};
pub use job::{JobRow, NewJob};
pub use metrics_report::MetricsReportRow;
pub use object::{ChainRow, Child, ObjectChain, ObjectRow, Page};
pub use policy::{NewPolicy, PolicyRevisionRow, PolicyRow, PolicyState};
pub use policy_object::AttachedPolicy;
pub use policy_tag::{PolicyTagRow, StoredSelector};
pub use reader::{AuthorityRow, ReaderChannel, ReaderRow};
pub use revision::{Area, Revision};
pub use role::RoleObject;
pub use row::statements_run;
pub use seen_groups::SeenGroups;
pub use snapshot::Snapshot;
pub use statistic::{NewStatistic, PartitionRange, StatisticRow};
pub use store::{FEWEST_CONNECTIONS, Store};
pub use table_location::Claimed;
pub use tag_assignment::{AssignedTag, Assignments, TaggedObject};
pub use tree::{DroppedObject, NewObject, ObjectChange};
pub use user::{NewUser, UserRow};
pub use write::Write;

/// Id of the row above all metalakes. Metalakes are its children; counters of the server are kept under it.
pub const ROOT: lakeward_metadata::id::ObjectId = lakeward_metadata::id::ObjectId::new(0);
