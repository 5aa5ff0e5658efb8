// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects in S3 and in stores that speak like it, in Google Cloud Storage and in Azure. Creation uses the conditional put
//! of each (`If-None-Match: *`, `x-goog-if-generation-match: 0`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use lakeward_catalog::error::CatalogError;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use self::empty_segments::{Connector, EmptySegment};
use super::folder::{Entry, too_many};
use crate::location::{Location, Scheme};
use crate::settings::StorageSettings;

mod clients;
mod empty_segments;

/// What is asked of the client of a bucket.
trait Bucket: ObjectStore + PaginatedListStore {}
impl<T: ObjectStore + PaginatedListStore> Bucket for T {}

/// One client per bucket, made on first use.
#[derive(Debug)]
pub(super) struct ObjectStorage {
    settings: StorageSettings,
    buckets: Mutex<BTreeMap<String, Arc<dyn Bucket>>>,
    empty_segment: EmptySegment,
}

impl ObjectStorage {
    pub(super) fn new(settings: StorageSettings) -> Self {
        Self {
            settings,
            buckets: Mutex::new(BTreeMap::new()),
            empty_segment: EmptySegment::new(),
        }
    }

    /// The client of the bucket that a location lies in. Every kind of storage is made here.
    fn bucket(&self, location: &Location) -> Result<Arc<dyn Bucket>, CatalogError> {
        // With the scheme: one name may be a bucket of several storages.
        let mut root = location.clone();
        while let Some(parent) = root.parent() {
            root = parent;
        }
        let root = root.to_string();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = buckets.get(&root) {
            return Ok(Arc::clone(client));
        }
        let connector = Connector(self.empty_segment.clone());
        let client: Arc<dyn Bucket> = match location.scheme() {
            Scheme::S3 => Arc::new(clients::s3(&self.settings.s3, location, connector)?),
            Scheme::Gcs => Arc::new(clients::gcs(&self.settings.gcs, location, connector)?),
            Scheme::Adls => Arc::new(clients::adls(&self.settings.adls, location, connector)?),
            Scheme::File => {
                return Err(CatalogError::LocationRefused(format!(
                    "`{location}` is in no bucket"
                )));
            }
        };
        buckets.insert(root, Arc::clone(&client));
        Ok(client)
    }

    /// Whether the settings are enough for a location.
    pub(super) fn check(&self, location: &Location) -> Result<(), CatalogError> {
        self.bucket(location).map(|_| ())
    }

    pub(super) async fn read(&self, location: &Location, most: u64) -> Result<Bytes, CatalogError> {
        let client = self.bucket(location)?;
        let object = client
            .get(&key(location)?)
            .await
            .map_err(|error| failure(location, error))?;
        super::check_size(location, object.meta.size, most)?;
        object.bytes().await.map_err(|error| failure(location, error))
    }

    pub(super) async fn create(&self, location: &Location, content: Bytes) -> Result<(), CatalogError> {
        let client = self.bucket(location)?;
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
        let client = self.bucket(location)?;
        match client.delete(&key(location)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(location, error)),
        }
    }

    /// What lies below a prefix up to the next slash. Page by page, so that a large folder is refused and not read.
    pub(super) async fn list(
        &self,
        folder: &Location,
        most: usize,
    ) -> Result<Option<Vec<Entry>>, CatalogError> {
        let client = self.bucket(folder)?;
        let prefix = (!folder.is_root()).then(|| format!("{}/", folder.key()));
        let mut entries: Vec<Entry> = Vec::new();
        let mut exists = folder.is_root();
        let mut page_token = None;
        loop {
            let options = PaginatedListOptions {
                delimiter: Some("/".into()),
                page_token: page_token.take(),
                ..PaginatedListOptions::default()
            };
            let page = client
                .list_paginated(prefix.as_deref(), options)
                .await
                .map_err(|error| failure(folder, error))?;
            let listed = page.result;
            exists |= !listed.common_prefixes.is_empty() || !listed.objects.is_empty();
            // What has no name is of no folder that anybody can name.
            let has_name = |path: &Path| !self.empty_segment.ends(path);
            let prefixes = listed.common_prefixes.iter().filter(|path| has_name(path));
            let folders = prefixes.filter_map(|path| {
                Some(Entry {
                    name: path.filename()?.to_owned(),
                    is_folder: true,
                    size: 0,
                    last_modified: 0,
                })
            });
            entries.extend(folders);
            // The object of the prefix itself, which has no name in it, marks a folder.
            let files = listed.objects.iter().filter(|object| has_name(&object.location));
            entries.extend(files.filter_map(|object| {
                Some(Entry {
                    name: object.location.filename()?.to_owned(),
                    is_folder: false,
                    size: object.size,
                    last_modified: object.last_modified.timestamp_millis(),
                })
            }));
            if entries.len() > most {
                return Err(too_many(folder, most));
            }
            page_token = page.page_token;
            if page_token.is_none() {
                break;
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(exists.then_some(entries))
    }

    /// Deletes every object below a prefix, also those that nobody can name.
    pub(super) async fn remove(&self, folder: &Location) -> Result<(), CatalogError> {
        let client = self.bucket(folder)?;
        let word = self.empty_segment.clone();
        // Another may delete the same at the same time.
        let done = |deleted: object_store::Result<Path>| match deleted {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(folder, error)),
        };
        let objects = client
            .list(Some(&key(folder)?))
            .map_ok(move |object| word.restore(object.location));
        client
            .delete_stream(objects.boxed())
            .map(done)
            .try_collect()
            .await
    }

    pub(super) async fn test(&self, warehouse: &Location) -> Result<(), CatalogError> {
        let client = self.bucket(warehouse)?;
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

#[cfg(test)]
mod tests;
