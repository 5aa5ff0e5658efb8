// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How S3 is reached, from the properties of a catalog, in Gravitino's names.

use std::fmt;

use lakeward_catalog::property::{PropertyDeclaration, PropertyKind};
use lakeward_metadata::Properties;

const ENDPOINT_NAME: &str = "s3-endpoint";
const REGION_NAME: &str = "s3-region";
const PATH_STYLE_NAME: &str = "s3-path-style-access";
const ACCESS_KEY_ID_NAME: &str = "s3-access-key-id";
const SECRET_ACCESS_KEY_NAME: &str = "s3-secret-access-key";

/// `s3-endpoint`
pub const ENDPOINT: PropertyDeclaration = PropertyDeclaration::optional(
    ENDPOINT_NAME,
    PropertyKind::Text,
    "the endpoint of an S3-compatible store; that of Amazon where it is not set",
);

/// `s3-region`
pub const REGION: PropertyDeclaration =
    PropertyDeclaration::optional(REGION_NAME, PropertyKind::Text, "the region of the bucket");

/// `s3-path-style-access`
pub const PATH_STYLE: PropertyDeclaration = PropertyDeclaration::optional(
    PATH_STYLE_NAME,
    PropertyKind::Boolean,
    "whether the bucket is a part of the path instead of the host name",
);

/// `s3-access-key-id`
pub const ACCESS_KEY_ID: PropertyDeclaration =
    PropertyDeclaration::optional(ACCESS_KEY_ID_NAME, PropertyKind::Text, "the access key").hidden();

/// `s3-secret-access-key`
pub const SECRET_ACCESS_KEY: PropertyDeclaration =
    PropertyDeclaration::optional(SECRET_ACCESS_KEY_NAME, PropertyKind::Text, "the secret key").hidden();

/// How S3 is reached, from the catalog's properties.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct S3Settings {
    /// The endpoint; `None` for Amazon's.
    pub(crate) endpoint: Option<String>,
    /// The region.
    pub(crate) region: Option<String>,
    /// Whether the bucket is a part of the path.
    pub(crate) path_style: bool,
    /// The access key and the secret key.
    pub(crate) keys: Option<(String, String)>,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for S3Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Settings")
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .field("path_style", &self.path_style)
            .finish_non_exhaustive()
    }
}

impl S3Settings {
    /// Reads the settings. Unset keys leave the decision to the environment of an instance or container.
    pub fn from_properties(properties: &Properties) -> Self {
        let text = |name: &str| properties.get(name).cloned();
        Self {
            endpoint: text(ENDPOINT_NAME),
            region: text(REGION_NAME),
            path_style: properties
                .get(PATH_STYLE_NAME)
                .is_some_and(|value| value.eq_ignore_ascii_case("true")),
            keys: text(ACCESS_KEY_ID_NAME).zip(text(SECRET_ACCESS_KEY_NAME)),
        }
    }

    /// The same in the words of Iceberg's client properties, without the keys.
    pub(crate) fn client_properties(&self) -> Properties {
        let mut told = Properties::new();
        if let Some(endpoint) = &self.endpoint {
            told.insert("s3.endpoint".to_owned(), endpoint.clone());
        }
        if let Some(region) = &self.region {
            // Java reads the one, Python and DuckDB the other.
            told.insert("client.region".to_owned(), region.clone());
            told.insert("s3.region".to_owned(), region.clone());
        }
        if self.path_style {
            told.insert("s3.path-style-access".to_owned(), "true".to_owned());
        }
        told
    }
}
