// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statistics that users keep of tables and of their partitions. No decision reads them and no cached answer depends on
//! them, so they count no area.

use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// One statistic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatisticRow {
    /// The partition that it is of; `None` for the table as a whole.
    pub partition: Option<String>,
    /// Its name.
    pub name: String,
    /// Its value, as JSON.
    pub value: String,
    /// Who set it first and last.
    pub audit: Audit,
}

/// A statistic to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStatistic {
    /// The partition, whose name is not empty; `None` for the table as a whole.
    pub partition: Option<String>,
    /// Its name.
    pub name: String,
    /// Its value, as JSON.
    pub value: String,
}

/// Partitions between two names, in the order of bytes. Each bound is a name and whether it counts itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartitionRange {
    /// The lower bound; `None` for all from the first.
    pub from: Option<(String, bool)>,
    /// The upper bound; `None` for all to the last.
    pub to: Option<(String, bool)>,
}

fn statistic(row: &Row) -> Result<StatisticRow, StoreError> {
    Ok(StatisticRow {
        partition: Some(row.text(0)?).filter(|name| !name.is_empty()),
        name: row.text(1)?,
        value: row.text(2)?,
        audit: row.audit(3)?,
    })
}

impl Snapshot {
    /// The statistics of a table as a whole, by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn statistics(&mut self, table: ObjectId) -> Result<Vec<StatisticRow>, StoreError> {
        statement!("statistic_of_table")
            .query()
            .id(table)
            .all(self.connection(), statistic)
            .await
    }

    /// The statistics of partitions of a table, by partition and name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn partition_statistics(
        &mut self,
        table: ObjectId,
        range: &PartitionRange,
    ) -> Result<Vec<StatisticRow>, StoreError> {
        let name = |bound: &Option<(String, bool)>| bound.as_ref().map(|(name, _)| name.clone());
        let counts =
            |bound: &Option<(String, bool)>| i64::from(bound.as_ref().is_some_and(|(_, counts)| *counts));
        statement!("statistic_of_partitions")
            .query()
            .id(table)
            .bind(name(&range.from))
            .bind(counts(&range.from))
            .bind(name(&range.to))
            .bind(counts(&range.to))
            .all(self.connection(), statistic)
            .await
    }
}

impl Write {
    /// Sets a statistic of a table.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the table does not exist.
    pub async fn put_statistic(&mut self, table: ObjectId, new: &NewStatistic) -> Result<(), StoreError> {
        self.living_here(table).await?;
        let (actor, at) = (self.actor().to_owned(), self.at());
        statement!("statistic_put")
            .query()
            .id(table)
            .bind(new.partition.as_deref().unwrap_or_default())
            .bind(new.name.as_str())
            .bind(new.value.as_str())
            .bind(actor)
            .bind(at)
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Drops a statistic of a table, or of a partition of it; gives whether it was there.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn drop_statistic(
        &mut self,
        table: ObjectId,
        partition: Option<&str>,
        name: &str,
    ) -> Result<bool, StoreError> {
        let touched = statement!("statistic_drop")
            .query()
            .id(table)
            .bind(partition.unwrap_or_default())
            .bind(name)
            .run(self.connection())
            .await?;
        Ok(touched > 0)
    }
}
