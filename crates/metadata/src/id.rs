// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Row identities, typed by what they identify.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// The stable identity of one row: survives renames, never reused after a drop.
pub struct Id<K> {
    value: i64,
    kind: PhantomData<fn() -> K>,
}

/// Marks ids of the object tree: metalakes, catalogs, schemas, tables, …, roles, tags, policies.
#[derive(Debug)]
pub enum Object {}
/// Marks ids of users of a metalake.
#[derive(Debug)]
pub enum User {}
/// Marks ids of groups of a metalake.
#[derive(Debug)]
pub enum Group {}

/// Id of a node of the object tree.
pub type ObjectId = Id<Object>;
/// Id of a user of a metalake.
pub type UserId = Id<User>;
/// Id of a group of a metalake.
pub type GroupId = Id<Group>;

impl<K> Id<K> {
    /// Wraps a stored value.
    pub const fn new(value: i64) -> Self {
        Self {
            value,
            kind: PhantomData,
        }
    }

    /// The stored value.
    pub const fn value(self) -> i64 {
        self.value
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}
impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.value)
    }
}
impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)
    }
}
