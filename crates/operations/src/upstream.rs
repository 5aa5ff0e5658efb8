// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Federated catalogs: another Iceberg catalog, the upstream, keeps their namespaces, tables and views. Here are rows for
//! them, on which owners, grants, tags and policies are.
//!
//! The upstream is asked after the caller was let through for what the request names, whether that has a row or not. What
//! exists there and has none is given one, without owner. Then it is decided again, on the row. A row of a table or view
//! stands for a UUID: what the upstream renamed is found again with all that was granted on it and all that restricts it; what
//! came under an old name is something new, for which the old row makes room. A namespace has no UUID: it is its name.
//!
//! A row whose table is not there answers nothing and is kept: it may have been renamed, and be met again.

mod reading;

use std::collections::HashMap;
use std::sync::OnceLock;

use lakeward_authorization::{Requirement, Target, authorize};
use lakeward_catalog::provider::Provider;
use lakeward_catalog::upstream_catalog::{UpstreamCatalog, UpstreamError, UpstreamKind, UpstreamTable};
use lakeward_catalog::view_catalog::LoadedView;
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::field::Field;
use lakeward_store::{Area, ChainRow, NewObject, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::external_name::check_external_name;
use crate::facts::Found;
use crate::load_governed_table;
use crate::step::Step;

/// What the upstream has of what a request names.
#[derive(Debug, Clone, Default)]
pub struct Met {
    tables: HashMap<ObjectId, UpstreamTable>,
    views: HashMap<ObjectId, LoadedView>,
    /// The properties of the namespace that the request names.
    pub(crate) namespace: Option<Properties>,
    has_new_rows: bool,
    /// What the request lists. It is asked for once: a request that is decided again has a snapshot open, which waits for no
    /// other catalog.
    listed: OnceLock<Option<Vec<String>>>,
}

impl Met {
    /// Whether rows were made or moved, so that the facts of the request are no longer those that hold.
    pub fn has_new_rows(&self) -> bool {
        self.has_new_rows
    }

    /// The top-level fields of the table that the request names, or names a column of.
    pub(crate) fn fields_of(&self, table: &Found) -> Option<Vec<Field>> {
        let row = table.chain.of_kind(ObjectKind::Table)?;
        let met = &self.tables.get(&row.object.id)?.table;
        Some(met.map_ref(load_governed_table::fields))
    }
}

/// A place of the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    kind: UpstreamKind,
    namespace: Vec<String>,
    name: String,
}

impl Operations {
    /// Whether what the catalog of an object holds is kept by another catalog. Of a catalog whose provider this server does not
    /// have nothing is known but its rows.
    pub(crate) fn is_federated(&self, found: &Found) -> bool {
        found.chain.of_kind(ObjectKind::Catalog).is_some_and(|row| {
            let factory = self.factory_of(&row.object);
            factory.is_ok_and(|factory| factory.is_federated(&row.object.properties))
        })
    }

    /// Refuses a change of what another catalog keeps.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`].
    pub(crate) fn require_kept_here(&self, found: &Found) -> Result<(), OperationError> {
        if self.is_federated(found) {
            return Err(kept_elsewhere());
        }
        Ok(())
    }

    /// Asks the upstream for what an authorized request names in federated catalogs, and gives rows to what has none.
    /// `for_another` says that the request is one of another server's federated catalog.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for what has a row and is not there; [`OperationError::Unreachable`] when the upstream
    /// refuses this server or does not answer; [`OperationError::Conflict`] for a table that the upstream has under two names;
    /// [`OperationError::Unsupported`] for another server's federated catalog.
    pub async fn meet_upstream(&self, call: &Call, for_another: bool) -> Result<Met, OperationError> {
        let mut met = Met::default();
        let facts = &call.facts;
        let named = facts
            .object
            .iter()
            .chain(&facts.destination)
            .chain(&facts.several);
        for found in named {
            if !self.is_federated(found) {
                continue;
            }
            if for_another {
                return Err(OperationError::Unsupported(
                    "this catalog is federated, and another federated catalog is not served from it: name its upstream there"
                        .to_owned(),
                ));
            }
            if found.object.path.len() < 2 || found.require_in_use().is_err() {
                continue;
            }
            self.pass(Step::Metadata, &call.caller, self.meet(call, found, &mut met))
                .await?;
        }
        Ok(met)
    }

    /// Gives rows to what a request names in a federated catalog beside what it acts on, so that what is granted binds to it.
    /// `false` where the caller could not ask the upstream for it itself: then it is not asked.
    ///
    /// # Errors
    /// As [`Operations::meet_upstream`].
    pub(crate) async fn meet_beside(&self, call: &Call, found: &Found) -> Result<bool, OperationError> {
        if !self.is_federated(found) || found.object.path.len() < 2 || found.require_in_use().is_err() {
            return Ok(false);
        }
        let requirement = Requirement::load(found.object.kind);
        let target = Target::object(found.chain.to_decide());
        if authorize(requirement, (), &target, call.facts.grants()).is_err() {
            return Ok(false);
        }
        let mut met = Met::default();
        match self.meet(call, found, &mut met).await {
            // Whatever is not there, nothing is bound to.
            Err(OperationError::NotFound { .. }) | Ok(()) => Ok(true),
            Err(other) => Err(other),
        }
    }

    async fn meet(&self, call: &Call, found: &Found, met: &mut Met) -> Result<(), OperationError> {
        let [_, schema, rest @ ..] = found.object.path.as_slice() else {
            return Ok(());
        };
        let namespace = self.levels(schema);
        let mut names = namespace.iter().chain(rest);
        if names.any(|name| check_external_name(ObjectKind::Table, name).is_err()) {
            return Ok(());
        }
        let provider = self.provider_in(&found.metalake, found)?;
        let upstream = upstream_of(provider.as_ref())?;
        let kind = found.object.kind;
        let Some(kind) = upstream_kind(kind) else {
            return self
                .meet_namespace(call, found, (upstream, kind, &namespace), met)
                .await;
        };
        let Some(name) = rest.first() else {
            return Ok(());
        };
        let place = Place {
            kind,
            namespace,
            name: name.clone(),
        };
        let is_there = match kind {
            UpstreamKind::Table => {
                let table = upstream.table(&place.namespace, &place.name, false).await?;
                if let Some(table) = table {
                    let row = self
                        .row_for(call, found, upstream, &place, &table.uuid(), met)
                        .await?;
                    met.tables.insert(row, table);
                    true
                } else {
                    false
                }
            }
            UpstreamKind::View => {
                if let Some(view) = upstream.view(&place.namespace, &place.name).await? {
                    let uuid = view.metadata.facts.uuid.clone();
                    let row = self.row_for(call, found, upstream, &place, &uuid, met).await?;
                    met.views.insert(row, view);
                    true
                } else {
                    false
                }
            }
        };
        if !is_there && found.chain.is_found {
            return Err(OperationError::not_found(object_kind(kind), &place.name));
        }
        Ok(())
    }

    async fn meet_namespace(
        &self,
        call: &Call,
        found: &Found,
        (upstream, kind, namespace): (&dyn UpstreamCatalog, ObjectKind, &[String]),
        met: &mut Met,
    ) -> Result<(), OperationError> {
        let schemas = found
            .chain
            .rows
            .iter()
            .filter(|row| row.object.kind == ObjectKind::Schema);
        let is_known = schemas.count() == namespace.len();
        // What is in a schema and is ours, as functions are, does not depend on the upstream.
        if is_known && kind != ObjectKind::Schema {
            return Ok(());
        }
        match upstream.namespace(namespace).await? {
            None if is_known => Err(OperationError::not_found(
                ObjectKind::Schema,
                found.object.path.get(1).cloned().unwrap_or_default(),
            )),
            None => Ok(()),
            Some(properties) => {
                if !is_known {
                    let catalog = found.of_kind(ObjectKind::Catalog)?.object.id;
                    let mut write = self.write_rows(call).await?;
                    schema_row(&mut write, catalog, namespace).await?;
                    write.commit().await?;
                    met.has_new_rows = true;
                }
                met.namespace = (kind == ObjectKind::Schema).then_some(properties);
                Ok(())
            }
        }
    }

    /// The row that stands for a UUID, at the place where the upstream has it.
    async fn row_for(
        &self,
        call: &Call,
        found: &Found,
        upstream: &dyn UpstreamCatalog,
        place: &Place,
        uuid: &str,
        met: &mut Met,
    ) -> Result<ObjectId, OperationError> {
        let catalog = found.of_kind(ObjectKind::Catalog)?.object.id;
        let mut snapshot = self.store().snapshot().await?;
        if let Some(row) = found.chain.object()
            && snapshot.upstream_uuid(row.object.id).await?.as_deref() == Some(uuid)
        {
            return Ok(row.object.id);
        }
        let earlier = snapshot.with_upstream_uuid(catalog, uuid).await?;
        let above = match earlier {
            Some(row) => snapshot.ancestors(row).await?,
            None => Vec::new(),
        };
        drop(snapshot);
        if let Some(was) = place_of(&above)
            && was != *place
            && uuid_at(upstream, &was).await?.as_deref() == Some(uuid)
        {
            return Err(OperationError::Conflict(format!(
                "the upstream catalog has this {} under another name, too; it is served under the one by which it was met first",
                object_kind(place.kind).lower_case()
            )));
        }
        met.has_new_rows = true;
        let mut write = self.write_rows(call).await?;
        let parent = schema_row(&mut write, catalog, &place.namespace).await?;
        let now = write.with_upstream_uuid(catalog, uuid).await?;
        if now != earlier {
            // Another request met it in between: this one finds its row, or is told to ask again.
            let row = match now {
                Some(row) => write.object(row).await?,
                None => None,
            };
            let row = row.filter(|row| row.object.parent_id == parent && row.object.name == place.name);
            return row.map(|row| row.object.id).ok_or_else(changed_meanwhile);
        }
        for kind in [ObjectKind::Table, ObjectKind::View] {
            let other = write.child(parent, kind, &place.name).await?;
            if let Some(other) = other.filter(|other| Some(other.object.id) != earlier) {
                let aside = format!("{}@{}", place.name, other.object.id);
                write
                    .rename_object(other.object.id, &aside)
                    .await
                    .map_err(taken)?;
            }
        }
        let row = match earlier {
            Some(row) => {
                write
                    .move_object(row, parent, &place.name)
                    .await
                    .map_err(taken)?
                    .id
            }
            None => {
                let new = NewObject::named(parent, object_kind(place.kind), &place.name);
                let row = write.create_object(&new).await.map_err(taken)?.id;
                write.set_upstream_uuid(row, catalog, uuid).await.map_err(taken)?;
                row
            }
        };
        write.commit().await?;
        Ok(row)
    }

    async fn write_rows(&self, call: &Call) -> Result<Write, OperationError> {
        self.write_on(call, &[Area::Objects]).await
    }
}

/// The face for what another catalog keeps.
///
/// # Errors
/// [`OperationError::Internal`] for a catalog that is not federated.
pub(crate) fn upstream_of(provider: &dyn Provider) -> Result<&dyn UpstreamCatalog, OperationError> {
    provider
        .upstream()
        .ok_or_else(|| OperationError::internal("a federated catalog has no upstream"))
}

/// A change of what another catalog keeps.
pub(crate) fn kept_elsewhere() -> OperationError {
    OperationError::Unsupported(
        "another catalog keeps the namespaces, tables and views of this one, and here they are only read; make the change in \
         that catalog"
            .to_owned(),
    )
}

/// The row of a namespace, made with all above it where it is missing.
async fn schema_row(
    write: &mut Write,
    catalog: ObjectId,
    namespace: &[String],
) -> Result<ObjectId, OperationError> {
    let mut within = catalog;
    for level in namespace {
        within = match write.child(within, ObjectKind::Schema, level).await? {
            Some(row) => row.object.id,
            None => {
                let new = NewObject::named(within, ObjectKind::Schema, level);
                write.create_object(&new).await.map_err(taken)?.id
            }
        };
    }
    Ok(within)
}

/// Where a row says that the upstream has what it stands for.
fn place_of(chain: &[ChainRow]) -> Option<Place> {
    let row = chain.last()?;
    let kind = upstream_kind(row.object.kind)?;
    let schemas = chain.iter().filter(|row| row.object.kind == ObjectKind::Schema);
    Some(Place {
        kind,
        namespace: schemas.map(|row| row.object.name.clone()).collect(),
        name: row.object.name.clone(),
    })
}

/// The UUID of what the upstream has at a place.
async fn uuid_at(upstream: &dyn UpstreamCatalog, place: &Place) -> Result<Option<String>, UpstreamError> {
    Ok(match place.kind {
        UpstreamKind::Table => {
            let table = upstream.table(&place.namespace, &place.name, false).await?;
            table.map(|table| table.uuid())
        }
        UpstreamKind::View => {
            let view = upstream.view(&place.namespace, &place.name).await?;
            view.map(|view| view.metadata.facts.uuid.clone())
        }
    })
}

/// What of the upstream an object is, or is a part of; `None` for what is in no namespace, and for what is ours.
fn upstream_kind(kind: ObjectKind) -> Option<UpstreamKind> {
    match kind {
        ObjectKind::Table | ObjectKind::Column => Some(UpstreamKind::Table),
        ObjectKind::View => Some(UpstreamKind::View),
        ObjectKind::Metalake
        | ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Role
        | ObjectKind::Tag
        | ObjectKind::Policy
        | ObjectKind::JobTemplate
        | ObjectKind::Job => None,
    }
}

fn object_kind(kind: UpstreamKind) -> ObjectKind {
    match kind {
        UpstreamKind::Table => ObjectKind::Table,
        UpstreamKind::View => ObjectKind::View,
    }
}

/// Rows changed while the upstream was asked.
fn changed_meanwhile() -> OperationError {
    OperationError::Unavailable {
        message: "what the upstream catalog has was met by another request at the same time; try again"
            .to_owned(),
        detail: "rows of a federated catalog changed between snapshot and write".to_owned(),
    }
}

fn taken(error: lakeward_store::StoreError) -> OperationError {
    if error.is_unique() || error.is_missing() {
        return changed_meanwhile();
    }
    error.into()
}

impl From<UpstreamError> for OperationError {
    fn from(error: UpstreamError) -> Self {
        let message = match &error {
            UpstreamError::Refused(_) => {
                "the upstream catalog refuses this server; that says nothing of what you may do. Whoever keeps the catalog here \
                 must mend its credentials, and the log of the server has the cause under this request id"
            }
            UpstreamError::Unavailable(_) => {
                "the upstream catalog does not answer as it should; the log of the server has the cause under this request id"
            }
        };
        Self::Unreachable {
            message: message.to_owned(),
            detail: error.to_string(),
        }
    }
}
