// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the upstream of a federated catalog has, as operations read it: tables, views and lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakeward_authorization::Visibility;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::upstream_catalog::{UpstreamCatalog, UpstreamTable};
use lakeward_catalog::view_catalog::LoadedView;
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_store::{ChainRow, ROOT, TablePointer};

use super::{place_of, upstream_kind, upstream_of};
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::external_name::check_external_name;
use crate::facts::Found;
use crate::load_governed_table::Current;
use crate::namespace::{ListPage, Listed};
use crate::step::Step;

impl Operations {
    /// The table that a row stands for, as the upstream has it now.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] where it is no longer there, or another is; [`OperationError::Unreachable`].
    pub(crate) async fn upstream_table(
        &self,
        upstream: &dyn UpstreamCatalog,
        chain: &[ChainRow],
    ) -> Result<UpstreamTable, OperationError> {
        let (Some(row), Some(place)) = (chain.last(), place_of(chain)) else {
            return Err(OperationError::internal("the chain of a table has no table"));
        };
        let table = upstream.table(&place.namespace, &place.name, false).await?;
        let mut snapshot = self.store().snapshot().await?;
        let uuid = snapshot.upstream_uuid(row.object.id).await?;
        table
            .filter(|table| Some(table.uuid()) == uuid)
            .ok_or_else(|| OperationError::not_found(ObjectKind::Table, place.name))
    }

    /// [`Operations::current_table`] of a federated catalog.
    pub(crate) async fn current_upstream_table(
        &self,
        call: &Call,
        found: &Found,
        provider: Arc<dyn Provider>,
    ) -> Result<Current, OperationError> {
        let row = found.row()?.object.clone();
        let upstream = upstream_of(provider.as_ref())?;
        let table = match call.met.tables.get(&row.id) {
            Some(table) => table.clone(),
            None => {
                self.pass(
                    Step::Metadata,
                    &call.caller,
                    self.upstream_table(upstream, &found.chain.rows),
                )
                .await?
            }
        };
        let location = |loaded: &LoadedTable| loaded.metadata_location.clone();
        Ok(Current {
            pointer: TablePointer {
                table_id: row.id,
                metadata_location: table.table.map_ref(location),
                previous_metadata_location: None,
                table_uuid: table.uuid(),
                version: 0,
                // The upstream answers for what it says.
                metadata_digest: None,
            },
            provider,
            row,
            table: table.table,
            upstream: Some((table.restrictions, table.access.properties)),
        })
    }

    /// The view that the request names, as the upstream has it.
    pub(crate) fn current_upstream_view(call: &Call, found: &Found) -> Result<LoadedView, OperationError> {
        let view = call.met.views.get(&found.row()?.object.id);
        view.cloned().ok_or_else(|| found.gone())
    }

    /// What must be enforced on a table: what we restrict, and what its upstream restricts. Nothing of two that differ can be
    /// enforced by one reader in the name of both.
    ///
    /// # Errors
    /// [`OperationError::Restriction`].
    pub(crate) fn with_those_of_upstream(
        &self,
        ours: ReadRestrictions,
        theirs: &Result<ReadRestrictions, String>,
    ) -> Result<ReadRestrictions, OperationError> {
        let refused = |code: RestrictionCode, message: &str, detail: &str| OperationError::Restriction {
            code,
            message: message.to_owned(),
            transient: false,
            detail: detail.to_owned(),
        };
        let theirs = theirs.as_ref().map_err(|reason| {
            refused(
                RestrictionCode::Reader,
                "the upstream catalog restricts this table in a way that this server does not understand",
                reason,
            )
        })?;
        if !theirs.is_active() {
            return Ok(ours);
        }
        if !self.settings().read_restrictions_enabled {
            return Err(refused(
                RestrictionCode::Disabled,
                "read restrictions apply to this table and are switched off on this server",
                "the upstream sends read restrictions while `lakeward.read-restrictions.enabled` is false",
            ));
        }
        if ours.is_active() && ours.wire_json() != theirs.wire_json() {
            return Err(refused(
                RestrictionCode::Conflict,
                "the upstream catalog and this server restrict this table differently",
                "the read restrictions of the upstream and of our policies are not the same",
            ));
        }
        Ok(theirs.clone())
    }

    /// The namespaces, tables or views directly below what the request names that the upstream has and the caller may see.
    /// What has no row is shown to those who see whatever is there.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] where the upstream has no such namespace; [`OperationError::Unreachable`].
    pub(crate) async fn list_upstream(
        &self,
        call: &Call,
        found: &Found,
        kind: ObjectKind,
        shown: &Visibility,
        page: &ListPage,
    ) -> Result<Listed, OperationError> {
        let provider = self.provider_in(&found.metalake, found)?;
        let upstream = upstream_of(provider.as_ref())?;
        let namespace = found
            .object
            .path
            .get(1)
            .map(|schema| self.levels(schema))
            .unwrap_or_default();
        let met = &call.met.listed;
        if met.get().is_none() {
            let asked = self.pass(Step::Metadata, &call.caller, async {
                Ok(match upstream_kind(kind) {
                    Some(kind) => upstream.names(kind, &namespace).await?,
                    None => upstream.namespaces(&namespace).await?,
                })
            });
            let listed = asked.await?;
            met.get_or_init(|| listed);
        }
        let mut names = met.get().cloned().flatten().ok_or_else(|| found.gone())?;
        names.retain(|name| check_external_name(kind, name).is_ok());
        names.sort_unstable();
        names.dedup();
        let known = self.children(call, found.row()?.object.id, kind).await?;
        let known: BTreeMap<&str, _> = known
            .all()
            .iter()
            .map(|child| (child.name.as_str(), child))
            .collect();
        let is_shown = |name: &String| match known.get(name.as_str()) {
            Some(child) => shown.shows(child.id, child.owner.as_ref()),
            // Nothing is ever granted on the root.
            None => shown.shows(ROOT, None),
        };
        let is_after = |name: &String| page.after.as_ref().is_none_or(|after| name > after);
        let wanted = page.limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
        let mut names: Vec<String> = names
            .into_iter()
            .filter(|name| is_after(name) && is_shown(name))
            .take(wanted)
            .collect();
        let mut next = None;
        if let Some(limit) = page.limit.filter(|limit| names.len() > *limit) {
            names.truncate(limit);
            next = names.last().cloned();
        }
        Ok(Listed { names, next })
    }
}
