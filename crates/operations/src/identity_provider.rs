// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The built-in identity provider: local accounts with passwords and groups. They are no users of any metalake; a
//! metalake adds them by name.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use lakeward_authorization::Authorized;
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_store::{IdpGroup, IdpUser, Snapshot};

use crate::Operations;
use crate::access_token;
use crate::caller::{Call, Caller, RightPassword};
use crate::error::{Noun, OperationError};
use crate::named::{Named, Names, TheServer};
use crate::password;

/// The longest name of an account or a group, in characters.
const MAX_NAME_CHARS: usize = 128;
/// The longest comment of a group, in characters.
const MAX_COMMENT_CHARS: usize = 1024;
/// What a password may have, in characters.
const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 12..=64;

/// A local account or group by name. Concerns the server, no metalake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalName(pub String);

impl Names for LocalName {
    fn named(&self) -> Named {
        Named::server()
    }
}

/// A change of who is in a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MembershipChange {
    /// Accounts to put in.
    pub add: Vec<String>,
    /// Accounts to take out.
    pub remove: Vec<String>,
}

/// Who an account is, with the groups that it is in.
pub(crate) fn account_subject(account: IdpUser) -> Subject {
    Subject {
        user: account.name,
        groups: GroupClaim::Known(account.groups.into_iter().collect()),
    }
}

/// Who an account is in a state in which it may have ended.
pub(crate) fn account_in_state(account: Option<IdpUser>) -> Result<Subject, OperationError> {
    account
        .map(account_subject)
        .ok_or_else(|| OperationError::Unauthenticated("the account has ended".to_owned()))
}

impl Operations {
    /// The caller in the state of a snapshot: with the groups that its account, or the directory, has there.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] when the account has ended, [`OperationError::Forbidden`] when the directory
    /// refuses the caller; what the store reports.
    pub(crate) async fn subject_in<'a>(
        &self,
        snapshot: &mut Snapshot,
        caller: &'a Caller,
    ) -> Result<Cow<'a, Subject>, OperationError> {
        let subject = if caller.proof.has_account() {
            let account = snapshot.idp_user(&caller.subject.user).await?;
            Cow::Owned(account_in_state(account)?)
        } else {
            Cow::Borrowed(&caller.subject)
        };
        let says = self.read_directory(snapshot, &subject.user).await?;
        Ok(says.of(&subject)?.map_or(subject, Cow::Owned))
    }

    /// The subject of a name and password. Takes as long for an unknown name as for a wrong password, and says the
    /// same. A success is remembered for a minute, while the stored hash stays.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`]; [`OperationError::TooManyRequests`] after too many of these; or what the store
    /// reports.
    pub async fn verify_password(
        &self,
        user: &str,
        password: &str,
        remote: Option<IpAddr>,
    ) -> Result<(Subject, RightPassword), OperationError> {
        let key = password::remembered_as(user, password);
        let account = match self.remembered(user, &key).await? {
            Some(account) => account,
            None => {
                let verifying = Arc::default();
                let verifying = self.caches().verifying.get_with(key, || verifying);
                let _turn = verifying.lock().await;
                match self.remembered(user, &key).await? {
                    Some(account) => account,
                    None => self.check_now(user, password, key, remote).await?,
                }
            }
        };
        let right = RightPassword::of(&account.password_hash);
        Ok((account_subject(account), right))
    }

    /// The account, if this password was right for it a moment ago and still is. Asks the store for nobody else.
    async fn remembered(&self, user: &str, key: &[u8; 32]) -> Result<Option<IdpUser>, OperationError> {
        let Some(hash) = self.caches().verified.get(key) else {
            return Ok(None);
        };
        let account = self.local_account(user).await?;
        Ok(account.filter(|account| account.password_hash == *hash))
    }

    /// Hashes the password and compares. Counts as a failed login to the account until it is known to be right.
    async fn check_now(
        &self,
        user: &str,
        password: &str,
        key: [u8; 32],
        remote: Option<IpAddr>,
    ) -> Result<IdpUser, OperationError> {
        let too_many = |retry_after| OperationError::TooManyRequests {
            message: "too many failed logins".to_owned(),
            retry_after,
        };
        // Before anything is counted: whoever finds no room has not guessed.
        let room = password::room()?;
        let now = || self.clock().millis();
        let mut attempt = self.logins().attempt(user, remote, now()).map_err(too_many)?;
        let account = self.local_account(user).await?;
        let hash = account.as_ref().map(|account| account.password_hash.as_str());
        let turn = room.turn().await?;
        attempt.begin(now()).map_err(too_many)?;
        let is_right = match password::verify(turn, password, hash).await {
            Ok(is_right) => is_right,
            Err(error) => {
                attempt.take_back();
                return Err(error);
            }
        };
        let Some(account) = account.filter(|_| is_right) else {
            attempt.failed(now());
            return Err(OperationError::Unauthenticated(
                "invalid user name or password".to_owned(),
            ));
        };
        attempt.succeeded(now());
        self.caches()
            .verified
            .insert(key, account.password_hash.as_str().into());
        Ok(account)
    }

    /// Gives the caller's own account another password. What of it is remembered ends with the next request, on every
    /// node.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for an access token, when the old password is wrong, or the caller has no account here;
    /// [`OperationError::TooManyRequests`] after too many of these; [`OperationError::Invalid`] for a new one that breaks
    /// the rules or is the old one.
    pub async fn change_password(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        old: &str,
        new: &str,
    ) -> Result<(), OperationError> {
        if let Some(token) = call.caller.proof.access_token() {
            access_token::require_scope(token, true, false)?;
        }
        let wrong =
            || OperationError::Forbidden("the old password is not that of your local account".to_owned());
        let user = call.user();
        let key = password::remembered_as(user, old);
        // Not from memory: who holds a session must know the password.
        let account = match self.check_now(user, old, key, call.caller.remote).await {
            Ok(account) => account,
            Err(OperationError::Unauthenticated(_)) => return Err(wrong()),
            Err(error) => return Err(error),
        };
        check_password(new)?;
        if old == new {
            return Err(OperationError::invalid(
                "the new password must not be the old one",
            ));
        }
        let hash = password::hash(new).await?;
        let mut write = self.write_server(call).await?;
        // It may have been changed in between.
        if local_user(&mut write, user).await?.password_hash != account.password_hash {
            return Err(wrong());
        }
        write.set_idp_password(user, &hash).await?;
        Ok(write.commit().await?)
    }

    /// The account by name, from memory while the server's counter stays.
    pub(crate) async fn local_account(&self, user: &str) -> Result<Option<IdpUser>, OperationError> {
        let key = (user.to_owned(), self.store().server_revision().await?);
        if let Some(account) = self.caches().accounts.get(&key) {
            return Ok(account);
        }
        let mut snapshot = self.store().snapshot().await?;
        let account = snapshot.idp_user(user).await?;
        // The counter of the state that was read, not of a moment before.
        let revision = snapshot.server_revision().await?;
        self.remember_account(user, revision, account.clone());
        Ok(account)
    }

    /// Keeps what was read of an account, or that there is none, under the server's counter of the state it was read in.
    pub(crate) fn remember_account(&self, user: &str, server_revision: i64, account: Option<IdpUser>) {
        self.caches()
            .accounts
            .insert((user.to_owned(), server_revision), account);
    }

    /// Makes an account for every service administrator that has none yet, with the given password.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] when an account is missing and there is no password, or it breaks the rules.
    pub async fn create_initial_accounts(&self, password: Option<&str>) -> Result<(), OperationError> {
        let mut missing = Vec::new();
        let mut snapshot = self.store().snapshot().await?;
        for name in &self.settings().service_admins {
            if snapshot.idp_user(name).await?.is_none() {
                missing.push(name.clone());
            }
        }
        drop(snapshot);
        if missing.is_empty() {
            return Ok(());
        }
        let Some(password) = password else {
            return Err(OperationError::invalid(format!(
                "the service administrators `{}` have no local account yet: set GRAVITINO_INITIAL_ADMIN_PASSWORD",
                missing.join("`, `")
            )));
        };
        check_password(password)?;
        let hash = password::hash(password).await?;
        let mut write = self.store().write_server("system").await?;
        for name in missing {
            check_name("user", &name)?;
            match write.create_idp_user(&name, &hash).await {
                Ok(()) => {}
                // Another node started at the same time.
                Err(error) if error.is_unique() => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(write.commit().await?)
    }

    /// Creates an account.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`] for a name or password that breaks the rules.
    pub async fn create_local_user(
        &self,
        call: &Call,
        user: Authorized<LocalName>,
        password: &str,
    ) -> Result<IdpUser, OperationError> {
        let name = &user.get().0;
        check_name("user", name)?;
        check_password(password)?;
        let hash = password::hash(password).await?;
        let mut write = self.write_server(call).await?;
        write.create_idp_user(name, &hash).await.map_err(|error| {
            if error.is_unique() {
                OperationError::already_exists(Noun::LocalUser, name)
            } else {
                error.into()
            }
        })?;
        let created = local_user(&mut write, name).await?;
        write.commit().await?;
        Ok(created)
    }

    /// Loads an account.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub async fn load_local_user(&self, user: Authorized<LocalName>) -> Result<IdpUser, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        local_user(&mut snapshot, &user.get().0).await
    }

    /// Gives an account another password.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::Invalid`].
    pub async fn reset_password(
        &self,
        call: &Call,
        user: Authorized<LocalName>,
        password: &str,
    ) -> Result<IdpUser, OperationError> {
        let name = &user.get().0;
        check_password(password)?;
        let hash = password::hash(password).await?;
        let mut write = self.write_server(call).await?;
        write.set_idp_password(name, &hash).await.map_err(|error| {
            if error.is_missing() {
                OperationError::not_found(Noun::LocalUser, name)
            } else {
                error.into()
            }
        })?;
        let changed = local_user(&mut write, name).await?;
        write.commit().await?;
        Ok(changed)
    }

    /// Removes an account; gives whether there was one.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn remove_local_user(
        &self,
        call: &Call,
        user: Authorized<LocalName>,
    ) -> Result<bool, OperationError> {
        let mut write = self.write_server(call).await?;
        let removed = write.remove_idp_user(&user.get().0).await?;
        write.commit().await?;
        Ok(removed)
    }

    /// Creates a group of accounts.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`].
    pub async fn create_local_group(
        &self,
        call: &Call,
        group: Authorized<LocalName>,
        comment: Option<&str>,
    ) -> Result<IdpGroup, OperationError> {
        let name = &group.get().0;
        check_name("group", name)?;
        if comment.is_some_and(|comment| comment.chars().count() > MAX_COMMENT_CHARS) {
            return Err(OperationError::invalid(format!(
                "the comment of a group must not have more than {MAX_COMMENT_CHARS} characters"
            )));
        }
        let mut write = self.write_server(call).await?;
        write.create_idp_group(name, comment).await.map_err(|error| {
            if error.is_unique() {
                OperationError::already_exists(Noun::LocalGroup, name)
            } else {
                error.into()
            }
        })?;
        let created = local_group(&mut write, name).await?;
        write.commit().await?;
        Ok(created)
    }

    /// Loads a group of accounts.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub async fn load_local_group(&self, group: Authorized<LocalName>) -> Result<IdpGroup, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        local_group(&mut snapshot, &group.get().0).await
    }

    /// Removes a group of accounts; gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::NotEmpty`] for a group with members, unless forced.
    pub async fn remove_local_group(
        &self,
        call: &Call,
        group: Authorized<LocalName>,
        force: bool,
    ) -> Result<bool, OperationError> {
        let name = &group.get().0;
        let mut write = self.write_server(call).await?;
        let members = write.idp_group(name).await?.map(|group| group.users.len());
        if members.is_some_and(|members| members > 0) && !force {
            return Err(OperationError::NotEmpty {
                noun: Noun::LocalGroup,
                name: name.clone(),
                what_to_do: "remove its users first, or force the removal",
            });
        }
        let removed = write.remove_idp_group(name).await?;
        write.commit().await?;
        Ok(removed)
    }

    /// Changes who is in a group; all of it or nothing.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] when nothing is to be changed or an account is in both lists;
    /// [`OperationError::NotFound`] for the group or an account to be added.
    pub async fn change_local_membership(
        &self,
        call: &Call,
        group: Authorized<LocalName>,
        change: &MembershipChange,
    ) -> Result<IdpGroup, OperationError> {
        let name = &group.get().0;
        if change.add.is_empty() && change.remove.is_empty() {
            return Err(OperationError::invalid(
                "at least one of `usersToAdd` and `usersToRemove` must name a user",
            ));
        }
        let added: BTreeSet<&String> = change.add.iter().collect();
        if let Some(user) = change.remove.iter().find(|user| added.contains(user)) {
            return Err(OperationError::invalid(format!(
                "user `{user}` is in both `usersToAdd` and `usersToRemove`"
            )));
        }
        let mut write = self.write_server(call).await?;
        local_group(&mut write, name).await?;
        for user in &change.add {
            local_user(&mut write, user).await?;
            write.add_idp_member(name, user).await?;
        }
        for user in &change.remove {
            write.remove_idp_member(name, user).await?;
        }
        let changed = local_group(&mut write, name).await?;
        write.commit().await?;
        Ok(changed)
    }
}

async fn local_user(snapshot: &mut Snapshot, name: &str) -> Result<IdpUser, OperationError> {
    let user = snapshot.idp_user(name).await?;
    user.ok_or_else(|| OperationError::not_found(Noun::LocalUser, name))
}

async fn local_group(snapshot: &mut Snapshot, name: &str) -> Result<IdpGroup, OperationError> {
    let group = snapshot.idp_group(name).await?;
    group.ok_or_else(|| OperationError::not_found(Noun::LocalGroup, name))
}

fn check_name(what: &str, name: &str) -> Result<(), OperationError> {
    if name.trim().is_empty() {
        return Err(OperationError::invalid(format!(
            "the name of a {what} must not be empty"
        )));
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(OperationError::invalid(format!(
            "the name of a {what} must not have more than {MAX_NAME_CHARS} characters"
        )));
    }
    if name.contains(':') || name.chars().any(char::is_control) {
        return Err(OperationError::invalid(format!(
            "the name of a {what} must not contain `:` or control characters"
        )));
    }
    Ok(())
}

fn check_password(password: &str) -> Result<(), OperationError> {
    if PASSWORD_CHARS.contains(&password.chars().count()) {
        return Ok(());
    }
    Err(OperationError::invalid(format!(
        "a password must have {} to {} characters",
        PASSWORD_CHARS.start(),
        PASSWORD_CHARS.end()
    )))
}
