// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files of metadata: read whole, created once, never overwritten.

mod local;
mod s3;

use bytes::Bytes;
use lakeward_catalog::error::CatalogError;

use crate::location::{Location, Scheme};
pub(crate) use s3::S3Settings;

/// The largest file that is read. A caller may register any file of the warehouse as metadata, also a data file that
/// does not fit into memory.
pub(crate) const MAX_READ_BYTES: u64 = 512 * 1024 * 1024;

/// The same place by its one real name. Only files of this machine have others.
///
/// # Errors
/// [`CatalogError::LocationRefused`] for a link that leads nowhere, [`CatalogError::Unavailable`].
pub(crate) fn real(location: &Location) -> Result<Location, CatalogError> {
    match location.scheme() {
        Scheme::File => local::real(location),
        Scheme::S3 => Ok(location.clone()),
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
pub(crate) struct Storage {
    s3: s3::S3Storage,
}

impl Storage {
    /// A storage with the settings for S3; files of this machine need none.
    pub(crate) fn new(settings: S3Settings) -> Self {
        Self {
            s3: s3::S3Storage::new(settings),
        }
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// [`CatalogError::MetadataMissing`] when there is none, [`CatalogError::MetadataInvalid`] when it is larger than
    /// [`MAX_READ_BYTES`], [`CatalogError::Unavailable`].
    pub(crate) async fn read(&self, location: &Location) -> Result<Bytes, CatalogError> {
        self.read_at_most(location, MAX_READ_BYTES).await
    }

    /// As [`Self::read`], with a limit of the caller's, which counts where it is lower.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub(crate) async fn read_at_most(&self, location: &Location, most: u64) -> Result<Bytes, CatalogError> {
        let most = most.min(MAX_READ_BYTES);
        match location.scheme() {
            Scheme::File => local::read(location, most).await,
            Scheme::S3 => self.s3.read(location, most).await,
        }
    }

    /// Creates a file with its content, at once and durably: nobody ever sees a part of it, and when the call has
    /// returned a crash does not lose it.
    ///
    /// # Errors
    /// [`CatalogError::FileExists`] when the file exists, [`CatalogError::Unavailable`].
    pub(crate) async fn create(&self, location: &Location, content: Bytes) -> Result<(), CatalogError> {
        match location.scheme() {
            Scheme::File => local::create(location, content).await,
            Scheme::S3 => self.s3.create(location, content).await,
        }
    }

    /// Deletes a file; a missing one is no error.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`].
    pub(crate) async fn delete(&self, location: &Location) -> Result<(), CatalogError> {
        match location.scheme() {
            Scheme::File => local::delete(location).await,
            Scheme::S3 => self.s3.delete(location).await,
        }
    }

    /// Whether the storage of a warehouse answers.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`].
    pub(crate) async fn test(&self, warehouse: &Location) -> Result<(), CatalogError> {
        match warehouse.scheme() {
            Scheme::File => local::test(warehouse).await,
            Scheme::S3 => self.s3.test(warehouse).await,
        }
    }
}
