// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users of a metalake.

use std::collections::HashMap;

use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::{ObjectId, UserId};

use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A user of a metalake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRow {
    /// Its identity, never used again.
    pub id: UserId,
    /// The metalake.
    pub metalake_id: ObjectId,
    /// The exact name.
    pub name: String,
    /// The id that an identity system gave.
    pub external_id: Option<String>,
    /// Whether the user may do anything here.
    pub is_enabled: bool,
    /// Who made and changed it.
    pub audit: Audit,
}

/// A user to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUser {
    /// The exact name.
    pub name: String,
    /// The id that an identity system gave.
    pub external_id: Option<String>,
    /// Whether the user may do anything here.
    pub is_enabled: bool,
}

impl NewUser {
    /// An enabled user with nothing but a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            external_id: None,
            is_enabled: true,
        }
    }
}

fn user_row(row: &Row) -> Result<UserRow, StoreError> {
    Ok(UserRow {
        id: row.id(0)?,
        metalake_id: row.id(1)?,
        name: row.text(2)?,
        external_id: row.optional_text(3)?,
        is_enabled: row.flag(4)?,
        audit: row.audit(5)?,
    })
}

impl Snapshot {
    /// A user by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn user(&mut self, metalake: ObjectId, name: &str) -> Result<Option<UserRow>, StoreError> {
        let row = statement!("user_load")
            .query()
            .id(metalake)
            .bind(name)
            .optional(self.connection())
            .await?;
        row.as_ref().map(user_row).transpose()
    }

    /// All users in the order of names.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn users(&mut self, metalake: ObjectId) -> Result<Vec<UserRow>, StoreError> {
        statement!("user_list")
            .query()
            .id(metalake)
            .all(self.connection(), user_row)
            .await
    }

    /// The living metalakes that have an enabled user of this name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn metalakes_of_user(&mut self, name: &str) -> Result<Vec<ObjectId>, StoreError> {
        statement!("user_metalakes")
            .query()
            .bind(name)
            .all(self.connection(), |row| row.id(0))
            .await
    }

    /// The names of the roles that a user holds directly.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn roles_of_user(&mut self, user: UserId) -> Result<Vec<String>, StoreError> {
        statement!("user_roles")
            .query()
            .id(user)
            .all(self.connection(), |row| row.text(1))
            .await
    }

    /// The names of the roles that each user of a metalake holds directly.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn roles_of_users(
        &mut self,
        metalake: ObjectId,
    ) -> Result<HashMap<UserId, Vec<String>>, StoreError> {
        let rows = statement!("user_roles_all")
            .query()
            .id(metalake)
            .all(self.connection(), |row| Ok((row.id(0)?, row.text(1)?)))
            .await?;
        let mut roles: HashMap<UserId, Vec<String>> = HashMap::new();
        for (user, role) in rows {
            roles.entry(user).or_default().push(role);
        }
        Ok(roles)
    }

    /// A user that must exist.
    pub(crate) async fn require_user(
        &mut self,
        metalake: ObjectId,
        name: &str,
    ) -> Result<UserRow, StoreError> {
        self.user(metalake, name)
            .await?
            .ok_or_else(|| StoreError::Missing {
                what: "user",
                name: name.to_owned(),
            })
    }
}

impl Write {
    /// Adds a user. Needs [`Area::Identities`].
    ///
    /// # Errors
    /// Class `Unique` when the name is taken.
    pub async fn add_user(&mut self, new: &NewUser) -> Result<UserRow, StoreError> {
        self.need("user_insert", Area::Identities)?;
        let audit = Audit {
            creator: self.actor().to_owned(),
            create_time: self.at(),
            last_modifier: None,
            last_modified_time: None,
        };
        let metalake_id = self.metalake();
        let id: UserId = statement!("user_insert")
            .query()
            .id(metalake_id)
            .bind(new.name.as_str())
            .bind(new.external_id.as_deref())
            .bind(i64::from(new.is_enabled))
            .bind(audit.creator.as_str())
            .bind(audit.create_time)
            .one(self.connection())
            .await?
            .id(0)?;
        self.log(Area::Identities, Change::Create, ("USER", id.value(), &new.name))
            .await?;
        Ok(UserRow {
            id,
            metalake_id,
            name: new.name.clone(),
            external_id: new.external_id.clone(),
            is_enabled: new.is_enabled,
            audit,
        })
    }

    /// Changes the external id and whether the user is enabled. Needs [`Area::Identities`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the user does not exist.
    pub async fn alter_user(
        &mut self,
        name: &str,
        external_id: Option<&str>,
        is_enabled: bool,
    ) -> Result<UserRow, StoreError> {
        self.need("user_alter", Area::Identities)?;
        let metalake = self.metalake();
        let mut user = self.require_user(metalake, name).await?;
        user.external_id = external_id.map(str::to_owned);
        user.is_enabled = is_enabled;
        user.audit.last_modifier = Some(self.actor().to_owned());
        user.audit.last_modified_time = Some(self.at());
        statement!("user_alter")
            .query()
            .id(user.id)
            .bind(external_id)
            .bind(i64::from(is_enabled))
            .bind(user.audit.last_modifier.as_deref())
            .bind(user.audit.last_modified_time)
            .run(self.connection())
            .await?;
        self.log(Area::Identities, Change::Alter, ("USER", user.id.value(), name))
            .await?;
        Ok(user)
    }

    /// Removes a user with the roles it holds; what it owned is ownerless. Gives whether it existed. Needs
    /// [`Area::Identities`], [`Area::Grants`], [`Area::Objects`] and [`Area::Governance`] (owned tags).
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_user(&mut self, name: &str) -> Result<bool, StoreError> {
        for area in Area::OF_METALAKE {
            self.need("user_delete", area)?;
        }
        let metalake = self.metalake();
        let Some(user) = self.user(metalake, name).await? else {
            return Ok(false);
        };
        for statement in [
            statement!("user_delete_role"),
            statement!("user_delete_owner"),
            statement!("user_delete"),
        ] {
            statement.query().id(user.id).run(self.connection()).await?;
        }
        self.log(Area::Identities, Change::Drop, ("USER", user.id.value(), name))
            .await?;
        Ok(true)
    }
}
