// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The proof that a requirement was decided in favour of the caller.

use crate::decide::{Decision, decide};
use crate::grants::Grants;
use crate::refusal::Refusal;
use crate::requirement::Requirement;
use crate::seen::told;
use crate::target::Target;

/// A value, usually a path, that its caller is authorized to act on. Made only by [`authorize`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorized<T>(T);

impl<T> Authorized<T> {
    /// The value.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// The value, giving up the proof.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> std::ops::Deref for Authorized<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Decides and, if the answer is yes, makes the proof.
///
/// # Errors
/// [`Refusal`] if it is no.
pub fn authorize<T>(
    requirement: &Requirement,
    value: T,
    target: &Target,
    grants: &Grants,
) -> Result<Authorized<T>, Refusal> {
    match decide(requirement, target, grants) {
        Decision::Allowed(_) => Ok(Authorized(value)),
        Decision::Refused(objection) => Err(Refusal {
            user: grants.user().to_owned(),
            kind: target.chain().map(crate::chain::Chain::kind),
            objection: told(requirement, target, grants, objection),
            existence: crate::decide::existence(target, grants),
            exists: target.chain().is_some_and(crate::chain::Chain::is_found),
        }),
    }
}
