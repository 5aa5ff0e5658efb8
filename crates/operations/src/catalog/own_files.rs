// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A catalog must not reach the server's own files. Whoever may create catalogs chooses where their tables lie; a
//! warehouse around the embedded store would let a table be made, and purged, over it.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_metadata::Properties;
use lakeward_metadata::secret::Plaintext;

use crate::Operations;
use crate::error::OperationError;
use crate::providers::without_in_use;
use crate::secret::revealed;

/// The one property of catalogs that names several locations; every other value is one text.
const ALLOWED_LOCATIONS: &str = "lakeward.allowed-locations";

/// The locations that a property may name, as providers read it: a comma is a part of a name elsewhere.
pub(crate) fn locations<'a>(property: &str, value: &'a str) -> impl Iterator<Item = &'a str> {
    let most = if property == ALLOWED_LOCATIONS {
        usize::MAX
    } else {
        1
    };
    value.splitn(most, ',').map(str::trim)
}

/// Whether a provider takes the text for a place of this machine: the scheme may be left out or stand in any case.
pub(crate) fn is_file(location: &str) -> bool {
    location.starts_with('/')
        || location
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

impl Operations {
    /// Connects a catalog that is new or changed, if its provider accepts the properties and none of them names a place
    /// of the server's own files.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] and what the provider reports.
    pub(super) fn connect_checked(
        &self,
        factory: &dyn ProviderFactory,
        context: &CatalogContext,
        properties: &Properties,
        secrets: &BTreeMap<String, Plaintext>,
    ) -> Result<Arc<dyn Provider>, OperationError> {
        let provider = factory.connect(context, &without_in_use(&revealed(properties, secrets)))?;
        for (name, value) in properties {
            for location in locations(name, value) {
                if is_file(location) && self.holds_own_files(provider.as_ref(), location)? {
                    return Err(OperationError::invalid(format!(
                        "property `{name}`: `{location}` overlaps the data folder of the server or one of secrets; choose a folder \
                         beside it, or one below its `warehouse`"
                    )));
                }
            }
        }
        Ok(provider)
    }

    /// Whether a location is, contains or lies in the server's data folder, other than in its folder of warehouses, or in a
    /// folder of secrets.
    fn holds_own_files(&self, provider: &dyn Provider, location: &str) -> Result<bool, OperationError> {
        let folder = std::path::absolute(&self.settings().data_dir).map_err(OperationError::internal)?;
        let (Some(tables), Some(folder)) = (provider.tables(), folder.to_str()) else {
            return Ok(false);
        };
        let overlaps = |name: &str| tables.overlaps(location, &format!("file://{folder}{name}"));
        // Below the folder of warehouses exactly when it overlaps that folder and nothing beside it.
        let is_in_warehouses = overlaps("/warehouse")? && !overlaps("/lakeward.db")?;
        if overlaps("")? && !is_in_warehouses {
            return Ok(true);
        }
        let secrets = self
            .settings()
            .secret_providers
            .iter()
            .filter_map(|provider| provider.kind.folder());
        for folder in secrets {
            let folder = std::path::absolute(folder).map_err(OperationError::internal)?;
            let Some(folder) = folder.to_str() else {
                return Ok(true);
            };
            if tables.overlaps(location, &format!("file://{folder}"))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
