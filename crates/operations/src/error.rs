// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why an operation did not succeed, in the words of the domain. The two protocol tables in `server`
//! (`gravitino/error.rs`, `iceberg/error.rs`) choose status, code and type.

use std::fmt;
use std::time::Duration;

use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::code::RestrictionCode;

/// What a message speaks of: an object of the tree, or something beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Noun {
    /// A metadata object.
    Object(ObjectKind),
    /// A metadata object whose kind does not matter to the caller (Gravitino `NoSuchMetadataObjectException`).
    MetadataObject,
    /// A user of a metalake.
    User,
    /// A group of a metalake.
    Group,
    /// The user or group named as an owner.
    Owner,
    /// A partition of a table.
    Partition,
    /// The name of a storage location of a fileset.
    LocationName,
    /// A version of a model.
    ModelVersion,
    /// An alias of a version of a model.
    ModelVersionAlias,
    /// The name of a URI of a version of a model.
    ModelVersionUriName,
    /// A revision of a policy.
    PolicyRevision,
    /// The relation between a tag and an object.
    TagAssignment,
    /// The relation between a policy and an object.
    PolicyAssignment,
    /// The relation between a policy and a tag.
    PolicyOnTag,
    /// An account of the built-in identity provider.
    LocalUser,
    /// A group of the built-in identity provider.
    LocalGroup,
    /// An access token of a local account.
    AccessToken,
    /// An enrolled reader.
    Reader,
    /// Something that a plain `not found` describes best (a plan, a snapshot, a file).
    Thing(&'static str),
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Object(kind) => return f.write_str(&kind.lower_case().replace('_', " ")),
            Self::MetadataObject => "metadata object",
            Self::User => "user",
            Self::Group => "group",
            Self::Owner => "owner",
            Self::Partition => "partition",
            Self::LocationName => "location name",
            Self::ModelVersion => "model version",
            Self::ModelVersionAlias => "model version alias",
            Self::ModelVersionUriName => "URI of a model version",
            Self::PolicyRevision => "policy revision",
            Self::TagAssignment => "tag assignment",
            Self::PolicyAssignment => "policy assignment",
            Self::PolicyOnTag => "policy on tag",
            Self::LocalUser => "local user",
            Self::LocalGroup => "local group",
            Self::AccessToken => "access token",
            Self::Reader => "reader",
            Self::Thing(what) => what,
        };
        f.write_str(text)
    }
}

impl From<ObjectKind> for Noun {
    fn from(kind: ObjectKind) -> Self {
        Self::Object(kind)
    }
}

/// What kind of mistake an invalid request makes; clients of Gravitino choose their exception by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mistake {
    /// An argument breaks a rule (`IllegalArgumentException`).
    Argument,
    /// The definition of a view cannot be (`IllegalArgumentException` in both protocols, as Iceberg's own catalogs say).
    Definition,
    /// A privilege does not exist or cannot be bound there (`IllegalPrivilegeException`).
    Privilege,
    /// A role that does not exist is granted (`IllegalRoleException`).
    Role,
    /// An object is named wrongly (`IllegalMetadataObjectException`).
    MetadataObject,
    /// The request contradicts itself (Iceberg `UnprocessableEntityException`).
    Contradiction,
    /// A namespace is named wrongly (`IllegalNamespaceException`).
    Namespace,
    /// The active-roles header breaks its grammar (`IllegalActiveRolesException`).
    ActiveRoles,
    /// A statistic is named wrongly (`IllegalStatisticNameException`).
    StatisticName,
    /// One of the server's own job templates, or its name (`IllegalJobTemplateOperationException`).
    JobTemplate,
    /// A token endpoint does not know the kind of grant (`unsupported_grant_type` of RFC 6749).
    GrantType,
    /// A token is asked for with more scopes than are there (`invalid_scope` of RFC 6749).
    Scope,
    /// A token is asked for another server (`invalid_target` of RFC 8693).
    Target,
    /// A request to the directory is wrong; the word is its `scimType`.
    Directory(&'static str),
}

/// Whether a governed answer was refused for the client or for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Inadmissible {
    /// The request did not declare the capability (406).
    NotAcceptable,
    /// The reader is not one that the operator trusts (403).
    UntrustedReader,
}

impl Inadmissible {
    /// The stable code.
    pub const fn code(self) -> RestrictionCode {
        match self {
            Self::NotAcceptable => RestrictionCode::NotAcceptable,
            Self::UntrustedReader => RestrictionCode::UntrustedReader,
        }
    }
}

/// What has a name that is taken, and how that was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clash {
    /// Something of the kind that was to have it.
    Same,
    /// Something of another kind: tables and views of a schema share their names.
    Other(ObjectKind),
    /// A rename met it at its destination.
    Rename {
        /// The kind of what has the name.
        existing: ObjectKind,
        /// What was to be renamed, with the levels of its schema, joined by dots.
        source: String,
        /// What it was to be called, likewise.
        destination: String,
    },
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => Ok(()),
            Self::Other(existing) | Self::Rename { existing, .. } => {
                write!(f, ": a {} has the name", existing.lower_case())
            }
        }
    }
}

/// Why an operation did not succeed. Messages are for the caller; causes that only the operator may see are in
/// `detail` fields and go to the log.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OperationError {
    /// It does not exist.
    #[error("{noun} `{name}` does not exist")]
    NotFound {
        /// What was looked for.
        noun: Noun,
        /// Its name as the caller gave it.
        name: String,
    },
    /// The name is taken.
    #[error("{noun} `{name}` already exists{clash}")]
    AlreadyExists {
        /// What was to have the name.
        noun: Noun,
        /// The name.
        name: String,
        /// What has it, and how that was met.
        clash: Clash,
    },
    /// It still has children.
    #[error("{noun} `{name}` is not empty: {what_to_do}")]
    NotEmpty {
        /// The kind of the container.
        noun: Noun,
        /// Its name.
        name: String,
        /// How to get rid of it all the same.
        what_to_do: &'static str,
    },
    /// The request breaks a rule.
    #[error("{message}")]
    Invalid {
        /// Which family of rules.
        mistake: Mistake,
        /// What is wrong, where, and what to do.
        message: String,
    },
    /// The request is right, and this server or this catalog does not do it.
    #[error("{0}")]
    Unsupported(String),
    /// The metalake or catalog is disabled.
    #[error("{noun} `{name}` is not in use, please enable it first")]
    Disabled {
        /// Metalake or catalog.
        noun: Noun,
        /// Its name.
        name: String,
    },
    /// The metalake or catalog must be disabled before it can be dropped; or a job template has jobs that are not over.
    #[error("{noun} `{name}` is in use: {what_to_do}")]
    InUse {
        /// What is in use.
        noun: Noun,
        /// Its name.
        name: String,
        /// How to get rid of it all the same.
        what_to_do: &'static str,
    },
    /// What the request says it is about has another version by now (412).
    #[error("{0}")]
    PreconditionFailed(String),
    /// Another change came first; nothing was changed.
    #[error("{0}")]
    Conflict(String),
    /// What a change was decided on changed while it was made; nothing was changed. Sent again, the same request is decided
    /// again, so that it does not end the request of an idempotency key.
    #[error(
        "names, owners, groups, privileges, tags or policies changed while this change was made, so nothing was changed; \
         retry"
    )]
    Overtaken,
    /// A request that reads found a newer state than the one it was decided in. The server decides it again
    /// ([`crate::Operations::open_gate_on_one_state`]), so no caller is told.
    #[error("names, owners, groups or privileges changed while this was read; retry")]
    Moved,
    /// The caller may not do it.
    #[error("{0}")]
    Forbidden(String),
    /// The caller may not do it and, where the protocol masks, may not learn whether the object exists.
    #[error("{message}")]
    Refused {
        /// The text for a protocol that answers 403.
        message: String,
        /// What a protocol that answers 404 says is missing; `None` where existence is no secret or the protocol
        /// never masks this one.
        masked: Option<(Noun, String)>,
    },
    /// The change would open what an enabled restriction policy closes; repeat with `force=true` to mean it.
    #[error("[{code}] {0}", code = RestrictionCode::WouldWiden)]
    WouldWiden(String),
    /// The change would make loads fail, or hide tables from every client; repeat with `force=true` to mean it.
    #[error("[{code}] {0}", code = RestrictionCode::WouldFail)]
    WouldFail(String),
    /// The credentials are missing or wrong.
    #[error("{0}")]
    Unauthenticated(String),
    /// The token was good once.
    #[error("{0}")]
    TokenExpired(String),
    /// Something was asked too often, or too much at once; nothing was done.
    #[error("{message}; try again in {} s", seconds_of(*retry_after))]
    TooManyRequests {
        /// Text for the caller.
        message: String,
        /// How long to wait.
        retry_after: Duration,
    },
    /// The read restrictions of an object could not be established, so it is not served.
    #[error("[{code}] {message}")]
    Restriction {
        /// The stable code.
        code: RestrictionCode,
        /// Text without names of policies, tags or groups.
        message: String,
        /// A lookup failed that may succeed later, as opposed to something an administrator must mend.
        transient: bool,
        /// The whole story, for the log.
        detail: String,
    },
    /// The object is restricted for the caller, and the answer would not be enforced.
    #[error("[{}] {message}", reason.code())]
    NotAdmitted {
        /// Which of the two reasons.
        reason: Inadmissible,
        /// What the caller can do about it.
        message: String,
    },
    /// A system behind this one could not be reached.
    #[error("{message}")]
    Unreachable {
        /// Text for the caller, without addresses or credentials.
        message: String,
        /// The cause, for the log.
        detail: String,
    },
    /// Something this request needs is not available for the moment; nothing was changed.
    #[error("{message}")]
    Unavailable {
        /// Text for the caller.
        message: String,
        /// The cause, for the log.
        detail: String,
    },
    /// The server failed, and cannot say whether the change took effect.
    #[error("the outcome of the change is not known: {message}")]
    UnknownOutcome {
        /// Text for the caller.
        message: String,
        /// The cause, for the log.
        detail: String,
    },
    /// The server failed.
    #[error("internal error; the log of the server has the cause under the id of this request")]
    Internal {
        /// The cause, for the log only.
        detail: String,
    },
}

impl OperationError {
    /// An argument that breaks a rule.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid {
            mistake: Mistake::Argument,
            message: message.into(),
        }
    }

    /// A mistake of a named family.
    pub fn mistake(mistake: Mistake, message: impl Into<String>) -> Self {
        Self::Invalid {
            mistake,
            message: message.into(),
        }
    }

    /// Something that does not exist.
    pub fn not_found(noun: impl Into<Noun>, name: impl Into<String>) -> Self {
        Self::NotFound {
            noun: noun.into(),
            name: name.into(),
        }
    }

    /// A name that is taken.
    pub fn already_exists(noun: impl Into<Noun>, name: impl Into<String>) -> Self {
        Self::AlreadyExists {
            noun: noun.into(),
            name: name.into(),
            clash: Clash::Same,
        }
    }

    /// A change that does more than append to what is restricted for the caller, or may be.
    pub fn restricted_write(message: impl Into<String>) -> Self {
        Self::Restriction {
            code: RestrictionCode::Write,
            message: message.into(),
            transient: false,
            detail: "a restricted principal may only append".to_owned(),
        }
    }

    /// How long to wait before the request is repeated, in whole seconds, where that is known.
    pub fn retry_after(&self) -> Option<u64> {
        if let Self::TooManyRequests { retry_after, .. } = self {
            return Some(seconds_of(*retry_after));
        }
        None
    }

    /// A failure of the server itself; `cause` goes to the log.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::Internal {
            detail: cause.to_string(),
        }
    }

    /// The stable code of a refusal because of read restrictions.
    pub const fn restriction_code(&self) -> Option<RestrictionCode> {
        match self {
            Self::Restriction { code, .. } => Some(*code),
            Self::NotAdmitted { reason, .. } => Some(reason.code()),
            Self::WouldWiden(_) => Some(RestrictionCode::WouldWiden),
            Self::WouldFail(_) => Some(RestrictionCode::WouldFail),
            Self::NotFound { .. }
            | Self::AlreadyExists { .. }
            | Self::NotEmpty { .. }
            | Self::Invalid { .. }
            | Self::Unsupported(_)
            | Self::Disabled { .. }
            | Self::InUse { .. }
            | Self::Conflict(_)
            | Self::Overtaken
            | Self::Moved
            | Self::PreconditionFailed(_)
            | Self::Forbidden(_)
            | Self::Refused { .. }
            | Self::Unauthenticated(_)
            | Self::TokenExpired(_)
            | Self::TooManyRequests { .. }
            | Self::Unreachable { .. }
            | Self::Unavailable { .. }
            | Self::UnknownOutcome { .. }
            | Self::Internal { .. } => None,
        }
    }

    /// What the log should say beyond the message, if anything.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Restriction { detail, .. }
            | Self::Unreachable { detail, .. }
            | Self::Unavailable { detail, .. }
            | Self::UnknownOutcome { detail, .. }
            | Self::Internal { detail } => Some(detail),
            Self::NotFound { .. }
            | Self::AlreadyExists { .. }
            | Self::NotEmpty { .. }
            | Self::Invalid { .. }
            | Self::Unsupported(_)
            | Self::Disabled { .. }
            | Self::InUse { .. }
            | Self::Conflict(_)
            | Self::Overtaken
            | Self::Moved
            | Self::PreconditionFailed(_)
            | Self::Forbidden(_)
            | Self::Refused { .. }
            | Self::WouldWiden(_)
            | Self::WouldFail(_)
            | Self::Unauthenticated(_)
            | Self::TokenExpired(_)
            | Self::TooManyRequests { .. }
            | Self::NotAdmitted { .. } => None,
        }
    }
}

/// Whole seconds, rounded up.
fn seconds_of(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis().div_ceil(1_000)).unwrap_or(u64::MAX)
}

impl From<lakeward_metadata::name::NameError> for OperationError {
    fn from(error: lakeward_metadata::name::NameError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<lakeward_metadata::object::FullNameError> for OperationError {
    fn from(error: lakeward_metadata::object::FullNameError) -> Self {
        Self::mistake(Mistake::MetadataObject, error.to_string())
    }
}

impl From<lakeward_metadata::kind::UnknownKind> for OperationError {
    fn from(error: lakeward_metadata::kind::UnknownKind) -> Self {
        Self::mistake(Mistake::MetadataObject, error.to_string())
    }
}
