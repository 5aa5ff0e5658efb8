// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The directory: users and groups that an identity provider pushes. They belong to the server and to no metalake.

use std::collections::BTreeSet;

/// What is pushed of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryUser {
    /// The name with which the user authenticates, compared without case.
    pub name: String,
    /// The id that the identity provider gave.
    pub external_id: Option<String>,
    /// Whether the user may call at all.
    pub is_active: bool,
    /// What no decision reads (names of people, mail addresses), as the text of a JSON object.
    pub profile: String,
}

/// What is pushed of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryGroup {
    /// The name by which metalakes know it.
    pub name: String,
    /// The id that the identity provider gave.
    pub external_id: Option<String>,
    /// The ids of its members, all of them users.
    pub members: BTreeSet<String>,
}

/// The most members of one group.
pub const MAX_GROUP_MEMBERS: usize = 10_000;

/// A name as the directory compares it.
pub fn name_key(name: &str) -> String {
    name.to_lowercase()
}
