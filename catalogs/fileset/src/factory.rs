// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the provider declares, and how a catalog is connected.

use std::sync::Arc;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyDeclarations, PropertyKind};
use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_metadata::Properties;
use lakeward_metadata::fileset::DEFAULT_LOCATION_NAME;
use lakeward_storage::{
    Delegation, Location, Storage, StorageSettings, adls_settings, delegation, gcs_settings, real,
    s3_settings,
};

use crate::inherited::{LOCATION, NAMED_LOCATION};
use crate::place::Place;
use crate::placeholder::PLACEHOLDER;
use crate::plan::Scope;
use crate::provider::FilesetProvider;

/// Where filesets of the catalog may lie at all.
const ALLOWED_LOCATIONS: &str = "lakeward.allowed-locations";

/// Whether the server leaves the files alone and only keeps what is said of them.
const DISABLE_FILESYSTEM_OPS: &str = "disable-filesystem-ops";

const fn text(name: &'static str, meaning: &'static str) -> PropertyDeclaration {
    PropertyDeclaration::optional(name, PropertyKind::Text, meaning)
}

/// Properties of catalogs.
const CATALOG_PROPERTIES: PropertyDeclarations = PropertyDeclarations(&[
    text(
        LOCATION,
        "the folder below which filesets lie that name no location; may hold placeholders",
    ),
    text("location-unknown", "the same as `location`")
        .reserved()
        .hidden(),
    text(
        NAMED_LOCATION,
        "further such folders, by the name of the location",
    )
    .prefix()
    .immutable(),
    PropertyDeclaration::optional(
        DISABLE_FILESYSTEM_OPS,
        PropertyKind::Boolean,
        "whether the server makes, lists and removes no folders",
    )
    .immutable(),
    text(
        ALLOWED_LOCATIONS,
        "locations, separated by commas, in one of which every fileset of the catalog must lie; anywhere where it is not set, and \
         needed where credentials are given out",
    ),
    text(
        "filesystem-providers",
        "accepted and without effect: files of this machine, S3, Google Cloud Storage and Azure are always there",
    ),
    text(
        "default-filesystem-provider",
        "accepted and without effect: a location without a scheme is a file",
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
const SCHEMA_PROPERTIES: PropertyDeclarations = PropertyDeclarations(&[
    text(
        LOCATION,
        "the folder in which filesets of the schema lie that name no location; instead of the catalog's",
    )
    .immutable(),
    text("location-unknown", "the same as `location`")
        .reserved()
        .hidden(),
    text(
        NAMED_LOCATION,
        "further such folders, by the name of the location",
    )
    .prefix()
    .immutable(),
    text(
        "s3-access-key-id",
        "kept and without effect: the keys are the catalog's",
    )
    .hidden(),
    text(
        "s3-secret-access-key",
        "kept and without effect: the keys are the catalog's",
    )
    .hidden(),
]);

/// Properties of filesets.
const FILESET_PROPERTIES: PropertyDeclarations = PropertyDeclarations(&[
    text(
        DEFAULT_LOCATION_NAME,
        "the location that is meant where none is named; required where there are several",
    )
    .immutable(),
    text("placeholder-catalog", "the catalog's name, for locations")
        .reserved()
        .hidden(),
    text("placeholder-schema", "the schema's name, for locations")
        .reserved()
        .hidden(),
    text("placeholder-fileset", "the fileset's name, for locations")
        .reserved()
        .hidden(),
    text(
        PLACEHOLDER,
        "what stands in locations for the placeholder of this name",
    )
    .prefix()
    .immutable(),
    text(
        "s3-access-key-id",
        "kept and without effect: the keys are the catalog's",
    )
    .hidden(),
    text(
        "s3-secret-access-key",
        "kept and without effect: the keys are the catalog's",
    )
    .hidden(),
]);

/// The allowed locations by their real names.
fn allowed(text: &str) -> Result<Vec<Location>, CatalogError> {
    text.split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| real(&Place::parse(text)?.location))
        .collect()
}

/// Makes catalogs of the provider `fileset`.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilesetFactory;

impl ProviderFactory for FilesetFactory {
    fn name(&self) -> &'static str {
        "fileset"
    }

    fn catalog_type(&self) -> &'static str {
        "fileset"
    }

    fn has_nested_schemas(&self) -> bool {
        false
    }

    fn catalog_properties(&self) -> PropertyDeclarations {
        CATALOG_PROPERTIES
    }

    fn schema_properties(&self) -> PropertyDeclarations {
        SCHEMA_PROPERTIES
    }

    fn table_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn fileset_properties(&self) -> PropertyDeclarations {
        FILESET_PROPERTIES
    }

    fn connect(
        &self,
        context: &CatalogContext,
        properties: &Properties,
    ) -> Result<Arc<dyn Provider>, CatalogError> {
        let touches_files = !properties
            .get(DISABLE_FILESYSTEM_OPS)
            .is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let storage = Storage::new(StorageSettings::from_properties(properties));
        let scope = Scope {
            catalog: context.catalog.clone(),
            touches_files,
            allowed: properties
                .get(ALLOWED_LOCATIONS)
                .map(|text| allowed(text))
                .transpose()?,
        };
        let delegation = Delegation::from_properties(properties)?;
        if delegation.is_vending() && scope.allowed.as_ref().is_none_or(Vec::is_empty) {
            return Err(CatalogError::Invalid(format!(
                "`credential-providers` needs `{ALLOWED_LOCATIONS}`: whoever creates a fileset chooses where it lies, and \
                 would be given credentials for whatever the role reaches"
            )));
        }
        Ok(Arc::new(FilesetProvider::new(
            scope, properties, storage, delegation,
        )?))
    }
}
