// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request names as its caller may see it. A refusal and an explanation are worded from this, so that they say the
//! same of an object that is hidden and of one that is absent.

use lakeward_metadata::kind::ObjectKind;

use crate::chain::{Chain, Node};
use crate::decide::{Decision, Objection, decide};
use crate::grants::Grants;
use crate::requirement::Requirement;
use crate::target::Target;

/// The same target, where every chain ends above the first object that the subject may not load.
pub fn seen(target: &Target, grants: &Grants) -> Target {
    target.map_chains(&|chain| chain_seen(chain, grants))
}

/// What may be told of a refusal: what would be told if everything that is hidden were absent. Where that would be no
/// refusal, the object's denial is all that stands in the way; the status tells so already, and then the words may.
pub fn told(requirement: &Requirement, target: &Target, grants: &Grants, objection: Objection) -> Objection {
    match decide(requirement, &seen(target, grants), grants) {
        Decision::Refused(told) => told,
        Decision::Allowed(_) => objection,
    }
}

fn chain_seen(chain: &Chain, grants: &Grants) -> Chain {
    let nodes = chain.nodes();
    let loads = |end: usize, node: &Node| {
        let target = Target::object(chain.upper(node.kind, end + 1));
        decide(Requirement::load(node.kind), &target, grants).is_allowed()
    };
    let hidden = nodes.iter().enumerate().position(|(end, node)| !loads(end, node));
    match hidden {
        None => chain.clone(),
        Some(end) => chain.missing_below(end),
    }
}

/// Whether the subject may load the object that a chain leads to, so that it may be told that it exists.
pub fn is_seen(chain: &Chain, grants: &Grants) -> bool {
    let kind = chain.object().map(|node| node.kind);
    let target = |kind: ObjectKind| (Requirement::load(kind), Target::object(chain.clone()));
    kind.map(target)
        .is_some_and(|(load, target)| decide(load, &target, grants).is_allowed())
}
