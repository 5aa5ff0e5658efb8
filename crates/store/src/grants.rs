// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Everything that a subject holds in a metalake, for decisions.

use std::collections::BTreeSet;

use lakeward_authorization::grants::{HeldPrivilege, HeldRole, Holdings, Membership};
use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::list;
use crate::role::conditioned;
use crate::row::statement;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// What a user with these groups holds. Groups that the metalake does not know are ignored. The answer depends on
    /// the metalake, the user, the groups, and the areas objects, identities and grants.
    ///
    /// A read that fails is an error, never an empty answer.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn load_grants(
        &mut self,
        metalake: ObjectId,
        user: &str,
        token_groups: &BTreeSet<String>,
    ) -> Result<Holdings, StoreError> {
        let groups_list = list::encode(token_groups.iter().map(String::as_str));
        let membership = match self.user(metalake, user).await? {
            None => Membership::Outsider,
            Some(row) if row.is_enabled => Membership::Member,
            Some(_) => Membership::Suspended,
        };
        let groups = statement!("grants_groups")
            .query()
            .id(metalake)
            .bind(groups_list.as_str())
            .all(self.connection(), |row| row.text(1))
            .await?;
        let roles = statement!("grants_roles")
            .query()
            .id(metalake)
            .bind(user)
            .bind(groups_list.as_str())
            .all(self.connection(), |row| {
                Ok(HeldRole {
                    id: row.id(0)?,
                    name: row.text(1)?,
                })
            })
            .await?;
        let privileges = statement!("grants_privileges")
            .query()
            .id(metalake)
            .bind(user)
            .bind(groups_list.as_str())
            .all(self.connection(), |row| {
                let held = conditioned(row, 2)?;
                Ok(HeldPrivilege {
                    role: row.id(0)?,
                    object: row.id(1)?,
                    privilege: held.privilege,
                    condition: held.condition,
                })
            })
            .await?;
        Ok(Holdings {
            user: user.to_owned(),
            membership,
            groups: groups.into_iter().collect(),
            roles,
            privileges,
        })
    }
}
