// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects in S3 and in stores that speak like it. Creation uses the conditional put (`If-None-Match: *`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::TryStreamExt;
use lakeward_catalog::error::CatalogError;
use lakeward_metadata::Properties;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::location::Location;

/// How S3 is reached, from the catalog's properties.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct S3Settings {
    endpoint: Option<String>,
    region: Option<String>,
    path_style: bool,
    access_key_id: Option<String>,
    secret_access_key: Option<String>,
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
    pub(crate) fn from_properties(properties: &Properties) -> Self {
        let text = |name: &str| properties.get(name).cloned();
        Self {
            endpoint: text("s3-endpoint"),
            region: text("s3-region"),
            path_style: properties
                .get("s3-path-style-access")
                .is_some_and(|value| value.eq_ignore_ascii_case("true")),
            access_key_id: text("s3-access-key-id"),
            secret_access_key: text("s3-secret-access-key"),
        }
    }
}

/// One client per bucket, made on first use.
#[derive(Debug)]
pub(super) struct S3Storage {
    settings: S3Settings,
    buckets: Mutex<BTreeMap<String, Arc<AmazonS3>>>,
}

impl S3Storage {
    pub(super) fn new(settings: S3Settings) -> Self {
        Self {
            settings,
            buckets: Mutex::new(BTreeMap::new()),
        }
    }

    fn bucket(&self, name: &str) -> Result<Arc<AmazonS3>, CatalogError> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = buckets.get(name) {
            return Ok(Arc::clone(client));
        }
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(name)
            .with_virtual_hosted_style_request(!self.settings.path_style);
        if let Some(endpoint) = &self.settings.endpoint {
            builder = builder
                .with_endpoint(endpoint)
                .with_allow_http(endpoint.starts_with("http://"));
        }
        if let Some(region) = &self.settings.region {
            builder = builder.with_region(region);
        }
        if let Some(key) = &self.settings.access_key_id {
            builder = builder.with_access_key_id(key);
        }
        if let Some(secret) = &self.settings.secret_access_key {
            builder = builder.with_secret_access_key(secret);
        }
        let client = builder
            .build()
            .map(Arc::new)
            .map_err(|error| CatalogError::Invalid(format!("the S3 properties do not fit: {error}")))?;
        buckets.insert(name.to_owned(), Arc::clone(&client));
        Ok(client)
    }

    pub(super) async fn read(&self, location: &Location, most: u64) -> Result<Bytes, CatalogError> {
        let client = self.bucket(location.bucket())?;
        let object = client
            .get(&key(location)?)
            .await
            .map_err(|error| failure(location, error))?;
        super::check_size(location, object.meta.size, most)?;
        object.bytes().await.map_err(|error| failure(location, error))
    }

    pub(super) async fn create(&self, location: &Location, content: Bytes) -> Result<(), CatalogError> {
        let client = self.bucket(location.bucket())?;
        let options = PutOptions {
            mode: PutMode::Create,
            ..PutOptions::default()
        };
        client
            .put_opts(&key(location)?, PutPayload::from_bytes(content), options)
            .await
            .map(|_| ())
            .map_err(|error| failure(location, error))
    }

    pub(super) async fn delete(&self, location: &Location) -> Result<(), CatalogError> {
        let client = self.bucket(location.bucket())?;
        match client.delete(&key(location)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(location, error)),
        }
    }

    pub(super) async fn test(&self, warehouse: &Location) -> Result<(), CatalogError> {
        let client = self.bucket(warehouse.bucket())?;
        let prefix = (!warehouse.is_root()).then(|| key(warehouse)).transpose()?;
        client
            .list(prefix.as_ref())
            .try_next()
            .await
            .map(|_| ())
            .map_err(|error| failure(warehouse, error))
    }
}

fn key(location: &Location) -> Result<Path, CatalogError> {
    Path::parse(location.key()).map_err(|error| {
        CatalogError::LocationRefused(format!("`{location}` is not the name of an object: {error}"))
    })
}

fn failure(location: &Location, error: object_store::Error) -> CatalogError {
    if let object_store::Error::NotFound { .. } = error {
        return CatalogError::MetadataMissing(location.to_string());
    }
    if let object_store::Error::AlreadyExists { .. } = error {
        return CatalogError::FileExists(location.to_string());
    }
    CatalogError::Unavailable(format!("`{location}`: {error}"))
}
