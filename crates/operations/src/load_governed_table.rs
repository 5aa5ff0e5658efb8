// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The governed load of a table: pointer, metadata, restrictions, admission, tag — in this order, and the only way by
//! which table metadata leaves an operation.

use std::sync::Arc;

use lakeward_authorization::Authorized;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::provider::Provider;
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_read_restrictions::admission::{
    Governed, NotAdmitted, Trust, Ungoverned, admit, check_admission,
};
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_store::{ObjectChain, ObjectRow, TablePointer};

use crate::Operations;
use crate::caller::Call;
use crate::delegation::{Delegated, DelegatedPlace, table_access};
use crate::error::{Inadmissible, OperationError};
use crate::etag::{Representation, etag};
use crate::facts::Found;
use crate::metadata_file::file_of;
use crate::paths::TablePath;
use crate::step::Step;
use crate::upstream::upstream_of;

/// A table as it may be answered to one caller.
#[derive(Debug)]
pub struct ServedTable {
    /// The table with what the reader must enforce.
    pub table: Governed<LoadedTable>,
    /// What the caller is given of the way to its files.
    pub delegated: Delegated,
    /// The entity tag of the answer, with its quotes.
    pub etag: String,
}

/// Where a loaded table is, for what is done with its files.
pub(crate) struct LoadedPlace {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) table: ObjectId,
    /// Canonical.
    pub(crate) location: String,
}

/// The current version of a table, for which nobody has decided yet what of it may be shown.
pub(crate) struct Current {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) row: ObjectRow,
    pub(crate) pointer: TablePointer,
    pub(crate) table: Ungoverned<LoadedTable>,
    /// What the upstream of a federated catalog restricts, and how it says that the storage is reached.
    pub(crate) upstream: Option<(Result<ReadRestrictions, String>, Properties)>,
}

impl Current {
    /// The top-level fields of the current schema.
    pub(crate) fn fields(&self) -> Vec<Field> {
        self.table.map_ref(fields)
    }

    /// The base location, canonical.
    pub(crate) fn location(&self) -> String {
        self.table
            .map_ref(|table| table.metadata.facts().location.clone())
    }
}

impl Operations {
    /// Loads a table for its caller.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`]; [`OperationError::Restriction`] when its restrictions
    /// cannot be resolved; [`OperationError::NotAdmitted`] when it is restricted and the client would not enforce it.
    pub async fn load_governed_table(
        &self,
        call: &Call,
        path: &Authorized<TablePath>,
        representation: Representation<'_>,
    ) -> Result<ServedTable, OperationError> {
        let (served, _) = self.load_with_place(call, path, representation).await?;
        Ok(served)
    }

    /// As [`Self::load_governed_table`], with where the table is.
    pub(crate) async fn load_with_place(
        &self,
        call: &Call,
        _: &Authorized<TablePath>,
        representation: Representation<'_>,
    ) -> Result<(ServedTable, LoadedPlace), OperationError> {
        let found = call.facts.found()?;
        let current = self.current_table(call, found).await?;
        let restrictions = self.restrictions_of_version(call, found, &current).await?;
        let place = LoadedPlace {
            location: current.location(),
            provider: current.provider,
            table: current.row.id,
        };
        let delegated_place = DelegatedPlace {
            name: &current.row.name,
            location: &place.location,
            table: Some(place.table),
            access: table_access(call),
        };
        let delegated = match &current.upstream {
            None => {
                let provider = place.provider.as_ref();
                self.delegate(
                    call,
                    provider,
                    delegated_place,
                    &restrictions,
                    representation.wish,
                )
                .await?
            }
            Some((_, properties)) => {
                let known = (properties, current.pointer.table_uuid.as_str());
                let upstream = upstream_of(place.provider.as_ref())?;
                self.pass_on(
                    call,
                    (upstream, known),
                    delegated_place,
                    &restrictions,
                    representation.wish,
                )
                .await?
            }
        };
        let served = self
            .serve(call, current.table, restrictions, representation, delegated)
            .await?;
        Ok((served, place))
    }

    /// The current version of a table that exists and whose catalog is in use.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], and what provider and store report.
    pub(crate) async fn current_table(&self, call: &Call, found: &Found) -> Result<Current, OperationError> {
        found.require_in_use()?;
        let row = found.row()?.object.clone();
        let provider = self.provider_in(&found.metalake, found)?;
        if provider.upstream().is_some() {
            return self.current_upstream_table(call, found, provider).await;
        }
        let tables = crate::providers::tables_of(provider.as_ref())?;
        let mut pointer = self
            .pass(Step::Pointer, &call.caller, self.pointer_of(found, row.id))
            .await?;
        let table = self
            .pass(Step::Metadata, &call.caller, async {
                let loaded = match tables.load(file_of(&pointer)).await {
                    // Perhaps dropped and purged, or replaced and expired, since the pointer was read.
                    Err(CatalogError::MetadataMissing(_)) => {
                        pointer = self.pointer_of(found, row.id).await?;
                        tables.load(file_of(&pointer)).await?
                    }
                    loaded => loaded?,
                };
                self.believe_table(&mut pointer, &loaded).await?;
                Ok(loaded)
            })
            .await?;
        Ok(Current {
            table,
            pointer,
            row,
            provider,
            upstream: None,
        })
    }

    async fn pointer_of(&self, found: &Found, table: ObjectId) -> Result<TablePointer, OperationError> {
        let pointer = self.store().table_pointer(table).await?;
        pointer.ok_or_else(|| found.missing())
    }

    /// What the caller would be restricted to, checked before any effect whose answer shows the table.
    ///
    /// # Errors
    /// [`OperationError::Restriction`], [`OperationError::NotAdmitted`].
    pub(crate) async fn clear(
        &self,
        call: &Call,
        governed_by: &Found,
        fields: &[Field],
    ) -> Result<ReadRestrictions, OperationError> {
        let restrictions = self
            .restrictions_of(call, governed_by, fields)
            .await?
            .restrictions;
        let caller = &call.caller;
        self.pass(Step::Admission, caller, async {
            check_admission(&restrictions, &caller.capabilities, &caller.trust)?;
            Ok(restrictions)
        })
        .await
    }

    /// As [`Self::clear`], of a table that exists, with what its upstream restricts.
    ///
    /// # Errors
    /// [`OperationError::Restriction`], [`OperationError::NotAdmitted`].
    pub(crate) async fn clear_current(
        &self,
        call: &Call,
        found: &Found,
        current: &Current,
    ) -> Result<ReadRestrictions, OperationError> {
        let restrictions = self.restrictions_of_version(call, found, current).await?;
        let caller = &call.caller;
        self.pass(Step::Admission, caller, async {
            check_admission(&restrictions, &caller.capabilities, &caller.trust)?;
            Ok(restrictions)
        })
        .await
    }

    /// As [`Self::serve`], of a change that took effect.
    ///
    /// # Errors
    /// [`OperationError::UnknownOutcome`] alone.
    pub(crate) async fn serve_changed(
        &self,
        call: &Call,
        table: Ungoverned<LoadedTable>,
        restrictions: ReadRestrictions,
        representation: Representation<'_>,
        delegated: Delegated,
    ) -> Result<ServedTable, OperationError> {
        self.serve(call, table, restrictions, representation, delegated)
            .await
            .map_err(after_the_effect)
    }

    /// The last step of every answer that shows a table.
    ///
    /// # Errors
    /// [`OperationError::NotAdmitted`].
    pub(crate) async fn serve(
        &self,
        call: &Call,
        table: Ungoverned<LoadedTable>,
        restrictions: ReadRestrictions,
        representation: Representation<'_>,
        delegated: Delegated,
    ) -> Result<ServedTable, OperationError> {
        let caller = &call.caller;
        let table = self
            .pass(Step::Admission, caller, async {
                Ok(admit(table, restrictions, &caller.capabilities, &caller.trust)?)
            })
            .await?;
        if let (Trust::Trusted(reader), Some(_)) = (&caller.trust, table.restrictions()) {
            self.notices().load_through(reader);
        }
        let etag = self
            .pass(Step::EntityTag, caller, async {
                etag(
                    call,
                    table.value(),
                    table.restrictions(),
                    representation,
                    &delegated,
                )
            })
            .await?;
        Ok(ServedTable {
            table,
            delegated,
            etag,
        })
    }
}

/// Whatever goes wrong with the answer once the change was made: clients delete their files when they are told that it
/// was not.
pub(crate) fn after_the_effect(error: OperationError) -> OperationError {
    OperationError::UnknownOutcome {
        message: "the answer to a change that was made could not be written; load the table to see"
            .to_owned(),
        detail: error.detail().map_or_else(|| error.to_string(), str::to_owned),
    }
}

/// The top-level fields of a table's current schema.
pub(crate) fn fields(table: &LoadedTable) -> Vec<Field> {
    table.metadata.facts().fields.clone()
}

/// The schema that a table of this name would be in, as what governs it before it exists: a new table inherits and has
/// nothing of its own.
///
/// # Errors
/// [`OperationError::NotFound`] when the schema does not exist.
pub(crate) fn schema_of(found: &Found) -> Result<Found, OperationError> {
    let parent = found.parent()?;
    let rows: Vec<_> = found
        .chain
        .rows
        .iter()
        .take_while(|row| row.object.kind != ObjectKind::Table && row.object.kind != ObjectKind::View)
        .cloned()
        .collect();
    debug_assert_eq!(
        rows.last().map(|row| row.object.id),
        Some(parent.object.id),
        "a schema is the parent"
    );
    Ok(Found {
        object: MetadataObject {
            kind: ObjectKind::Schema,
            path: found.object.path.iter().take(2).cloned().collect(),
        },
        metalake: found.metalake.clone(),
        chain: Arc::new(ObjectChain::new(ObjectKind::Schema, rows, true)),
        schema_levels: found.schema_levels,
    })
}

impl From<NotAdmitted> for OperationError {
    fn from(refusal: NotAdmitted) -> Self {
        Self::NotAdmitted {
            reason: match refusal {
                NotAdmitted::NotAcceptable => Inadmissible::NotAcceptable,
                NotAdmitted::UntrustedReader | NotAdmitted::Distrusted(_) => Inadmissible::UntrustedReader,
            },
            message: refusal.to_string(),
        }
    }
}
