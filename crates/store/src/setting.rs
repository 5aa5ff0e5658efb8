// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Small values that all nodes share.

use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

impl Snapshot {
    /// A setting.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn setting(&mut self, name: &str) -> Result<Option<String>, StoreError> {
        let row = statement!("setting_load")
            .query()
            .bind(name)
            .optional(self.connection())
            .await?;
        row.map(|row| row.text(0)).transpose()
    }
}

/// Both need [`Area::Server`], that is [`crate::Store::write_server`].
impl Write {
    /// Sets a setting.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn put_setting(&mut self, name: &str, value: &str) -> Result<(), StoreError> {
        self.need("setting_put", Area::Server)?;
        statement!("setting_put")
            .query()
            .bind(name)
            .bind(value)
            .run(self.connection())
            .await?;
        self.log(Area::Server, Change::Alter, ("SETTING", 0, name)).await
    }

    /// Removes a setting. Gives whether it existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_setting(&mut self, name: &str) -> Result<bool, StoreError> {
        self.need("setting_delete", Area::Server)?;
        let touched = statement!("setting_delete")
            .query()
            .bind(name)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Drop, ("SETTING", 0, name)).await?;
        }
        Ok(touched > 0)
    }
}
