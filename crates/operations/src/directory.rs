// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The directory: users and groups that an identity provider pushes.
//!
//! One source speaks for each caller. Whom the directory knows by name, in whatever way they proved it, has the groups that
//! the directory says and no others, and is refused while it says so; for everybody else it says nothing. It makes nobody a
//! user of a metalake: metalakes add users and groups by name.
//!
//! A name that the directory takes away, by removing or renaming its user, is not free at once: whoever comes with it is
//! refused, and it goes to somebody else only when no metalake has a user of that name, who might still hold or own
//! something. The same holds for names of groups.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_metadata::principal::{ANONYMOUS, GroupClaim, PrincipalKind, Subject};
use lakeward_store::{DirectoryKey, FormerName, Snapshot, StoreError, Write};

use crate::Operations;
use crate::error::{Mistake, OperationError};

mod group;
mod list;
mod user;

pub use list::{DirectoryEntry, DirectoryKind, Found, Wanted};

/// What the directory says of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DirectorySays {
    /// It does not know the name, or is not asked.
    Nothing,
    /// It knows the user, who is in these groups.
    Groups(Arc<BTreeSet<String>>),
    /// Whoever has the name may not call; the text is for the caller.
    Refused(&'static str),
}

impl DirectorySays {
    /// Refuses who may not call.
    pub(crate) fn refuse(&self) -> Result<(), OperationError> {
        match self {
            Self::Refused(reason) => Err(OperationError::Forbidden((*reason).to_owned())),
            Self::Nothing | Self::Groups(_) => Ok(()),
        }
    }

    /// The caller as the directory knows it; `None` where it says nothing.
    pub(crate) fn of(&self, subject: &Subject) -> Result<Option<Subject>, OperationError> {
        self.refuse()?;
        Ok(match self {
            Self::Groups(groups) => Some(Subject {
                user: subject.user.clone(),
                groups: GroupClaim::Known(groups.as_ref().clone()),
            }),
            Self::Nothing | Self::Refused(_) => None,
        })
    }

    /// Whether the groups of the user are the directory's to say.
    pub(crate) const fn knows(&self) -> bool {
        matches!(self, Self::Groups(_))
    }
}

impl Operations {
    /// What the directory says of a name now, from memory while the server's counter stays.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn directory_says(&self, user: &str) -> Result<DirectorySays, OperationError> {
        if !self.asks_directory_of(user) {
            return Ok(DirectorySays::Nothing);
        }
        let revision = self.store().server_revision().await?;
        if let Some(says) = self.remembered_of_directory(user, revision) {
            return Ok(says);
        }
        let mut snapshot = self.store().snapshot().await?;
        // The counter of the state that is read, not of a moment before.
        let revision = snapshot.server_revision().await?;
        self.look_up_in_directory(&mut snapshot, user, Some(revision))
            .await
    }

    /// What the directory says of a name in the state of a snapshot.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn read_directory(
        &self,
        snapshot: &mut Snapshot,
        user: &str,
    ) -> Result<DirectorySays, OperationError> {
        if !self.asks_directory_of(user) {
            return Ok(DirectorySays::Nothing);
        }
        if let Some(known) = snapshot.directory_user(DirectoryKey::Name(user)).await? {
            if !known.content.is_active {
                return Ok(DirectorySays::Refused(
                    "the identity provider has deactivated this user",
                ));
            }
            // `\u{212a}` is a `k` to who compares in lower case, and somebody else to who does not.
            if !known.content.name.eq_ignore_ascii_case(user) {
                return Ok(DirectorySays::Refused(
                    "the identity provider knows a user by another spelling of this name",
                ));
            }
            let groups = snapshot.groups_of_directory_user(&known.id).await?;
            let names = groups.into_iter().map(|(_, name)| name).collect();
            return Ok(DirectorySays::Groups(Arc::new(names)));
        }
        let former = snapshot.former_name(PrincipalKind::User, user).await?;
        Ok(match former {
            Some(_) => DirectorySays::Refused("the identity provider has removed or renamed this user"),
            None => DirectorySays::Nothing,
        })
    }

    /// The same, kept under the server's counter of that state, where it is known.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn look_up_in_directory(
        &self,
        snapshot: &mut Snapshot,
        user: &str,
        server_revision: Option<i64>,
    ) -> Result<DirectorySays, OperationError> {
        let says = self.read_directory(snapshot, user).await?;
        if let (Some(revision), true) = (server_revision, self.asks_directory_of(user)) {
            let key = (user.to_owned(), revision);
            self.caches().directory.insert(key, says.clone());
        }
        Ok(says)
    }

    /// What was read under a counter; `None` where nothing was.
    pub(crate) fn remembered_of_directory(&self, user: &str, server_revision: i64) -> Option<DirectorySays> {
        if !self.asks_directory_of(user) {
            return Some(DirectorySays::Nothing);
        }
        self.caches().directory.get(&(user.to_owned(), server_revision))
    }

    /// The groups that the server stores of a user who is not calling.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn stored_groups(
        &self,
        snapshot: &mut Snapshot,
        user: &str,
    ) -> Result<GroupClaim, OperationError> {
        Ok(match self.read_directory(snapshot, user).await? {
            DirectorySays::Groups(groups) => GroupClaim::Known(groups.as_ref().clone()),
            DirectorySays::Refused(_) => GroupClaim::Unknown,
            DirectorySays::Nothing => match snapshot.idp_user(user).await? {
                Some(account) => GroupClaim::Known(account.groups.into_iter().collect()),
                None => GroupClaim::Unknown,
            },
        })
    }

    fn asks_directory_of(&self, user: &str) -> bool {
        self.settings().directory_enabled && !user.is_empty() && user != ANONYMOUS
    }
}

/// The error of a request to the directory that is wrong in this way.
fn mistaken(scim_type: &'static str, message: impl Into<String>) -> OperationError {
    OperationError::mistake(Mistake::Directory(scim_type), message)
}

fn taken(what: &str, text: &str) -> OperationError {
    mistaken("uniqueness", format!("`{what}` `{text}` belongs to another one"))
}

/// The error of a write that the store refuses: what was looked up before may have been taken meanwhile.
fn refused_by_store(error: StoreError) -> OperationError {
    if error.is_unique() {
        return mistaken("uniqueness", "the name or the external id belongs to another one");
    }
    if error.is_missing() {
        return mistaken("invalidValue", "one of `members` is no user of the directory");
    }
    error.into()
}

/// Gives a name to an entry: one that was taken away from another only where nothing can be inherited by it.
async fn claim_name(
    write: &mut Write,
    kind: PrincipalKind,
    name: &str,
    id: &str,
    external_id: Option<&str>,
) -> Result<(), OperationError> {
    let Some(former) = write.former_name(kind, name).await? else {
        return Ok(());
    };
    let is_the_same =
        former.id == id || (external_id.is_some() && former.external_id.as_deref() == external_id);
    if !is_the_same && write.is_name_of_metalake(kind, name, &former.name).await? {
        let what = match kind {
            PrincipalKind::User => "user",
            PrincipalKind::Group => "group",
        };
        return Err(mistaken(
            "uniqueness",
            format!(
                "`{name}` was the name of another {what}, and metalakes still have a {what} of that name, whose roles and \
                 objects would go to this one: remove it from the metalakes first, or push the former `externalId` if \
                 it is the same {what}"
            ),
        ));
    }
    write.forget_former_name(kind, name).await?;
    Ok(())
}

/// Takes a name away from an entry that gets another.
async fn leave_name(
    write: &mut Write,
    kind: PrincipalKind,
    name: &str,
    id: &str,
    external_id: Option<&str>,
) -> Result<(), OperationError> {
    let former = FormerName {
        name: name.to_owned(),
        id: id.to_owned(),
        external_id: external_id.map(str::to_owned),
    };
    Ok(write.keep_former_name(kind, &former).await?)
}
