// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metadata files are believed only as they were written or registered: the store keeps their digest with the pointer.
//! Whoever may write a table's files could put another one there, and it would name any location, snapshot and schema.

use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::view_catalog::{LoadedView, ViewCatalog};
use lakeward_read_restrictions::admission::Ungoverned;
use lakeward_store::{ReadMetadata, TablePointer};

use crate::Operations;
use crate::error::OperationError;
use crate::providers::changed_outside;

/// The metadata file that a pointer names.
pub(crate) fn file_of(pointer: &TablePointer) -> MetadataFile<'_> {
    MetadataFile {
        location: &pointer.metadata_location,
        digest: pointer.metadata_digest.as_deref(),
    }
}

impl Operations {
    /// The version of a table that a pointer names. The pointer then has its digest.
    ///
    /// # Errors
    /// [`OperationError::Unreachable`] when it was changed outside the catalog; what provider and store report.
    pub(crate) async fn load_version(
        &self,
        tables: &dyn TableCatalog,
        pointer: &mut TablePointer,
    ) -> Result<Ungoverned<LoadedTable>, OperationError> {
        let loaded = tables.load(file_of(pointer)).await?;
        self.believe_table(pointer, &loaded).await?;
        Ok(loaded)
    }

    /// As [`Self::load_version`], for a view.
    pub(crate) async fn load_view_version(
        &self,
        views: &dyn ViewCatalog,
        pointer: &mut TablePointer,
    ) -> Result<LoadedView, OperationError> {
        let loaded = views.load_view(file_of(pointer)).await?;
        let metadata = &loaded.metadata;
        let read = ReadMetadata {
            digest: &metadata.digest,
            uuid: &metadata.facts.uuid,
            location: &metadata.facts.location,
        };
        self.believe(pointer, read).await?;
        Ok(loaded)
    }

    /// Decides whether the loaded version of a table is to be believed where its digest is not known yet.
    ///
    /// # Errors
    /// As [`Self::load_version`].
    pub(crate) async fn believe_table(
        &self,
        pointer: &mut TablePointer,
        loaded: &Ungoverned<LoadedTable>,
    ) -> Result<(), OperationError> {
        if pointer.metadata_digest.is_some() {
            return Ok(());
        }
        let loaded = loaded.map_ref(Clone::clone);
        let facts = loaded.metadata.facts();
        let read = ReadMetadata {
            digest: loaded.metadata.digest(),
            uuid: &facts.uuid,
            location: &facts.location,
        };
        self.believe(pointer, read).await
    }

    /// A file of an older store is believed once, if it says the uuid and the location that the store has; from then on its
    /// digest counts.
    async fn believe(
        &self,
        pointer: &mut TablePointer,
        read: ReadMetadata<'_>,
    ) -> Result<(), OperationError> {
        if pointer.metadata_digest.is_some() {
            return Ok(());
        }
        match self.store().trust_metadata(pointer, read).await? {
            Some(now) if now.metadata_location != pointer.metadata_location => {
                Err(OperationError::Unavailable {
                    message: "the table or view was changed while it was read for the first time; retry"
                        .to_owned(),
                    detail: pointer.metadata_location.clone(),
                })
            }
            Some(now) if now.metadata_digest.as_deref() == Some(read.digest) => {
                *pointer = now;
                Ok(())
            }
            Some(_) | None => Err(changed_outside(format!(
                "the metadata file `{}` was changed outside the catalog: it does not state the uuid and the location of the \
                 table",
                pointer.metadata_location
            ))),
        }
    }
}
