// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables as clients of the Iceberg protocol act on them: create, register, rename, drop; [`crate::iceberg_commit`] has
//! the commits.
//!
//! The gate decides before any effect: Iceberg clients delete their files after a 4xx, so after the effect only
//! success or "unknown" may be answered.

use lakeward_authorization::Authorized;
use lakeward_authorization::requirement::Circumstance;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::storage_delegation::FileAccess;
use lakeward_catalog::table_catalog::IcebergTableCreation;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, RequestOutcome};

use crate::Operations;
use crate::caller::Call;
use crate::delegation::{DelegatedPlace, DelegationWish};
use crate::ending::ENDING;
use crate::error::OperationError;
use crate::etag::Representation;
use crate::external_name::check_external_name;
use crate::facts::Found;
use crate::iceberg_commit::restricted_write;
use crate::load_governed_table::{Current, ServedTable, fields};
use crate::named::{Named, NamedWhat, Names};
use crate::paths::{SchemaPath, TablePath};
use crate::providers::tables_of;
use crate::table_placement::{Place, location_of, overlaps};
use crate::widening::Force;

/// A new table of the Iceberg protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct NewIcebergTable {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub creation: IcebergTableCreation,
    /// Only prepare it: nothing exists until a commit creates it.
    pub stage: bool,
}

/// A table that moves to another name, and another namespace of its catalog where that differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableMove {
    /// The table.
    pub source: TablePath,
    /// The namespace it moves to.
    pub destination: SchemaPath,
}

impl Names for TableMove {
    fn named(&self) -> Named {
        let what = NamedWhat::Move {
            source: self.source.object(),
            destination: self.destination.object(),
        };
        Named::of(&self.source.metalake, what).saying(
            Circumstance::LeavesItsSchema,
            self.source.schema() != self.destination,
        )
    }
}

impl Operations {
    /// Creates or stages a table. The caller owns a created one.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the namespace, [`OperationError::AlreadyExists`], [`OperationError::Invalid`],
    /// [`OperationError::NotAdmitted`] when tables here are restricted for the caller and the client would not enforce
    /// it.
    pub async fn create_iceberg_table(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        new: NewIcebergTable,
        representation: Representation<'_>,
    ) -> Result<ServedTable, OperationError> {
        let schema = call.facts.found()?;
        schema.row()?;
        schema.require_in_use()?;
        let provider = self.provider_in(&schema.metalake, schema)?;
        let tables = tables_of(provider.as_ref())?;
        check_external_name(ObjectKind::Table, &new.name)?;
        let place = Place {
            schema: &schema.row()?.object,
            name: &new.name,
        };
        self.require_free_table_name(place).await?;
        let mut stand = self.place_in(schema, &new.name);
        // Nothing keeps others from the place of a staged table: where it is delegated, it must be one that nobody guesses.
        let delegates = representation.wish != DelegationWish::default() && provider.delegation().is_some();
        stand.unused_location = new.stage && delegates;
        let mut planned = tables.plan_create(&stand, &new.creation)?;
        if self.is_location_taken(&location_of(&planned), None).await? {
            if new.creation.location.is_some() {
                self.require_free_table_name(place).await?;
                return Err(overlaps(&location_of(&planned)));
            }
            stand.unused_location = true;
            planned = tables.plan_create(&stand, &new.creation)?;
        }
        let restrictions = self.clear(call, schema, &planned.table.map_ref(fields)).await?;
        let location = location_of(&planned);
        let wish = if new.stage && new.creation.location.is_some() {
            // Whoever stages a table does not own the place that it names yet.
            DelegationWish::default()
        } else {
            representation.wish
        };
        let mut delegated_place = new_place(&new.name, &location);
        let mut delegated = self
            .delegate(call, provider.as_ref(), delegated_place, &restrictions, wish)
            .await?;
        if !new.stage {
            let mut placed = self.place_table(call, tables, place, &planned).await;
            // A table that was made and moved away meanwhile lies where this one was to lie: it was only our own choice.
            if matches!(placed, Err(OperationError::Invalid { .. })) && new.creation.location.is_none() {
                stand.unused_location = true;
                planned = tables.plan_create(&stand, &new.creation)?;
                placed = self.place_table(call, tables, place, &planned).await;
            }
            let made = placed?;
            let taken = location_of(&planned);
            if taken != location {
                delegated_place.location = &taken;
                delegated_place.table = Some(made.id);
                // The table is made whatever comes of this: a client that gets no credential asks for one.
                let again = self.delegate(call, provider.as_ref(), delegated_place, &restrictions, wish);
                delegated = again.await.unwrap_or_default();
            }
        }
        self.serve_changed(call, planned.table, restrictions, representation, delegated)
            .await
    }

    /// Registers an existing metadata file as a table of the caller. Files of a dropped table that was restricted become
    /// a table again only when the owner of the metalake means it: the tags that restricted it are gone.
    ///
    /// # Errors
    /// As [`Operations::create_iceberg_table`]; [`OperationError::WouldWiden`] for files of a restricted table.
    pub async fn register_iceberg_table(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        name: &str,
        metadata_location: &str,
        force: Force,
        representation: Representation<'_>,
    ) -> Result<ServedTable, OperationError> {
        let schema = call.facts.found()?;
        schema.row()?;
        schema.require_in_use()?;
        let provider = self.provider_in(&schema.metalake, schema)?;
        let tables = tables_of(provider.as_ref())?;
        check_external_name(ObjectKind::Table, name)?;
        let place = Place {
            schema: &schema.row()?.object,
            name,
        };
        self.require_free_table_name(place).await?;
        let planned = tables.plan_register(metadata_location).await?;
        let restrictions = self.clear(call, schema, &planned.table.map_ref(fields)).await?;
        self.reclaim_location(call, &location_of(&planned), force).await?;
        let location = location_of(&planned);
        let delegated = self
            .delegate(
                call,
                provider.as_ref(),
                new_place(name, &location),
                &restrictions,
                representation.wish,
            )
            .await?;
        self.place_table(call, tables, place, &planned).await?;
        self.serve_changed(call, planned.table, restrictions, representation, delegated)
            .await
    }

    /// Whether the table exists, for a caller who may know. A restricted one says no more than its load would.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Restriction`],
    /// [`OperationError::NotAdmitted`].
    pub async fn require_iceberg_table(
        &self,
        call: &Call,
        _: &Authorized<TablePath>,
    ) -> Result<(), OperationError> {
        let found = call.facts.found()?;
        let current = self.current_table(call, found).await?;
        self.clear_current(call, found, &current).await?;
        Ok(())
    }

    /// Renames a table, also into another namespace of the same catalog. Its owner, the privileges on it and its own
    /// tags stay with it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for table and namespace, [`OperationError::AlreadyExists`];
    /// [`OperationError::WouldWiden`] when the table would lose an inherited restriction and that is not meant;
    /// [`OperationError::Restriction`] and [`OperationError::NotAdmitted`] as of a load.
    pub async fn rename_iceberg_table<T: Names>(
        &self,
        call: &Call,
        _: &Authorized<T>,
        new_name: &str,
        force: Force,
    ) -> Result<(), OperationError> {
        let found = call.facts.found()?;
        let row = found.row()?;
        found.require_in_use()?;
        self.require_kept_here(found)?;
        let destination = call
            .facts
            .destination()
            .ok_or_else(|| OperationError::internal("a rename names no destination"))?;
        let parent = destination.row()?;
        check_external_name(ObjectKind::Table, new_name)?;
        if row.object.name == new_name && row.object.parent_id == parent.object.id {
            return Err(OperationError::already_exists(ObjectKind::Table, new_name));
        }
        let current = self.current_table(call, found).await?;
        self.clear(call, found, &current.fields()).await?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        self.require_free_destination(&mut write, found, (destination, parent.object.id), new_name)
            .await?;
        if row.object.parent_id != parent.object.id {
            self.refuse_protected(&mut write, found).await?;
            self.check_move(call, &mut write, row.object.id, parent.object.id, force)
                .await?;
        }
        match write.move_object(row.object.id, parent.object.id, new_name).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::Table, new_name));
            }
            Err(error) if error.is_missing() => return Err(found.missing()),
            other => other?,
        };
        self.end_with_object(call, &mut write, row.object.id).await?;
        Ok(write.commit().await?)
    }

    /// Drops a table, with `purge` also its files; `false` where there is none. A caller who sees only a part of it may
    /// not: the rest would be destroyed unseen, or come back without its restrictions when it is registered again.
    ///
    /// # Errors
    /// [`OperationError::Restriction`] for a caller whom it restricts, [`OperationError::Disabled`];
    /// [`OperationError::WouldWiden`] without `force` when the files of a restricted table would stay.
    pub async fn drop_iceberg_table(
        &self,
        call: &Call,
        _: Authorized<TablePath>,
        purge: bool,
        force: Force,
    ) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        self.require_kept_here(found)?;
        if found.row().is_err() {
            return Ok(false);
        }
        let table = found.row()?.object.id;
        let mut purged = None;
        match self.current_table(call, found).await {
            Ok(current) => {
                self.refuse_when_restricted(call, found, &current).await?;
                let location = current.location();
                purged = purge.then_some((current.provider, location));
            }
            // Metadata that is lost must not keep a table for ever; dropping without purge needs none. Whom a restriction
            // would spare cannot be told without it.
            Err(OperationError::Unreachable { .. }) if !purge => self.refuse_restricted_table(table).await?,
            Err(error) => return Err(error),
        }
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        if !purge {
            self.check_drop_that_keeps_files(call, &mut write, table, force)
                .await?;
        }
        if self.may_be_restricted(&mut write, table).await? {
            write.end_locations(table).await?;
        }
        let dropped = write.drop_object(table).await?;
        self.end_with(call, &mut write, RequestOutcome::default()).await?;
        write.commit().await?;
        if let Some((provider, place)) = purged
            && let Some(tables) = provider.tables()
        {
            let mut is_gone = true;
            for table in &dropped {
                let Some(location) = table.metadata_location.as_deref() else {
                    continue;
                };
                let digest = table.metadata_digest.as_deref();
                // The table is gone; files that stay are garbage, not an error of the drop.
                if let Err(error) = tables.purge(MetadataFile { location, digest }).await {
                    tracing::warn!(location, %error, "the files of a dropped table were not all deleted");
                    is_gone = false;
                }
            }
            if is_gone && let Err(error) = self.forget_location(&place).await {
                tracing::warn!(location = place, %error, "a place that is empty stays barred");
            }
        }
        Ok(true)
    }

    /// Refuses whatever destroys or redefines a table that the caller sees only in part.
    ///
    /// # Errors
    /// [`OperationError::Restriction`]: for a restricted caller, and when nobody can say.
    pub(crate) async fn refuse_when_restricted(
        &self,
        call: &Call,
        found: &Found,
        current: &Current,
    ) -> Result<(), OperationError> {
        let restrictions = self
            .restrictions_of(call, found, &current.fields())
            .await?
            .restrictions;
        if restrictions.is_active() {
            return Err(restricted_write("it does more than append"));
        }
        Ok(())
    }
}

/// The place of a table that its creator will own.
fn new_place<'a>(name: &'a str, location: &'a str) -> DelegatedPlace<'a> {
    DelegatedPlace {
        name,
        location,
        table: None,
        access: FileAccess::ReadWrite,
    }
}
