// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The access-control page (seed 004), written down as plainly as it reads. Slow on purpose: it looks at everything, each
//! time, and shares nothing with the engine but names. Objects are numbers that are never used again.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_authorization::Privilege::{self, *};
use lakeward_authorization::{Condition, Condition::Allow, Condition::Deny};
use lakeward_metadata::kind::ObjectKind::{self, *};
use lakeward_metadata::principal::{Principal, PrincipalKind};

/// An object of the metalake; the metalake itself is the first.
#[derive(Debug, Clone)]
pub(crate) struct Thing {
    pub(crate) kind: ObjectKind,
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) owner: Option<Principal>,
    pub(crate) exists: bool,
}

/// One privilege in a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) role: usize,
    pub(crate) condition: Condition,
    pub(crate) privilege: Privilege,
    pub(crate) on: usize,
}

/// A metalake with everybody in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lake {
    pub(crate) things: Vec<Thing>,
    pub(crate) said: Vec<Said>,
    pub(crate) holders: BTreeSet<(usize, Principal)>,
    /// Each user, and whether it is enabled.
    pub(crate) users: BTreeMap<String, bool>,
    pub(crate) groups: BTreeMap<String, BTreeSet<String>>,
}

/// What somebody wants to do to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Load,
    Alter,
    Drop,
    /// Create an object of a kind in it.
    Create(ObjectKind),
    SetOwner,
    /// Grant or revoke privileges on it.
    Grant,
    /// Attach a tag to it.
    Attach(usize),
}

impl Lake {
    /// "When authorization is enabled, the server checks every request before the operation runs."
    pub(crate) fn may(&self, user: &str, deed: Deed, at: usize) -> bool {
        // "A user must be added to a metalake before it can do anything there."
        if self.users.get(user) != Some(&true) {
            return false;
        }
        let kind = self.things[at].kind;
        match deed {
            Deed::Load => match kind {
                Metalake => true,
                Role => self.passes(user, at, &[ManageGrants]) || self.holds(user, at),
                other => self.passes(user, at, to_load(other)),
            },
            Deed::Alter => self.passes(user, at, to_alter(kind)),
            Deed::Drop | Deed::SetOwner => self.passes(user, at, &[]),
            Deed::Grant => self.passes(user, at, &[ManageGrants]),
            Deed::Create(child) => self.may_create(user, child, at),
            // "Attaching a tag or a policy is checked twice."
            Deed::Attach(tag) => self.passes(user, tag, &[ApplyTag]) && self.may(user, Deed::Load, at),
        }
    }

    /// The three cases of "Evaluating a Request"; fewer where there is less above the object.
    fn passes(&self, user: &str, at: usize, one_of: &[Privilege]) -> bool {
        let owns = |kind| self.owns(user, at, kind);
        let has = |privilege| self.has(user, privilege, at);
        let has_one = one_of.iter().any(|privilege| has(*privilege));
        match self.things[at].kind {
            Metalake | Catalog | Tag | Role => owns(Metalake) || owns(self.things[at].kind) || has_one,
            Schema => owns(Metalake) || owns(Catalog) || has(UseCatalog) && (owns(Schema) || has_one),
            leaf => {
                owns(Metalake)
                    || owns(Catalog)
                    || owns(Schema) && has(UseCatalog)
                    || has(UseCatalog) && has(UseSchema) && (owns(leaf) || has_one)
            }
        }
    }

    /// "Reaching an object inside a catalog and a schema also requires USE_CATALOG and USE_SCHEMA", also for one that is not
    /// yet there.
    fn may_create(&self, user: &str, child: ObjectKind, parent: usize) -> bool {
        let owns = |kind| self.owns(user, parent, kind);
        let has = |privilege| self.has(user, privilege, parent);
        let has_it = has(to_create(child));
        match self.things[parent].kind {
            Metalake => owns(Metalake) || has_it,
            Catalog => owns(Metalake) || owns(Catalog) || has(UseCatalog) && has_it,
            _ => {
                owns(Metalake)
                    || owns(Catalog)
                    || owns(Schema) && has(UseCatalog)
                    || has(UseCatalog) && has(UseSchema) && has_it
            }
        }
    }

    /// "A privilege counts whether it is held on the object itself or on any ancestor", and "DENY always wins".
    fn has(&self, user: &str, privilege: Privilege, at: usize) -> bool {
        let says = |condition| {
            self.said.iter().any(|said| {
                said.condition == condition
                    && means(said.privilege) == means(privilege)
                    && self.things[said.role].exists
                    && self.holds(user, said.role)
                    && self.upwards(at).contains(&said.on)
            })
        };
        says(Allow) && !says(Deny)
    }

    /// "Owning the object, or any ancestor of it, satisfies any check on it": whether one of that kind is owned. "Ownership
    /// can be held by a group as well as a user, in which case every member of that group holds it."
    fn owns(&self, user: &str, at: usize, kind: ObjectKind) -> bool {
        self.upwards(at).into_iter().any(|place| {
            let thing = &self.things[place];
            thing.kind == kind && thing.owner.as_ref().is_some_and(|owner| self.is(user, owner))
        })
    }

    /// Roles are granted to users and to groups.
    pub(crate) fn holds(&self, user: &str, role: usize) -> bool {
        self.holders
            .iter()
            .any(|(held, holder)| *held == role && self.is(user, holder))
    }

    fn is(&self, user: &str, principal: &Principal) -> bool {
        match principal.kind {
            PrincipalKind::User => principal.name == user,
            PrincipalKind::Group => self
                .groups
                .get(&principal.name)
                .is_some_and(|members| members.contains(user)),
        }
    }

    /// The object and everything that it is in.
    pub(crate) fn upwards(&self, at: usize) -> Vec<usize> {
        std::iter::successors(Some(at), |place| self.things[*place].parent).collect()
    }
}

/// "CREATE_MODEL and CREATE_MODEL_VERSION are deprecated aliases."
fn means(privilege: Privilege) -> Privilege {
    match privilege {
        CreateModel => RegisterModel,
        CreateModelVersion => LinkModelVersion,
        current => current,
    }
}

/// The columns "Load" and "Read".
fn to_load(kind: ObjectKind) -> &'static [Privilege] {
    match kind {
        Catalog => &[UseCatalog],
        Schema => &[UseSchema],
        Table => &[SelectTable, ModifyTable],
        View => &[SelectView],
        Topic => &[ConsumeTopic, ProduceTopic],
        Fileset => &[ReadFileset, WriteFileset],
        Model => &[UseModel],
        Function => &[ExecuteFunction, ModifyFunction],
        Tag => &[ApplyTag],
        _ => &[],
    }
}

/// The column "Alter".
fn to_alter(kind: ObjectKind) -> &'static [Privilege] {
    match kind {
        Table => &[ModifyTable],
        Topic => &[ProduceTopic],
        Fileset => &[WriteFileset],
        Function => &[ModifyFunction],
        _ => &[],
    }
}

/// The column "Create".
fn to_create(kind: ObjectKind) -> Privilege {
    match kind {
        Catalog => CreateCatalog,
        Schema => CreateSchema,
        Table => CreateTable,
        View => CreateView,
        Topic => CreateTopic,
        Fileset => CreateFileset,
        Model => RegisterModel,
        Function => RegisterFunction,
        Tag => CreateTag,
        _ => CreateRole,
    }
}
