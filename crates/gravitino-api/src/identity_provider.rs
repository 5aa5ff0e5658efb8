// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The built-in identity provider: local users and groups (`/api/idp`).

use serde::{Deserialize, Serialize};

use crate::request::{RequestError, not_blank, required};

/// The longest name of a local user or group, in characters.
pub const MAX_LOCAL_NAME_CHARS: usize = 128;
/// The fewest and most characters of a password.
pub const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 12..=64;
/// The longest comment of a local group, in characters.
pub const MAX_COMMENT_CHARS: usize = 1024;

/// A password on its way; never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Password(String);

impl Password {
    /// The text, for hashing only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

/// `POST /api/idp/users`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct LocalUserAddRequest {
    /// The name; required, without `:`.
    pub user: Option<String>,
    /// The password; required.
    pub password: Option<Password>,
}

/// A local user to be added, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalUserToAdd {
    /// The name.
    pub user: String,
    /// The password.
    pub password: Password,
}

impl TryFrom<LocalUserAddRequest> for LocalUserToAdd {
    type Error = RequestError;

    fn try_from(request: LocalUserAddRequest) -> Result<Self, RequestError> {
        let user = local_name("user", request.user)?;
        if user.contains(':') {
            return Err(RequestError::invalid(
                "user",
                "a `:` cannot be sent in an HTTP Basic header; choose a name without one",
            ));
        }
        Ok(Self {
            user,
            password: checked(request.password)?,
        })
    }
}

/// `PUT /api/idp/users/{user}`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PasswordResetRequest {
    /// The new password; required.
    pub password: Option<Password>,
}

impl TryFrom<PasswordResetRequest> for Password {
    type Error = RequestError;

    fn try_from(request: PasswordResetRequest) -> Result<Self, RequestError> {
        checked(request.password)
    }
}

/// `PUT /api/authn/me/password`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct PasswordChangeRequest {
    /// The password so far; required.
    pub old_password: Option<Password>,
    /// The new password; required.
    pub new_password: Option<Password>,
}

/// A change of one's own password, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordChange {
    /// The password so far.
    pub old: Password,
    /// The new password.
    pub new: Password,
}

impl TryFrom<PasswordChangeRequest> for PasswordChange {
    type Error = RequestError;

    fn try_from(request: PasswordChangeRequest) -> Result<Self, RequestError> {
        Ok(Self {
            old: required("oldPassword", request.old_password)?,
            new: checked_as("newPassword", request.new_password)?,
        })
    }
}

/// `POST /api/idp/groups`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct LocalGroupAddRequest {
    /// The name; required.
    pub group: Option<String>,
    /// What people should know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A local group to be added, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalGroupToAdd {
    /// The name.
    pub group: String,
    /// What people should know of it.
    pub comment: Option<String>,
}

impl TryFrom<LocalGroupAddRequest> for LocalGroupToAdd {
    type Error = RequestError;

    fn try_from(request: LocalGroupAddRequest) -> Result<Self, RequestError> {
        if let Some(comment) = &request.comment
            && comment.chars().count() > MAX_COMMENT_CHARS
        {
            return Err(RequestError::invalid(
                "comment",
                format!("a comment has at most {MAX_COMMENT_CHARS} characters"),
            ));
        }
        Ok(Self {
            group: local_name("group", request.group)?,
            comment: request.comment,
        })
    }
}

/// `PUT /api/idp/groups/{group}/users`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct MembershipRequest {
    /// Users to add.
    pub users_to_add: Option<Vec<String>>,
    /// Users to remove.
    pub users_to_remove: Option<Vec<String>>,
}

/// A change of membership, checked: at least one list, and no name in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MembershipChange {
    /// Users to add.
    pub add: Vec<String>,
    /// Users to remove.
    pub remove: Vec<String>,
}

impl TryFrom<MembershipRequest> for MembershipChange {
    type Error = RequestError;

    fn try_from(request: MembershipRequest) -> Result<Self, RequestError> {
        if request.users_to_add.is_none() && request.users_to_remove.is_none() {
            return Err(RequestError::Missing("usersToAdd` or `usersToRemove".to_owned()));
        }
        let read = |member: &str, list: Option<Vec<String>>| {
            list.unwrap_or_default()
                .into_iter()
                .enumerate()
                .map(|(position, name)| not_blank(&format!("{member}[{position}]"), Some(name)))
                .collect::<Result<Vec<_>, _>>()
        };
        let add = read("usersToAdd", request.users_to_add)?;
        let remove = read("usersToRemove", request.users_to_remove)?;
        if let Some(both) = add.iter().find(|name| remove.contains(name)) {
            return Err(RequestError::invalid(
                "usersToRemove",
                format!("`{both}` is to be added too"),
            ));
        }
        Ok(Self { add, remove })
    }
}

fn local_name(member: &str, value: Option<String>) -> Result<String, RequestError> {
    let name = not_blank(member, value)?;
    if name.chars().count() > MAX_LOCAL_NAME_CHARS {
        return Err(RequestError::invalid(
            member,
            format!("a name has at most {MAX_LOCAL_NAME_CHARS} characters"),
        ));
    }
    Ok(name)
}

fn checked(password: Option<Password>) -> Result<Password, RequestError> {
    checked_as("password", password)
}

fn checked_as(member: &str, password: Option<Password>) -> Result<Password, RequestError> {
    let password = required(member, password)?;
    if !PASSWORD_CHARS.contains(&password.reveal().chars().count()) {
        return Err(RequestError::invalid(
            member,
            format!(
                "a password has {} to {} characters",
                PASSWORD_CHARS.start(),
                PASSWORD_CHARS.end()
            ),
        ));
    }
    Ok(password)
}

/// A local user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalUserDto {
    /// The name.
    pub name: String,
    /// The local groups the user is in.
    pub groups: Vec<String>,
}

/// One local user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalUserResponse {
    /// Always 0.
    pub code: i32,
    /// The user.
    pub user: LocalUserDto,
}

/// A local group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalGroupDto {
    /// The name.
    pub name: String,
    /// What people should know of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub comment: Option<String>,
    /// Its members.
    pub users: Vec<String>,
}

/// One local group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalGroupResponse {
    /// Always 0.
    pub code: i32,
    /// The group.
    pub group: LocalGroupDto,
}
