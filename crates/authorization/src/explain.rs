// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a requirement is decided as it is: the evaluation of [`crate::decide`], kept.
//!
//! It is the same evaluation, so it cannot say anything else than what is decided. Objects are known by id here; who
//! explains adds names, and the roles behind each grant.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::Principal;

use crate::decide::{Decision, Ground, Objection, Standpoint, Trace, Weighed, evaluate, way};
use crate::grants::{Grants, Membership};
use crate::privilege::Privilege;
use crate::requirement::Requirement;
use crate::target::Target;

/// A decision with all that it looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The decision, as [`crate::decide::decide`] gives it.
    pub decision: Decision,
    /// What the subject is to the metalake.
    pub membership: Membership,
    /// How the requirement was weighed; `None` when it was not, because the subject is no enabled user of the metalake.
    pub weighing: Option<Weighing>,
}

/// One requirement, or one part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighing {
    /// The requirement.
    pub requirement: Requirement,
    /// What came out.
    pub decision: Decision,
    /// What was looked for on objects, in order.
    pub looks: Vec<Look>,
    /// The parts that were weighed, in order. What nothing depended on any more was not weighed.
    pub parts: Vec<Weighing>,
}

/// What was found on the way to an object of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The kind of the object that was asked about.
    pub kind: ObjectKind,
    /// What of the chain the subject owns, top first.
    pub owned: Vec<Owned>,
    /// The privileges that lead there, top first.
    pub way: Vec<LookedAt>,
    /// The privileges of which one would do.
    pub holding: Vec<LookedAt>,
}

/// An object that the subject owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    /// The object.
    pub id: ObjectId,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its owner: the user, or a group of the user.
    pub owner: Principal,
}

/// A privilege, and where it is allowed and denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// The privilege.
    pub privilege: Privilege,
    /// Whether the subject has it: allowed somewhere, and denied nowhere.
    pub is_held: bool,
    /// The objects on which a held and active role allows it, top first.
    pub allowed: Vec<ObjectId>,
    /// The objects on which a held role denies it, top first.
    pub denied: Vec<ObjectId>,
}

/// Explains what [`crate::decide::decide`] decides.
pub fn explain(requirement: &Requirement, target: &Target, grants: &Grants) -> Explanation {
    let mut record = Record::default();
    let decision = evaluate(requirement, target, grants, &mut record);
    Explanation {
        decision,
        membership: grants.membership(),
        weighing: record.whole,
    }
}

impl Explanation {
    /// The innermost part of the requirement on which the decision rests.
    pub fn decisive(&self) -> Option<&Weighing> {
        let mut found = self.weighing.as_ref()?;
        while let Some(part) = found.decisive_part() {
            found = part;
        }
        Some(found)
    }

    /// Every object on which a privilege that was looked for is allowed or denied, each once.
    pub fn spoken_of(&self) -> Vec<ObjectId> {
        let mut ids = Vec::new();
        if let Some(weighing) = &self.weighing {
            weighing.collect(&mut ids);
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

impl Weighing {
    /// The part whose outcome is that of the whole: a yes of several alternatives is the first yes, a no is that of the
    /// first alternative; of several demands the last one weighed settles it.
    fn decisive_part(&self) -> Option<&Self> {
        let is_any = matches!(self.requirement, Requirement::Any(_));
        if is_any && !self.decision.is_allowed() {
            return self.parts.first();
        }
        self.parts.last().filter(|part| part.decision == self.decision)
    }

    fn collect(&self, ids: &mut Vec<ObjectId>) {
        for look in &self.looks {
            for looked_at in look.way.iter().chain(&look.holding) {
                ids.extend(&looked_at.allowed);
                ids.extend(&looked_at.denied);
            }
        }
        for part in &self.parts {
            part.collect(ids);
        }
    }
}

impl Look {
    /// What was found of one privilege.
    pub fn of(&self, privilege: Privilege) -> Option<&LookedAt> {
        self.way
            .iter()
            .chain(&self.holding)
            .find(|looked_at| looked_at.privilege == privilege)
    }

    /// The privileges that lead to the object and that the subject does not have.
    pub fn missing(&self) -> impl Iterator<Item = &LookedAt> {
        self.way.iter().filter(|looked_at| !looked_at.is_held)
    }
}

/// Keeps what an evaluation tells.
#[derive(Debug, Default)]
struct Record {
    open: Vec<(Requirement, Vec<Look>, Vec<Weighing>)>,
    whole: Option<Weighing>,
}

impl Trace for Record {
    fn begin(&mut self, requirement: &Requirement) {
        self.open.push((*requirement, Vec::new(), Vec::new()));
    }

    fn end(&mut self, weighed: &Weighed) {
        let Some((requirement, looks, parts)) = self.open.pop() else {
            return;
        };
        let weighing = Weighing {
            requirement,
            decision: decision(weighed),
            looks,
            parts,
        };
        match self.open.last_mut() {
            Some((_, _, siblings)) => siblings.push(weighing),
            None => self.whole = Some(weighing),
        }
    }

    fn looks(&mut self, from: &Standpoint<'_>, kind: ObjectKind, holding: &'static [Privilege]) {
        if let Some((_, looks, _)) = self.open.last_mut() {
            looks.push(look(from, kind, holding));
        }
    }
}

fn decision(weighed: &Result<Ground, Objection>) -> Decision {
    match weighed {
        Ok(ground) => Decision::Allowed(*ground),
        Err(objection) => Decision::Refused(*objection),
    }
}

fn look(from: &Standpoint<'_>, kind: ObjectKind, holding: &[Privilege]) -> Look {
    let at = |privileges: &[Privilege]| privileges.iter().map(|one| looked_at(from, *one)).collect();
    Look {
        kind,
        owned: from.owned(),
        way: at(way(kind)),
        holding: at(holding),
    }
}

impl Standpoint<'_> {
    /// What of the chain the subject owns, top first.
    pub(crate) fn owned(&self) -> Vec<Owned> {
        self.levels()
            .filter_map(|node| {
                let owner = node.owner.as_ref().filter(|owner| self.grants.is(owner))?;
                Some(Owned {
                    id: node.id,
                    kind: node.kind,
                    owner: owner.clone(),
                })
            })
            .collect()
    }
}

fn looked_at(from: &Standpoint<'_>, privilege: Privilege) -> LookedAt {
    let reach = from.grants.reach(privilege);
    let levels = || from.levels().filter(|node| privilege.binds_to(node.kind));
    let among = |ids: &std::collections::HashSet<ObjectId>| {
        levels()
            .map(|node| node.id)
            .filter(|id| ids.contains(id))
            .collect()
    };
    LookedAt {
        privilege,
        is_held: from.holds(privilege).is_ok(),
        allowed: among(&reach.allowed),
        denied: among(&reach.denied),
    }
}
