// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a role grants.

use std::str::FromStr;

use lakeward_authorization::condition::Condition;
use lakeward_authorization::privilege::Privilege;
use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::object::{ChainRow, chain_row};
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// One object of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleObject {
    /// The object that the privileges are bound to; `None` when the name meant nothing when it was granted, so that
    /// they grant nothing, for ever.
    pub object_id: Option<ObjectId>,
    /// The object under its present name, or under the name that was given, with its privileges.
    pub securable: SecurableObject,
}

/// A row of `role_object_list`.
struct Entry {
    id: i64,
    object_id: Option<ObjectId>,
    kind: ObjectKind,
    full_name: String,
    privilege: ConditionedPrivilege,
}

/// Reads privilege and condition that begin at `column`.
pub(crate) fn conditioned(row: &Row, column: usize) -> Result<ConditionedPrivilege, StoreError> {
    let (privilege, condition) = (row.text(column)?, row.text(column + 1)?);
    Ok(ConditionedPrivilege {
        privilege: Privilege::from_str(&privilege).map_err(|error| row.corrupt(error.to_string()))?,
        condition: Condition::from_str(&condition).map_err(|error| row.corrupt(error.to_string()))?,
    })
}

impl Snapshot {
    /// What a role grants, in the order in which the objects were first named.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn role_objects(&mut self, role: ObjectId) -> Result<Vec<RoleObject>, StoreError> {
        let names = self.paths_by_id(statement!("path_of_role_object"), role).await?;
        let entries = statement!("role_object_list")
            .query()
            .id(role)
            .all(self.connection(), |row| {
                Ok(Entry {
                    id: row.integer(0)?,
                    object_id: row.optional_id(1)?,
                    kind: row.kind(2)?,
                    full_name: row.text(3)?,
                    privilege: conditioned(row, 4)?,
                })
            })
            .await?;
        let mut objects = Vec::new();
        for group in entries.chunk_by(|one, next| one.id == next.id) {
            let Some(first) = group.first() else { continue };
            let named = first.object_id.and_then(|id| names.get(&id).cloned());
            let object = match named {
                Some(object) => object,
                None => stored_name(first)?,
            };
            let privileges = group.iter().map(|entry| entry.privilege).collect();
            objects.push(RoleObject {
                object_id: first.object_id,
                securable: SecurableObject::new(object, privileges)
                    .map_err(|error| corrupt(error.to_string()))?,
            });
        }
        Ok(objects)
    }

    /// The roles that mention an object, with their owners, by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn roles_of_object(&mut self, object: ObjectId) -> Result<Vec<ChainRow>, StoreError> {
        statement!("role_of_object")
            .query()
            .id(object)
            .all(self.connection(), chain_row)
            .await
    }
}

impl Write {
    /// Makes `securable` all that a role says of one object, bound to `object_id` where the object exists. Needs
    /// [`Area::Grants`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the role does not exist.
    pub async fn put_role_object(
        &mut self,
        role: ObjectId,
        object_id: Option<ObjectId>,
        securable: &SecurableObject,
    ) -> Result<(), StoreError> {
        let row = self.mine(role, "role_object_insert").await?;
        let known = self.role_entry(role, object_id, securable.object()).await?;
        let entry = if let Some(id) = known {
            statement!("role_privilege_clear")
                .query()
                .bind(id)
                .run(self.connection())
                .await?;
            id
        } else {
            statement!("role_object_insert")
                .query()
                .id(role)
                .bind(object_id.map(ObjectId::value))
                .bind(securable.object().kind.as_str())
                .bind(securable.object().full_name())
                .one(self.connection())
                .await?
                .integer(0)?
        };
        for privilege in securable.privileges() {
            statement!("role_privilege_insert")
                .query()
                .bind(entry)
                .bind(privilege.privilege.as_str())
                .bind(privilege.condition.as_str())
                .run(self.connection())
                .await?;
        }
        self.log_object(Change::Alter, &row).await
    }

    /// Makes a role say nothing of one object. Gives whether it said anything. Needs [`Area::Grants`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the role does not exist.
    pub async fn remove_role_object(
        &mut self,
        role: ObjectId,
        object_id: Option<ObjectId>,
        object: &MetadataObject,
    ) -> Result<bool, StoreError> {
        let row = self.mine(role, "role_object_delete").await?;
        let Some(entry) = self.role_entry(role, object_id, object).await? else {
            return Ok(false);
        };
        for statement in [
            statement!("role_privilege_clear"),
            statement!("role_object_delete"),
        ] {
            statement.query().bind(entry).run(self.connection()).await?;
        }
        self.log_object(Change::Alter, &row).await?;
        Ok(true)
    }

    /// Makes a role say nothing at all. Needs [`Area::Grants`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the role does not exist.
    pub async fn clear_role(&mut self, role: ObjectId) -> Result<(), StoreError> {
        self.need("role_object_clear_all", Area::Grants)?;
        let row = self.mine(role, "role_object_clear_all").await?;
        for statement in [
            statement!("role_privilege_clear_all"),
            statement!("role_object_clear_all"),
        ] {
            statement.query().id(role).run(self.connection()).await?;
        }
        self.log_object(Change::Alter, &row).await
    }

    async fn role_entry(
        &mut self,
        role: ObjectId,
        object_id: Option<ObjectId>,
        object: &MetadataObject,
    ) -> Result<Option<i64>, StoreError> {
        let row = match object_id {
            Some(object_id) => {
                statement!("role_object_bound")
                    .query()
                    .id(role)
                    .id(object_id)
                    .optional(self.connection())
                    .await?
            }
            None => {
                statement!("role_object_unbound")
                    .query()
                    .id(role)
                    .bind(object.kind.as_str())
                    .bind(object.full_name())
                    .optional(self.connection())
                    .await?
            }
        };
        row.map(|row| row.integer(0)).transpose()
    }
}

fn stored_name(entry: &Entry) -> Result<MetadataObject, StoreError> {
    MetadataObject::parse(entry.kind, &entry.full_name).map_err(|error| corrupt(error.to_string()))
}

fn corrupt(detail: String) -> StoreError {
    StoreError::Corrupt {
        statement: "role_object_list",
        detail,
    }
}
