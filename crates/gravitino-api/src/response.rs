// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The bodies that answers of many kinds share. Every one begins with `"code": 0`.

use serde::{Deserialize, Serialize};

/// An answer with nothing but success.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseResponse {
    /// Always 0.
    pub code: i32,
}

/// One object named by where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameIdentifier {
    /// The levels above, beginning with the metalake.
    pub namespace: Vec<String>,
    /// The name.
    pub name: String,
}

/// A list of objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityListResponse {
    /// Always 0.
    pub code: i32,
    /// The objects.
    pub identifiers: Vec<NameIdentifier>,
}

impl EntityListResponse {
    /// Objects that share their namespace.
    pub fn under(namespace: &[&str], names: impl IntoIterator<Item = String>) -> Self {
        let namespace: Vec<String> = namespace.iter().map(|&level| level.to_owned()).collect();
        Self {
            code: 0,
            identifiers: names
                .into_iter()
                .map(|name| NameIdentifier {
                    namespace: namespace.clone(),
                    name,
                })
                .collect(),
        }
    }
}

/// A list of names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameListResponse {
    /// Always 0.
    pub code: i32,
    /// The names.
    pub names: Vec<String>,
}

impl NameListResponse {
    /// The answer with these names.
    pub const fn of(names: Vec<String>) -> Self {
        Self { code: 0, names }
    }
}

/// Whether something was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropResponse {
    /// Always 0.
    pub code: i32,
    /// `false` where there was nothing to drop.
    pub dropped: bool,
}

impl DropResponse {
    /// The answer.
    pub const fn of(dropped: bool) -> Self {
        Self { code: 0, dropped }
    }
}

/// Whether something was removed (users, groups).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveResponse {
    /// Always 0.
    pub code: i32,
    /// `false` where there was nothing to remove.
    pub removed: bool,
}

impl RemoveResponse {
    /// The answer.
    pub const fn of(removed: bool) -> Self {
        Self { code: 0, removed }
    }
}

/// Whether something was set (owners).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetResponse {
    /// Always 0.
    pub code: i32,
    /// Always `true`; a failure is an error.
    pub set: bool,
}

impl SetResponse {
    /// The answer.
    pub const fn done() -> Self {
        Self { code: 0, set: true }
    }
}
