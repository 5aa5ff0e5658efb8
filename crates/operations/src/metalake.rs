// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metalakes: list, create, load, alter, switch on and off, drop.

use lakeward_authorization::grants::Mode;
use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::metalake::{IN_USE, Metalake, MetalakeChange, NewMetalake};
use lakeward_store::{Area, NewObject, NewUser, ObjectChange, ObjectRow, ROOT, Write};

use crate::Operations;
use crate::caller::Call;
use crate::ending::Contents;
use crate::error::OperationError;
use crate::maintenance::provide;
use crate::named::TheServer;
use crate::paths::MetalakePath;
use crate::providers::without_in_use;

/// Every area of a metalake and the server's list of metalakes.
const EVERYTHING: [Area; 5] = [
    Area::Server,
    Area::Objects,
    Area::Identities,
    Area::Grants,
    Area::Governance,
];

impl Operations {
    /// The metalakes that the caller may see, by name.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn list_metalakes(
        &self,
        call: &Call,
        _: Authorized<TheServer>,
        shown: &Visibility,
    ) -> Result<Vec<Metalake>, OperationError> {
        let rows = self
            .visible_in_full(call, ROOT, ObjectKind::Metalake, shown)
            .await?;
        Ok(rows.iter().map(|row| metalake(&row.object)).collect())
    }

    /// Creates a metalake, with the built-in job templates. Its creator becomes its first user and its owner.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`].
    pub async fn create_metalake(
        &self,
        call: &Call,
        _: Authorized<TheServer>,
        new: NewMetalake,
    ) -> Result<Metalake, OperationError> {
        let mut write = self.write_server(call).await?;
        let object = NewObject {
            comment: new.comment,
            properties: new.properties,
            ..NewObject::named(ROOT, ObjectKind::Metalake, new.name.as_str())
        };
        let row = created(&mut write, &object).await?;
        if self.settings().mode != Mode::Off {
            write.add_user(&NewUser::named(call.user())).await?;
            self.make_creator_own(&mut write, row.id, call).await?;
        }
        provide(&mut write, row.id).await?;
        write.commit().await?;
        Ok(metalake(&row))
    }

    /// Loads a metalake, switched off or not.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub async fn load_metalake(
        &self,
        call: &Call,
        _: Authorized<MetalakePath>,
    ) -> Result<Metalake, OperationError> {
        Ok(metalake(&call.facts.row()?.object))
    }

    /// Alters a metalake, all changes or none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::AlreadyExists`] for a new name
    /// that is taken.
    pub async fn alter_metalake(
        &self,
        call: &Call,
        _: Authorized<MetalakePath>,
        changes: Vec<MetalakeChange>,
    ) -> Result<Metalake, OperationError> {
        call.facts.require_metalake_in_use()?;
        let (mut write, mut row) = self.open_metalake(call, &[Area::Server, Area::Objects]).await?;
        let mut change = ObjectChange::default();
        let mut properties = row.properties.clone();
        let mut name = None;
        for one in changes {
            match one {
                MetalakeChange::Rename(new) => name = Some(new),
                MetalakeChange::UpdateComment(comment) => change.comment = Some(comment),
                MetalakeChange::SetProperty { property, value } => {
                    properties.insert(property, value);
                }
                MetalakeChange::RemoveProperty(property) => {
                    properties.remove(&property);
                }
            }
        }
        change.properties = Some(properties);
        row = write.alter_object(row.id, &change).await?;
        if let Some(name) = name {
            row = renamed(&mut write, &row, name.as_str()).await?;
        }
        write.commit().await?;
        Ok(metalake(&row))
    }

    /// Switches a metalake on or off. Switching to the state it is in changes nothing and is no error.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub async fn switch_metalake(
        &self,
        call: &Call,
        _: Authorized<MetalakePath>,
        in_use: bool,
    ) -> Result<(), OperationError> {
        let (mut write, row) = self.open_metalake(call, &[Area::Server, Area::Objects]).await?;
        switch(&mut write, &row, in_use).await?;
        Ok(write.commit().await?)
    }

    /// Drops a metalake: with `force` as it is, else only switched off and without catalogs. `false` where there is
    /// none.
    ///
    /// # Errors
    /// [`OperationError::InUse`], [`OperationError::NotEmpty`]; [`OperationError::Restriction`] when a table in it has read
    /// restrictions: its files stay, and would be without them.
    pub async fn drop_metalake(
        &self,
        call: &Call,
        _: Authorized<MetalakePath>,
        force: bool,
    ) -> Result<bool, OperationError> {
        let contents = if force {
            Contents::EndToo
        } else {
            Contents::MustBeGone
        };
        self.end_with_contents(call, &EVERYTHING, contents).await
    }

    async fn open_metalake(&self, call: &Call, areas: &[Area]) -> Result<(Write, ObjectRow), OperationError> {
        let found = call.facts.found()?;
        let mut write = self.write(call, areas).await?;
        let row = write.object(found.row()?.object.id).await?;
        let row = row.ok_or_else(|| found.missing())?;
        Ok((write, row.object))
    }
}

/// Whether the properties of a metalake or catalog leave it switched on.
pub(crate) fn is_in_use(properties: &Properties) -> bool {
    properties.get(IN_USE).is_none_or(|value| value != "false")
}

/// Switches a metalake or catalog; writes nothing when it is in that state.
pub(crate) async fn switch(write: &mut Write, row: &ObjectRow, in_use: bool) -> Result<(), OperationError> {
    if is_in_use(&row.properties) == in_use {
        return Ok(());
    }
    let mut properties = without_in_use(&row.properties);
    if !in_use {
        properties.insert(IN_USE.to_owned(), false.to_string());
    }
    let change = ObjectChange {
        properties: Some(properties),
        ..ObjectChange::default()
    };
    write.alter_object(row.id, &change).await?;
    Ok(())
}

/// Creates a row, telling a taken name from other failures.
pub(crate) async fn created(write: &mut Write, new: &NewObject) -> Result<ObjectRow, OperationError> {
    match write.create_object(new).await {
        Err(error) if error.is_unique() => Err(OperationError::already_exists(new.kind, &new.name)),
        other => Ok(other?),
    }
}

/// Renames a row, telling a taken name from other failures.
pub(crate) async fn renamed(
    write: &mut Write,
    row: &ObjectRow,
    name: &str,
) -> Result<ObjectRow, OperationError> {
    match write.rename_object(row.id, name).await {
        Err(error) if error.is_unique() => Err(OperationError::already_exists(row.kind, name)),
        other => Ok(other?),
    }
}

fn metalake(row: &ObjectRow) -> Metalake {
    Metalake {
        name: row.name.clone(),
        comment: row.comment.clone(),
        properties: without_in_use(&row.properties),
        in_use: is_in_use(&row.properties),
        audit: row.audit.clone(),
    }
}
