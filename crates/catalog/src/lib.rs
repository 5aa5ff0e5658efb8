// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The contract that a catalog provider fulfils, so that any provider can be driven the same way.
//!
//! It must not know which providers exist. A provider is a leaf crate under `catalogs/` that implements
//! [`provider::ProviderFactory`] and is named once in the server's registry.

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod error;
pub mod fileset_catalog;
pub mod loaded_table;
pub mod metadata_file;
pub mod property;
pub mod provider;
pub mod registry;
pub mod scan;
mod snapshot_references;
pub mod storage_delegation;
pub mod table_catalog;
pub mod table_maintenance;
pub mod topic_catalog;
pub mod upstream_catalog;
pub mod view_catalog;
