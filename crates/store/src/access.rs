// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where a subject's access comes from: for explanations and overviews. No decision reads it.

use std::collections::{BTreeSet, HashMap};

use lakeward_authorization::securable_object::ConditionedPrivilege;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::error::StoreError;
use crate::list;
use crate::role::conditioned;
use crate::row::statement;
use crate::snapshot::Snapshot;

/// One privilege that a held role names on an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The name of the role.
    pub role: String,
    /// How it is held: by the user, or by a group of the user. A role that is held twice is listed twice.
    pub through: Principal,
    /// The privilege as it was spelled, with its condition.
    pub says: ConditionedPrivilege,
}

impl Snapshot {
    /// What the roles of a user with these groups say of objects, by their ids: of each in the order of roles, of who holds
    /// them (the user first), and of privileges. One statement, whatever the number of objects.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn sayings(
        &mut self,
        metalake: ObjectId,
        user: &str,
        groups: &BTreeSet<String>,
        objects: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Vec<Saying>>, StoreError> {
        let rows = statement!("access_sayings")
            .query()
            .id(metalake)
            .bind(user)
            .bind(list::encode(groups.iter().map(String::as_str)))
            .bind(list::encode_ids(objects))
            .all(self.connection(), |row| {
                let through = match row.optional_text(2)? {
                    None => Principal {
                        kind: PrincipalKind::User,
                        name: user.to_owned(),
                    },
                    Some(name) => Principal {
                        kind: PrincipalKind::Group,
                        name,
                    },
                };
                let saying = Saying {
                    role: row.text(1)?,
                    through,
                    says: conditioned(row, 3)?,
                };
                Ok((row.id(0)?, saying))
            })
            .await?;
        let mut sayings: HashMap<ObjectId, Vec<Saying>> = HashMap::new();
        for (object, saying) in rows {
            sayings.entry(object).or_default().push(saying);
        }
        // Databases differ in where they put what is null.
        for of_one in sayings.values_mut() {
            of_one.sort_by(|one, other| {
                let key = |saying: &Saying| (saying.through.kind == PrincipalKind::Group, saying.says);
                one.role
                    .cmp(&other.role)
                    .then_with(|| key(one).cmp(&key(other)))
                    .then_with(|| one.through.name.cmp(&other.through.name))
            });
        }
        Ok(sayings)
    }

    /// The objects after `after`, by id, of which the roles of a user with these groups say something, or which one of
    /// them owns: at most `limit`. What is bound to nothing that exists is not among them.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn access_places(
        &mut self,
        metalake: ObjectId,
        user: &str,
        groups: &BTreeSet<String>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ObjectId>, StoreError> {
        statement!("access_places")
            .query()
            .id(metalake)
            .bind(user)
            .bind(list::encode(groups.iter().map(String::as_str)))
            .bind(after)
            .bind(i64::from(limit))
            .all(self.connection(), |row| row.id(0))
            .await
    }
}
