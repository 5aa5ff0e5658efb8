// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a requirement speaks of: a closed set of shapes.

use lakeward_metadata::principal::Principal;

use crate::chain::{Chain, Node};
use crate::requirement::Circumstance;

/// The shape of what a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// The server itself.
    Server,
    /// One object.
    Object(Chain),
    /// A user or a group of a metalake.
    Principal {
        /// The metalake.
        metalake: Chain,
        /// The user or group.
        principal: Principal,
    },
    /// An object and the tags, policies or job template to use on it. The object may be the metalake itself, for
    /// instance when a policy is bound to a tag.
    Instruments {
        /// The object acted on.
        object: Chain,
        /// Each tag, policy, job template named.
        instruments: Vec<Chain>,
    },
    /// An object that moves.
    Move {
        /// The object.
        source: Chain,
        /// The parent it moves to.
        destination: Chain,
    },
    /// Several things at once, each with what the request says of it.
    Several(Vec<Target>),
}

/// What a requirement speaks of, and what the request says that may change the demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    shape: Shape,
    says: Vec<Circumstance>,
}

impl Target {
    /// The server itself.
    pub fn server() -> Self {
        Self::of(Shape::Server)
    }

    /// One object.
    pub fn object(chain: Chain) -> Self {
        Self::of(Shape::Object(chain))
    }

    /// A target of any shape, about which the request says nothing more.
    pub fn of(shape: Shape) -> Self {
        Self {
            shape,
            says: Vec::new(),
        }
    }

    /// The same target when `holds` is false; else with the circumstance that the request states.
    #[must_use]
    pub fn saying(mut self, circumstance: Circumstance, holds: bool) -> Self {
        if holds && !self.says(circumstance) {
            self.says.push(circumstance);
        }
        self
    }

    /// Whether the request says so.
    pub fn says(&self, circumstance: Circumstance) -> bool {
        self.says.contains(&circumstance)
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The object that the request acts on; the metalake for a principal; `None` for the server and for several.
    pub fn chain(&self) -> Option<&Chain> {
        match &self.shape {
            Shape::Server | Shape::Several(_) => None,
            Shape::Object(chain)
            | Shape::Principal { metalake: chain, .. }
            | Shape::Instruments { object: chain, .. }
            | Shape::Move { source: chain, .. } => Some(chain),
        }
    }

    /// The same target with other chains.
    pub(crate) fn map_chains(&self, map: &impl Fn(&Chain) -> Chain) -> Self {
        let shape = match &self.shape {
            Shape::Server => Shape::Server,
            Shape::Object(chain) => Shape::Object(map(chain)),
            Shape::Principal { metalake, principal } => Shape::Principal {
                metalake: map(metalake),
                principal: principal.clone(),
            },
            Shape::Instruments { object, instruments } => Shape::Instruments {
                object: map(object),
                instruments: instruments.iter().map(map).collect(),
            },
            Shape::Move { source, destination } => Shape::Move {
                source: map(source),
                destination: map(destination),
            },
            Shape::Several(targets) => {
                Shape::Several(targets.iter().map(|target| target.map_chains(map)).collect())
            }
        };
        Self {
            shape,
            says: self.says.clone(),
        }
    }

    /// What exists of that object and its ancestors, top first.
    pub(crate) fn nodes(&self) -> &[Node] {
        self.chain().map_or(&[], Chain::nodes)
    }
}
