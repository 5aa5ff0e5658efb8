// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The decision: pure, from facts alone, with its reason.
//!
//! The rule of traversal is spelled here, once, for requests and for lists alike ([`Standpoint`]).

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::Principal;

use crate::chain::{Chain, Node};
use crate::grants::{Grants, Membership, Mode};
use crate::privilege::Privilege;
use crate::refusal::Existence;
use crate::requirement::Requirement;
use crate::target::{Shape, Target};

mod reason;
mod trace;

pub use reason::{Decision, Ground, Objection};
pub(crate) use trace::Trace;

/// Decides a requirement for a subject.
///
/// Pure, and O(length of the chain) for one requirement, independent of the number of grants.
pub fn decide(requirement: &Requirement, target: &Target, grants: &Grants) -> Decision {
    evaluate(requirement, target, grants, &mut ())
}

/// The one evaluation: deciding tells nobody what it looked at, explaining keeps it ([`crate::explain`]).
pub(crate) fn evaluate<T: Trace>(
    requirement: &Requirement,
    target: &Target,
    grants: &Grants,
    trace: &mut T,
) -> Decision {
    let checked = grants.mode() == Mode::Enforced;
    if checked && requirement.concerns_metalake() {
        match grants.membership() {
            Membership::Member => {}
            Membership::Suspended => return Decision::Refused(Objection::Suspended),
            Membership::Outsider => return Decision::Refused(Objection::NotMember),
        }
    }
    match weigh(requirement, target, grants, trace) {
        Ok(ground) => Decision::Allowed(ground),
        Err(objection) => Decision::Refused(objection),
    }
}

pub(crate) type Weighed = Result<Ground, Objection>;

fn weigh<T: Trace>(requirement: &Requirement, target: &Target, grants: &Grants, trace: &mut T) -> Weighed {
    trace.begin(requirement);
    let weighed = weigh_parts(requirement, target, grants, trace);
    trace.end(&weighed);
    weighed
}

fn weigh_parts<T: Trace>(
    requirement: &Requirement,
    target: &Target,
    grants: &Grants,
    trace: &mut T,
) -> Weighed {
    let passed = grants.mode() != Mode::Enforced;
    let standpoint = Standpoint::new(target.nodes(), grants);
    let kind_named = || target.chain().map(Chain::kind).ok_or(Objection::NothingNamed);
    match requirement {
        Requirement::AccountAdministrator => listed(grants.standing().service_administrator),
        Requirement::Operator if grants.standing().operator => Ok(Ground::Operator),
        Requirement::Operator => Err(Objection::NotOperator),
        Requirement::Provisioner if grants.standing().provisioner => Ok(Ground::Provisioner),
        Requirement::Provisioner => Err(Objection::NotProvisioner),
        Requirement::All(parts) => {
            let mut ground = Ok(Ground::Open);
            for part in *parts {
                ground = Ok(weigh(part, target, grants, trace)?);
            }
            ground
        }
        Requirement::Any(parts) => {
            let mut first = None;
            for part in *parts {
                match weigh(part, target, grants, trace) {
                    Ok(ground) => return Ok(ground),
                    Err(objection) => first = first.or(Some(objection)),
                }
            }
            Err(first.unwrap_or(Objection::NothingNamed))
        }
        Requirement::Each(inner) => match target.shape() {
            Shape::Several(targets) => {
                let mut ground = Err(Objection::NothingNamed);
                for target in targets {
                    ground = Ok(weigh(inner, target, grants, trace)?);
                }
                ground
            }
            Shape::Server
            | Shape::Object(_)
            | Shape::Principal { .. }
            | Shape::Instruments { .. }
            | Shape::Move { .. } => weigh(inner, target, grants, trace),
        },
        Requirement::IfRequest {
            says,
            then,
            otherwise,
        } => {
            let part = if target.says(*says) { then } else { otherwise };
            weigh(part, target, grants, trace)
        }
        Requirement::Public | Requirement::Authenticated => Ok(Ground::Open),
        Requirement::ServiceAdministrator
        | Requirement::Member
        | Requirement::Named
        | Requirement::Owner(_)
        | Requirement::Holds(_)
        | Requirement::On { .. }
        | Requirement::CreateIn { .. }
        | Requirement::Instruments
        | Requirement::SetOwner
        | Requirement::ManageGrants
        | Requirement::AccessTo
        | Requirement::Destination(_)
            if passed =>
        {
            Ok(Ground::Unchecked(grants.mode()))
        }
        Requirement::ServiceAdministrator => listed(grants.standing().service_administrator),
        // Membership was settled before anything was weighed.
        Requirement::Member => Ok(Ground::Member),
        Requirement::Named if is_named(target, grants) => Ok(Ground::Named),
        Requirement::Named => Err(Objection::NotNamed),
        Requirement::Owner(kind) => standpoint.on(*kind, &[], trace),
        Requirement::Holds(holding) => standpoint.on(ObjectKind::Metalake, holding, trace),
        Requirement::On { kind, holding } => standpoint.on(*kind, holding, trace),
        Requirement::CreateIn { parent, holding } => standpoint.create_in(*parent, holding, trace),
        Requirement::SetOwner => standpoint.on(kind_named()?, &[], trace),
        Requirement::ManageGrants => standpoint.on(kind_named()?, &[Privilege::ManageGrants], trace),
        Requirement::AccessTo => weigh(Requirement::load(kind_named()?), target, grants, trace),
        Requirement::Instruments => instruments(target, grants, trace),
        Requirement::Destination(inner) => match target.shape() {
            Shape::Move { destination, .. } => {
                weigh(inner, &Target::object(destination.clone()), grants, trace)
            }
            Shape::Server
            | Shape::Object(_)
            | Shape::Principal { .. }
            | Shape::Instruments { .. }
            | Shape::Several(_) => Err(Objection::NothingNamed),
        },
    }
}

fn listed(service_administrator: bool) -> Weighed {
    if service_administrator {
        Ok(Ground::ServiceAdministrator)
    } else {
        Err(Objection::NotServiceAdministrator)
    }
}

/// Every instrument must be the caller's to use, and the object within reach.
fn instruments<T: Trace>(target: &Target, grants: &Grants, trace: &mut T) -> Weighed {
    let Shape::Instruments { object, instruments } = target.shape() else {
        return Err(Objection::NothingNamed);
    };
    for instrument in instruments {
        let standpoint = Standpoint::new(instrument.nodes(), grants);
        let holding: &'static [Privilege] = match instrument.kind() {
            ObjectKind::Tag => &[Privilege::ApplyTag],
            ObjectKind::Policy => &[Privilege::ApplyPolicy],
            ObjectKind::JobTemplate => &[Privilege::UseJobTemplate],
            ObjectKind::Metalake
            | ObjectKind::Catalog
            | ObjectKind::Schema
            | ObjectKind::Table
            | ObjectKind::View
            | ObjectKind::Topic
            | ObjectKind::Fileset
            | ObjectKind::Model
            | ObjectKind::Function
            | ObjectKind::Column
            | ObjectKind::Role
            | ObjectKind::Job => return Err(Objection::NothingNamed),
        };
        standpoint.on(instrument.kind(), holding, trace)?;
    }
    weigh(
        Requirement::load(object.kind()),
        &Target::object(object.clone()),
        grants,
        trace,
    )
}

fn is_named(target: &Target, grants: &Grants) -> bool {
    match target.shape() {
        Shape::Principal { principal, .. } => grants.is(principal),
        Shape::Object(chain) => chain
            .object()
            .is_some_and(|node| node.kind == ObjectKind::Role && grants.holds_role(node.id)),
        Shape::Server | Shape::Instruments { .. } | Shape::Move { .. } | Shape::Several(_) => false,
    }
}

/// Whether a refused caller may learn that a table or view is absent: it reaches the schema, and either may put a
/// table or view there or could see one (engines probe a name before they create it).
pub(crate) fn existence(target: &Target, grants: &Grants) -> Existence {
    const TELLS: &[Privilege] = &[
        Privilege::CreateTable,
        Privilege::CreateView,
        Privilege::SelectTable,
        Privilege::ModifyTable,
        Privilege::SelectView,
    ];
    let Some(chain) = target.chain() else {
        return Existence::Hidden;
    };
    let probed = matches!(chain.kind(), ObjectKind::Table | ObjectKind::View);
    if !probed || grants.membership() != Membership::Member {
        return Existence::Hidden;
    }
    let standpoint = Standpoint::new(chain.nodes(), grants);
    let told = standpoint.reach(chain.kind()).is_ok()
        && (standpoint.owns(ObjectKind::Table).is_some()
            || standpoint.owns(ObjectKind::View).is_some()
            || TELLS.iter().any(|privilege| standpoint.holds(*privilege).is_ok()));
    if told {
        Existence::MayBeTold
    } else {
        Existence::Hidden
    }
}

/// A subject looking at a chain of objects.
pub(crate) struct Standpoint<'a> {
    nodes: &'a [Node],
    pub(crate) grants: &'a Grants,
    /// The kind of object that is asked about, when only its ancestors and itself count. A request may name more: to
    /// list the roles of a table, roles are looked at from the metalake, not from the table.
    about: Option<ObjectKind>,
}

impl<'a> Standpoint<'a> {
    pub(crate) fn new(nodes: &'a [Node], grants: &'a Grants) -> Self {
        Self {
            nodes,
            grants,
            about: None,
        }
    }

    /// The same subject, asked about an object of `kind`.
    pub(crate) fn about(&self, kind: ObjectKind) -> Self {
        Self {
            about: Some(kind),
            ..*self
        }
    }

    /// The same subject, looking at what a list of objects of `kind` is below. An object of that kind on the chain is one
    /// of many, not their parent: who owns one policy owns no other. Only a schema has parents of its own kind.
    pub(crate) fn above(&self, kind: ObjectKind) -> Self {
        let nodes = match self.nodes.split_last() {
            Some((last, above)) if last.kind == kind && kind != ObjectKind::Schema => above,
            Some(_) | None => self.nodes,
        };
        Self {
            nodes,
            about: Some(kind),
            ..*self
        }
    }

    pub(crate) fn levels(&self) -> impl Iterator<Item = &'a Node> + use<'a> {
        let about = self.about;
        self.nodes
            .iter()
            .filter(move |node| about.is_none_or(|kind| counts_for(kind, node.kind)))
    }

    /// Owner of an ancestor that settles everything below it; or reaches the object and owns it or holds a privilege.
    fn on<T: Trace>(&self, kind: ObjectKind, holding: &'static [Privilege], trace: &mut T) -> Weighed {
        let standpoint = self.about(kind);
        trace.looks(&standpoint, kind, holding);
        if let Some(ground) = standpoint.base(kind) {
            return Ok(ground);
        }
        standpoint.reach(kind)?;
        if let Some(ground) = standpoint.owns(leaf(kind)) {
            return Ok(ground);
        }
        standpoint.holds_one(kind, holding)
    }

    /// As [`Self::on`] for something not yet there: what lies below a schema is reached through that schema.
    fn create_in<T: Trace>(
        &self,
        parent: ObjectKind,
        holding: &'static [Privilege],
        trace: &mut T,
    ) -> Weighed {
        let below_schema =
            parent == ObjectKind::Schema || self.nodes.iter().any(|node| node.kind == ObjectKind::Schema);
        if parent == ObjectKind::Metalake {
            self.on(ObjectKind::Metalake, holding, trace)
        } else if below_schema {
            // A table stands for any leaf: they are all reached alike, and none exists yet.
            self.on(ObjectKind::Table, holding, trace)
        } else {
            self.on(ObjectKind::Schema, holding, trace)
        }
    }

    /// BASE: ownership of the metalake or catalog settles everything below; ownership of a schema settles what is
    /// in it for one who may use the catalog. It ignores denials of everything else.
    pub(crate) fn base(&self, kind: ObjectKind) -> Option<Ground> {
        let above = || {
            self.owns(ObjectKind::Metalake)
                .or_else(|| self.owns(ObjectKind::Catalog))
        };
        match kind {
            ObjectKind::Metalake
            | ObjectKind::Catalog
            | ObjectKind::Schema
            | ObjectKind::Role
            | ObjectKind::Tag
            | ObjectKind::Policy
            | ObjectKind::JobTemplate
            | ObjectKind::Job => above(),
            ObjectKind::Table
            | ObjectKind::View
            | ObjectKind::Topic
            | ObjectKind::Fileset
            | ObjectKind::Model
            | ObjectKind::Function
            | ObjectKind::Column => above().or_else(|| {
                self.owns(ObjectKind::Schema)
                    .filter(|_| self.holds(Privilege::UseCatalog).is_ok())
            }),
        }
    }

    /// REACH: what it takes to get at an object of `kind` without owning the way to it.
    pub(crate) fn reach(&self, kind: ObjectKind) -> Result<(), Objection> {
        for privilege in way(kind) {
            self.holds(*privilege)
                .map_err(|denied_on| Objection::NotReached {
                    lacking: *privilege,
                    denied_on,
                })?;
        }
        Ok(())
    }

    /// Whether the subject owns an object of `kind` on the chain (for schemas: the schema or one that it nests in).
    pub(crate) fn owns(&self, kind: ObjectKind) -> Option<Ground> {
        let is_owner = |owner: &Principal| self.grants.is(owner);
        self.levels()
            .find(|node| node.kind == kind && node.owner.as_ref().is_some_and(is_owner))
            .map(|node| Ground::Owns { kind, id: node.id })
    }

    /// Allowed at one level of the chain and denied at none. The error is the level of a denial, if that is why.
    pub(crate) fn holds(&self, privilege: Privilege) -> Result<Ground, Option<ObjectKind>> {
        let reach = self.grants.reach(privilege);
        let levels = || self.levels().filter(|node| privilege.binds_to(node.kind));
        if let Some(node) = levels().find(|node| reach.denied.contains(&node.id)) {
            return Err(Some(node.kind));
        }
        let allowed = levels().find(|node| reach.allowed.contains(&node.id));
        allowed
            .map(|node| Ground::Holds {
                privilege,
                on: node.kind,
                id: node.id,
            })
            .ok_or(None)
    }

    fn holds_one(&self, kind: ObjectKind, holding: &'static [Privilege]) -> Weighed {
        let mut denied = None;
        for privilege in holding {
            match self.holds(*privilege) {
                Ok(ground) => return Ok(ground),
                Err(on) => denied = denied.or(on.map(|on| (*privilege, on))),
            }
        }
        Err(match denied {
            Some((privilege, on)) => Objection::Denied { privilege, on },
            None if holding.is_empty() => Objection::NotOwner { kind },
            None => Objection::NotGranted { kind, holding },
        })
    }
}

/// The privileges that lead to an object of `kind`: those of the containers that it lies in.
pub(crate) const fn way(kind: ObjectKind) -> &'static [Privilege] {
    match kind {
        ObjectKind::Metalake
        | ObjectKind::Catalog
        | ObjectKind::Role
        | ObjectKind::Tag
        | ObjectKind::Policy
        | ObjectKind::JobTemplate
        | ObjectKind::Job => &[],
        ObjectKind::Schema => &[Privilege::UseCatalog],
        ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Column => &[Privilege::UseCatalog, Privilege::UseSchema],
    }
}

/// Whether an object at `level` is one of `kind` or an ancestor of one.
fn counts_for(kind: ObjectKind, level: ObjectKind) -> bool {
    match level {
        ObjectKind::Metalake => true,
        ObjectKind::Catalog => matches!(kind, ObjectKind::Catalog | ObjectKind::Schema) || kind.levels() > 2,
        ObjectKind::Schema => kind.levels() >= 2,
        ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Column
        | ObjectKind::Role
        | ObjectKind::Tag
        | ObjectKind::Policy
        | ObjectKind::JobTemplate
        | ObjectKind::Job => level == leaf(kind),
    }
}

/// A column is reached and controlled through its table.
fn leaf(kind: ObjectKind) -> ObjectKind {
    if kind == ObjectKind::Column {
        ObjectKind::Table
    } else {
        kind
    }
}
