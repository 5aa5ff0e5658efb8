// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How every kind of storage is reached, from the properties of a catalog.

use lakeward_metadata::Properties;

use crate::adls_settings::AdlsSettings;
use crate::gcs_settings::GcsSettings;
use crate::s3_settings::S3Settings;

/// The settings for every kind of storage; files of this machine need none.
#[derive(Debug, Clone, Default)]
pub struct StorageSettings {
    pub(crate) s3: S3Settings,
    pub(crate) gcs: GcsSettings,
    pub(crate) adls: AdlsSettings,
}

impl StorageSettings {
    /// Reads the settings. Those of a storage count only once a location of it is reached.
    pub fn from_properties(properties: &Properties) -> Self {
        Self {
            s3: S3Settings::from_properties(properties),
            gcs: GcsSettings::from_properties(properties),
            adls: AdlsSettings::from_properties(properties),
        }
    }
}
