// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The provider `lakehouse-iceberg`: Iceberg tables and views on local files and S3, and those of another Iceberg REST catalog.
//!
//! The host keeps names and the location of each table's and view's current metadata file. This crate reads, checks, changes
//! and writes metadata: always the JSON itself, so that members which nobody here knows survive. Only maintenance lists a
//! folder. It never overwrites a file, and opens no location that it has not checked in the same form.

mod append;
mod commit;
mod commit_end;
mod creation;
mod delegation;
mod document;
mod factory;
mod facts;
mod fresh_ids;
mod layout;
mod layout_updates;
mod location_policy;
mod maintenance;
mod manifest;
mod native;
mod oracle;
mod property_updates;
mod provider;
mod purge;
mod requirements;
mod scan;
mod schema;
mod schema_updates;
mod snapshot_updates;
mod statistics_updates;
mod table_catalog;
mod transform;
mod upstream;
mod view;

pub use factory::IcebergFactory;
pub use upstream::UpstreamHosts;

#[cfg(test)]
mod tests;
