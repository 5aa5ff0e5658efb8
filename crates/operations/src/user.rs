// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users of a metalake, singly and in bulk.

use std::collections::BTreeSet;

use lakeward_authorization::grants::Mode;
use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::{ObjectId, UserId};
use lakeward_metadata::principal::{Principal, PrincipalKind, check_principal_name};
use lakeward_store::{Area, NewUser, Snapshot, UserRow, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::paths::{MetalakePath, PrincipalPath};

/// A user as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its identity.
    pub id: UserId,
    /// The exact name.
    pub name: String,
    /// The id that an identity system gave.
    pub external_id: Option<String>,
    /// Whether the user may do anything in the metalake.
    pub enabled: bool,
    /// Who added and changed it.
    pub audit: Audit,
    /// The names of the roles it holds directly, in their order.
    pub roles: Vec<String>,
}

impl User {
    pub(crate) fn new(row: UserRow, roles: Vec<String>) -> Self {
        Self {
            id: row.id,
            name: row.name,
            external_id: row.external_id,
            enabled: row.is_enabled,
            audit: row.audit,
            roles,
        }
    }
}

/// What became of one item of a bulk request.
#[derive(Debug, Clone)]
pub struct BulkItem<T> {
    /// The name of the item.
    pub name: String,
    /// What was done, or why not.
    pub outcome: Result<T, OperationError>,
}

impl Operations {
    /// Refuses while authorization is off: then there are no users, groups, roles and owners to speak of.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`].
    pub(crate) fn require_authorization(&self) -> Result<(), OperationError> {
        match self.settings().mode {
            Mode::Enforced | Mode::PassThrough => Ok(()),
            Mode::Off => Err(OperationError::Unsupported(
                "users, groups, roles, privileges and owners exist only with authorization. You should set \
                 'gravitino.authorization.enable' to 'true' and restart the server"
                    .to_owned(),
            )),
        }
    }

    /// The metalake of a request about users, groups, roles or owners, in use.
    pub(crate) fn metalake_with_identities(&self, call: &Call) -> Result<ObjectId, OperationError> {
        self.require_authorization()?;
        call.facts.require_metalake_in_use()?;
        call.facts.metalake_id()
    }

    /// The names of the users that may be shown, in their order.
    ///
    /// # Errors
    /// What [`Self::list_users`] reports.
    pub async fn list_user_names(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let rows = self.read(&call.facts).await?.users(metalake).await?;
        Ok(shown_users(rows, shown).map(|row| row.name).collect())
    }

    /// The users that may be shown, in the order of their names.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] without authorization, [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_users(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<User>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = snapshot.users(metalake).await?;
        let mut roles = snapshot.roles_of_users(metalake).await?;
        let with_roles = |row: UserRow| {
            let roles = roles.remove(&row.id).unwrap_or_default();
            User::new(row, roles)
        };
        Ok(shown_users(rows, shown).map(with_roles).collect())
    }

    /// One user.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], and as [`Self::list_users`].
    pub async fn load_user(
        &self,
        call: &Call,
        user: Authorized<PrincipalPath>,
    ) -> Result<User, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        let row = existing_user(&mut snapshot, metalake, &user.principal.name).await?;
        let roles = snapshot.roles_of_user(row.id).await?;
        Ok(User::new(row, roles))
    }

    /// Adds a user.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] when its name or its external id is taken, and as [`Self::list_users`].
    pub async fn add_user(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        new: NewUser,
    ) -> Result<User, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut write = self.write(call, &[Area::Identities]).await?;
        let mut external_ids = external_ids(&mut write, metalake).await?;
        let user = add_one(&mut write, &new, &mut external_ids).await?;
        write.commit().await?;
        Ok(user)
    }

    /// Suspends a user, or lets it act again; with its next request.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for the owner of the metalake, who could not be let back in by anybody else;
    /// [`OperationError::NotFound`], and as [`Self::list_users`].
    pub async fn set_user_enabled(
        &self,
        call: &Call,
        user: Authorized<PrincipalPath>,
        enabled: bool,
    ) -> Result<User, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut write = self.write(call, &[Area::Identities]).await?;
        let row = existing_user(&mut write, metalake, &user.principal.name).await?;
        if !enabled && write.owner(metalake).await?.as_ref() == Some(&user.principal) {
            return Err(OperationError::invalid(format!(
                "user `{}` owns the metalake and cannot be suspended; give the metalake another owner first",
                row.name
            )));
        }
        let row = write
            .alter_user(&row.name, row.external_id.as_deref(), enabled)
            .await?;
        let roles = write.roles_of_user(row.id).await?;
        write.commit().await?;
        Ok(User::new(row, roles))
    }

    /// Removes a user: its roles are gone, and what it owned has no owner. Gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for the owner of the metalake, and as [`Self::list_users`].
    pub async fn remove_user(
        &self,
        call: &Call,
        user: Authorized<PrincipalPath>,
    ) -> Result<bool, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut write = self.write(call, &Area::OF_METALAKE).await?;
        refuse_owner_of_metalake(&mut write, metalake, &user.principal).await?;
        let removed = write.remove_user(&user.principal.name).await?;
        write.commit().await?;
        Ok(removed)
    }

    /// Adds users; one that cannot be added does not hinder the others.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for too many items or a name twice, and as [`Self::list_users`].
    pub async fn add_users(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        new: &[NewUser],
    ) -> Result<Vec<BulkItem<User>>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        self.check_bulk("users", new.iter().map(|user| user.name.as_str()))?;
        let mut write = self.write(call, &[Area::Identities]).await?;
        let mut external_ids = external_ids(&mut write, metalake).await?;
        let mut items = Vec::with_capacity(new.len());
        for user in new {
            items.push(BulkItem {
                name: user.name.clone(),
                outcome: add_one(&mut write, user, &mut external_ids).await,
            });
        }
        write.commit().await?;
        Ok(items)
    }

    /// Removes users; one that cannot be removed does not hinder the others.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for too many items or a name twice, and as [`Self::list_users`].
    pub async fn remove_users(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        names: &[String],
    ) -> Result<Vec<BulkItem<()>>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        self.check_bulk("names", names.iter().map(String::as_str))?;
        let mut write = self.write(call, &Area::OF_METALAKE).await?;
        let mut items = Vec::with_capacity(names.len());
        for name in names {
            items.push(BulkItem {
                name: name.clone(),
                outcome: remove_one(&mut write, metalake, name).await,
            });
        }
        write.commit().await?;
        Ok(items)
    }

    fn check_bulk<'a>(
        &self,
        member: &str,
        names: impl ExactSizeIterator<Item = &'a str>,
    ) -> Result<(), OperationError> {
        let most = self.settings().bulk_max_items;
        if names.len() > most {
            return Err(OperationError::invalid(format!(
                "`{member}` has {} items; one call takes at most {most}",
                names.len()
            )));
        }
        let mut seen = BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                return Err(OperationError::invalid(format!(
                    "`{member}` names `{name}` twice; name each once"
                )));
            }
        }
        Ok(())
    }
}

/// Refuses to take away the last who can manage a metalake.
pub(crate) async fn refuse_owner_of_metalake(
    write: &mut Write,
    metalake: ObjectId,
    principal: &Principal,
) -> Result<(), OperationError> {
    if write.owner(metalake).await?.as_ref() == Some(principal) {
        return Err(OperationError::invalid(format!(
            "`{}` owns the metalake and cannot be removed; give the metalake another owner first",
            principal.name
        )));
    }
    Ok(())
}

/// Refuses names that no user or group can have.
pub(crate) fn check_names(name: &str, external_id: Option<&str>) -> Result<(), OperationError> {
    let checked = check_principal_name("name", name)
        .and_then(|()| external_id.map_or(Ok(()), |id| check_principal_name("externalId", id)));
    checked.map_err(|error| OperationError::invalid(error.to_string()))
}

/// A user that must exist.
pub(crate) async fn existing_user(
    snapshot: &mut Snapshot,
    metalake: ObjectId,
    name: &str,
) -> Result<UserRow, OperationError> {
    let row = snapshot.user(metalake, name).await?;
    row.ok_or_else(|| OperationError::not_found(Noun::User, name))
}

fn shown_users(rows: Vec<UserRow>, shown: &Visibility) -> impl Iterator<Item = UserRow> {
    rows.into_iter().filter(|row| {
        shown.shows_principal(&Principal {
            kind: PrincipalKind::User,
            name: row.name.clone(),
        })
    })
}

async fn external_ids(write: &mut Write, metalake: ObjectId) -> Result<BTreeSet<String>, OperationError> {
    let rows = write.users(metalake).await?;
    Ok(rows.into_iter().filter_map(|row| row.external_id).collect())
}

async fn add_one(
    write: &mut Write,
    new: &NewUser,
    external_ids: &mut BTreeSet<String>,
) -> Result<User, OperationError> {
    check_names(&new.name, new.external_id.as_deref())?;
    let metalake = write.metalake();
    // Looked up rather than tried: a refused statement would end the whole transaction on PostgreSQL. The write holds
    // the counter of identities, so nobody else adds one meanwhile.
    let taken = write.user(metalake, &new.name).await?.is_some();
    let external_id_taken = new
        .external_id
        .as_ref()
        .is_some_and(|id| external_ids.contains(id));
    if taken || external_id_taken {
        return Err(OperationError::already_exists(Noun::User, &new.name));
    }
    let row = write.add_user(new).await?;
    external_ids.extend(new.external_id.clone());
    Ok(User::new(row, Vec::new()))
}

async fn remove_one(write: &mut Write, metalake: ObjectId, name: &str) -> Result<(), OperationError> {
    let principal = Principal {
        kind: PrincipalKind::User,
        name: name.to_owned(),
    };
    refuse_owner_of_metalake(write, metalake, &principal).await?;
    if write.remove_user(name).await? {
        Ok(())
    } else {
        Err(OperationError::not_found(Noun::User, name))
    }
}
