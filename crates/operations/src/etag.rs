// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The entity tag of an answer that carries governed table metadata: everything that shapes the answer is in it, so an
//! equal tag means an equal answer for this caller and for nobody else.

use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_metadata::principal::{ANONYMOUS, GroupClaim};
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::cache_identity::CacheIdentity;
use lakeward_read_restrictions::capabilities::READ_RESTRICTIONS_V1;
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use crate::caller::Call;
use crate::delegation::{Delegated, DelegationWish};
use crate::error::OperationError;

/// Which form of a table the client asked for, beyond the table itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Representation<'a> {
    /// `all` or `refs`.
    pub snapshots: &'a str,
    /// What the client wants delegated.
    pub wish: DelegationWish,
}

/// The tag, with its quotes.
///
/// # Errors
/// [`OperationError::NotFound`] when the metalake is gone.
pub(crate) fn etag(
    call: &Call,
    table: &LoadedTable,
    restrictions: Option<&ReadRestrictions>,
    representation: Representation<'_>,
    delegated: &Delegated,
) -> Result<String, OperationError> {
    call.facts.metalake_id()?;
    let revision = call
        .facts
        .revision()
        .ok_or_else(|| OperationError::internal("a table was loaded without a revision"))?;
    let caller = &call.caller;
    let user = caller.subject.user.as_str();
    let signature = restrictions.map(ReadRestrictions::signature);
    if let Some(signature) = &signature {
        call.notes.sign(signature);
    }
    let groups: Option<Vec<&str>> = match &caller.subject.groups {
        GroupClaim::Unknown | GroupClaim::Unreadable => None,
        GroupClaim::Known(groups) => Some(groups.iter().map(String::as_str).collect()),
    };
    let identity = CacheIdentity {
        metadata: &[
            &table.metadata_location,
            representation.snapshots,
            wished(representation.wish),
            &delegated.identity(),
        ],
        subject: (!user.is_empty() && user != ANONYMOUS).then_some(user),
        groups: groups.as_deref(),
        identity_revision: revision.identities,
        policy_revision: revision.governance,
        tag_revision: revision.governance,
        schema_revision: i64::from(table.metadata.facts().schema_id),
        restriction_signature: signature.as_deref(),
        capability: caller
            .capabilities
            .understands_read_restrictions()
            .then_some(READ_RESTRICTIONS_V1),
        reader: match &caller.trust {
            // A request that is not trusted never gets what depends on a reader.
            Trust::Untrusted | Trust::Refused(_) => None,
            Trust::Trusted(reader) => Some((&reader.name, reader.revision)),
        },
    };
    Ok(identity.etag())
}

fn wished(wish: DelegationWish) -> &'static str {
    match (wish.vended_credentials, wish.remote_signing) {
        (false, false) => "",
        (true, false) => "vended-credentials",
        (false, true) => "remote-signing",
        (true, true) => "vended-credentials,remote-signing",
    }
}
