// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks, and whom grants name.

/// Whether a principal is a user or a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrincipalKind {
    /// A user of the metalake.
    User,
    /// A group of the metalake.
    Group,
}

/// A user or a group by name, as ownership and grants use it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal {
    /// User or group.
    pub kind: PrincipalKind,
    /// The exact name.
    pub name: String,
}

/// The longest name or external id of a user or group, in characters.
pub const MAX_PRINCIPAL_NAME_CHARS: usize = 128;

/// Why a text cannot name a user or group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` must have at most 128 characters and no control characters")]
pub struct PrincipalNameError {
    /// The member of the request that holds the text.
    pub member: &'static str,
}

/// Checks the name or external id of a new user or group. Identity systems use almost any character, so only what no
/// store keeps and no log line bears is refused.
///
/// # Errors
/// [`PrincipalNameError`] for a text that is too long or has control characters.
pub fn check_principal_name(member: &'static str, text: &str) -> Result<(), PrincipalNameError> {
    if text.chars().count() > MAX_PRINCIPAL_NAME_CHARS || text.chars().any(char::is_control) {
        return Err(PrincipalNameError { member });
    }
    Ok(())
}

/// The groups that an authenticator supplied with a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupClaim {
    /// The authenticator knows no groups (simple, Kerberos); what the server itself stores of the user counts.
    /// This is not "no groups": a rule that asks for a group must fail where nobody knows.
    Unknown,
    /// The identity should have named its groups and did not: the configured claim was absent or malformed. What the server
    /// stores of an account of the same name is about somebody else's identity, so a rule that asks for a group must fail.
    Unreadable,
    /// The exact set, possibly empty.
    Known(std::collections::BTreeSet<String>),
}

/// The name of a request without an identity.
pub const ANONYMOUS: &str = "anonymous";

/// The authenticated caller of a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// The effective user name; [`ANONYMOUS`] where nobody was named.
    pub user: String,
    /// What the identity says of groups.
    pub groups: GroupClaim,
}
