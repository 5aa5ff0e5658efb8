// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks, through what, and what was found out about it.

use std::net::IpAddr;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::Standing;
use lakeward_metadata::principal::Subject;
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::capabilities::Capabilities;

use crate::facts::Facts;
use crate::idempotency::Keyed;
use crate::notes::Notes;

/// The authenticated origin of one request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The end user.
    pub subject: Subject,
    /// Whether the groups of the subject are those that the server itself keeps of its account. They are then read with
    /// everything else that a request is decided on, so that no decision joins the groups of one state and the grants of
    /// another.
    pub has_account: bool,
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
    /// What the operation says for the audit.
    pub notes: Notes,
    /// The request's idempotency key, where it names one and the operation heeds it.
    pub keyed: Keyed,
}

impl Call {
    /// The user name that goes into audit columns.
    pub fn user(&self) -> &str {
        &self.caller.subject.user
    }
}
