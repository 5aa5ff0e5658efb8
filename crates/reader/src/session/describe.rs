// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a session's user can ask about a table beside its rows.

use datafusion::catalog::TableProvider;

use super::Session;
use crate::description::Description;
use crate::error::ReaderError;
use crate::listing::RelationKind;
use crate::restricted_table::RestrictedTable;
use crate::salt::random_salt;
use crate::table_name::TableName;
use crate::table_version::TableVersion;

impl Session {
    /// The columns of a table or view as the user sees them now. No file of a table is read.
    ///
    /// # Errors
    /// [`ReaderError`] wherever a query of it would be refused; [`ReaderError::TimedOut`] after the time of a query.
    pub async fn describe(&self, name: &TableName, kind: RelationKind) -> Result<Description, ReaderError> {
        let time = self.options.limits.time;
        tokio::time::timeout(time, self.description(name, kind))
            .await
            .map_err(|_| ReaderError::TimedOut(time))?
    }

    async fn description(&self, name: &TableName, kind: RelationKind) -> Result<Description, ReaderError> {
        match kind {
            RelationKind::Table => {
                let loaded = self.loader.load(name).await?;
                let schema = loaded.metadata.current_schema().clone();
                let restrictions = loaded.restrictions.clone();
                // The same way as a query, so that both show the same columns or neither shows any.
                let table =
                    RestrictedTable::new(&name.to_string(), loaded, &TableVersion::Current, random_salt()?)?;
                Ok(Description::of_table(&schema, &table.schema(), &restrictions))
            }
            RelationKind::View => {
                let rows = self
                    .prepare(&format!("SELECT * FROM {}", quoted(name)), None)
                    .await?;
                Ok(Description::of_rows(&rows.schema))
            }
        }
    }
}

/// The name as a statement writes it.
fn quoted(name: &TableName) -> String {
    let parts = [
        name.catalog.as_str(),
        &name.namespace.join("."),
        name.table.as_str(),
    ];
    parts
        .map(|part| format!("\"{}\"", part.replace('"', "\"\"")))
        .join(".")
}
