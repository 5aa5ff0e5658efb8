// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks, through what, and what was found out about it.

use std::net::IpAddr;
use std::sync::Arc;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::Standing;
use lakeward_authorization::{Refusal, Requirement};
use lakeward_metadata::principal::Subject;
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_store::AccessToken;

use crate::error::OperationError;
use crate::facts::Facts;
use crate::idempotency::Keyed;
use crate::named::Named;
use crate::notes::Notes;
use crate::upstream::Met;

/// By what callers prove who they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proof {
    /// Nothing of this server: a name is taken at its word, or an issuer vouches for it.
    #[default]
    Foreign,
    /// The password of a local account.
    Password(RightPassword),
    /// An access token of a local account.
    AccessToken(Arc<AccessToken>),
    /// A token that this server gave a reader in exchange for one of an issuer.
    Exchanged,
}

/// The stored hash that a password was right for, so that what is made on its strength can ask whether it still is. Never
/// shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RightPassword(Arc<str>);

impl RightPassword {
    /// A password that was right for this hash.
    pub(crate) fn of(hash: &str) -> Self {
        Self(hash.into())
    }

    /// Whether it is right for an account whose hash is this.
    pub(crate) fn is_right_for(&self, hash: &str) -> bool {
        *self.0 == *hash
    }
}

impl std::fmt::Debug for RightPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RightPassword")
    }
}

impl Proof {
    /// Whether the caller is an account of this server. The groups of its subject are then those that the server itself
    /// keeps, and are read with everything else that a request is decided on, so that no decision joins the groups of one
    /// state and the grants of another.
    pub fn has_account(&self) -> bool {
        match self {
            Self::Foreign | Self::Exchanged => false,
            Self::Password(_) | Self::AccessToken(_) => true,
        }
    }

    /// The access token, if it is one.
    pub fn access_token(&self) -> Option<&AccessToken> {
        match self {
            Self::AccessToken(token) => Some(token),
            Self::Foreign | Self::Password(_) | Self::Exchanged => None,
        }
    }
}

/// The authenticated origin of one request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The end user.
    pub subject: Subject,
    /// By what it proved who it is.
    pub proof: Proof,
    /// Which of its roles the session uses.
    pub active_roles: ActiveRoles,
    /// What the server's configuration says of the user.
    pub standing: Standing,
    /// Whether the connection is bound to a reader that the operator enrolled.
    pub trust: Trust,
    /// What the client says it enforces.
    pub capabilities: Capabilities,
    /// The id of the request, in every answer and log line.
    pub request_id: String,
    /// The address of the client, for the audit; `None` in-process.
    pub remote: Option<IpAddr>,
}

/// A request whose facts are established. Everything an operation decides comes from here, so that one answer is
/// made from one state.
#[derive(Debug, Clone)]
pub struct Call {
    /// Who asks.
    pub caller: Caller,
    /// What the gate found.
    pub facts: Facts,
    /// What was demanded of the caller, to be demanded once more where the facts are no longer the newest.
    pub demand: Demand,
    /// What the operation says for the audit.
    pub notes: Notes,
    /// What upstreams of federated catalogs have of what the request names.
    pub met: Met,
    /// The request's idempotency key, where it names one and the operation heeds it.
    pub keyed: Keyed,
}

/// What a request asks for and what that takes.
#[derive(Debug, Clone)]
pub struct Demand {
    /// What it takes.
    pub requires: Requirement,
    /// What the request names.
    pub named: Named,
    /// What refusals call the operation: `loadTable`.
    pub operation: String,
}

impl Demand {
    /// The demand of an operation, called like the type of its endpoint: `LoadTable`.
    pub fn new(requires: Requirement, named: Named, operation: &str) -> Self {
        let mut letters = operation.chars();
        let operation = letters
            .next()
            .map(|first| first.to_lowercase().chain(letters).collect())
            .unwrap_or_default();
        Self {
            requires,
            named,
            operation,
        }
    }

    /// The refusal of it.
    pub fn refused(&self, refusal: &Refusal) -> OperationError {
        OperationError::refused(refusal, &self.named, &self.operation)
    }
}

impl Call {
    /// The user name that goes into audit columns.
    pub fn user(&self) -> &str {
        &self.caller.subject.user
    }
}
