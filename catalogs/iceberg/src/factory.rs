// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the provider declares, and how a catalog is connected.

use std::sync::Arc;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyDeclarations, PropertyKind};
use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_metadata::Properties;

use crate::location_policy::LocationPolicy;
use crate::provider::IcebergProvider;
use crate::upstream::{Upstream, UpstreamHosts, settings};
use lakeward_storage::{
    Delegation, Storage, StorageSettings, adls_settings, delegation, gcs_settings, real, s3_settings,
};
use lakeward_storage::{Location, folder_name};

const BACKEND: &str = "catalog-backend";
/// The backend that is another Iceberg REST catalog.
const REST: &str = "rest";
const WAREHOUSE: &str = "warehouse";
const ALLOWED_LOCATIONS: &str = "lakeward.allowed-locations";

/// Properties of catalogs.
const CATALOG_PROPERTIES: PropertyDeclarations = PropertyDeclarations(&[
    PropertyDeclaration::optional(
        BACKEND,
        PropertyKind::OneOf(&["lakeward", "memory", REST]),
        "where the list of tables is kept: in this server's own store (`memory` is accepted for tests that were written for \
         the original, and is kept too), or by another Iceberg REST catalog (`rest`)",
    )
    .immutable(),
    PropertyDeclaration::optional(
        WAREHOUSE,
        PropertyKind::Text,
        "the folder or bucket prefix that holds the tables, by default a folder below the server's data folder; with \
         `catalog-backend` = `rest` the name of the other catalog's warehouse",
    )
    .immutable(),
    settings::URI,
    settings::PREFIX,
    settings::TOKEN,
    settings::CREDENTIAL,
    settings::OAUTH2_SERVER_URI,
    settings::SCOPE,
    settings::BASIC_USERNAME,
    settings::BASIC_PASSWORD,
    settings::HEADERS,
    settings::CONNECTION_TIMEOUT,
    settings::SOCKET_TIMEOUT,
    settings::CREDENTIALS_FOR,
    PropertyDeclaration::optional(
        ALLOWED_LOCATIONS,
        PropertyKind::Text,
        "further locations, separated by commas, where tables of this catalog may lie",
    ),
    s3_settings::ENDPOINT,
    s3_settings::REGION,
    s3_settings::PATH_STYLE,
    s3_settings::ACCESS_KEY_ID,
    s3_settings::SECRET_ACCESS_KEY,
    gcs_settings::SERVICE_ACCOUNT_FILE,
    gcs_settings::CREDENTIALS_JSON,
    gcs_settings::TOKEN,
    gcs_settings::NO_AUTH,
    gcs_settings::SERVICE_HOST,
    adls_settings::ACCOUNT_NAME,
    adls_settings::ACCOUNT_KEY,
    adls_settings::SAS_TOKEN,
    adls_settings::ENDPOINT,
    delegation::CREDENTIAL_PROVIDERS,
    delegation::DATA_ACCESS,
    delegation::ROLE_ARN,
    delegation::EXTERNAL_ID,
    delegation::TOKEN_SERVICE_ENDPOINT,
    delegation::TOKEN_EXPIRE_IN_SECS,
    delegation::CACHE_EXPIRE_RATIO,
    delegation::CACHE_MAX_SIZE,
    delegation::AZURE_CLIENT_SECRET,
    delegation::OSS_ACCESS_KEY_ID,
    delegation::OSS_SECRET_ACCESS_KEY,
]);

/// Properties of schemas.
const SCHEMA_PROPERTIES: PropertyDeclarations = PropertyDeclarations(&[PropertyDeclaration::optional(
    "location",
    PropertyKind::Text,
    "the folder of tables that are created without a location; it must lie inside the warehouse",
)]);

/// Properties of tables that callers of the native API may set.
pub(crate) const TABLE_PROPERTIES: PropertyDeclarations = PropertyDeclarations(&[
    PropertyDeclaration::optional("comment", PropertyKind::Text, "the comment of the table").reserved(),
    PropertyDeclaration::optional("creator", PropertyKind::Text, "who created the table").reserved(),
    PropertyDeclaration::optional("current-snapshot-id", PropertyKind::Text, "the current snapshot")
        .reserved(),
    PropertyDeclaration::optional("cherry-pick-snapshot-id", PropertyKind::Text, "a picked snapshot")
        .reserved(),
    PropertyDeclaration::optional("sort-order", PropertyKind::Text, "the sort order").reserved(),
    PropertyDeclaration::optional("identifier-fields", PropertyKind::Text, "the identifier fields")
        .reserved(),
    PropertyDeclaration::optional("location", PropertyKind::Text, "where the table lies").immutable(),
    PropertyDeclaration::optional(
        "format-version",
        PropertyKind::OneOf(&["1", "2", "3"]),
        "the version of the table format",
    )
    .immutable(),
    PropertyDeclaration::optional(
        "provider",
        PropertyKind::OneOf(&["iceberg", "parquet", "avro", "orc"]),
        "the format of data files",
    )
    .immutable(),
    PropertyDeclaration::optional(
        "format",
        PropertyKind::OneOf(&["iceberg", "iceberg/parquet", "iceberg/avro", "iceberg/orc"]),
        "the format of the table and its files, as answered",
    )
    .immutable(),
]);

/// Makes catalogs of the provider `lakehouse-iceberg`.
#[derive(Debug, Clone, Default)]
pub struct IcebergFactory {
    upstream_hosts: UpstreamHosts,
}

impl IcebergFactory {
    /// A factory whose federated catalogs reach these hosts.
    pub fn new(upstream_hosts: UpstreamHosts) -> Self {
        Self { upstream_hosts }
    }
}

impl ProviderFactory for IcebergFactory {
    fn name(&self) -> &'static str {
        "lakehouse-iceberg"
    }

    fn catalog_type(&self) -> &'static str {
        "relational"
    }

    fn has_nested_schemas(&self) -> bool {
        true
    }

    fn is_federated(&self, properties: &Properties) -> bool {
        properties
            .get(BACKEND)
            .is_some_and(|backend| backend.eq_ignore_ascii_case(REST))
    }

    /// A federated catalog that speaks to another upstream is another catalog; and what proves who this server is must not be
    /// sent to a host that somebody names later who does not know it.
    fn check_change(&self, before: &Properties, after: &Properties) -> Result<(), CatalogError> {
        if self.is_federated(before) && before.get(settings::URI_NAME) != after.get(settings::URI_NAME) {
            return Err(CatalogError::Invalid(format!(
                "property `{}` is immutable: it is set once, at creation",
                settings::URI_NAME
            )));
        }
        Ok(())
    }

    fn schema_of_own_functions(&self) -> Option<&'static str> {
        Some("system")
    }

    fn catalog_properties(&self) -> PropertyDeclarations {
        CATALOG_PROPERTIES
    }

    fn schema_properties(&self) -> PropertyDeclarations {
        SCHEMA_PROPERTIES
    }

    fn table_properties(&self) -> PropertyDeclarations {
        TABLE_PROPERTIES
    }

    fn connect(
        &self,
        context: &CatalogContext,
        properties: &Properties,
    ) -> Result<Arc<dyn Provider>, CatalogError> {
        if self.is_federated(properties) {
            return Ok(Arc::new(Upstream::new(properties, &self.upstream_hosts)?));
        }
        let mut readable = Vec::new();
        let given = match (properties.get(WAREHOUSE), &context.default_warehouse_root) {
            (Some(warehouse), _) => Location::parse(warehouse)?,
            (None, Some(root)) => {
                let root = Location::parse(root)?;
                readable.push(root.clone());
                root.child(&folder_name(&context.metalake))?
                    .child(&folder_name(&context.catalog))?
            }
            (None, None) => {
                return Err(CatalogError::Invalid(format!(
                    "properties are required and must be set: [{WAREHOUSE}]"
                )));
            }
        };
        let allowed = properties
            .get(ALLOWED_LOCATIONS)
            .map(String::as_str)
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(|text| Location::parse(text).and_then(|location| real(&location)))
            .collect::<Result<Vec<_>, _>>()?;
        let policy = LocationPolicy::new(real(&given)?, allowed)?;
        readable.push(given);
        let policy = readable.into_iter().fold(policy, LocationPolicy::reading_below);
        let storage = Storage::new(StorageSettings::from_properties(properties));
        storage.check_settings(policy.warehouse())?;
        let delegation = Delegation::from_properties(properties)?;
        Ok(Arc::new(IcebergProvider::new(policy, storage, delegation)))
    }
}
