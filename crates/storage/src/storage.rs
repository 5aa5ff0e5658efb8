// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files that are read whole, created once and never overwritten; folders that are made, listed and removed.

mod folder;
mod local;
mod objects;

use bytes::Bytes;
use lakeward_catalog::error::CatalogError;

use crate::location::{Location, Scheme};
use crate::settings::StorageSettings;
pub use folder::Entry;

/// The largest file that is read. A caller may register any file of the warehouse as metadata, also a data file that
/// does not fit into memory.
pub const MAX_READ_BYTES: u64 = 512 * 1024 * 1024;

/// The same place by its one real name. Only files of this machine have others.
///
/// # Errors
/// [`CatalogError::LocationRefused`] for a link that leads nowhere, [`CatalogError::Unavailable`].
pub fn real(location: &Location) -> Result<Location, CatalogError> {
    match location.scheme() {
        Scheme::File => local::real(location),
        Scheme::S3 | Scheme::Gcs | Scheme::Adls => Ok(location.clone()),
    }
}

fn check_size(location: &Location, bytes: u64, most: u64) -> Result<(), CatalogError> {
    if bytes <= most {
        return Ok(());
    }
    Err(CatalogError::MetadataInvalid {
        location: location.to_string(),
        reason: format!("it has {bytes} bytes, and no more than {most} are read"),
    })
}

/// Reads and creates files wherever a location points.
#[derive(Debug)]
pub struct Storage {
    objects: objects::ObjectStorage,
}

impl Storage {
    /// A storage with the settings for buckets; files of this machine need none.
    pub fn new(settings: StorageSettings) -> Self {
        Self {
            objects: objects::ObjectStorage::new(settings),
        }
    }

    /// Whether the settings are enough for Google's and Azure's storage, where a location is there. Those of S3 always
    /// are: the instance has keys where the catalog has none.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`].
    pub fn check_settings(&self, location: &Location) -> Result<(), CatalogError> {
        match location.scheme() {
            Scheme::File | Scheme::S3 => Ok(()),
            Scheme::Gcs | Scheme::Adls => self.objects.check(location),
        }
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// [`CatalogError::MetadataMissing`] when there is none, [`CatalogError::MetadataInvalid`] when it is larger than
    /// [`MAX_READ_BYTES`], [`CatalogError::Unavailable`].
    pub async fn read(&self, location: &Location) -> Result<Bytes, CatalogError> {
        self.read_at_most(location, MAX_READ_BYTES).await
    }

    /// As [`Self::read`], with a limit of the caller's, which counts where it is lower.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub async fn read_at_most(&self, location: &Location, most: u64) -> Result<Bytes, CatalogError> {
        let most = most.min(MAX_READ_BYTES);
        match location.scheme() {
            Scheme::File => local::read(location, most).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => self.objects.read(location, most).await,
        }
    }

    /// Creates a file with its content, at once and durably: nobody ever sees a part of it, and when the call has
    /// returned a crash does not lose it.
    ///
    /// # Errors
    /// [`CatalogError::FileExists`] when the file exists, [`CatalogError::Unavailable`].
    pub async fn create(&self, location: &Location, content: Bytes) -> Result<(), CatalogError> {
        match location.scheme() {
            Scheme::File => local::create(location, content).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => self.objects.create(location, content).await,
        }
    }

    /// Deletes a file; a missing one is no error.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`].
    pub async fn delete(&self, location: &Location) -> Result<(), CatalogError> {
        match location.scheme() {
            Scheme::File => local::delete(location).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => self.objects.delete(location).await,
        }
    }

    /// Makes a folder, with those that it lies in, unless it is there. Gives those that were made, innermost first. Buckets
    /// have no folders: nothing is made there.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] where a file is in the way, [`CatalogError::LocationRefused`] where a link is,
    /// [`CatalogError::Unavailable`].
    pub async fn make_folder(&self, location: &Location) -> Result<Vec<Location>, CatalogError> {
        match location.scheme() {
            Scheme::File => folder::make(location).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => Ok(Vec::new()),
        }
    }

    /// Removes a folder if it is empty; one that is not, or is not there, stays as it is.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] where a link is on the way, [`CatalogError::Unavailable`].
    pub async fn remove_empty_folder(&self, location: &Location) -> Result<(), CatalogError> {
        match location.scheme() {
            Scheme::File => folder::remove_empty(location).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => Ok(()),
        }
    }

    /// What lies directly in a folder, in the order of names: files and folders. Links are neither followed nor listed,
    /// and none may be on the way. `None` where there is no such folder; in a bucket also where nothing lies in it.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] where more than `most` lie in it, [`CatalogError::LocationRefused`] where a link is on
    /// the way, [`CatalogError::Unavailable`].
    pub async fn list_folder(
        &self,
        location: &Location,
        most: usize,
    ) -> Result<Option<Vec<Entry>>, CatalogError> {
        match location.scheme() {
            Scheme::File => folder::list(location, most).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => self.objects.list(location, most).await,
        }
    }

    /// Removes a folder with everything in it; links in it are removed, not followed. A missing one is no error.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] where a link is on the way or the location is a root,
    /// [`CatalogError::Unavailable`].
    pub async fn remove_folder(&self, location: &Location) -> Result<(), CatalogError> {
        if location.is_root() {
            return Err(CatalogError::LocationRefused(format!(
                "`{location}` is a root and is not removed"
            )));
        }
        match location.scheme() {
            Scheme::File => folder::remove(location).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => self.objects.remove(location).await,
        }
    }

    /// Whether the storage of a warehouse answers.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`].
    pub async fn test(&self, warehouse: &Location) -> Result<(), CatalogError> {
        match warehouse.scheme() {
            Scheme::File => local::test(warehouse).await,
            Scheme::S3 | Scheme::Gcs | Scheme::Adls => self.objects.test(warehouse).await,
        }
    }
}
