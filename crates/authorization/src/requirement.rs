// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an endpoint asks of its caller, as constant data that can be printed, compared and tested.

use std::collections::BTreeSet;
use std::fmt;

use lakeward_metadata::kind::ObjectKind;

use crate::privilege::Privilege;

/// The demand of an endpoint. Every one but the first five also demands that the caller is an enabled user of the
/// metalake; [`crate::decide::decide`] gives the exact meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Open to the world, without authentication.
    Public,
    /// Any authenticated caller.
    Authenticated,
    /// The caller is listed in `gravitino.authorization.serviceAdmins`. Not asked while authorization is off or
    /// passed through.
    ServiceAdministrator,
    /// As [`Self::ServiceAdministrator`], but asked in every mode: it guards the accounts of the server itself.
    AccountAdministrator,
    /// The caller is listed in `lakeward.operators`; asked in every mode.
    Operator,
    /// The caller is a service administrator or listed in `lakeward.scim.provisioners`; asked in every mode.
    Provisioner,
    /// The caller is a user of the metalake.
    Member,
    /// The caller is the user, belongs to the group, or holds the role that the request names.
    Named,
    /// The caller owns the object of this kind or an ancestor of it (and can reach it, below catalogs).
    Owner(ObjectKind),
    /// The caller owns the metalake or holds one of these on the metalake.
    Holds(&'static [Privilege]),
    /// The caller owns an ancestor, or reaches the object and owns it or holds one of `holding` on it or above.
    On {
        /// The kind of the object acted on.
        kind: ObjectKind,
        /// One of these suffices; none means that only ownership does.
        holding: &'static [Privilege],
    },
    /// The caller may put something into the object: owns it or an ancestor, or reaches what is inside it and holds
    /// one of `holding`. The target is the parent; for a nested schema whose parent is missing, what exists of it.
    CreateIn {
        /// The kind of the parent: metalake, catalog or schema.
        parent: ObjectKind,
        /// One of these suffices.
        holding: &'static [Privilege],
    },
    /// The caller may use every named tag, policy or job template (owns it, or holds `APPLY_TAG`, `APPLY_POLICY`,
    /// `USE_JOB_TEMPLATE` for it), and has access to the object acted on.
    Instruments,
    /// Ownership of the named object, of whatever kind, or of an ancestor.
    SetOwner,
    /// `MANAGE_GRANTS` on the named object, of whatever kind, or above; or ownership.
    ManageGrants,
    /// What loading the named object, of whatever kind, takes.
    AccessTo,
    /// The same demand on where an object is moved to.
    Destination(&'static Requirement),
    /// The same demand on each of the things that the request names.
    Each(&'static Requirement),
    /// Which demand holds depends on what the request says.
    IfRequest {
        /// What it may say.
        says: Circumstance,
        /// The demand when it does.
        then: &'static Requirement,
        /// The demand when it does not.
        otherwise: &'static Requirement,
    },
    /// Every one of these.
    All(&'static [Requirement]),
    /// At least one of these.
    Any(&'static [Requirement]),
}

/// Something in a request that changes what it demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Circumstance {
    /// The query asks for the right to modify (`?privileges=MODIFY_TABLE`).
    AsksToModify,
    /// A commit that creates its table.
    Creates,
    /// A test with changes that are not saved.
    ProposesChanges,
    /// A rename into another schema.
    LeavesItsSchema,
    /// The answer concerns another subject than the caller.
    ConcernsAnother,
}

impl Circumstance {
    /// In words, for printing.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AsksToModify => "asks to modify",
            Self::Creates => "creates",
            Self::ProposesChanges => "proposes changes",
            Self::LeavesItsSchema => "leaves its schema",
            Self::ConcernsAnother => "concerns another",
        }
    }
}

impl Requirement {
    /// What loading an object of `kind` takes: the "Load" and "Read" columns of the seed. Access to an object is this
    /// and no more.
    pub const fn load(kind: ObjectKind) -> &'static Self {
        const METALAKE: Requirement = Requirement::Member;
        const CATALOG: Requirement = Requirement::On {
            kind: ObjectKind::Catalog,
            holding: &[Privilege::UseCatalog],
        };
        const SCHEMA: Requirement = Requirement::On {
            kind: ObjectKind::Schema,
            holding: &[Privilege::UseSchema],
        };
        const TABLE: Requirement = Requirement::On {
            kind: ObjectKind::Table,
            holding: &[Privilege::SelectTable, Privilege::ModifyTable],
        };
        const VIEW: Requirement = Requirement::On {
            kind: ObjectKind::View,
            holding: &[Privilege::SelectView],
        };
        const TOPIC: Requirement = Requirement::On {
            kind: ObjectKind::Topic,
            holding: &[Privilege::ConsumeTopic, Privilege::ProduceTopic],
        };
        const FILESET: Requirement = Requirement::On {
            kind: ObjectKind::Fileset,
            holding: &[Privilege::ReadFileset, Privilege::WriteFileset],
        };
        const MODEL: Requirement = Requirement::On {
            kind: ObjectKind::Model,
            holding: &[Privilege::UseModel],
        };
        const FUNCTION: Requirement = Requirement::On {
            kind: ObjectKind::Function,
            holding: &[Privilege::ExecuteFunction, Privilege::ModifyFunction],
        };
        const ROLE: Requirement = Requirement::Any(&[
            Requirement::On {
                kind: ObjectKind::Role,
                holding: &[Privilege::ManageGrants],
            },
            Requirement::Named,
        ]);
        const TAG: Requirement = Requirement::On {
            kind: ObjectKind::Tag,
            holding: &[Privilege::ApplyTag],
        };
        const POLICY: Requirement = Requirement::On {
            kind: ObjectKind::Policy,
            holding: &[Privilege::ApplyPolicy],
        };
        const JOB_TEMPLATE: Requirement = Requirement::On {
            kind: ObjectKind::JobTemplate,
            holding: &[Privilege::UseJobTemplate],
        };
        const JOB: Requirement = Requirement::Owner(ObjectKind::Job);
        match kind {
            ObjectKind::Metalake => &METALAKE,
            ObjectKind::Catalog => &CATALOG,
            ObjectKind::Schema => &SCHEMA,
            ObjectKind::Table | ObjectKind::Column => &TABLE,
            ObjectKind::View => &VIEW,
            ObjectKind::Topic => &TOPIC,
            ObjectKind::Fileset => &FILESET,
            ObjectKind::Model => &MODEL,
            ObjectKind::Function => &FUNCTION,
            ObjectKind::Role => &ROLE,
            ObjectKind::Tag => &TAG,
            ObjectKind::Policy => &POLICY,
            ObjectKind::JobTemplate => &JOB_TEMPLATE,
            ObjectKind::Job => &JOB,
        }
    }

    /// The privileges that can fulfil some part of it, not counting those that any kind of object may ask for.
    pub fn privileges(&self) -> BTreeSet<Privilege> {
        match self {
            Self::Holds(holding) | Self::On { holding, .. } | Self::CreateIn { holding, .. } => {
                holding.iter().map(|privilege| privilege.canonical()).collect()
            }
            Self::ManageGrants => BTreeSet::from([Privilege::ManageGrants]),
            Self::Destination(inner) | Self::Each(inner) => inner.privileges(),
            Self::IfRequest { then, otherwise, .. } => then
                .privileges()
                .union(&otherwise.privileges())
                .copied()
                .collect(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::privileges).collect(),
            Self::Public
            | Self::Authenticated
            | Self::ServiceAdministrator
            | Self::AccountAdministrator
            | Self::Operator
            | Self::Provisioner
            | Self::Member
            | Self::Named
            | Self::Owner(_)
            | Self::Instruments
            | Self::SetOwner
            | Self::AccessTo => BTreeSet::new(),
        }
    }

    /// Whether some part of it speaks of tags, policies or job templates that are used.
    pub fn uses_instruments(&self) -> bool {
        match self {
            Self::Instruments => true,
            Self::Destination(inner) | Self::Each(inner) => inner.uses_instruments(),
            Self::IfRequest { then, otherwise, .. } => {
                then.uses_instruments() || otherwise.uses_instruments()
            }
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::uses_instruments),
            Self::Public
            | Self::Authenticated
            | Self::ServiceAdministrator
            | Self::AccountAdministrator
            | Self::Operator
            | Self::Provisioner
            | Self::Member
            | Self::Named
            | Self::Owner(_)
            | Self::Holds(_)
            | Self::On { .. }
            | Self::CreateIn { .. }
            | Self::SetOwner
            | Self::ManageGrants
            | Self::AccessTo => false,
        }
    }

    /// Whether the demand concerns a metalake, so that its caller must be a user of it.
    pub const fn concerns_metalake(&self) -> bool {
        match self {
            Self::Public
            | Self::Authenticated
            | Self::ServiceAdministrator
            | Self::AccountAdministrator
            | Self::Operator
            | Self::Provisioner => false,
            Self::Member
            | Self::Named
            | Self::Owner(_)
            | Self::Holds(_)
            | Self::On { .. }
            | Self::CreateIn { .. }
            | Self::Instruments
            | Self::SetOwner
            | Self::ManageGrants
            | Self::AccessTo
            | Self::Destination(_)
            | Self::Each(_)
            | Self::IfRequest { .. }
            | Self::All(_)
            | Self::Any(_) => true,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_of = |holding: &[Privilege]| {
            let names: Vec<&str> = holding.iter().map(|privilege| privilege.as_str()).collect();
            names.join(" or ")
        };
        let listed = |parts: &[Requirement], word: &str| {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            format!("{word} of [{}]", parts.join("; "))
        };
        match self {
            Self::Public => f.write_str("public"),
            Self::Authenticated => f.write_str("authenticated"),
            Self::ServiceAdministrator => f.write_str("service administrator"),
            Self::AccountAdministrator => f.write_str("service administrator in every mode"),
            Self::Operator => f.write_str("operator"),
            Self::Provisioner => f.write_str("provisioner"),
            Self::Member => f.write_str("member"),
            Self::Named => f.write_str("named"),
            Self::Owner(kind) | Self::On { kind, holding: [] } => write!(f, "owner of {kind}"),
            Self::Holds(holding) => write!(f, "on METALAKE: owner or {}", one_of(holding)),
            Self::On { kind, holding } => write!(f, "on {kind}: owner or {}", one_of(holding)),
            Self::CreateIn { parent, holding } => write!(f, "in {parent}: owner or {}", one_of(holding)),
            Self::Instruments => f.write_str("may apply each instrument, and access to the object"),
            Self::SetOwner => f.write_str("owner of the object"),
            Self::ManageGrants => f.write_str("on the object: owner or MANAGE_GRANTS"),
            Self::AccessTo => f.write_str("access to the object"),
            Self::Destination(inner) => write!(f, "at the destination: {inner}"),
            Self::Each(inner) => write!(f, "for each: {inner}"),
            Self::IfRequest {
                says,
                then,
                otherwise,
            } => {
                write!(f, "[if it {}: {then}; else: {otherwise}]", says.as_str())
            }
            Self::All(parts) => f.write_str(&listed(parts, "all")),
            Self::Any(parts) => f.write_str(&listed(parts, "any")),
        }
    }
}
