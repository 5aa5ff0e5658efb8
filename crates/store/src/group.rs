// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Groups of a metalake.

use std::collections::HashMap;

use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::{GroupId, ObjectId};

use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A group of a metalake. Who belongs to it is never stored here: membership comes with each identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    /// Its identity, never used again.
    pub id: GroupId,
    /// The metalake.
    pub metalake_id: ObjectId,
    /// The exact name.
    pub name: String,
    /// The id that an identity system gave.
    pub external_id: Option<String>,
    /// Who made and changed it.
    pub audit: Audit,
}

/// A group to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGroup {
    /// The exact name.
    pub name: String,
    /// The id that an identity system gave.
    pub external_id: Option<String>,
}

impl NewGroup {
    /// A group with nothing but a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            external_id: None,
        }
    }
}

fn group_row(row: &Row) -> Result<GroupRow, StoreError> {
    Ok(GroupRow {
        id: row.id(0)?,
        metalake_id: row.id(1)?,
        name: row.text(2)?,
        external_id: row.optional_text(3)?,
        audit: row.audit(4)?,
    })
}

impl Snapshot {
    /// A group by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn group(&mut self, metalake: ObjectId, name: &str) -> Result<Option<GroupRow>, StoreError> {
        let row = statement!("group_load")
            .query()
            .id(metalake)
            .bind(name)
            .optional(self.connection())
            .await?;
        row.as_ref().map(group_row).transpose()
    }

    /// All groups in the order of names.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn groups(&mut self, metalake: ObjectId) -> Result<Vec<GroupRow>, StoreError> {
        statement!("group_list")
            .query()
            .id(metalake)
            .all(self.connection(), group_row)
            .await
    }

    /// The names of the roles that a group holds directly.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn roles_of_group(&mut self, group: GroupId) -> Result<Vec<String>, StoreError> {
        statement!("group_roles")
            .query()
            .id(group)
            .all(self.connection(), |row| row.text(1))
            .await
    }

    /// The names of the roles that each group of a metalake holds directly.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn roles_of_groups(
        &mut self,
        metalake: ObjectId,
    ) -> Result<HashMap<GroupId, Vec<String>>, StoreError> {
        let rows = statement!("group_roles_all")
            .query()
            .id(metalake)
            .all(self.connection(), |row| Ok((row.id(0)?, row.text(1)?)))
            .await?;
        let mut roles: HashMap<GroupId, Vec<String>> = HashMap::new();
        for (group, role) in rows {
            roles.entry(group).or_default().push(role);
        }
        Ok(roles)
    }

    /// A group that must exist.
    pub(crate) async fn require_group(
        &mut self,
        metalake: ObjectId,
        name: &str,
    ) -> Result<GroupRow, StoreError> {
        self.group(metalake, name)
            .await?
            .ok_or_else(|| StoreError::Missing {
                what: "group",
                name: name.to_owned(),
            })
    }
}

impl Write {
    /// Adds a group. Needs [`Area::Identities`].
    ///
    /// # Errors
    /// Class `Unique` when the name is taken.
    pub async fn add_group(&mut self, new: &NewGroup) -> Result<GroupRow, StoreError> {
        self.need("group_insert", Area::Identities)?;
        let audit = Audit {
            creator: self.actor().to_owned(),
            create_time: self.at(),
            last_modifier: None,
            last_modified_time: None,
        };
        let metalake_id = self.metalake();
        let id: GroupId = statement!("group_insert")
            .query()
            .id(metalake_id)
            .bind(new.name.as_str())
            .bind(new.external_id.as_deref())
            .bind(audit.creator.as_str())
            .bind(audit.create_time)
            .one(self.connection())
            .await?
            .id(0)?;
        self.log(Area::Identities, Change::Create, ("GROUP", id.value(), &new.name))
            .await?;
        Ok(GroupRow {
            id,
            metalake_id,
            name: new.name.clone(),
            external_id: new.external_id.clone(),
            audit,
        })
    }

    /// Notes that a group was changed now: what it holds is part of how it is shown. Needs [`Area::Identities`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the group does not exist.
    pub async fn touch_group(&mut self, name: &str) -> Result<GroupRow, StoreError> {
        self.need("group_touch", Area::Identities)?;
        let metalake = self.metalake();
        let mut group = self.require_group(metalake, name).await?;
        group.audit.last_modifier = Some(self.actor().to_owned());
        group.audit.last_modified_time = Some(self.at());
        statement!("group_touch")
            .query()
            .id(group.id)
            .bind(group.audit.last_modifier.as_deref())
            .bind(group.audit.last_modified_time)
            .run(self.connection())
            .await?;
        self.log(Area::Identities, Change::Alter, ("GROUP", group.id.value(), name))
            .await?;
        Ok(group)
    }

    /// Removes a group with the roles it holds; what it owned is ownerless. Gives whether it existed. Needs
    /// [`Area::Identities`], [`Area::Grants`], [`Area::Objects`] and [`Area::Governance`] (owned tags).
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_group(&mut self, name: &str) -> Result<bool, StoreError> {
        for area in Area::OF_METALAKE {
            self.need("group_delete", area)?;
        }
        let metalake = self.metalake();
        let Some(group) = self.group(metalake, name).await? else {
            return Ok(false);
        };
        for statement in [
            statement!("group_delete_role"),
            statement!("group_delete_owner"),
            statement!("group_delete"),
        ] {
            statement.query().id(group.id).run(self.connection()).await?;
        }
        self.log(Area::Identities, Change::Drop, ("GROUP", group.id.value(), name))
            .await?;
        Ok(true)
    }
}
