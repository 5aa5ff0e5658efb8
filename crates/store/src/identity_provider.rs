// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The built-in identity provider: local accounts, their groups.

use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A local account.
#[derive(Clone, PartialEq, Eq)]
pub struct IdpUser {
    /// The exact name.
    pub name: String,
    /// The hash of the password, with its parameters; never shown.
    pub password_hash: String,
    /// The groups it is in, by name.
    pub groups: Vec<String>,
}

impl std::fmt::Debug for IdpUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdpUser")
            .field("name", &self.name)
            .field("groups", &self.groups)
            .finish_non_exhaustive()
    }
}

/// A group of local accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdpGroup {
    /// The exact name.
    pub name: String,
    /// Free text.
    pub comment: Option<String>,
    /// Its members by name.
    pub users: Vec<String>,
}

impl Snapshot {
    /// A local account.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn idp_user(&mut self, name: &str) -> Result<Option<IdpUser>, StoreError> {
        let row = statement!("idp_user_load")
            .query()
            .bind(name)
            .optional(self.connection())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let groups = statement!("idp_user_groups")
            .query()
            .bind(name)
            .all(self.connection(), |row| row.text(0))
            .await?;
        Ok(Some(IdpUser {
            name: row.text(0)?,
            password_hash: row.text(1)?,
            groups,
        }))
    }

    /// The names of all local accounts.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn idp_users(&mut self) -> Result<Vec<String>, StoreError> {
        statement!("idp_user_list")
            .query()
            .all(self.connection(), |row| row.text(0))
            .await
    }

    /// A group of local accounts.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn idp_group(&mut self, name: &str) -> Result<Option<IdpGroup>, StoreError> {
        let row = statement!("idp_group_load")
            .query()
            .bind(name)
            .optional(self.connection())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let users = statement!("idp_group_users")
            .query()
            .bind(name)
            .all(self.connection(), |row| row.text(0))
            .await?;
        Ok(Some(IdpGroup {
            name: row.text(0)?,
            comment: row.optional_text(1)?,
            users,
        }))
    }

    /// The names of all groups of local accounts.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn idp_groups(&mut self) -> Result<Vec<String>, StoreError> {
        statement!("idp_group_list")
            .query()
            .all(self.connection(), |row| row.text(0))
            .await
    }
}

/// All of these need [`Area::Server`], that is [`crate::Store::write_server`].
impl Write {
    /// Creates a local account.
    ///
    /// # Errors
    /// Class `Unique` when the name is taken.
    pub async fn create_idp_user(&mut self, name: &str, password_hash: &str) -> Result<(), StoreError> {
        self.need("idp_user_insert", Area::Server)?;
        statement!("idp_user_insert")
            .query()
            .bind(name)
            .bind(password_hash)
            .run(self.connection())
            .await?;
        self.log(Area::Server, Change::Create, ("IDP_USER", 0, name))
            .await
    }

    /// Gives a local account another password.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when there is no such account.
    pub async fn set_idp_password(&mut self, name: &str, password_hash: &str) -> Result<(), StoreError> {
        self.need("idp_user_password", Area::Server)?;
        let touched = statement!("idp_user_password")
            .query()
            .bind(name)
            .bind(password_hash)
            .run(self.connection())
            .await?;
        if touched == 0 {
            return Err(missing("local user", name));
        }
        self.log(Area::Server, Change::Alter, ("IDP_USER", 0, name)).await
    }

    /// Removes a local account from its groups and altogether, with its access tokens. Gives whether it existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_idp_user(&mut self, name: &str) -> Result<bool, StoreError> {
        self.need("idp_user_delete", Area::Server)?;
        for statement in [
            statement!("idp_user_leave"),
            statement!("access_token_delete_all"),
        ] {
            statement.query().bind(name).run(self.connection()).await?;
        }
        let touched = statement!("idp_user_delete")
            .query()
            .bind(name)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Drop, ("IDP_USER", 0, name))
                .await?;
        }
        Ok(touched > 0)
    }

    /// Creates a group of local accounts.
    ///
    /// # Errors
    /// Class `Unique` when the name is taken.
    pub async fn create_idp_group(&mut self, name: &str, comment: Option<&str>) -> Result<(), StoreError> {
        self.need("idp_group_insert", Area::Server)?;
        statement!("idp_group_insert")
            .query()
            .bind(name)
            .bind(comment)
            .run(self.connection())
            .await?;
        self.log(Area::Server, Change::Create, ("IDP_GROUP", 0, name))
            .await
    }

    /// Removes a group of local accounts with its memberships. Gives whether it existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_idp_group(&mut self, name: &str) -> Result<bool, StoreError> {
        self.need("idp_group_delete", Area::Server)?;
        statement!("idp_group_empty")
            .query()
            .bind(name)
            .run(self.connection())
            .await?;
        let touched = statement!("idp_group_delete")
            .query()
            .bind(name)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Drop, ("IDP_GROUP", 0, name))
                .await?;
        }
        Ok(touched > 0)
    }

    /// Puts a local account into a group. Gives whether that is new.
    ///
    /// # Errors
    /// Class `ForeignKey` when the account or the group does not exist.
    pub async fn add_idp_member(&mut self, group: &str, user: &str) -> Result<bool, StoreError> {
        self.need("idp_member_add", Area::Server)?;
        let touched = statement!("idp_member_add")
            .query()
            .bind(group)
            .bind(user)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Grant, ("IDP_GROUP", 0, group))
                .await?;
        }
        Ok(touched > 0)
    }

    /// Takes a local account out of a group. Gives whether it was in it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_idp_member(&mut self, group: &str, user: &str) -> Result<bool, StoreError> {
        self.need("idp_member_remove", Area::Server)?;
        let touched = statement!("idp_member_remove")
            .query()
            .bind(group)
            .bind(user)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Revoke, ("IDP_GROUP", 0, group))
                .await?;
        }
        Ok(touched > 0)
    }
}

/// The error of a thing of the server that does not exist.
pub(crate) fn missing(what: &'static str, name: &str) -> StoreError {
    StoreError::Missing {
        what,
        name: name.to_owned(),
    }
}
