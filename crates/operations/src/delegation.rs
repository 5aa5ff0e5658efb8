// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Ways to the files of tables and filesets: temporary credentials, and signatures for single requests.
//!
//! Nothing is delegated before the gate has let the caller through, nor for a place that is not its owner's alone. What a
//! credential may do follows from the privileges of this moment; it keeps that until it ends.

use lakeward_authorization::decide::decide;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::storage_delegation::{
    DelegationScope, FileAccess, StorageDelegation, TemporaryCredential, UnsignedRequest,
};
use lakeward_catalog::upstream_catalog::{UpstreamCatalog, UpstreamCredential, UpstreamTable};
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::admission::{Governed, check_admission};
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::etag::Representation;
use crate::paths::TablePath;
use uuid::Uuid;

/// What a client wants delegated. It asks; the server decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DelegationWish {
    /// A temporary credential.
    pub vended_credentials: bool,
    /// Signatures for its requests.
    pub remote_signing: bool,
}

/// What an answer tells a client about the way to the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delegated {
    /// The levels of the table's namespace.
    pub namespace: Vec<String>,
    /// The table's name.
    pub name: String,
    /// How the storage is reached, in the words of Iceberg's client properties; no secret.
    pub client_properties: Properties,
    /// The location that the credential is for, canonical.
    pub location: String,
    /// A credential for it.
    pub credential: Option<TemporaryCredential>,
    /// Whether the client is to have its requests signed.
    pub signs: bool,
    /// Credentials of the upstream of a federated catalog, each for a place inside the table.
    pub upstream_credentials: Vec<UpstreamCredential>,
}

impl Delegated {
    /// Whether it holds a secret.
    pub fn has_credential(&self) -> bool {
        self.credential.is_some() || !self.upstream_credentials.is_empty()
    }

    /// What of it an entity tag depends on: an answer whose credential has been replaced is another answer.
    pub(crate) fn identity(&self) -> String {
        if !self.upstream_credentials.is_empty() {
            // When they end, their upstream says in words of its own: an answer that has any is like no other.
            return Uuid::new_v4().to_string();
        }
        let ends = self.credential.as_ref().map(|credential| credential.expires_at);
        format!("{}:{}", ends.unwrap_or_default(), self.signs)
    }
}

/// A table's place for which something is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DelegatedPlace<'a> {
    /// The table's name.
    pub(crate) name: &'a str,
    /// Canonical.
    pub(crate) location: &'a str,
    /// The table that lies there; `None` for one that does not exist yet.
    pub(crate) table: Option<ObjectId>,
    /// What the caller may do there.
    pub(crate) access: FileAccess,
}

impl Operations {
    /// What a caller is given of the table at a place, once it has passed the gate: as much of its wish as the catalog offers.
    ///
    /// # Errors
    /// [`OperationError::NotAdmitted`] for a restricted caller whose reader is not trusted; [`OperationError::Unavailable`] when
    /// the token service does not give a credential; [`OperationError::Moved`] where the table is gone by now.
    pub(crate) async fn delegate(
        &self,
        call: &Call,
        provider: &dyn Provider,
        place: DelegatedPlace<'_>,
        restrictions: &ReadRestrictions,
        wish: DelegationWish,
    ) -> Result<Delegated, OperationError> {
        let caller = &call.caller;
        check_admission(restrictions, &caller.capabilities, &caller.trust)?;
        let Some(storage) = provider.delegation() else {
            return Ok(Delegated::default());
        };
        let schema = call.facts.found()?.object.path.get(1);
        let mut delegated = Delegated {
            namespace: self.levels(schema.map_or("", String::as_str)),
            name: place.name.to_owned(),
            client_properties: storage.client_properties(place.location),
            location: place.location.to_owned(),
            ..Delegated::default()
        };
        let vends = wish.vended_credentials && storage.vends(place.location);
        let signs = wish.remote_signing && storage.signs(place.location);
        if !(vends || signs) {
            if wish.remote_signing && !wish.vended_credentials {
                return Err(OperationError::Unsupported(
                    "requests for the files of this table are not signed remotely; ask for `vended-credentials` or nothing"
                        .to_owned(),
                ));
            }
            return Ok(delegated);
        }
        if self.is_location_taken(place.location, place.table).await? {
            tracing::warn!(
                location = place.location,
                "nothing is delegated for a table whose location overlaps another's"
            );
            return Ok(delegated);
        }
        if vends {
            let scope = table_scope(call, place.location, place.access);
            delegated.credential = credential_of(storage, &scope).await?;
            if let Some(credential) = &delegated.credential {
                self.lend(call, place.table, &scope.locations, credential).await?;
                call.notes.delegate(word(place.access));
            }
        } else {
            delegated.signs = true;
        }
        Ok(delegated)
    }

    /// What a caller is given of what the upstream of a federated catalog says of the way to a table, once it has passed the
    /// gate. What the upstream gives this server may permit more than the caller may do, so who may only read gets
    /// credentials only where the catalog's owner says that they do no more.
    ///
    /// # Errors
    /// [`OperationError::NotAdmitted`] for a restricted caller whose reader is not trusted;
    /// [`OperationError::Unreachable`]; [`OperationError::Conflict`] for a table that is another by now, is elsewhere, or is
    /// restricted otherwise.
    pub(crate) async fn pass_on(
        &self,
        call: &Call,
        (upstream, (properties, uuid)): (&dyn UpstreamCatalog, (&Properties, &str)),
        place: DelegatedPlace<'_>,
        restrictions: &ReadRestrictions,
        wish: DelegationWish,
    ) -> Result<Delegated, OperationError> {
        let caller = &call.caller;
        check_admission(restrictions, &caller.capabilities, &caller.trust)?;
        let schema = call.facts.found()?.object.path.get(1);
        let mut delegated = Delegated {
            namespace: self.levels(schema.map_or("", String::as_str)),
            name: place.name.to_owned(),
            client_properties: properties.clone(),
            location: place.location.to_owned(),
            ..Delegated::default()
        };
        if !wish.vended_credentials || !upstream.passes_credentials(place.access == FileAccess::ReadWrite) {
            return Ok(delegated);
        }
        if self.is_location_taken(place.location, place.table).await? {
            tracing::warn!(
                location = place.location,
                "nothing is passed on for a table whose location overlaps another's"
            );
            return Ok(delegated);
        }
        let table = upstream.table(&delegated.namespace, place.name, true).await?;
        // This answer is another one than that which was judged.
        let is_as_judged = |table: &UpstreamTable| {
            let location = table
                .table
                .map_ref(|table| table.metadata.facts().location == place.location);
            let theirs = table.restrictions.as_ref();
            let demands_no_more = theirs
                .is_ok_and(|theirs| !theirs.is_active() || theirs.wire_json() == restrictions.wire_json());
            table.uuid() == uuid && location && demands_no_more
        };
        let table = table.filter(is_as_judged).ok_or_else(|| {
            OperationError::Conflict("the table has changed meanwhile; load it again".to_owned())
        })?;
        delegated.upstream_credentials = table.access.credentials;
        if !delegated.upstream_credentials.is_empty() {
            call.notes.delegate(word(place.access));
        }
        Ok(delegated)
    }

    /// Signs a request to the storage for a table that the caller may load, if it stays inside the table and does no more
    /// than the caller may.
    ///
    /// # Errors
    /// Those of [`Operations::load_governed_table`]; [`OperationError::Forbidden`] for a request that reaches further;
    /// [`OperationError::Unsupported`] where no requests are signed, and for such requests as never are;
    /// [`OperationError::Invalid`]; [`OperationError::Unavailable`].
    pub async fn sign_storage_request(
        &self,
        call: &Call,
        path: &Authorized<TablePath>,
        request: &UnsignedRequest,
    ) -> Result<Governed<Vec<(String, String)>>, OperationError> {
        let (served, place) = self
            .load_with_place(call, path, Representation::default())
            .await?;
        let location = place.location.as_str();
        let storage = place
            .provider
            .delegation()
            .filter(|storage| storage.signs(location))
            .ok_or_else(|| {
                OperationError::Unsupported(
                    "requests for the files of this table are not signed remotely".to_owned(),
                )
            })?;
        if self.is_location_taken(location, Some(place.table)).await? {
            return Err(OperationError::Forbidden(
                "no request is signed for a table whose location overlaps another's".to_owned(),
            ));
        }
        let scope = table_scope(call, location, table_access(call));
        let signed = storage.sign(&scope, request).await.map_err(not_delegated)?;
        call.notes.delegate(word(scope.access));
        call.notes.sign_request(&request.method, signed.object);
        Ok(served.table.map_ref(|_| signed.headers))
    }

    /// The credential of a caller for places of one object, none of which may be or hold a table's; `None` where the catalog
    /// gives none out.
    ///
    /// # Errors
    /// [`OperationError::Unavailable`]; [`OperationError::Moved`] where the fileset is gone by now; what the store reports.
    pub(crate) async fn fileset_credential(
        &self,
        call: &Call,
        (fileset, storage): (ObjectId, &dyn StorageDelegation),
        locations: Vec<String>,
    ) -> Result<Option<TemporaryCredential>, OperationError> {
        if locations.is_empty() || !locations.iter().all(|location| storage.vends(location)) {
            return Ok(None);
        }
        let mut snapshot = self.store().snapshot().await?;
        for location in &locations {
            if snapshot.table_overlapping(location, None).await?.is_some()
                || snapshot.is_ended_location(location).await?
            {
                tracing::warn!(
                    location,
                    "no credential is given out for a fileset that overlaps a table"
                );
                return Ok(None);
            }
        }
        drop(snapshot);
        let access = access(call, ObjectKind::Fileset, &[Privilege::WriteFileset]);
        let mut locations = locations;
        locations.sort();
        let scope = DelegationScope {
            principal: call.user().to_owned(),
            locations,
            access,
            is_table: false,
        };
        let credential = credential_of(storage, &scope).await?;
        if let Some(credential) = &credential {
            self.lend(call, Some(fileset), &scope.locations, credential)
                .await?;
            call.notes.delegate(word(access));
        }
        Ok(credential)
    }
}

/// What the caller of a load may do with the table's files.
pub(crate) fn table_access(call: &Call) -> FileAccess {
    access(call, ObjectKind::Table, &[Privilege::ModifyTable])
}

fn access(call: &Call, kind: ObjectKind, holding: &'static [Privilege]) -> FileAccess {
    let writes = Requirement::On { kind, holding };
    let token = call.caller.proof.access_token();
    if token.is_some_and(|token| token.is_read_only) {
        return FileAccess::Read;
    }
    if decide(&writes, call.facts.target(), call.facts.grants()).is_allowed() {
        FileAccess::ReadWrite
    } else {
        FileAccess::Read
    }
}

fn word(access: FileAccess) -> &'static str {
    match access {
        FileAccess::Read => "read",
        FileAccess::ReadWrite => "read-write",
    }
}

fn table_scope(call: &Call, location: &str, access: FileAccess) -> DelegationScope {
    DelegationScope {
        principal: call.user().to_owned(),
        locations: vec![location.to_owned()],
        access,
        is_table: true,
    }
}

/// The credential of a scope; `None` where no policy expresses it, which is no fault of the request.
async fn credential_of(
    storage: &dyn StorageDelegation,
    scope: &DelegationScope,
) -> Result<Option<TemporaryCredential>, OperationError> {
    match storage.credential(scope).await {
        Ok(credential) => Ok(Some(credential)),
        Err(CatalogError::Invalid(reason)) => {
            tracing::warn!(locations = ?scope.locations, reason, "no credential is given out");
            Ok(None)
        }
        Err(error) => Err(not_delegated(error)),
    }
}

/// Why a client gets no way to the files.
fn not_delegated(error: CatalogError) -> OperationError {
    match error {
        CatalogError::Unavailable(detail) => OperationError::Unavailable {
            message: "the token service of the catalog gives no credential at the moment; the log of the server has the \
                      cause under this request id"
                .to_owned(),
            detail,
        },
        CatalogError::LocationRefused(message) => OperationError::Forbidden(message),
        other @ (CatalogError::Invalid(_)
        | CatalogError::Unsupported(_)
        | CatalogError::RequirementFailed(_)
        | CatalogError::MetadataMissing(_)
        | CatalogError::MetadataInvalid { .. }
        | CatalogError::MetadataChanged(_)
        | CatalogError::FileExists(_)) => other.into(),
    }
}
