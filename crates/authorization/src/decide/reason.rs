// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a decision rests on; the same value answers "explain".

use std::fmt;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;

use crate::grants::Mode;
use crate::privilege::Privilege;

/// The outcome with its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Yes, because.
    Allowed(Ground),
    /// No, because.
    Refused(Objection),
}

impl Decision {
    /// Whether it is a yes.
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed(ground) => write!(f, "allowed: {ground}"),
            Self::Refused(objection) => write!(f, "refused: {objection}"),
        }
    }
}

/// What a yes rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Nothing is demanded.
    Open,
    /// Checks are off or passed through.
    Unchecked(Mode),
    /// The caller is a service administrator.
    ServiceAdministrator,
    /// The caller is an operator.
    Operator,
    /// The caller may push users and groups.
    Provisioner,
    /// The caller is a user of the metalake.
    Member,
    /// The caller is, belongs to, or holds what was named.
    Named,
    /// The caller owns an object on the chain.
    Owns {
        /// Its kind.
        kind: ObjectKind,
        /// Its identity.
        id: ObjectId,
    },
    /// The caller holds a privilege on an object on the chain.
    Holds {
        /// The privilege.
        privilege: Privilege,
        /// The kind of the object it is bound to.
        on: ObjectKind,
        /// That object.
        id: ObjectId,
    },
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("nothing is demanded"),
            Self::Unchecked(Mode::Off) => f.write_str("authorization is off"),
            Self::Unchecked(Mode::Enforced | Mode::PassThrough) => {
                f.write_str("authorization is passed through")
            }
            Self::ServiceAdministrator => f.write_str("a service administrator"),
            Self::Operator => f.write_str("an operator"),
            Self::Provisioner => f.write_str("a provisioner"),
            Self::Member => f.write_str("a user of the metalake"),
            Self::Named => f.write_str("it concerns the caller itself"),
            Self::Owns { kind, .. } => write!(f, "owns the {}", kind.lower_case()),
            Self::Holds { privilege, on, .. } => write!(f, "holds `{privilege}` on the {}", on.lower_case()),
        }
    }
}

/// What a no rests on. It names kinds and privileges, never objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objection {
    /// Not listed as service administrator.
    NotServiceAdministrator,
    /// Not listed as operator.
    NotOperator,
    /// Neither a service administrator nor listed as provisioner.
    NotProvisioner,
    /// Not a user of the metalake, or there is no such metalake: the answer is the same.
    NotMember,
    /// A user whose access is suspended.
    Suspended,
    /// Neither the user named, nor in the group, nor a holder of the role.
    NotNamed,
    /// Only ownership would do.
    NotOwner {
        /// The kind of the object acted on.
        kind: ObjectKind,
    },
    /// None of the privileges that would do is granted.
    NotGranted {
        /// The kind of the object acted on.
        kind: ObjectKind,
        /// What would do.
        holding: &'static [Privilege],
    },
    /// A privilege that would do is denied.
    Denied {
        /// The privilege.
        privilege: Privilege,
        /// The kind of the object on which it is denied.
        on: ObjectKind,
    },
    /// The way to the object is closed.
    NotReached {
        /// What the way takes.
        lacking: Privilege,
        /// Where it is denied, if it is.
        denied_on: Option<ObjectKind>,
    },
    /// The requirement speaks of something that the request does not name: a mistake of the server, answered with no.
    NothingNamed,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotServiceAdministrator => f.write_str("only a service administrator may do this"),
            Self::NotOperator => f.write_str("only an operator of the server may do this"),
            Self::NotProvisioner => f.write_str("only a provisioner of users and groups may do this"),
            Self::NotMember => f.write_str("the user does not exist in the metalake"),
            Self::Suspended => f.write_str("the user's access to the metalake is suspended"),
            Self::NotNamed => f.write_str("it concerns somebody else"),
            Self::NotOwner { kind } => write!(
                f,
                "only the owner of the {} or of an object above it may do this",
                words(*kind)
            ),
            Self::NotGranted { kind, holding } => {
                let names: Vec<String> = holding.iter().map(|privilege| format!("`{privilege}`")).collect();
                write!(
                    f,
                    "{} on the {} or above it is needed, or ownership",
                    names.join(" or "),
                    words(*kind)
                )
            }
            Self::Denied { privilege, on } => write!(f, "`{privilege}` is denied on the {}", words(*on)),
            Self::NotReached {
                lacking,
                denied_on: None,
            } => write!(f, "`{lacking}` is needed to reach the object"),
            Self::NotReached {
                lacking,
                denied_on: Some(on),
            } => write!(
                f,
                "`{lacking}` is needed to reach the object and is denied on the {}",
                words(*on)
            ),
            Self::NothingNamed => f.write_str("the request does not name what the check is about"),
        }
    }
}

fn words(kind: ObjectKind) -> String {
    kind.lower_case().replace('_', " ")
}
