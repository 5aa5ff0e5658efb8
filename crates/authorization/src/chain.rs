// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An object with its ancestors, as the store found them.

use std::sync::Arc;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::Principal;

/// One existing object of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its identity; grants match this, never a name.
    pub id: ObjectId,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its owner; `None` when nobody owns it, for instance because it was found in a source.
    pub owner: Option<Principal>,
}

/// The way from the metalake down to the object that a request names.
///
/// Order: metalake, catalog, ancestors of a nested schema, schema, leaf, column; or metalake and role, tag, policy,
/// job template, job. Only existing objects are in it, so it ends early where something is missing: a missing object
/// is owned by nobody and has no grants of its own.
#[derive(Debug, Clone)]
pub struct Chain {
    kind: ObjectKind,
    /// Shared, so that a chain that is kept for many requests is copied by none.
    nodes: Arc<[Node]>,
    /// How many of the nodes are this chain's; the others are below it.
    length: usize,
    found: bool,
}

impl Chain {
    /// The chain of an existing object of `kind`, which is the last of `nodes`.
    pub fn found(kind: ObjectKind, nodes: Vec<Node>) -> Self {
        Self {
            kind,
            length: nodes.len(),
            nodes: nodes.into(),
            found: true,
        }
    }

    /// The chain of an object of `kind` that does not exist: `nodes` are those of its ancestors that do.
    pub fn missing(kind: ObjectKind, nodes: Vec<Node>) -> Self {
        Self {
            kind,
            length: nodes.len(),
            nodes: nodes.into(),
            found: false,
        }
    }

    /// The chain of the object that is `length` levels down on this one.
    pub(crate) fn upper(&self, kind: ObjectKind, length: usize) -> Self {
        Self {
            kind,
            nodes: Arc::clone(&self.nodes),
            length,
            found: true,
        }
    }

    /// The same name, where only the upper `length` levels exist.
    pub(crate) fn missing_below(&self, length: usize) -> Self {
        Self {
            found: false,
            ..self.upper(self.kind, length)
        }
    }

    /// The kind that was asked for.
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// What exists, top first.
    pub fn nodes(&self) -> &[Node] {
        self.nodes.get(..self.length).unwrap_or(&self.nodes)
    }

    /// Whether the object itself exists.
    pub fn is_found(&self) -> bool {
        self.found
    }

    /// The object itself, when it exists.
    pub fn object(&self) -> Option<&Node> {
        self.nodes().last().filter(|_| self.found)
    }

    /// The metalake, when it exists.
    pub fn metalake(&self) -> Option<&Node> {
        self.nodes().first()
    }
}

impl PartialEq for Chain {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.nodes(), self.found) == (other.kind, other.nodes(), other.found)
    }
}

impl Eq for Chain {}
