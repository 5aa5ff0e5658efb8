// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where the current metadata of an Iceberg table is. It changes by compare-and-swap alone and takes no counter, so
//! that commits to different tables never wait for each other; a version of its own says when it changed.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::finished_request::{KeyedRequest, RequestOutcome};
use crate::revision::{Area, Revision};
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::store::Store;
use crate::write::Write;

/// The pointer of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablePointer {
    /// The table.
    pub table_id: ObjectId,
    /// Where its current metadata is. What is at a location never changes.
    pub metadata_location: String,
    /// Where it was before the last commit.
    pub previous_metadata_location: Option<String>,
    /// The table's uuid, fixed for its life.
    pub table_uuid: String,
    /// Counts commits, from 1.
    pub version: i64,
    /// The SHA-256 of the metadata file in hexadecimal digits; `None` for one that was not read since digests are kept.
    pub metadata_digest: Option<String>,
}

/// What is read from a metadata file whose digest is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadMetadata<'a> {
    /// The SHA-256 of the file in hexadecimal digits.
    pub digest: &'a str,
    /// The table's uuid that the file states.
    pub uuid: &'a str,
    /// The base location that it states, canonical.
    pub location: &'a str,
}

/// One table of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointerSwap {
    /// The table.
    pub table_id: ObjectId,
    /// The location that the new metadata was made from.
    pub expected: String,
    /// The location of the new metadata.
    pub new: String,
    /// The SHA-256 of the new metadata file in hexadecimal digits.
    pub new_digest: String,
}

/// The counters of what a change was decided on: what is called how and lies where, who is in which groups, who owns and may
/// do what, and what restricts whom. They move for much else, too, for instance with every new table of the metalake: then
/// the change is decided again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grounds {
    /// The metalake.
    pub metalake: ObjectId,
    /// Its counters, and that of [`crate::Area::Server`], which has the accounts and their groups.
    pub revision: Revision,
}

/// Pointers that were moved by a write that is still open: nobody else sees it yet.
#[derive(Debug)]
pub struct OpenSwap {
    write: Write,
    /// With the position in which each was asked for.
    pointers: Vec<(usize, TablePointer)>,
}

impl OpenSwap {
    /// The write, to ask what holds in the state that it follows.
    pub fn write(&mut self) -> &mut Write {
        &mut self.write
    }

    /// Makes the pointers current; gives them in the order asked for.
    ///
    /// # Errors
    /// As [`Store::swap_table_pointers`].
    pub async fn commit(self) -> Result<Vec<TablePointer>, StoreError> {
        let Self { write, mut pointers } = self;
        let store = write.store().clone();
        write.commit().await?;
        pointers.sort_by_key(|(position, _)| *position);
        let pointers: Vec<TablePointer> = pointers.into_iter().map(|(_, pointer)| pointer).collect();
        if !store.is_shared() {
            for pointer in &pointers {
                store.inner.pointers.remember(pointer);
            }
        }
        Ok(pointers)
    }

    /// Leaves everything as it was.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn rollback(self) -> Result<(), StoreError> {
        self.write.rollback().await
    }
}

/// How a commit begins.
#[derive(Debug)]
pub enum SwapBegun {
    /// All pointers are moved, in a write that is still open.
    Open(OpenSwap),
    /// Nothing was changed: this table was committed to by somebody else in between, or was dropped.
    Lost(ObjectId),
    /// Nothing was changed: a request with the same idempotency key has ended before.
    Repeated,
}

/// The outcome of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Swapped {
    /// All pointers were changed, in the order asked for.
    All(Vec<TablePointer>),
    /// Nothing was changed: this table was committed to by somebody else in between, or was dropped.
    Lost(ObjectId),
    /// Nothing was changed: what the commit was decided on has changed.
    Overtaken,
    /// Nothing was changed: a request with the same idempotency key has ended before.
    Repeated,
}

/// What a commit of several pointers goes together with.
#[derive(Debug, Clone, Copy)]
pub struct SwapContext<'a> {
    /// The metalake of the tables, whose counters stay as they are while the commit is open; [`crate::ROOT`] for a commit
    /// that is decided on none.
    pub metalake: ObjectId,
    /// Who commits.
    pub actor: &'a str,
    /// The request that commits, where it named a key.
    pub request: Option<&'a KeyedRequest>,
    /// How that request ends with the commit.
    pub outcome: &'a RequestOutcome,
}

fn pointer(row: &Row) -> Result<TablePointer, StoreError> {
    Ok(TablePointer {
        table_id: row.id(0)?,
        metadata_location: row.text(1)?,
        previous_metadata_location: row.optional_text(2)?,
        table_uuid: row.text(3)?,
        version: row.integer(4)?,
        metadata_digest: row.optional_text(5)?,
    })
}

impl Snapshot {
    /// The pointer of a living table.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn table_pointer(&mut self, table: ObjectId) -> Result<Option<TablePointer>, StoreError> {
        let row = statement!("iceberg_table_load")
            .query()
            .id(table)
            .optional(self.connection())
            .await?;
        let found = row.as_ref().map(pointer).transpose()?;
        if let Some(pointer) = &found
            && self.is_committed()
            && !self.store().is_shared()
        {
            self.store().inner.pointers.remember(pointer);
        }
        Ok(found)
    }

    /// The metadata locations of all living tables of a metalake, for checks of overlap.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn table_locations(
        &mut self,
        metalake: ObjectId,
    ) -> Result<Vec<(ObjectId, String)>, StoreError> {
        statement!("iceberg_table_locations")
            .query()
            .id(metalake)
            .all(self.connection(), |row| Ok((row.id(0)?, row.text(1)?)))
            .await
    }
}

impl Store {
    /// The pointer of a table as of now: from memory where that is exact, else with one query outside a transaction.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn table_pointer(&self, table: ObjectId) -> Result<Option<TablePointer>, StoreError> {
        if let Some(pointer) = self.table_pointer_hint(table) {
            return Ok(Some(pointer));
        }
        let found = self
            .read(|| statement!("iceberg_table_load").query().id(table), pointer)
            .await?
            .pop();
        if let Some(pointer) = &found
            && !self.is_shared()
        {
            self.inner.pointers.remember(pointer);
        }
        Ok(found)
    }

    /// Keeps the digest of a metadata file that was written before digests were kept, if the file states the uuid and the
    /// base location that are known of the table. Gives the pointer as it is then; its digest is another one, or none, when
    /// the file is not to be believed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn trust_metadata(
        &self,
        pointer: &TablePointer,
        read: ReadMetadata<'_>,
    ) -> Result<Option<TablePointer>, StoreError> {
        let mut write = self.write_uncounted().await?;
        let row = statement!("iceberg_table_trust")
            .query()
            .id(pointer.table_id)
            .bind(pointer.metadata_location.as_str())
            .bind(read.digest)
            .bind(read.uuid)
            .bind(read.location)
            .optional(write.connection())
            .await?;
        let Some(row) = row else {
            let found = write.table_pointer(pointer.table_id).await?;
            write.rollback().await?;
            return Ok(found);
        };
        let trusted = self::pointer(&row)?;
        write.commit().await?;
        if !self.is_shared() {
            self.inner.pointers.remember(&trusted);
        }
        Ok(Some(trusted))
    }

    /// Points tables to new metadata, all of them or none, each only if it still points where the new metadata was made
    /// from, and only while `grounds`, what the commit was decided on, stand.
    ///
    /// # Errors
    /// What the database reports. After an error of class `Unavailable` the commit may or may not have been made: ask
    /// [`Store::table_pointer`] before telling anyone that it failed.
    pub async fn swap_table_pointers(
        &self,
        swaps: &[PointerSwap],
        grounds: Option<&Grounds>,
        actor: &str,
    ) -> Result<Swapped, StoreError> {
        let context = SwapContext {
            metalake: grounds.map_or(crate::ROOT, |grounds| grounds.metalake),
            actor,
            request: None,
            outcome: &RequestOutcome::default(),
        };
        match self.begin_swap(swaps, context).await? {
            SwapBegun::Lost(table) => Ok(Swapped::Lost(table)),
            SwapBegun::Repeated => Ok(Swapped::Repeated),
            SwapBegun::Open(mut open) => {
                if let Some(grounds) = grounds
                    && !open.write().still_stands(grounds).await?
                {
                    open.rollback().await?;
                    return Ok(Swapped::Overtaken);
                }
                Ok(Swapped::All(open.commit().await?))
            }
        }
    }

    /// Moves pointers in a write that stays open, together with the end of the request that asks for it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn begin_swap(
        &self,
        swaps: &[PointerSwap],
        context: SwapContext<'_>,
    ) -> Result<SwapBegun, StoreError> {
        let mut write = Write::open(self.clone(), context.metalake, &[], context.actor).await?;
        // Fixed order: two commits that share tables can never wait for each other.
        let mut order: Vec<(usize, &PointerSwap)> = swaps.iter().enumerate().collect();
        order.sort_by_key(|(_, swap)| swap.table_id);
        let mut pointers = Vec::with_capacity(order.len());
        for (position, swap) in order {
            let row = statement!("iceberg_table_swap")
                .query()
                .id(swap.table_id)
                .bind(swap.expected.as_str())
                .bind(swap.new.as_str())
                .bind(swap.new_digest.as_str())
                .optional(write.connection())
                .await?;
            let Some(row) = row else {
                write.rollback().await?;
                return Ok(SwapBegun::Lost(swap.table_id));
            };
            let pointer = pointer(&row)?;
            write.will_point(pointer.table_id, pointer.version);
            pointers.push((position, pointer));
        }
        if let Some(request) = context.request
            && !write.finish_request(request, context.outcome).await?
        {
            write.rollback().await?;
            return Ok(SwapBegun::Repeated);
        }
        Ok(SwapBegun::Open(OpenSwap { write, pointers }))
    }
}

impl Write {
    /// Gives a table that was created by this write its first metadata. Needs [`Area::Objects`].
    ///
    /// # Errors
    /// Class `Unique` when it has one already; [`StoreError::Missing`] when the table does not exist.
    pub async fn set_table_pointer(
        &mut self,
        table: ObjectId,
        metadata_location: &str,
        table_uuid: &str,
        metadata_digest: &str,
    ) -> Result<TablePointer, StoreError> {
        self.need("iceberg_table_insert", Area::Objects)?;
        self.mine(table, "iceberg_table_insert").await?;
        statement!("iceberg_table_insert")
            .query()
            .id(table)
            .bind(metadata_location)
            .bind(table_uuid)
            .bind(metadata_digest)
            .run(self.connection())
            .await?;
        self.will_point(table, 1);
        Ok(TablePointer {
            table_id: table,
            metadata_location: metadata_location.to_owned(),
            previous_metadata_location: None,
            table_uuid: table_uuid.to_owned(),
            version: 1,
            metadata_digest: Some(metadata_digest.to_owned()),
        })
    }

    /// As [`Store::swap_table_pointers`], for one table and together with what else this write does. `None` when the
    /// race was lost; the write must then be dropped. Needs [`Area::Objects`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the table does not exist; else what the database reports.
    pub async fn swap_table_pointer(
        &mut self,
        swap: &PointerSwap,
    ) -> Result<Option<TablePointer>, StoreError> {
        self.mine(swap.table_id, "iceberg_table_swap").await?;
        let row = statement!("iceberg_table_swap")
            .query()
            .id(swap.table_id)
            .bind(swap.expected.as_str())
            .bind(swap.new.as_str())
            .bind(swap.new_digest.as_str())
            .optional(self.connection())
            .await?;
        let found = row.as_ref().map(pointer).transpose()?;
        if let Some(pointer) = &found {
            self.will_point(pointer.table_id, pointer.version);
        }
        Ok(found)
    }

    /// Whether what a commit was decided on has not changed. It does not change before this write ends.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn still_stands(&mut self, grounds: &Grounds) -> Result<bool, StoreError> {
        Ok(self.grounds_before(grounds.metalake).await? == *grounds)
    }

    /// The counters of a metalake in the state that this write follows: what it raises itself is left out. Costs no
    /// statement where this process is the only writer, else one.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn grounds_before(&mut self, metalake: ObjectId) -> Result<Grounds, StoreError> {
        let revision = self.revision_before(metalake).await?;
        Ok(Grounds { metalake, revision })
    }
}
