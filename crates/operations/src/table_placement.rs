// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The effects of planned tables, for both protocols: a new table gets its file, row, pointer, location and owner, a
//! change gets its file and the pointer; all of it or nothing.
//!
//! Whoever plans has decided before that the answer may be shown: after the effect there is no refusal any more, since
//! clients delete their files when they are refused.

use lakeward_catalog::table_catalog::{PlannedTable, TableCatalog};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{
    Area, Claimed, Grounds, NewObject, ObjectRow, PointerSwap, Snapshot, StoreError, SwapBegun, SwapContext,
    Write,
};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Clash, OperationError};
use crate::facts::Found;
use crate::idempotency::{ended_before, of_object};
use crate::step::Step;

/// Where a new table goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The schema, which exists.
    pub(crate) schema: &'a ObjectRow,
    /// The name in it.
    pub(crate) name: &'a str,
}

/// One table of a change of several.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change<'a> {
    /// A new version of a table.
    Commit {
        /// The table.
        table: &'a ObjectRow,
        /// The version.
        planned: &'a PlannedTable,
    },
    /// A new table.
    Create {
        /// Where it goes.
        place: Place<'a>,
        /// Its first version.
        planned: &'a PlannedTable,
    },
}

impl<'a> Change<'a> {
    pub(crate) fn planned(&self) -> &'a PlannedTable {
        match self {
            Self::Commit { planned, .. } | Self::Create { planned, .. } => planned,
        }
    }
}

impl Operations {
    /// Whether a location overlaps that of a living table, view or fileset of this server, other than `except`, or that of a dropped
    /// one that was restricted and whose files are still there, or that credentials still reach.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn is_location_taken(
        &self,
        location: &str,
        except: Option<ObjectId>,
    ) -> Result<bool, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        Ok(snapshot.location_holder(location, except).await?.is_some()
            || snapshot.is_ended_location(location).await?
            || snapshot.is_lent_location(location).await?)
    }

    /// Refuses a name that a table or view of the schema has, before any file of a new one (`wanted`) is written.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`].
    pub(crate) async fn require_free_name(
        &self,
        wanted: ObjectKind,
        place: Place<'_>,
    ) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        match holder_of(&mut snapshot, place.schema.id, place.name).await? {
            None => Ok(()),
            Some(kind) if kind == wanted => Err(OperationError::already_exists(wanted, place.name)),
            Some(other) => Err(OperationError::AlreadyExists {
                noun: wanted.into(),
                name: place.name.to_owned(),
                clash: Clash::Other(other),
            }),
        }
    }

    /// As [`Self::require_free_name`] for a table.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`].
    pub(crate) async fn require_free_table_name(&self, place: Place<'_>) -> Result<(), OperationError> {
        self.require_free_name(ObjectKind::Table, place).await
    }

    /// Refuses a name at the destination of a rename.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`].
    pub(crate) async fn require_free_destination(
        &self,
        snapshot: &mut Snapshot,
        source: &Found,
        (destination, parent): (&Found, ObjectId),
        new_name: &str,
    ) -> Result<(), OperationError> {
        let Some(existing) = holder_of(snapshot, parent, new_name).await? else {
            return Ok(());
        };
        let dotted = |schema: &Found, name: &str| {
            let mut levels = self.levels(schema.object.path.get(1).map_or("", String::as_str));
            levels.push(name.to_owned());
            levels.join(".")
        };
        let old_name = source.object.path.last().map_or("", String::as_str);
        Err(OperationError::AlreadyExists {
            noun: source.object.kind.into(),
            name: new_name.to_owned(),
            clash: Clash::Rename {
                existing,
                source: dotted(source, old_name),
                destination: dotted(destination, new_name),
            },
        })
    }

    /// Makes a planned table. The caller owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] for the name; [`OperationError::Invalid`] when its location overlaps that of
    /// another table; [`OperationError::NotFound`] when the schema is gone; what the provider reports of the file.
    /// Nothing is left behind then. [`OperationError::UnknownOutcome`] when the store broke off during the commit.
    pub(crate) async fn place_table(
        &self,
        call: &Call,
        tables: &dyn TableCatalog,
        place: Place<'_>,
        planned: &PlannedTable,
    ) -> Result<ObjectRow, OperationError> {
        let location = location_of(planned);
        let is_taken = self.is_location_taken(&location, None).await?;
        // The name after the location: a table of this name made a moment ago has both, and it is the name that clashes.
        self.require_free_table_name(place).await?;
        if is_taken {
            return Err(overlaps(&location));
        }
        self.write_file(call, tables, planned).await?;
        let prepared = self.prepare_table(call, place, planned, &location).await;
        let (write, row) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                tables.discard(planned).await;
                return Err(error);
            }
        };
        write.commit().await.map_err(unknown)?;
        Ok(row)
    }

    /// Writes the file of a new version, which nobody looks at yet.
    async fn write_file(
        &self,
        call: &Call,
        tables: &dyn TableCatalog,
        planned: &PlannedTable,
    ) -> Result<(), OperationError> {
        self.pass(Step::File, &call.caller, async {
            Ok(tables.write(planned).await?)
        })
        .await
    }

    async fn prepare_table(
        &self,
        call: &Call,
        place: Place<'_>,
        planned: &PlannedTable,
        location: &str,
    ) -> Result<(Write, ObjectRow), OperationError> {
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = self
            .insert_table(call, &mut write, place, planned, location)
            .await?;
        self.end_with_object(call, &mut write, row.id).await?;
        Ok((write, row))
    }

    /// Row, pointer, location and owner of a new table.
    pub(crate) async fn insert_table(
        &self,
        call: &Call,
        write: &mut Write,
        place: Place<'_>,
        planned: &PlannedTable,
        location: &str,
    ) -> Result<ObjectRow, OperationError> {
        let new = NewObject::named(place.schema.id, ObjectKind::Table, place.name);
        let row = match write.create_object(&new).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::Table, place.name));
            }
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Schema, &place.schema.name));
            }
            other => other?,
        };
        let new = planned.table.map_ref(Clone::clone);
        write
            .set_table_pointer(
                row.id,
                &new.metadata_location,
                &new.metadata.facts().uuid,
                new.metadata.digest(),
            )
            .await?;
        claim(write, row.id, location).await?;
        self.make_creator_own(write, row.id, call).await?;
        Ok(row)
    }

    /// Makes a planned change of a table. What was said of a column that the change drops stays: its values lie in the
    /// files and may come back under its field id, with an older schema, and no other column ever gets that id.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when somebody else's change came first or the `grounds` of the decision changed,
    /// [`OperationError::Invalid`] when a new location overlaps that of another table; nothing is left behind then. [`OperationError::UnknownOutcome`] when
    /// the store broke off and cannot say.
    pub(crate) async fn change_table(
        &self,
        call: &Call,
        tables: &dyn TableCatalog,
        table: &ObjectRow,
        planned: &PlannedTable,
        grounds: &Grounds,
    ) -> Result<(), OperationError> {
        let swap = swap_of(table, planned);
        self.write_file(call, tables, planned).await?;
        let swapped = self
            .pass(
                Step::Swap,
                &call.caller,
                self.swap(call, table, planned, (&swap, grounds)),
            )
            .await;
        match swapped {
            Ok(true) => {
                tables.remove_expired(planned).await;
                Ok(())
            }
            Ok(false) => {
                tables.discard(planned).await;
                Err(lost(&table.name))
            }
            Err(error @ OperationError::UnknownOutcome { .. }) => Err(error),
            Err(error) => {
                tables.discard(planned).await;
                Err(error)
            }
        }
    }

    /// Whether the pointer was moved: false when the race was lost.
    async fn swap(
        &self,
        call: &Call,
        table: &ObjectRow,
        planned: &PlannedTable,
        (swap, grounds): (&PointerSwap, &Grounds),
    ) -> Result<bool, OperationError> {
        if !planned.location_is_new {
            let context = SwapContext {
                metalake: grounds.metalake,
                actor: call.user(),
                request: call.keyed.as_deref(),
                outcome: &of_object(table.id),
            };
            let begun = self
                .store()
                .begin_swap(std::slice::from_ref(swap), context)
                .await?;
            let mut open = match begun {
                SwapBegun::Open(open) => open,
                SwapBegun::Lost(_) => return Ok(false),
                SwapBegun::Repeated => return Err(ended_before()),
            };
            self.require_still_decided(open.write(), call, grounds).await?;
            return match open.commit().await {
                Ok(_) => Ok(true),
                Err(error) => self.find_out(swap, error).await,
            };
        }
        let mut write = self.write_on(call, &[Area::Objects]).await?;
        match write.swap_table_pointer(swap).await {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(false),
            Err(error) if error.is_missing() => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        claim(&mut write, table.id, &location_of(planned)).await?;
        self.end_with_object(call, &mut write, table.id).await?;
        self.require_still_decided(&mut write, call, grounds).await?;
        match write.commit().await {
            Ok(()) => Ok(true),
            Err(error) => self.find_out(swap, error).await,
        }
    }

    /// After a failed commit: whether it was made all the same. That the pointer has not moved proves nothing: the
    /// database may still be at work on what a broken connection left with it, and then needs the new file.
    pub(crate) async fn find_out(
        &self,
        swap: &PointerSwap,
        error: StoreError,
    ) -> Result<bool, OperationError> {
        match self.store().table_pointer(swap.table_id).await {
            Ok(Some(pointer)) if pointer.metadata_location == swap.new => Ok(true),
            Ok(_) | Err(_) => Err(unknown(error)),
        }
    }
}

/// The base location of the planned version.
pub(crate) fn location_of(planned: &PlannedTable) -> String {
    planned
        .table
        .map_ref(|table| table.metadata.facts().location.clone())
}

/// The move of a table's pointer that a planned version asks for.
pub(crate) fn swap_of(table: &ObjectRow, planned: &PlannedTable) -> PointerSwap {
    planned.table.map_ref(|new| PointerSwap {
        table_id: table.id,
        expected: planned.base.clone().unwrap_or_default(),
        new: new.metadata_location.clone(),
        new_digest: new.metadata.digest().to_owned(),
    })
}

/// Which of the kinds that share names has one in a schema.
async fn holder_of(
    snapshot: &mut Snapshot,
    schema: ObjectId,
    name: &str,
) -> Result<Option<ObjectKind>, OperationError> {
    for kind in [ObjectKind::Table, ObjectKind::View] {
        if snapshot.child(schema, kind, name).await?.is_some() {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// Somebody else's change of a table or view came first.
pub(crate) fn lost(name: &str) -> OperationError {
    OperationError::Conflict(format!(
        "`{name}` was changed or dropped by somebody else in between; load it again and retry"
    ))
}

pub(crate) async fn claim(write: &mut Write, table: ObjectId, location: &str) -> Result<(), OperationError> {
    match write.claim_table_location(table, location).await? {
        Claimed::Mine
            if write.is_ended_location(location).await? || write.is_lent_location(location).await? =>
        {
            Err(overlaps(location))
        }
        Claimed::Mine => Ok(()),
        // Which table it is, the caller may not be allowed to know.
        Claimed::Taken(_) => Err(overlaps(location)),
    }
}

pub(crate) fn overlaps(location: &str) -> OperationError {
    OperationError::invalid(format!(
        "the location `{location}` overlaps that of another table, view or fileset, or of a dropped one that credentials still \
         reach; choose one beside it"
    ))
}

pub(crate) fn unknown(error: StoreError) -> OperationError {
    OperationError::UnknownOutcome {
        message: "the store broke off while the change was committed; load it to see".to_owned(),
        detail: error.to_string(),
    }
}
