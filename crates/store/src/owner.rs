// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who owns an object.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::change_log::Change;
use crate::error::StoreError;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

impl Snapshot {
    /// The owner of an object; `None` when nobody owns it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn owner(&mut self, object: ObjectId) -> Result<Option<Principal>, StoreError> {
        let row = statement!("owner_load")
            .query()
            .id(object)
            .optional(self.connection())
            .await?;
        row.map_or(Ok(None), |row| row.owner(0))
    }
}

impl Write {
    /// Makes a user or group of the metalake the owner, instead of whoever was. Needs the area of the object's kind
    /// ([`crate::Area::Objects`]; roles: `Grants`; tags and policies: `Governance`; a metalake also `Server`).
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the object, the user or the group does not exist in the metalake.
    pub async fn set_owner(&mut self, object: ObjectId, owner: &Principal) -> Result<(), StoreError> {
        let row = self.mine(object, "owner_user_set").await?;
        let metalake = self.metalake();
        match owner.kind {
            PrincipalKind::User => {
                let user = self.require_user(metalake, &owner.name).await?;
                statement!("owner_user_set")
                    .query()
                    .id(object)
                    .id(user.id)
                    .run(self.connection())
                    .await?;
            }
            PrincipalKind::Group => {
                let group = self.require_group(metalake, &owner.name).await?;
                statement!("owner_group_set")
                    .query()
                    .id(object)
                    .id(group.id)
                    .run(self.connection())
                    .await?;
            }
        }
        self.log_object(Change::SetOwner, &row).await
    }
}
