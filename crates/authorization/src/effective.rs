// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a subject may do at one object and below it, as far as this object and those above it say.

use crate::chain::Chain;
use crate::decide::{Standpoint, way};
use crate::explain::Owned;
use crate::grants::{Grants, Membership};
use crate::privilege::Privilege;

/// What holds at an object. What is said further down can only add allowances, and denials, for what lies there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effective {
    /// What of the chain the subject owns, top first.
    pub owned: Vec<Owned>,
    /// The privileges that bind to the object's kind and are allowed on it or above, and denied on neither.
    pub held: Vec<Privilege>,
    /// Those that are denied on it or above.
    pub denied: Vec<Privilege>,
    /// The privileges that lead to the object and that the subject does not have. Nothing of the rest can be used without
    /// them, except by who owns the way.
    pub missing: Vec<Privilege>,
}

/// What holds for the subject at the object that the chain leads to. Nothing does for who is no enabled user.
pub fn effective(chain: &Chain, grants: &Grants) -> Effective {
    if grants.membership() != Membership::Member {
        return Effective::default();
    }
    let kind = chain.kind();
    let standpoint = Standpoint::new(chain.nodes(), grants).about(kind);
    let mut found = Effective {
        owned: standpoint.owned(),
        ..Effective::default()
    };
    let current = Privilege::ALL
        .iter()
        .copied()
        .filter(|privilege| !privilege.is_alias() && privilege.binds_to(kind));
    for privilege in current {
        match standpoint.holds(privilege) {
            Ok(_) => found.held.push(privilege),
            Err(Some(_)) => found.denied.push(privilege),
            Err(None) => {}
        }
    }
    if standpoint.base(kind).is_none() {
        let lacking = |privilege: &&Privilege| standpoint.holds(**privilege).is_err();
        found.missing = way(kind).iter().filter(lacking).copied().collect();
    }
    found
}
