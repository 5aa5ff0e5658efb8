// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The providers that a server was built with.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::CatalogError;
use crate::provider::ProviderFactory;

/// Names of Gravitino providers that this server does not have yet; a catalog of one is refused with a message
/// that says so, instead of "unknown".
const NOT_YET: &[&str] = &[
    "glue",
    "hive",
    "jdbc-clickhouse",
    "jdbc-doris",
    "jdbc-hologres",
    "jdbc-mysql",
    "jdbc-oceanbase",
    "jdbc-postgresql",
    "jdbc-starrocks",
    "kafka",
    "lakehouse-generic",
    "lakehouse-hudi",
    "lakehouse-paimon",
];

/// Name to constructor.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    factories: BTreeMap<&'static str, Arc<dyn ProviderFactory>>,
}

impl Registry {
    /// The same registry with one provider more.
    #[must_use]
    pub fn with(mut self, factory: Arc<dyn ProviderFactory>) -> Self {
        self.factories.insert(factory.name(), factory);
        self
    }

    /// The provider called `name`.
    ///
    /// # Errors
    /// [`CatalogError::Unsupported`] for a provider of the original that is not supported yet,
    /// [`CatalogError::Invalid`] for any other name.
    pub fn find(&self, name: &str) -> Result<&Arc<dyn ProviderFactory>, CatalogError> {
        self.factories.get(name).ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join("`, `");
            if NOT_YET.contains(&name) {
                CatalogError::Unsupported(format!(
                    "the provider `{name}` is not supported yet; this server has `{known}`"
                ))
            } else {
                CatalogError::Invalid(format!(
                    "there is no provider `{name}`; this server has `{known}`"
                ))
            }
        })
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.factories.keys().copied()
    }
}
