// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statistics that users keep of tables and partitions. They speak of all rows, so a caller who sees a table only in
//! part neither reads nor changes them.

use lakeward_authorization::Authorized;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{NewStatistic, PartitionRange, StatisticRow};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::facts::Found;
use crate::iceberg_commit::restricted_write;
use crate::paths::ObjectPath;

const WHAT: &str = "statistics";

impl Operations {
    /// The statistics of a table as a whole, by name.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] for an object that is no table, [`OperationError::NotFound`],
    /// [`OperationError::Disabled`]; [`OperationError::Restriction`] for a caller who sees the table only in part.
    pub async fn list_statistics(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
    ) -> Result<Vec<StatisticRow>, OperationError> {
        let table = table_of(call, &object)?;
        self.refuse_hidden_facts(call, table, WHAT).await?;
        let mut snapshot = self.read(&call.facts).await?;
        Ok(snapshot.statistics(table.row()?.object.id).await?)
    }

    /// The statistics of partitions of a table, by partition and name.
    ///
    /// # Errors
    /// As [`Self::list_statistics`].
    pub async fn list_partition_statistics(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        range: &PartitionRange,
    ) -> Result<Vec<StatisticRow>, OperationError> {
        let table = table_of(call, &object)?;
        self.refuse_hidden_facts(call, table, WHAT).await?;
        let mut snapshot = self.read(&call.facts).await?;
        Ok(snapshot
            .partition_statistics(table.row()?.object.id, range)
            .await?)
    }

    /// Sets statistics of a table or of partitions of it, all or none.
    ///
    /// # Errors
    /// As [`Self::list_statistics`].
    pub async fn update_statistics(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        new: &[NewStatistic],
    ) -> Result<(), OperationError> {
        let table = table_of(call, &object)?;
        self.refuse_restricted_change(call, table).await?;
        let id = table.row()?.object.id;
        let mut write = self.write_unless_restricted(call, &[]).await?;
        for statistic in new {
            write.put_statistic(id, statistic).await.map_err(|error| {
                if error.is_missing() {
                    table.missing()
                } else {
                    error.into()
                }
            })?;
        }
        Ok(write.commit().await?)
    }

    /// Drops statistics of a table or of partitions of it (`None` is the table as a whole); gives whether there was one.
    ///
    /// # Errors
    /// As [`Self::list_statistics`].
    pub async fn drop_statistics(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        names: &[(Option<String>, String)],
    ) -> Result<bool, OperationError> {
        let table = table_of(call, &object)?;
        self.refuse_restricted_change(call, table).await?;
        let id = table.row()?.object.id;
        let mut write = self.write_unless_restricted(call, &[]).await?;
        let mut dropped = false;
        for (partition, name) in names {
            dropped |= write.drop_statistic(id, partition.as_deref(), name).await?;
        }
        write.commit().await?;
        Ok(dropped)
    }

    /// Refuses whatever a caller who sees the table only in part would change beside adding rows.
    async fn refuse_restricted_change(&self, call: &Call, table: &Found) -> Result<(), OperationError> {
        let current = self.current_table(call, table).await?;
        let restrictions = self.restrictions_of_version(call, table, &current).await?;
        if restrictions.is_active() {
            return Err(restricted_write("it changes statistics of the table"));
        }
        Ok(())
    }
}

/// The table that the request names.
fn table_of<'a>(call: &'a Call, path: &ObjectPath) -> Result<&'a Found, OperationError> {
    if path.object.kind != ObjectKind::Table {
        return Err(OperationError::Unsupported(
            "statistics are kept of tables only".to_owned(),
        ));
    }
    let found = call.facts.found()?;
    found.require_in_use()?;
    if found.chain.object().is_none() {
        return Err(OperationError::not_found(
            Noun::MetadataObject,
            path.object.full_name(),
        ));
    }
    Ok(found)
}
