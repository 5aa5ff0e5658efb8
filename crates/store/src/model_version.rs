// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Versions of models with their aliases. How many were ever linked is kept with the model, so that a number is never
//! given twice; changes of versions count as changes of the tree, and so come one after another in a metalake.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::model::{ModelVersion, ModelVersionBody};
use serde_json::Value;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::object::ObjectRow;
use crate::row::{Row, json_text, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// The member of a model's detail that counts its versions.
const LINKED: &str = "linked";

impl ObjectRow {
    /// How many versions of this model were ever linked, deleted ones included: the number of the next one.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`].
    pub fn linked_versions(&self) -> Result<i64, StoreError> {
        match self.detail.get(LINKED) {
            None => Ok(0),
            Some(count) => count
                .as_i64()
                .filter(|count| *count >= 0)
                .ok_or_else(|| StoreError::Corrupt {
                    statement: "object_load",
                    detail: format!("model {}: `{LINKED}` is {count}", self.id),
                }),
        }
    }

    fn with_one_more_version(&mut self) -> Result<i64, StoreError> {
        let number = self.linked_versions()?;
        let count = Value::from(number.saturating_add(1));
        match &mut self.detail {
            Value::Object(members) => {
                members.insert(LINKED.to_owned(), count);
            }
            other
            @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                *other = serde_json::json!({ LINKED: count });
            }
        }
        Ok(number)
    }
}

/// Decodes a version without its aliases.
fn version(row: &Row) -> Result<ModelVersion, StoreError> {
    Ok(ModelVersion {
        version: row.integer(0)?,
        body: ModelVersionBody {
            comment: row.optional_text(1)?,
            aliases: BTreeSet::new(),
            uris: row.json(2)?,
            properties: row.properties(3)?,
        },
        audit: row.audit(4)?,
    })
}

fn alias(row: &Row) -> Result<(i64, String), StoreError> {
    Ok((row.integer(0)?, row.text(1)?))
}

impl Snapshot {
    /// The numbers of the versions of a model, in order.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn model_version_numbers(&mut self, model: ObjectId) -> Result<Vec<i64>, StoreError> {
        statement!("model_version_numbers")
            .query()
            .id(model)
            .all(self.connection(), |row| row.integer(0))
            .await
    }

    /// The versions of a model, by number.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn model_versions(&mut self, model: ObjectId) -> Result<Vec<ModelVersion>, StoreError> {
        let mut versions = statement!("model_version_list")
            .query()
            .id(model)
            .all(self.connection(), version)
            .await?;
        let aliases = statement!("model_version_alias_list")
            .query()
            .id(model)
            .all(self.connection(), alias)
            .await?;
        let mut by_version: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for (number, alias) in aliases {
            by_version.entry(number).or_default().insert(alias);
        }
        for version in &mut versions {
            version.body.aliases = by_version.remove(&version.version).unwrap_or_default();
        }
        Ok(versions)
    }

    /// A version of a model.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn model_version(
        &mut self,
        model: ObjectId,
        number: i64,
    ) -> Result<Option<ModelVersion>, StoreError> {
        let row = statement!("model_version_load")
            .query()
            .id(model)
            .bind(number)
            .optional(self.connection())
            .await?;
        let Some(mut found) = row.as_ref().map(version).transpose()? else {
            return Ok(None);
        };
        let aliases = statement!("model_version_alias_of")
            .query()
            .id(model)
            .bind(number)
            .all(self.connection(), alias)
            .await?;
        found.body.aliases = aliases.into_iter().map(|(_, alias)| alias).collect();
        Ok(Some(found))
    }

    /// The number of the version that has an alias.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn model_version_of_alias(
        &mut self,
        model: ObjectId,
        alias: &str,
    ) -> Result<Option<i64>, StoreError> {
        let row = statement!("model_version_of_alias")
            .query()
            .id(model)
            .bind(alias)
            .optional(self.connection())
            .await?;
        row.as_ref().map(|row| row.integer(0)).transpose()
    }
}

impl Write {
    /// Links a version to a model. The model counts one more; it is not changed otherwise. Needs
    /// [`crate::Area::Objects`].
    ///
    /// # Errors
    /// Class `Unique` when another version has one of the aliases, which leaves the write to be dropped;
    /// [`StoreError::Missing`] when the model does not exist.
    pub async fn link_model_version(
        &mut self,
        model: ObjectId,
        body: &ModelVersionBody,
    ) -> Result<ModelVersion, StoreError> {
        let mut row = self.mine(model, "model_version_insert").await?;
        let number = row.with_one_more_version()?;
        self.store_object(&row).await?;
        let audit = Audit {
            creator: self.actor().to_owned(),
            create_time: self.at(),
            last_modifier: None,
            last_modified_time: None,
        };
        statement!("model_version_insert")
            .query()
            .id(model)
            .bind(number)
            .bind(body.comment.as_deref())
            .bind(json_text(&body.uris)?)
            .bind(json_text(&body.properties)?)
            .bind(audit.creator.as_str())
            .bind(audit.create_time)
            .run(self.connection())
            .await?;
        self.name_model_version(model, number, &body.aliases).await?;
        self.log_model_version(Change::Create, &row).await?;
        Ok(ModelVersion {
            version: number,
            body: body.clone(),
            audit,
        })
    }

    /// Gives a version of a model another body. Gives its new state. Needs [`crate::Area::Objects`].
    ///
    /// # Errors
    /// Class `Unique` when another version has one of the aliases, which leaves the write to be dropped;
    /// [`StoreError::Missing`] when the model does not exist.
    pub async fn alter_model_version(
        &mut self,
        model: ObjectId,
        mut altered: ModelVersion,
    ) -> Result<ModelVersion, StoreError> {
        let row = self.mine(model, "model_version_alter").await?;
        altered.audit.last_modifier = Some(self.actor().to_owned());
        altered.audit.last_modified_time = Some(self.at());
        statement!("model_version_alter")
            .query()
            .id(model)
            .bind(altered.version)
            .bind(altered.body.comment.as_deref())
            .bind(json_text(&altered.body.uris)?)
            .bind(json_text(&altered.body.properties)?)
            .bind(altered.audit.last_modifier.as_deref())
            .bind(altered.audit.last_modified_time)
            .run(self.connection())
            .await?;
        self.forget_aliases(model, altered.version).await?;
        self.name_model_version(model, altered.version, &altered.body.aliases)
            .await?;
        self.log_model_version(Change::Alter, &row).await?;
        Ok(altered)
    }

    /// Deletes a version of a model with its aliases; gives whether it was there. Needs [`crate::Area::Objects`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the model does not exist.
    pub async fn delete_model_version(&mut self, model: ObjectId, number: i64) -> Result<bool, StoreError> {
        let row = self.mine(model, "model_version_delete").await?;
        self.forget_aliases(model, number).await?;
        let touched = statement!("model_version_delete")
            .query()
            .id(model)
            .bind(number)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log_model_version(Change::Drop, &row).await?;
        }
        Ok(touched > 0)
    }

    async fn forget_aliases(&mut self, model: ObjectId, number: i64) -> Result<(), StoreError> {
        statement!("model_version_alias_clear")
            .query()
            .id(model)
            .bind(number)
            .run(self.connection())
            .await
            .map(drop)
    }

    async fn name_model_version(
        &mut self,
        model: ObjectId,
        number: i64,
        aliases: &BTreeSet<String>,
    ) -> Result<(), StoreError> {
        for alias in aliases {
            statement!("model_version_alias_insert")
                .query()
                .id(model)
                .bind(alias.as_str())
                .bind(number)
                .run(self.connection())
                .await?;
        }
        Ok(())
    }

    /// Logs a change of a version under the id and name of its model.
    async fn log_model_version(&mut self, change: Change, model: &ObjectRow) -> Result<(), StoreError> {
        let subject = (MODEL_VERSION, model.id.value(), model.name.as_str());
        self.log(crate::Area::Objects, change, subject).await
    }
}

/// What the change log calls a version.
const MODEL_VERSION: &str = "MODEL_VERSION";
