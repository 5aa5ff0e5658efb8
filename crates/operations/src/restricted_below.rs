// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A container is not dropped together with restricted tables.
//!
//! Files of dropped tables stay. Whoever could drop a schema with everything in it, and register the tables again under
//! another, would have them without the tags that restricted them, which dropping each table refuses.

use lakeward_governance::resolve::select;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Page, Snapshot};

use crate::Operations;
use crate::error::OperationError;
use crate::governed_facts::governed_facts;
use crate::widening::is_closing;

impl Operations {
    /// Refuses to drop a container when an enabled restriction policy applies to a table anywhere below it.
    ///
    /// # Errors
    /// [`OperationError::Restriction`]; what the store reports.
    pub(crate) async fn refuse_restricted_below(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        container: ObjectId,
    ) -> Result<(), OperationError> {
        if self.is_restricted_below(snapshot, metalake, container).await? {
            // Which table it is, the caller may not be allowed to know.
            return Err(OperationError::restricted_write(
                "a table in it has read restrictions, so it cannot be dropped with everything in it; drop the tables one \
                 by one",
            ));
        }
        Ok(())
    }

    /// Whether an enabled restriction policy applies to a table anywhere below a container. For whom it would make no
    /// difference is not asked: that takes the metadata of every table, which dropping them one by one reads.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn is_restricted_below(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        container: ObjectId,
    ) -> Result<bool, OperationError> {
        if !snapshot.policies(metalake).await?.iter().any(is_closing) {
            return Ok(false);
        }
        let mut open = vec![container];
        while let Some(parent) = open.pop() {
            for table in snapshot.children(parent, ObjectKind::Table, &Page::ALL).await? {
                if self.may_be_restricted(snapshot, table.id).await? {
                    return Ok(true);
                }
            }
            for kind in [ObjectKind::Catalog, ObjectKind::Schema] {
                let containers = snapshot.children(parent, kind, &Page::ALL).await?;
                open.extend(containers.into_iter().map(|container| container.id));
            }
        }
        Ok(false)
    }

    /// The same for one table whose metadata cannot be read.
    ///
    /// # Errors
    /// As [`Self::refuse_restricted_below`].
    pub(crate) async fn refuse_restricted_table(&self, table: ObjectId) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        if self.may_be_restricted(&mut snapshot, table).await? {
            return Err(OperationError::restricted_write(
                "the table has read restrictions, and its metadata, which would tell whether they are yours, cannot be \
                 read",
            ));
        }
        Ok(())
    }

    /// Whether some enabled restriction policy is selected for the table or a column of it.
    pub(crate) async fn may_be_restricted(
        &self,
        snapshot: &mut Snapshot,
        table: ObjectId,
    ) -> Result<bool, OperationError> {
        let stored = snapshot.governance_facts(table).await?;
        if stored.policies.is_empty() {
            return Ok(false);
        }
        let chain = snapshot.ancestors(table).await?;
        let facts = governed_facts(&chain, &stored, self.store().schema_separator())?;
        Ok(
            select(&facts, &facts.stand_in_fields()).map_or(true, |selection| {
                !selection.row_filters.is_empty() || !selection.masks.is_empty()
            }),
        )
    }
}
