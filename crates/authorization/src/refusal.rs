// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A no: what was refused, why, and whether the caller may learn that the object exists.

use lakeward_metadata::kind::ObjectKind;

use crate::decide::Objection;

/// Whether the caller may be told that the object is there or not. The protocols choose the status: native answers
/// 403 either way; Iceberg answers 404 for an absent table or view only when existence may be told, since engines
/// probe a name before they create it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Existence {
    /// The answer must be the same for a hidden and an absent object.
    Hidden,
    /// The caller may create here, or could see the name otherwise: absence may be told.
    MayBeTold,
}

/// Why `authorize` made no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("user `{user}` is not authorized: {objection}")]
pub struct Refusal {
    /// The caller.
    pub user: String,
    /// The kind of object that was asked for; `None` for the server itself.
    pub kind: Option<ObjectKind>,
    /// What is lacking. Names no object that the caller did not name.
    pub objection: Objection,
    /// Whether existence may be told.
    pub existence: Existence,
    /// Whether the object exists. For the choice of the status only; never to be shown while existence is hidden.
    pub exists: bool,
}
