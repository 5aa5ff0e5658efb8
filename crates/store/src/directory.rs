// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The directory: users and groups that an identity provider pushes, and the names that it took away. All writes need
//! [`Area::Server`], that is [`crate::Store::write_server`].

use lakeward_metadata::directory::{DirectoryUser, name_key};
use lakeward_metadata::principal::PrincipalKind;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

mod group;

/// An entry of the directory: what was pushed, and what the server says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryRow<T> {
    /// Its id, never given again.
    pub id: String,
    /// What was pushed.
    pub content: T,
    /// How often it was written.
    pub version: i64,
    /// When it was made, in epoch milliseconds.
    pub created_at: i64,
    /// When it was changed last, in epoch milliseconds.
    pub modified_at: i64,
}

/// By what one entry is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryKey<'a> {
    /// Its id.
    Id(&'a str),
    /// Its name, in any case.
    Name(&'a str),
    /// The id that the identity provider gave.
    ExternalId(&'a str),
}

/// Some of the entries in the order in which they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryPage {
    /// How many come before.
    pub offset: usize,
    /// The most entries.
    pub limit: usize,
}

impl DirectoryPage {
    /// Every entry.
    pub const ALL: Self = Self {
        offset: 0,
        limit: usize::MAX,
    };

    fn bounds(self) -> (i64, i64) {
        let bound = |number| i64::try_from(number).unwrap_or(i64::MAX);
        (bound(self.limit), bound(self.offset))
    }
}

/// A name that the directory took away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerName {
    /// The name in its case.
    pub name: String,
    /// The id of whose it was.
    pub id: String,
    /// The id that the identity provider gave to whose it was.
    pub external_id: Option<String>,
}

/// The id of an entry with its name.
pub type IdAndName = (String, String);

const fn kind_text(kind: PrincipalKind) -> &'static str {
    match kind {
        PrincipalKind::User => "USER",
        PrincipalKind::Group => "GROUP",
    }
}

fn user_row(row: &Row) -> Result<DirectoryRow<DirectoryUser>, StoreError> {
    Ok(DirectoryRow {
        id: row.text(0)?,
        content: DirectoryUser {
            name: row.text(1)?,
            external_id: row.optional_text(2)?,
            is_active: row.flag(3)?,
            profile: row.text(4)?,
        },
        version: row.integer(5)?,
        created_at: row.integer(6)?,
        modified_at: row.integer(7)?,
    })
}

fn named(row: &Row) -> Result<IdAndName, StoreError> {
    Ok((row.text(0)?, row.text(1)?))
}

impl Snapshot {
    /// A user of the directory.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn directory_user(
        &mut self,
        key: DirectoryKey<'_>,
    ) -> Result<Option<DirectoryRow<DirectoryUser>>, StoreError> {
        let query = match key {
            DirectoryKey::Id(id) => statement!("directory_user_load").query().bind(id.to_owned()),
            DirectoryKey::Name(name) => statement!("directory_user_named").query().bind(name_key(name)),
            DirectoryKey::ExternalId(id) => statement!("directory_user_external").query().bind(id.to_owned()),
        };
        let row = query.optional(self.connection()).await?;
        row.as_ref().map(user_row).transpose()
    }

    /// Some of the users.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn directory_users(
        &mut self,
        page: DirectoryPage,
    ) -> Result<Vec<DirectoryRow<DirectoryUser>>, StoreError> {
        let (limit, offset) = page.bounds();
        statement!("directory_user_list")
            .query()
            .bind(limit)
            .bind(offset)
            .all(self.connection(), user_row)
            .await
    }

    /// How many users there are.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn count_directory_users(&mut self) -> Result<usize, StoreError> {
        let row = statement!("directory_user_count")
            .query()
            .one(self.connection())
            .await?;
        Ok(usize::try_from(row.integer(0)?).unwrap_or_default())
    }

    /// The groups of a user, in the order of names.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn groups_of_directory_user(&mut self, id: &str) -> Result<Vec<IdAndName>, StoreError> {
        statement!("directory_user_groups")
            .query()
            .bind(id)
            .all(self.connection(), named)
            .await
    }

    /// A name that the directory took away and gave to nobody since.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn former_name(
        &mut self,
        kind: PrincipalKind,
        name: &str,
    ) -> Result<Option<FormerName>, StoreError> {
        let row = statement!("directory_former_load")
            .query()
            .bind(kind_text(kind))
            .bind(name_key(name))
            .optional(self.connection())
            .await?;
        row.map(|row| {
            Ok(FormerName {
                name: row.text(0)?,
                id: row.text(1)?,
                external_id: row.optional_text(2)?,
            })
        })
        .transpose()
    }

    /// Whether a living metalake has a user or group that is called like this or like the former name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn is_name_of_metalake(
        &mut self,
        kind: PrincipalKind,
        name: &str,
        former: &str,
    ) -> Result<bool, StoreError> {
        let statement = match kind {
            PrincipalKind::User => statement!("directory_user_heirs"),
            PrincipalKind::Group => statement!("directory_group_heirs"),
        };
        let row = statement
            .query()
            .bind(name)
            .bind(former)
            .one(self.connection())
            .await?;
        Ok(row.integer(0)? > 0)
    }
}

impl Write {
    /// Adds a user under a new id.
    ///
    /// # Errors
    /// Class `Unique` when the name or the external id is taken.
    pub async fn add_directory_user(&mut self, id: &str, user: &DirectoryUser) -> Result<(), StoreError> {
        self.need("directory_user_insert", Area::Server)?;
        let at = self.at();
        statement!("directory_user_insert")
            .query()
            .bind(id)
            .bind(user.name.as_str())
            .bind(name_key(&user.name))
            .bind(user.external_id.as_deref())
            .bind(i64::from(user.is_active))
            .bind(user.profile.as_str())
            .bind(at)
            .run(self.connection())
            .await?;
        self.log(Area::Server, Change::Create, ("DIRECTORY_USER", 0, &user.name))
            .await
    }

    /// Makes a user as given. The groups that it is in are written anew with it, since they show its name.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; class `Unique` when the name or the external id is taken.
    pub async fn alter_directory_user(&mut self, id: &str, user: &DirectoryUser) -> Result<(), StoreError> {
        self.need("directory_user_alter", Area::Server)?;
        let at = self.at();
        let touched = statement!("directory_user_alter")
            .query()
            .bind(id)
            .bind(user.name.as_str())
            .bind(name_key(&user.name))
            .bind(user.external_id.as_deref())
            .bind(i64::from(user.is_active))
            .bind(user.profile.as_str())
            .bind(at)
            .run(self.connection())
            .await?;
        if touched == 0 {
            return Err(crate::identity_provider::missing("user", id));
        }
        self.touch_groups_of(id).await?;
        self.log(Area::Server, Change::Alter, ("DIRECTORY_USER", 0, &user.name))
            .await
    }

    /// Removes a user from its groups and altogether, and remembers whose the name was. Gives whether it existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_directory_user(&mut self, id: &str) -> Result<bool, StoreError> {
        self.need("directory_user_delete", Area::Server)?;
        let Some(user) = self.directory_user(DirectoryKey::Id(id)).await? else {
            return Ok(false);
        };
        self.touch_groups_of(id).await?;
        for statement in [
            statement!("directory_user_leave"),
            statement!("directory_user_delete"),
        ] {
            statement.query().bind(id).run(self.connection()).await?;
        }
        let former = FormerName {
            name: user.content.name,
            id: user.id,
            external_id: user.content.external_id,
        };
        self.keep_former_name(PrincipalKind::User, &former).await?;
        self.log(Area::Server, Change::Drop, ("DIRECTORY_USER", 0, &former.name))
            .await?;
        Ok(true)
    }

    /// Remembers whose a name was.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn keep_former_name(
        &mut self,
        kind: PrincipalKind,
        former: &FormerName,
    ) -> Result<(), StoreError> {
        self.need("directory_former_put", Area::Server)?;
        let at = self.at();
        statement!("directory_former_put")
            .query()
            .bind(kind_text(kind))
            .bind(name_key(&former.name))
            .bind(former.name.as_str())
            .bind(former.id.as_str())
            .bind(former.external_id.as_deref())
            .bind(at)
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Forgets whose a name was, for it is given again.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn forget_former_name(&mut self, kind: PrincipalKind, name: &str) -> Result<(), StoreError> {
        self.need("directory_former_delete", Area::Server)?;
        statement!("directory_former_delete")
            .query()
            .bind(kind_text(kind))
            .bind(name_key(name))
            .run(self.connection())
            .await
            .map(drop)
    }

    async fn touch_groups_of(&mut self, user: &str) -> Result<(), StoreError> {
        let at = self.at();
        statement!("directory_group_touch")
            .query()
            .bind(user)
            .bind(at)
            .run(self.connection())
            .await
            .map(drop)
    }
}
