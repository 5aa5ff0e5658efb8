// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Groups of the directory. Who is in them is read apart, since a group may have thousands of members.

use std::collections::BTreeSet;

use lakeward_metadata::directory::{DirectoryGroup, name_key};
use lakeward_metadata::principal::PrincipalKind;

use super::{DirectoryKey, DirectoryPage, DirectoryRow, FormerName, IdAndName, named};
use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// How many members one statement names.
const AT_ONCE: usize = 64;

/// A group without its members.
fn group_row(row: &Row) -> Result<DirectoryRow<DirectoryGroup>, StoreError> {
    Ok(DirectoryRow {
        id: row.text(0)?,
        content: DirectoryGroup {
            name: row.text(1)?,
            external_id: row.optional_text(2)?,
            members: BTreeSet::new(),
        },
        version: row.integer(3)?,
        created_at: row.integer(4)?,
        modified_at: row.integer(5)?,
    })
}

impl Snapshot {
    /// A group of the directory, without its members.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn directory_group(
        &mut self,
        key: DirectoryKey<'_>,
    ) -> Result<Option<DirectoryRow<DirectoryGroup>>, StoreError> {
        let query = match key {
            DirectoryKey::Id(id) => statement!("directory_group_load").query().bind(id.to_owned()),
            DirectoryKey::Name(name) => statement!("directory_group_named").query().bind(name_key(name)),
            DirectoryKey::ExternalId(id) => {
                statement!("directory_group_external").query().bind(id.to_owned())
            }
        };
        let row = query.optional(self.connection()).await?;
        row.as_ref().map(group_row).transpose()
    }

    /// Some of the groups, without their members.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn directory_groups(
        &mut self,
        page: DirectoryPage,
    ) -> Result<Vec<DirectoryRow<DirectoryGroup>>, StoreError> {
        let (limit, offset) = page.bounds();
        statement!("directory_group_list")
            .query()
            .bind(limit)
            .bind(offset)
            .all(self.connection(), group_row)
            .await
    }

    /// How many groups there are.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn count_directory_groups(&mut self) -> Result<usize, StoreError> {
        let row = statement!("directory_group_count")
            .query()
            .one(self.connection())
            .await?;
        Ok(usize::try_from(row.integer(0)?).unwrap_or_default())
    }

    /// The users of a group, in the order of ids.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn members_of_directory_group(&mut self, id: &str) -> Result<Vec<IdAndName>, StoreError> {
        statement!("directory_group_members")
            .query()
            .bind(id)
            .all(self.connection(), named)
            .await
    }
}

impl Write {
    /// Adds a group with its members under a new id.
    ///
    /// # Errors
    /// Class `Unique` when the name or the external id is taken; [`StoreError::Missing`] when a member does not exist.
    pub async fn add_directory_group(&mut self, id: &str, group: &DirectoryGroup) -> Result<(), StoreError> {
        self.need("directory_group_insert", Area::Server)?;
        let at = self.at();
        statement!("directory_group_insert")
            .query()
            .bind(id)
            .bind(group.name.as_str())
            .bind(name_key(&group.name))
            .bind(group.external_id.as_deref())
            .bind(at)
            .run(self.connection())
            .await?;
        self.log(Area::Server, Change::Create, ("DIRECTORY_GROUP", 0, &group.name))
            .await?;
        self.set_members(id, group).await
    }

    /// Makes a group as given, with exactly these members.
    ///
    /// # Errors
    /// [`StoreError::Missing`], also when a member does not exist; class `Unique` when the name or the external id is taken.
    pub async fn alter_directory_group(
        &mut self,
        id: &str,
        group: &DirectoryGroup,
    ) -> Result<(), StoreError> {
        self.need("directory_group_alter", Area::Server)?;
        let at = self.at();
        let touched = statement!("directory_group_alter")
            .query()
            .bind(id)
            .bind(group.name.as_str())
            .bind(name_key(&group.name))
            .bind(group.external_id.as_deref())
            .bind(at)
            .run(self.connection())
            .await?;
        if touched == 0 {
            return Err(crate::identity_provider::missing("group", id));
        }
        self.log(Area::Server, Change::Alter, ("DIRECTORY_GROUP", 0, &group.name))
            .await?;
        self.set_members(id, group).await
    }

    /// Only what differs is written, many at once.
    async fn set_members(&mut self, id: &str, group: &DirectoryGroup) -> Result<(), StoreError> {
        let present = self.members_of_directory_group(id).await?;
        let present: BTreeSet<String> = present.into_iter().map(|(user, _)| user).collect();
        let added = statement!("directory_member_add");
        let removed = statement!("directory_member_remove");
        for (statement, change, users) in [
            (added, Change::Grant, group.members.difference(&present)),
            (removed, Change::Revoke, present.difference(&group.members)),
        ] {
            let users: Vec<&String> = users.collect();
            for batch in users.chunks(AT_ONCE) {
                // Places that are left over name the last once more.
                let last = batch.last().copied();
                let named = batch.iter().copied().chain(last.into_iter().cycle());
                let query = statement.query().bind(id);
                let query = named
                    .take(AT_ONCE)
                    .fold(query, |query, user| query.bind(user.as_str()));
                let touched = query.run(self.connection()).await?;
                if usize::try_from(touched).ok() != Some(batch.len()) {
                    return Err(crate::identity_provider::missing("member of", &group.name));
                }
            }
            if !users.is_empty() {
                self.log(Area::Server, change, ("DIRECTORY_GROUP", 0, &group.name))
                    .await?;
            }
        }
        Ok(())
    }

    /// Removes a group with its memberships, and remembers whose the name was. Gives whether it existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_directory_group(&mut self, id: &str) -> Result<bool, StoreError> {
        self.need("directory_group_delete", Area::Server)?;
        let Some(group) = self.directory_group(DirectoryKey::Id(id)).await? else {
            return Ok(false);
        };
        for statement in [
            statement!("directory_group_empty"),
            statement!("directory_group_delete"),
        ] {
            statement.query().bind(id).run(self.connection()).await?;
        }
        let former = FormerName {
            name: group.content.name,
            id: group.id,
            external_id: group.content.external_id,
        };
        self.keep_former_name(PrincipalKind::Group, &former).await?;
        self.log(Area::Server, Change::Drop, ("DIRECTORY_GROUP", 0, &former.name))
            .await?;
        Ok(true)
    }
}
