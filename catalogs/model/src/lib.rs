// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Catalogs of models. The server keeps models and their versions itself, so there is no other system to drive: what is
//! here is what such a catalog declares about itself.

use std::sync::Arc;

use async_trait::async_trait;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::PropertyDeclarations;
use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::view_catalog::ViewCatalog;
use lakeward_metadata::Properties;

/// Neither its catalogs nor their schemas have properties of their own; whatever is set is kept and shown.
const NONE: PropertyDeclarations = PropertyDeclarations(&[]);

/// Makes catalogs of the provider `model`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelFactory;

impl ProviderFactory for ModelFactory {
    fn name(&self) -> &'static str {
        "model"
    }

    fn catalog_type(&self) -> &'static str {
        "model"
    }

    fn has_nested_schemas(&self) -> bool {
        false
    }

    fn catalog_properties(&self) -> PropertyDeclarations {
        NONE
    }

    fn schema_properties(&self) -> PropertyDeclarations {
        NONE
    }

    fn table_properties(&self) -> PropertyDeclarations {
        NONE
    }

    fn connect(&self, _: &CatalogContext, _: &Properties) -> Result<Arc<dyn Provider>, CatalogError> {
        Ok(Arc::new(ModelProvider))
    }
}

/// A catalog of models: without tables, without views, and always there.
#[derive(Debug, Clone, Copy)]
struct ModelProvider;

#[async_trait]
impl Provider for ModelProvider {
    async fn test_connection(&self) -> Result<(), CatalogError> {
        Ok(())
    }

    fn tables(&self) -> Option<&dyn TableCatalog> {
        None
    }

    fn views(&self) -> Option<&dyn ViewCatalog> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_needs_nothing_and_has_neither_tables_nor_views() {
        let context = CatalogContext {
            metalake: "m".to_owned(),
            catalog: "models".to_owned(),
            default_warehouse_root: None,
        };
        let properties = Properties::from([("k".to_owned(), "v".to_owned())]);
        assert_eq!(ModelFactory.catalog_properties().check_new(&properties), Ok(()));
        assert_eq!(ModelFactory.catalog_properties().shown(&properties), properties);
        let provider = ModelFactory.connect(&context, &properties);
        assert!(provider.is_ok_and(|provider| provider.tables().is_none() && provider.views().is_none()));
    }
}
