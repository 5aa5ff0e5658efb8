// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An engine that can reach nothing.

use std::sync::Arc;

use datafusion::catalog::CatalogProviderList;
use datafusion::error::DataFusionError;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::registry::FunctionRegistry as _;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionConfig;
use object_store::ObjectStore;
use url::Url;

use super::SessionOptions;
use super::counted_results::{Concatenation, QueryMemory, count_results};
use super::failure::query_error;
use super::resources::Resources;
use crate::error::ReaderError;

/// The catalog and schema of names that give none where the session has no default either. Nothing is ever in it.
const NOWHERE: &str = "lakeward_nowhere";

/// Memory that a thread of a query needs to be of use.
const BYTES_PER_PARTITION: usize = 4 * 1024 * 1024;

/// A fresh engine whose only tables will be those of `catalogs`.
pub(super) fn state(
    options: &SessionOptions,
    catalogs: Arc<dyn CatalogProviderList>,
) -> Result<SessionState, ReaderError> {
    let share = options
        .share
        .clone()
        .unwrap_or_else(|| Resources::of_one_query(options.limits.memory_bytes).of_user(""));
    let runtime = share.begin()?;
    let config = SessionConfig::new();
    // All cores, unless there is not enough memory for each of them.
    let partitions = config
        .target_partitions()
        .min(runtime.memory_bytes / BYTES_PER_PARTITION)
        .max(1);
    // Operators hold a few batches at least; where memory is short, short ones.
    let rows = (runtime.memory_bytes / partitions / BYTES_PER_PARTITION).saturating_mul(256);
    let rows = config.batch_size().min(rows.max(512));
    let env = Arc::clone(&runtime.env);
    let config = config
        .with_target_partitions(partitions)
        .with_batch_size(rows)
        .with_sort_spill_reservation_bytes(sort_reservation(runtime.memory_bytes, partitions))
        // For `execution::rows`.
        .with_extension(Arc::new(runtime))
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(false)
        .with_default_catalog_and_schema(
            options.default_catalog.as_deref().unwrap_or(NOWHERE),
            options.default_schema.as_deref().unwrap_or(NOWHERE),
        );
    let memory = QueryMemory::new(&env.memory_pool);
    let mut state = SessionStateBuilder::new()
        // Before those of the engine.
        .with_expr_planners(vec![Arc::new(Concatenation(memory.clone()))])
        .with_config(config)
        .with_runtime_env(env)
        .with_default_features()
        .with_physical_optimizer_rules(physical_rules())
        .with_file_formats(Vec::new())
        .with_table_functions(std::collections::HashMap::new())
        .with_catalog_list(catalogs)
        .build();
    // It tells the system that the reader runs on.
    state.deregister_udf("version").map_err(query_error)?;
    count_results(&mut state, &memory).map_err(query_error)?;
    Ok(state)
}

/// The engine's rules for physical plans without those that move filters.
///
/// `FilterPushdown` of DataFusion 53 tells the columns of a join's two sides apart by name once a projection lies between
/// (apache/datafusion issues 25262 and 25263): `t1 RIGHT JOIN t2 ON t1.name = t2.name WHERE p(t1.name)` was answered with
/// the rows whose `t2.name` satisfies `p`. Filters are moved by the logical optimizer already, and scans of ours take none
/// from physical plans, so nothing is lost.
fn physical_rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = PhysicalOptimizer::new().rules;
    rules.retain(|rule| !rule.name().starts_with("FilterPushdown"));
    rules
}

/// What each sort keeps back for merging what it spilled: the engine's own measure, less where memory is short.
fn sort_reservation(memory_bytes: usize, partitions: usize) -> usize {
    const USUAL: usize = 10 * 1024 * 1024;
    USUAL.min(memory_bytes / 16 / partitions.max(1))
}

/// The default registry reaches the local disk; this one reaches nothing.
#[derive(Debug)]
pub(super) struct NoObjectStores;

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
