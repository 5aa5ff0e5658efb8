// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An engine that can reach nothing.

use std::sync::Arc;

use datafusion::catalog::CatalogProviderList;
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::registry::FunctionRegistry as _;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use object_store::ObjectStore;
use url::Url;

use super::{SessionOptions, query_error};
use crate::error::ReaderError;

/// The catalog and schema of names that give none where the session has no default either. Nothing is ever in it.
const NOWHERE: &str = "lakeward_nowhere";

/// A fresh engine whose only tables will be those of `catalogs`.
pub(super) fn state(
    options: &SessionOptions,
    catalogs: Arc<dyn CatalogProviderList>,
) -> Result<SessionState, ReaderError> {
    let config = SessionConfig::new()
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(false)
        .with_default_catalog_and_schema(
            options.default_catalog.as_deref().unwrap_or(NOWHERE),
            options.default_schema.as_deref().unwrap_or(NOWHERE),
        );
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_limit(options.limits.memory_bytes, 1.0)
        // Values of governed tables never reach a disk of the reader.
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
        .with_object_store_registry(Arc::new(NoObjectStores))
        .build_arc()
        .map_err(query_error)?;
    let mut state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features()
        .with_file_formats(Vec::new())
        .with_table_functions(std::collections::HashMap::new())
        .with_catalog_list(catalogs)
        .build();
    // It tells the system that the reader runs on.
    state.deregister_udf("version").map_err(query_error)?;
    Ok(state)
}

/// The default registry reaches the local disk; this one reaches nothing.
#[derive(Debug)]
struct NoObjectStores;

impl ObjectStoreRegistry for NoObjectStores {
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> datafusion::common::Result<Arc<dyn ObjectStore>> {
        Err(DataFusionError::Execution(format!(
            "`{url}` cannot be reached from a query"
        )))
    }
}
