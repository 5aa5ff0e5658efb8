// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Ending what a request names: the one place where objects with files and with contents end.

use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, ObjectRow, Page, RequestOutcome, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::fileset_placement::RemovedFiles;
use crate::metalake::is_in_use;
use crate::step::Step;

/// The areas that the end of an object changes.
pub(crate) const ENDING: &[Area] = &[Area::Objects, Area::Grants, Area::Governance];

/// What of an object must have ended before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Nothing: what is in it, and its files, end with it.
    EndToo,
    /// Everything; a metalake or catalog must also be switched off.
    MustBeGone,
}

impl Operations {
    /// Opens the write that is to end an object as the gate found it; `None` where it is no longer, or no longer called so.
    ///
    /// # Errors
    /// Those of [`Operations::write_unless_restricted`] but for that one; [`OperationError::Conflict`] for what is protected
    /// against dropping.
    pub(crate) async fn write_to_end(
        &self,
        call: &Call,
        areas: &[Area],
    ) -> Result<Option<Write>, OperationError> {
        match self.write_unless_restricted(call, areas).await {
            Ok(mut write) => {
                // What lies in no catalog, as a role, names no such object.
                if let Some(found) = &call.facts.object {
                    self.refuse_protected(&mut write, found).await?;
                }
                Ok(Some(write))
            }
            Err(OperationError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// As [`Self::write_to_end`], where files of `removed` went already: the write that marked those filesets has asked, so
    /// what was begun is finished, under whatever name the object has now and whatever was decided since.
    ///
    /// # Errors
    /// As [`Self::write_to_end`].
    async fn write_to_finish(
        &self,
        call: &Call,
        areas: &[Area],
        removed: &RemovedFiles,
    ) -> Result<Option<Write>, OperationError> {
        if removed.is_empty() {
            return self.write_to_end(call, areas).await;
        }
        let open = self.write_on(call, areas);
        let mut write = self.pass(Step::Swap, &call.caller, open).await?;
        let lives = write.object(call.facts.row()?.object.id).await?.is_some();
        Ok(lives.then_some(write))
    }

    /// Ends the object that the request names, a fileset or what contains others: refuses what has restricted tables, removes
    /// the files of managed filesets, and ends the rows. `false` where there is none, or none any more.
    ///
    /// # Errors
    /// [`OperationError::InUse`] and [`OperationError::NotEmpty`] where its contents must be gone and are not;
    /// [`OperationError::Restriction`] for restricted tables in it; [`OperationError::Unreachable`] where files could not be
    /// removed: then everything is still there; and as [`Self::write_to_end`].
    pub(crate) async fn end_with_contents(
        &self,
        call: &Call,
        areas: &[Area],
        contents: Contents,
    ) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        let Ok(row) = found.row() else {
            return Ok(false);
        };
        let mut removed = RemovedFiles::default();
        if contents == Contents::EndToo {
            let mut snapshot = self.store().snapshot().await?;
            // Before files go; the write of an end that removed none asks again.
            self.refuse_protected(&mut snapshot, found).await?;
            self.refuse_protected_below(&mut snapshot, row.object.id).await?;
            self.refuse_restricted_below(&mut snapshot, call.facts.metalake_id()?, row.object.id)
                .await?;
            drop(snapshot);
            let Some(files) = self.remove_managed_files(call, found).await? else {
                return Ok(false);
            };
            removed = files;
        }
        let end = self.end_rows(call, areas, contents, &removed);
        self.unmark_unless_dropped(call, &removed, end).await
    }

    /// The write of such an end.
    async fn end_rows(
        &self,
        call: &Call,
        areas: &[Area],
        contents: Contents,
        removed: &RemovedFiles,
    ) -> Result<bool, OperationError> {
        let Some(mut write) = self.write_to_finish(call, areas, removed).await? else {
            return Ok(false);
        };
        let id = call.facts.row()?.object.id;
        // As it is now: it may have been switched on since.
        let Some(row) = write.object(id).await? else {
            return Ok(false);
        };
        if contents == Contents::MustBeGone {
            self.require_empty(call, &mut write, &row.object).await?;
        }
        if removed.is_empty() {
            self.refuse_protected_below(&mut write, id).await?;
        }
        self.refuse_restricted_below(&mut write, call.facts.metalake_id()?, id)
            .await?;
        self.require_removed(&mut write, id, removed).await?;
        let secrets = self.secrets().ending(&mut write, id).await?;
        write.drop_object(id).await?;
        self.end_with(call, &mut write, RequestOutcome::default()).await?;
        write.commit().await?;
        self.secrets().forget(secrets);
        Ok(true)
    }

    /// Refuses to end a metalake, catalog or schema that is in use or has something in it.
    async fn require_empty(
        &self,
        call: &Call,
        write: &mut Write,
        row: &ObjectRow,
    ) -> Result<(), OperationError> {
        let name = call
            .facts
            .found()?
            .object
            .path
            .last()
            .cloned()
            .unwrap_or_default();
        let is_container = matches!(row.kind, ObjectKind::Metalake | ObjectKind::Catalog);
        if is_container && is_in_use(&row.properties) {
            return Err(OperationError::InUse {
                noun: row.kind.into(),
                name,
                what_to_do: "please disable it first, or force the drop",
            });
        }
        let is_empty = if row.kind == ObjectKind::Catalog {
            let fixed = self.factory_of(row)?.fixed_schemas();
            let schemas = write.children(row.id, ObjectKind::Schema, &Page::ALL).await?;
            let mut names = schemas.iter().map(|schema| &schema.name);
            names.all(|name| fixed.iter().any(|fixed| fixed.name == *name))
        } else {
            !write.has_children(row.id).await?
        };
        if is_empty {
            return Ok(());
        }
        Err(OperationError::NotEmpty {
            noun: row.kind.into(),
            name,
            what_to_do: if row.kind == ObjectKind::Metalake {
                "drop its catalogs first, or force the drop"
            } else if is_container {
                "drop its schemas first, or force the drop"
            } else {
                "drop what is in it first, or drop it with cascade"
            },
        })
    }
}
