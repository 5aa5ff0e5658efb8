// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metalakes, catalogs, schemas and tables over the native API: a whole server on an embedded store, real routes.
//! Statuses, codes and types are those recorded from the original.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod containers;
mod fileset_access;
mod fileset_files;
mod fileset_places;
mod fileset_tree;
mod filesets;
mod function_definitions;
mod functions;
mod held;
mod in_process;
mod job_templates;
mod jobs;
mod jobs_and_servers;
mod lent_places;
mod lineage;
mod lists_meanwhile;
mod model_versions;
mod models;
mod nul;
mod recordings;
mod renamed_meanwhile;
mod restarts;
mod scene;
mod secrets;
mod server_writes;
mod tables;
mod topics;
mod views;
#[path = "../wire_schema/mod.rs"]
mod wire_schema;
mod writes_by_name;
