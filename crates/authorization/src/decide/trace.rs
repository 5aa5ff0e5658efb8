// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who is told what an evaluation looks at, while it goes on.

use lakeward_metadata::kind::ObjectKind;

use super::{Standpoint, Weighed};
use crate::privilege::Privilege;
use crate::requirement::Requirement;

/// Told of every step. It is told, and never asked: nothing of a decision depends on it.
pub(crate) trait Trace {
    /// A requirement, or a part of one, is weighed.
    fn begin(&mut self, requirement: &Requirement);

    /// What came out of the one that was begun last and has not ended.
    fn end(&mut self, weighed: &Weighed);

    /// Ownership of an object of `kind` and what is above it, the way to it, and one of `holding` are looked for.
    fn looks(&mut self, from: &Standpoint<'_>, kind: ObjectKind, holding: &'static [Privilege]);
}

/// Nobody is told: what a decision costs, and no more.
impl Trace for () {
    #[inline]
    fn begin(&mut self, _: &Requirement) {}

    #[inline]
    fn end(&mut self, _: &Weighed) {}

    #[inline]
    fn looks(&mut self, _: &Standpoint<'_>, _: ObjectKind, _: &'static [Privilege]) {}
}
