// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One live catalog of one provider, with its optional faces.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use lakeward_metadata::Properties;

use crate::error::CatalogError;
use crate::fileset_catalog::FilesetCatalog;
use crate::property::PropertyDeclarations;
use crate::storage_delegation::StorageDelegation;
use crate::table_catalog::TableCatalog;
use crate::table_maintenance::TableMaintenance;
use crate::topic_catalog::TopicCatalog;
use crate::upstream_catalog::UpstreamCatalog;
use crate::view_catalog::ViewCatalog;

/// What the host tells a provider about the catalog that it is to drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogContext {
    /// The metalake's name.
    pub metalake: String,
    /// The catalog's name.
    pub catalog: String,
    /// The folder or bucket prefix under which a catalog without a `warehouse` property keeps its tables; `None`
    /// where the host configures none.
    pub default_warehouse_root: Option<String>,
}

/// A catalog of one provider, ready for use. Created by a [`ProviderFactory`], shared between requests.
#[async_trait]
pub trait Provider: Send + Sync + fmt::Debug {
    /// Whether the external system or the storage answers with the configured properties.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`] with the reason.
    async fn test_connection(&self) -> Result<(), CatalogError>;

    /// The face for tables, for catalogs that have tables.
    fn tables(&self) -> Option<&dyn TableCatalog>;

    /// The face for views, for catalogs that have views.
    fn views(&self) -> Option<&dyn ViewCatalog>;

    /// The face for filesets, for catalogs that have filesets.
    fn filesets(&self) -> Option<&dyn FilesetCatalog> {
        None
    }

    /// The face for topics, for catalogs that have topics.
    fn topics(&self) -> Option<&dyn TopicCatalog> {
        None
    }

    /// The face for what another catalog keeps. A catalog that has it has none for tables and views of its own.
    fn upstream(&self) -> Option<&dyn UpstreamCatalog> {
        None
    }

    /// The face by which clients are given ways to the files, for catalogs whose storage has such ways.
    fn delegation(&self) -> Option<&dyn StorageDelegation> {
        None
    }

    /// The face for maintenance, for catalogs whose tables' files are taken away here.
    fn maintenance(&self) -> Option<&dyn TableMaintenance> {
        None
    }
}

/// A schema that every catalog of a provider has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedSchema {
    /// Its name.
    pub name: &'static str,
    /// What people should know of it.
    pub comment: &'static str,
}

/// The constructor of one provider, and what it declares about itself.
pub trait ProviderFactory: Send + Sync + fmt::Debug {
    /// The provider's name in requests, for instance `lakehouse-iceberg`.
    fn name(&self) -> &'static str;

    /// The type of its catalogs in lower case: `relational`, `fileset`, `messaging` or `model`.
    fn catalog_type(&self) -> &'static str;

    /// Whether its schemas nest.
    fn has_nested_schemas(&self) -> bool;

    /// Whether schemas and tables of a catalog with these properties are kept by another catalog, so that its live form has
    /// [`Provider::upstream`]. Asked without connecting to anything.
    fn is_federated(&self, _properties: &Properties) -> bool {
        false
    }

    /// Checks the properties that a catalog would have after a change against those that it has, beyond what declarations
    /// say of each.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`].
    fn check_change(&self, _before: &Properties, _after: &Properties) -> Result<(), CatalogError> {
        Ok(())
    }

    /// The schema that its engine keeps for functions of its own, so that nobody else registers any there.
    fn schema_of_own_functions(&self) -> Option<&'static str> {
        None
    }

    /// The properties of its catalogs.
    fn catalog_properties(&self) -> PropertyDeclarations;

    /// The properties of its schemas.
    fn schema_properties(&self) -> PropertyDeclarations;

    /// The properties of its tables.
    fn table_properties(&self) -> PropertyDeclarations;

    /// The properties of its filesets.
    fn fileset_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    /// The properties of its topics.
    fn topic_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    /// The schemas that each of its catalogs has. Where there are any, no other can be made and none of them dropped.
    fn fixed_schemas(&self) -> &'static [FixedSchema] {
        &[]
    }

    /// Builds the live catalog. The properties have passed [`PropertyDeclarations::check_new`].
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] or [`CatalogError::LocationRefused`] for properties that cannot be used together.
    fn connect(
        &self,
        context: &CatalogContext,
        properties: &Properties,
    ) -> Result<Arc<dyn Provider>, CatalogError>;
}
