// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Altering and renaming tables.

use lakeward_authorization::Authorized;
use lakeward_authorization::requirement::Circumstance;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::table::{Table, TableChange};
use lakeward_store::{Area, ObjectChange, ObjectRow};

use super::table;
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::iceberg_commit::restricted_write;
use crate::metadata_file::file_of;
use crate::named::{Named, NamedWhat, Names};
use crate::paths::{SchemaPath, TablePath};
use crate::providers::tables_of;
use crate::widening::Force;

/// How often an alteration is tried against others that come first.
const ATTEMPTS: usize = 8;

/// A table that is altered, and the schema that a rename moves it to where it leaves its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AlteredTable {
    /// The table.
    pub path: TablePath,
    /// Another schema of the same catalog.
    pub destination: Option<SchemaPath>,
}

impl Names for AlteredTable {
    fn named(&self) -> Named {
        match &self.destination {
            None => self.path.named(),
            Some(destination) => Named::of(
                &self.path.metalake,
                NamedWhat::Move {
                    source: self.path.object(),
                    destination: destination.object(),
                },
            )
            .saying(Circumstance::LeavesItsSchema, true),
        }
    }
}

impl Operations {
    /// Alters a table, all changes or none. A rename stands alone, since it changes a row and not metadata.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`],
    /// [`OperationError::Unsupported`], [`OperationError::AlreadyExists`] for a new name that is taken,
    /// [`OperationError::WouldWiden`] without `force` for a move that takes a restriction away;
    /// [`OperationError::Conflict`] for a lost race; [`OperationError::Restriction`] for a caller who sees the table only in
    /// part and may therefore only append.
    pub async fn alter_table(
        &self,
        call: &Call,
        altered: Authorized<AlteredTable>,
        changes: Vec<TableChange>,
        force: Force,
    ) -> Result<Table, OperationError> {
        let found = call.facts.found()?;
        self.require_kept_here(found)?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let row = &found.row()?.object;
        if let [TableChange::Rename { new_name, .. }] = changes.as_slice() {
            return self
                .rename_table(call, &altered, found, new_name.as_str(), force)
                .await;
        }
        if changes
            .iter()
            .any(|change| matches!(change, TableChange::Rename { .. }))
        {
            return Err(OperationError::invalid(
                "`rename` must be the only update: it moves the table, the others change it",
            ));
        }
        self.check_table_properties(found, &changes)?;
        self.change_definition(call, &altered.path, found, &changes)
            .await?;
        let row = self.touch_table(call, row).await?;
        let described = self.describe_table(call, &altered.path.metalake, found).await?;
        Ok(table(&row, described.definition))
    }

    fn check_table_properties(&self, found: &Found, changes: &[TableChange]) -> Result<(), OperationError> {
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        let declared = self.factory_of(catalog)?.table_properties();
        for change in changes {
            match change {
                TableChange::SetProperty { property, value } => {
                    declared.check_change(property, Some(value))?;
                }
                TableChange::RemoveProperty(property) => declared.check_change(property, None)?,
                TableChange::Rename { .. }
                | TableChange::UpdateComment(_)
                | TableChange::AddColumn { .. }
                | TableChange::RenameColumn { .. }
                | TableChange::UpdateColumnDefaultValue { .. }
                | TableChange::UpdateColumnType { .. }
                | TableChange::UpdateColumnComment { .. }
                | TableChange::UpdateColumnPosition { .. }
                | TableChange::UpdateColumnNullability { .. }
                | TableChange::UpdateColumnAutoIncrement { .. }
                | TableChange::DeleteColumn { .. }
                | TableChange::AddIndex(_)
                | TableChange::DeleteIndex { .. } => {}
            }
        }
        Ok(())
    }

    /// Plans and makes the changes. They speak of names, not of a version that the caller saw, so a lost race is run
    /// again on what the winner left.
    async fn change_definition(
        &self,
        call: &Call,
        path: &TablePath,
        found: &Found,
        changes: &[TableChange],
    ) -> Result<(), OperationError> {
        for _ in 1..ATTEMPTS {
            match self.change_definition_once(call, path, found, changes).await {
                Err(OperationError::Conflict(_) | OperationError::Overtaken) => {}
                outcome => return outcome,
            }
        }
        self.change_definition_once(call, path, found, changes).await
    }

    async fn change_definition_once(
        &self,
        call: &Call,
        path: &TablePath,
        found: &Found,
        changes: &[TableChange],
    ) -> Result<(), OperationError> {
        let row = &found.row()?.object;
        let provider = self.provider_in(&path.metalake, found)?;
        let tables = tables_of(provider.as_ref())?;
        let grounds = self.grounds(call).await?;
        let pointer = self.store().table_pointer(row.id).await?;
        let mut pointer = pointer.ok_or_else(|| found.missing())?;
        let loaded = self.load_version(tables, &mut pointer).await?;
        let fields = loaded.map_ref(|table| table.metadata.facts().fields.clone());
        if self.is_restricted(call, found, &fields).await? {
            return Err(restricted_write("it alters the table"));
        }
        let schema = &found.of_kind(ObjectKind::Schema)?.object;
        let place = self.table_place(&path.schema(), schema, &path.name);
        let planned = tables
            .plan_alter_native(&place, file_of(&pointer), changes)
            .await?;
        self.change_table(call, tables, row, &planned, &grounds).await
    }

    /// Notes who altered the table last.
    async fn touch_table(&self, call: &Call, row: &ObjectRow) -> Result<ObjectRow, OperationError> {
        let mut write = self.write_on(call, &[Area::Objects]).await?;
        match write.alter_object(row.id, &ObjectChange::default()).await {
            // Dropped since: the alteration held all the same.
            Err(error) if error.is_missing() => Ok(row.clone()),
            Err(error) => Err(error.into()),
            Ok(row) => {
                write.commit().await?;
                Ok(row)
            }
        }
    }

    /// Gives a table another name, and another schema where one is named.
    async fn rename_table(
        &self,
        call: &Call,
        altered: &AlteredTable,
        found: &Found,
        new_name: &str,
        force: Force,
    ) -> Result<Table, OperationError> {
        // The answer is described before the effect: a table that cannot be read is not renamed.
        let described = self.describe_table(call, &altered.path.metalake, found).await?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(found.row()?.object.id).await?;
        let row = row.ok_or_else(|| found.missing())?.object;
        let parent = match call.facts.destination() {
            None => row.parent_id,
            Some(destination) => destination.row()?.object.id,
        };
        if parent != row.parent_id {
            self.refuse_protected(&mut write, found).await?;
            self.check_move(call, &mut write, row.id, parent, force).await?;
        }
        let moved = match write.move_object(row.id, parent, new_name).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::Table, new_name));
            }
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(
                    ObjectKind::Schema,
                    altered
                        .destination
                        .as_ref()
                        .map_or(&altered.path.schema, |schema| &schema.schema),
                ));
            }
            other => other?,
        };
        write.commit().await?;
        Ok(table(&moved, described.definition))
    }
}
