// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Live catalogs: one provider instance per catalog, made when first needed and kept while the catalog's row says
//! the same. No invalidation: an instance is used only for exactly the properties it was made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::fileset_catalog::FilesetCatalog;
use lakeward_catalog::property::{PropertyDeclaration, PropertyDeclarations, PropertyKind};
use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::view_catalog::ViewCatalog;
use lakeward_metadata::Properties;
use lakeward_metadata::metalake::IN_USE;
use lakeward_metadata::secret::Plaintext;
use lakeward_store::ObjectRow;

use crate::Operations;
use crate::error::OperationError;
use crate::secret::revealed;
use crate::upstream::kept_elsewhere;

/// The member of a catalog row's detail that names its provider.
pub(crate) const PROVIDER: &str = "provider";
/// The member of a catalog row's detail that says what it holds.
pub(crate) const CATALOG_TYPE: &str = "type";

/// What a catalog of every provider may say of itself; a provider declares its own beside it.
const EVERY_CATALOG: PropertyDeclarations = PropertyDeclarations(&[PropertyDeclaration::optional(
    "cloud.name",
    PropertyKind::OneOf(&["aws", "azure", "gcp", "on_premise", "other"]),
    "the cloud that the catalog's system runs in",
)]);

/// A provider instance with what it was made from.
#[derive(Debug)]
pub(crate) struct Connected {
    provider_name: String,
    context: CatalogContext,
    properties: Properties,
    secrets: BTreeMap<String, Plaintext>,
    provider: Arc<dyn Provider>,
}

impl Operations {
    /// The constructor of the provider that drives a catalog.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] and [`OperationError::Invalid`] for a provider that this server does not have.
    pub fn factory_of(&self, catalog: &ObjectRow) -> Result<&Arc<dyn ProviderFactory>, OperationError> {
        Ok(self.registry().find(provider_name(catalog)?)?)
    }

    /// The live catalog of a row.
    ///
    /// # Errors
    /// Those of [`Operations::factory_of`], what the provider says of its properties, and
    /// [`OperationError::Unreachable`] for a secret that is not to be had.
    pub fn provider_of(
        &self,
        metalake: &str,
        catalog: &ObjectRow,
    ) -> Result<Arc<dyn Provider>, OperationError> {
        let context = self.catalog_context(metalake, &catalog.name);
        let provider_name = provider_name(catalog)?;
        let factory = self.registry().find(provider_name)?;
        let properties = without_in_use(&catalog.properties);
        // Asked for anew each time: a secret may be replaced where it is kept.
        let secrets = self
            .secrets()
            .needed(&factory.catalog_properties(), &properties)?;
        if let Some(connected) = self.caches().providers.get(&catalog.id)
            && connected.provider_name == provider_name
            && connected.context == context
            && connected.properties == properties
            && connected.secrets == secrets
        {
            return Ok(Arc::clone(&connected.provider));
        }
        let provider = factory.connect(&context, &revealed(&properties, &secrets))?;
        let connected = Connected {
            provider_name: provider_name.to_owned(),
            context,
            properties,
            secrets,
            provider: Arc::clone(&provider),
        };
        self.caches().providers.insert(catalog.id, Arc::new(connected));
        Ok(provider)
    }

    /// What a provider is told about the catalog that it drives.
    pub(crate) fn catalog_context(&self, metalake: &str, catalog: &str) -> CatalogContext {
        CatalogContext {
            metalake: metalake.to_owned(),
            catalog: catalog.to_owned(),
            default_warehouse_root: self.default_warehouse_root(),
        }
    }

    /// The folder of warehouses that no catalog names, as a URI; `None` where the working directory is unknown.
    fn default_warehouse_root(&self) -> Option<String> {
        let folder = std::path::absolute(self.settings().data_dir.join("warehouse")).ok()?;
        Some(format!("file://{}", folder.to_str()?))
    }
}

/// The face for tables of a live catalog.
///
/// # Errors
/// [`OperationError::Unsupported`] for a catalog without tables.
pub fn tables_of(provider: &dyn Provider) -> Result<&dyn TableCatalog, OperationError> {
    match provider.tables() {
        Some(tables) => Ok(tables),
        None if provider.upstream().is_some() => Err(kept_elsewhere()),
        None => Err(OperationError::Unsupported(
            "this catalog has no tables".to_owned(),
        )),
    }
}

/// The face for views of a live catalog.
///
/// # Errors
/// [`OperationError::Unsupported`] for a catalog without views.
pub fn views_of(provider: &dyn Provider) -> Result<&dyn ViewCatalog, OperationError> {
    match provider.views() {
        Some(views) => Ok(views),
        None if provider.upstream().is_some() => Err(kept_elsewhere()),
        None => Err(OperationError::Unsupported(
            "this catalog has no views".to_owned(),
        )),
    }
}

/// The face for filesets of a live catalog.
///
/// # Errors
/// [`OperationError::Unsupported`] for a catalog without filesets.
pub fn filesets_of(provider: &dyn Provider) -> Result<&dyn FilesetCatalog, OperationError> {
    provider
        .filesets()
        .ok_or_else(|| OperationError::Unsupported("this catalog has no filesets".to_owned()))
}

/// The properties that a provider may see or that an answer may show: `in-use` is the server's.
pub(crate) fn without_in_use(properties: &Properties) -> Properties {
    let mut kept = properties.clone();
    kept.remove(IN_USE);
    kept
}

/// Checks the properties of a new catalog: those of every catalog, and those of its provider.
///
/// # Errors
/// [`OperationError::Invalid`] naming the missing, reserved or ill-typed properties.
pub(crate) fn check_new_catalog(
    properties: &Properties,
    declared: &PropertyDeclarations,
) -> Result<(), OperationError> {
    EVERY_CATALOG.check_new(properties)?;
    Ok(declared.check_new(properties)?)
}

/// Sets (`Some`) or removes (`None`) one property of a catalog, if the declarations allow.
///
/// # Errors
/// As [`change_property`].
pub(crate) fn change_catalog_property(
    properties: &mut Properties,
    declared: &PropertyDeclarations,
    property: &str,
    value: Option<&str>,
) -> Result<(), OperationError> {
    EVERY_CATALOG.check_change(property, value)?;
    change_property(properties, declared, property, value)
}

/// Sets (`Some`) or removes (`None`) one property, if the declarations allow.
///
/// # Errors
/// [`OperationError::Invalid`] for an immutable, reserved or ill-typed property.
pub(crate) fn change_property(
    properties: &mut Properties,
    declared: &PropertyDeclarations,
    property: &str,
    value: Option<&str>,
) -> Result<(), OperationError> {
    declared.check_change(property, value)?;
    match value {
        Some(value) => properties.insert(property.to_owned(), value.to_owned()),
        None => properties.remove(property),
    };
    Ok(())
}

fn provider_name(catalog: &ObjectRow) -> Result<&str, OperationError> {
    catalog
        .detail
        .get(PROVIDER)
        .and_then(serde_json::Value::as_str)
        .ok_or_else(|| {
            OperationError::internal(format!("the row of catalog {} names no provider", catalog.id))
        })
}

/// The refusal of metadata that is not the catalog's; the detail names the file.
pub(crate) fn changed_outside(detail: String) -> OperationError {
    OperationError::Unreachable {
        message: "the metadata file was changed outside the catalog, so nothing in it is believed or served; restore the \
                  file that the catalog wrote"
            .to_owned(),
        detail,
    }
}

impl From<CatalogError> for OperationError {
    fn from(error: CatalogError) -> Self {
        let message = error.to_string();
        match error {
            CatalogError::Invalid(_) | CatalogError::LocationRefused(_) => Self::invalid(message),
            CatalogError::Unsupported(_) => Self::Unsupported(message),
            CatalogError::RequirementFailed(_) | CatalogError::FileExists(_) => Self::Conflict(message),
            CatalogError::MetadataChanged(_) => changed_outside(message),
            CatalogError::MetadataMissing(_)
            | CatalogError::MetadataInvalid { .. }
            | CatalogError::Unavailable(_) => Self::Unreachable {
                message:
                    "the storage of the catalog does not answer as it should; the log of the server has the \
                          cause under this request id"
                        .to_owned(),
                detail: message,
            },
        }
    }
}
