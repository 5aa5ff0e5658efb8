// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who holds a role.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::change_log::Change;
use crate::error::StoreError;
use crate::row::statement;
use crate::write::Write;

impl Write {
    /// Gives a role to a user or group. Gives whether it is new. Needs [`crate::Area::Grants`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the role, the user or the group does not exist.
    pub async fn grant_role(&mut self, role: ObjectId, holder: &Principal) -> Result<bool, StoreError> {
        let row = self.mine(role, "user_role_grant").await?;
        let (user, group) = (statement!("user_role_grant"), statement!("group_role_grant"));
        let touched = match holder.kind {
            PrincipalKind::User => user.query(),
            PrincipalKind::Group => group.query(),
        }
        .id(role)
        .bind(self.holder(holder).await?)
        .run(self.connection())
        .await?;
        if touched > 0 {
            self.log_object(Change::Grant, &row).await?;
        }
        Ok(touched > 0)
    }

    /// Takes a role from a user or group. Gives whether it held it. Needs [`crate::Area::Grants`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the role, the user or the group does not exist.
    pub async fn revoke_role(&mut self, role: ObjectId, holder: &Principal) -> Result<bool, StoreError> {
        let row = self.mine(role, "user_role_revoke").await?;
        let (user, group) = (statement!("user_role_revoke"), statement!("group_role_revoke"));
        let touched = match holder.kind {
            PrincipalKind::User => user.query(),
            PrincipalKind::Group => group.query(),
        }
        .id(role)
        .bind(self.holder(holder).await?)
        .run(self.connection())
        .await?;
        if touched > 0 {
            self.log_object(Change::Revoke, &row).await?;
        }
        Ok(touched > 0)
    }

    async fn holder(&mut self, holder: &Principal) -> Result<i64, StoreError> {
        let metalake = self.metalake();
        Ok(match holder.kind {
            PrincipalKind::User => self.require_user(metalake, &holder.name).await?.id.value(),
            PrincipalKind::Group => self.require_group(metalake, &holder.name).await?.id.value(),
        })
    }
}
