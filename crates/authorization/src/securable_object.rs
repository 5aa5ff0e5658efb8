// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An object inside a role, with the privileges that the role has on it.

use lakeward_metadata::object::MetadataObject;

use crate::condition::Condition;
use crate::privilege::Privilege;

/// One privilege of a role with its condition. The spelling that was given is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionedPrivilege {
    /// The privilege, possibly by its deprecated name.
    pub privilege: Privilege,
    /// Whether it permits or forbids.
    pub condition: Condition,
}

impl ConditionedPrivilege {
    /// Whether two pairs mean the same: an alias is the twin of the privilege that it stands for.
    fn is_twin_of(self, other: Self) -> bool {
        self.privilege.canonical() == other.privilege.canonical() && self.condition == other.condition
    }
}

/// An object and what a role says of it. Always legal: made only by [`SecurableObject::new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurableObject {
    object: MetadataObject,
    privileges: Vec<ConditionedPrivilege>,
}

/// Why a role may not say this of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPrivilege {
    /// The privilege cannot be bound to this kind.
    #[error("`{privilege}` cannot be bound to {object}; it binds to {allowed}")]
    NotBindable {
        /// The privilege.
        privilege: Privilege,
        /// The object.
        object: MetadataObject,
        /// The kinds it binds to, in words.
        allowed: String,
    },
    /// The same privilege is both allowed and denied.
    #[error("`{privilege}` is both allowed and denied on {object}; a role can say only one of them")]
    Contradiction {
        /// The privilege.
        privilege: Privilege,
        /// The object.
        object: MetadataObject,
    },
    /// Nothing is said.
    #[error("no privilege is given for {0}; name at least one")]
    Empty(MetadataObject),
}

impl SecurableObject {
    /// Checks that every privilege binds to the object's kind and that no privilege is both allowed and denied
    /// (aliases count as one). Repetitions of the same pair are dropped.
    ///
    /// # Errors
    /// [`IllegalPrivilege`].
    pub fn new(
        object: MetadataObject,
        privileges: Vec<ConditionedPrivilege>,
    ) -> Result<Self, IllegalPrivilege> {
        if privileges.is_empty() {
            return Err(IllegalPrivilege::Empty(object));
        }
        let mut kept: Vec<ConditionedPrivilege> = Vec::with_capacity(privileges.len());
        for given in privileges {
            if !given.privilege.binds_to(object.kind) {
                let allowed: Vec<String> = given
                    .privilege
                    .grantable_on()
                    .iter()
                    .map(|k| k.lower_case())
                    .collect();
                return Err(IllegalPrivilege::NotBindable {
                    privilege: given.privilege,
                    object,
                    allowed: allowed.join(", "),
                });
            }
            let twin = kept
                .iter()
                .find(|other| other.privilege.canonical() == given.privilege.canonical());
            match twin {
                Some(other) if other.condition != given.condition => {
                    return Err(IllegalPrivilege::Contradiction {
                        privilege: given.privilege,
                        object,
                    });
                }
                Some(_) => {}
                None => kept.push(given),
            }
        }
        Ok(Self {
            object,
            privileges: kept,
        })
    }

    /// The object.
    pub fn object(&self) -> &MetadataObject {
        &self.object
    }

    /// Its privileges; never empty, no privilege twice.
    pub fn privileges(&self) -> &[ConditionedPrivilege] {
        &self.privileges
    }

    /// The same object with more privileges.
    ///
    /// # Errors
    /// [`IllegalPrivilege::Contradiction`] when one is already there with the opposite condition.
    pub fn with(&self, more: &[ConditionedPrivilege]) -> Result<Self, IllegalPrivilege> {
        let all = self.privileges.iter().chain(more).copied().collect();
        Self::new(self.object.clone(), all)
    }

    /// Whether it has a pair of privilege and condition, by this name or an alias.
    pub fn has(&self, pair: ConditionedPrivilege) -> bool {
        self.privileges.iter().any(|held| held.is_twin_of(pair))
    }

    /// The same object without the given pairs of privilege and condition; an alias removes its twin, absent pairs
    /// are ignored. `None` when nothing is left.
    pub fn without(&self, less: &[ConditionedPrivilege]) -> Option<Self> {
        let privileges: Vec<ConditionedPrivilege> = self
            .privileges
            .iter()
            .filter(|held| !less.iter().any(|gone| held.is_twin_of(*gone)))
            .copied()
            .collect();
        (!privileges.is_empty()).then(|| Self {
            object: self.object.clone(),
            privileges,
        })
    }
}

#[cfg(test)]
mod tests;
