// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The client of a bucket, by kind of storage, from the properties of a catalog.

use std::sync::Arc;

use lakeward_catalog::error::CatalogError;
use object_store::ClientOptions;
use object_store::StaticCredentialProvider;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};

use super::empty_segments::Connector;
use crate::adls_settings::{AdlsCredential, AdlsSettings};
use crate::gcs_settings::{GcsCredential, GcsSettings};
use crate::location::Location;
use crate::s3_settings::S3Settings;

pub(super) fn s3(
    settings: &S3Settings,
    location: &Location,
    connector: Connector,
) -> Result<AmazonS3, CatalogError> {
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(location.bucket())
        .with_http_connector(connector)
        .with_virtual_hosted_style_request(!settings.path_style);
    if let Some(endpoint) = &settings.endpoint {
        builder = builder
            .with_endpoint(endpoint)
            .with_allow_http(is_plain(endpoint));
    }
    if let Some(region) = &settings.region {
        builder = builder.with_region(region);
    }
    if let Some((id, secret)) = &settings.keys {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret);
    }
    builder
        .build()
        .map_err(|error| CatalogError::Invalid(format!("the S3 properties do not fit: {error}")))
}

pub(super) fn gcs(
    settings: &GcsSettings,
    location: &Location,
    connector: Connector,
) -> Result<GoogleCloudStorage, CatalogError> {
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_bucket_name(location.bucket())
        .with_http_connector(connector);
    if let Some(endpoint) = &settings.endpoint {
        builder = builder
            .with_base_url(endpoint.trim_end_matches('/'))
            .with_client_options(ClientOptions::new().with_allow_http(is_plain(endpoint)));
    }
    // Always one of them: without any the library would take what it finds on this machine.
    builder = match settings.credential()? {
        GcsCredential::File(path) => builder.with_service_account_path(path),
        GcsCredential::Json(json) => builder.with_service_account_key(json),
        GcsCredential::Token(token) => {
            builder.with_credentials(Arc::new(StaticCredentialProvider::new(GcpCredential {
                bearer: token.to_owned(),
            })))
        }
        GcsCredential::None => {
            builder
                .with_skip_signature(true)
                .with_credentials(Arc::new(StaticCredentialProvider::new(GcpCredential {
                    bearer: String::new(),
                })))
        }
    };
    // The cause may quote from the file or the key.
    builder.build().map_err(|_| {
        CatalogError::Invalid(
            "the properties for Google Cloud Storage do not fit: the service account cannot be read or the endpoint is none"
                .to_owned(),
        )
    })
}

pub(super) fn adls(
    settings: &AdlsSettings,
    location: &Location,
    connector: Connector,
) -> Result<MicrosoftAzure, CatalogError> {
    let (container, account) = location.container_and_account().unwrap_or_default();
    let mut builder = MicrosoftAzureBuilder::new()
        .with_account(account)
        .with_container_name(container)
        .with_http_connector(connector);
    if let Some(endpoint) = &settings.endpoint {
        builder = builder
            .with_endpoint(endpoint.clone())
            .with_allow_http(is_plain(endpoint));
    }
    builder = match settings.credential(account)? {
        AdlsCredential::AccountKey(key) => builder.with_access_key(key),
        AdlsCredential::Sas(pairs) => builder.with_sas_authorization(pairs),
    };
    // The cause may quote the key.
    builder.build().map_err(|_| {
        CatalogError::Invalid(
            "the properties for Azure do not fit: the account key is not Base64 or the endpoint is none"
                .to_owned(),
        )
    })
}

fn is_plain(endpoint: &str) -> bool {
    endpoint.starts_with("http://")
}
