// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Versions of models: list, link, load, alter, delete, and the URI to fetch. A request names one by number or by
//! alias.

use std::collections::BTreeSet;

use lakeward_authorization::Authorized;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::model::{
    ModelVersion, ModelVersionBody, ModelVersionChange, ModelVersionError, ModelVersionName, UriError,
};
use lakeward_store::{Area, Snapshot, StoreError};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::paths::ModelPath;

impl Operations {
    /// The numbers of the versions of a model, in order.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unsupported`] for a catalog
    /// without models.
    pub async fn list_model_versions(
        &self,
        call: &Call,
        _: Authorized<ModelPath>,
    ) -> Result<Vec<i64>, OperationError> {
        let model = self.model_id(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        Ok(snapshot.model_version_numbers(model).await?)
    }

    /// The versions of a model in full, by number.
    ///
    /// # Errors
    /// As [`Operations::list_model_versions`].
    pub async fn list_model_versions_in_full(
        &self,
        call: &Call,
        _: Authorized<ModelPath>,
    ) -> Result<Vec<ModelVersion>, OperationError> {
        let model = self.model_id(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        Ok(snapshot.model_versions(model).await?)
    }

    /// Links a version to a model, under the next number.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] when another version has one of the aliases; [`OperationError::Invalid`];
    /// and as [`Operations::list_model_versions`].
    pub async fn link_model_version(
        &self,
        call: &Call,
        _: Authorized<ModelPath>,
        body: &ModelVersionBody,
    ) -> Result<ModelVersion, OperationError> {
        body.check().map_err(invalid)?;
        let model = self.model_id(call)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let linked = match write.link_model_version(model, body).await {
            Err(error) => {
                drop(write);
                return Err(self.told(call, model, None, &body.aliases, error).await);
            }
            Ok(linked) => linked,
        };
        write.commit().await?;
        Ok(linked)
    }

    /// Loads a version of a model.
    ///
    /// # Errors
    /// As [`Operations::list_model_versions`]; where there is no model it is the version that is missing, as in the
    /// original.
    pub async fn load_model_version(
        &self,
        call: &Call,
        path: Authorized<ModelPath>,
        name: &ModelVersionName,
    ) -> Result<ModelVersion, OperationError> {
        let Ok(model) = self.in_model_catalog(call)?.row() else {
            return Err(missing(&path, name));
        };
        let mut snapshot = self.read(&call.facts).await?;
        found(&mut snapshot, model.object.id, name)
            .await?
            .ok_or_else(|| missing(&path, name))
    }

    /// The URI of a version: the one that is named, else the only one, else the default of the version or its model.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] where there are several and none is the default; [`OperationError::NotFound`] for
    /// the version and for the name; and as [`Operations::list_model_versions`].
    pub async fn model_version_uri(
        &self,
        call: &Call,
        path: Authorized<ModelPath>,
        name: &ModelVersionName,
        uri_name: Option<&str>,
    ) -> Result<String, OperationError> {
        let version = self.load_model_version(call, path, name).await?;
        let properties = &self.in_model_catalog(call)?.kept_row()?.object.properties;
        match version.body.uri(uri_name, properties) {
            Ok(uri) => Ok(uri.to_owned()),
            Err(error @ UriError::Ambiguous) => Err(OperationError::invalid(error.to_string())),
            Err(UriError::Unknown(name)) => Err(OperationError::not_found(Noun::ModelVersionUriName, name)),
        }
    }

    /// Alters a version, all changes or none.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] when another version has one of the aliases; [`OperationError::Invalid`] when
    /// no URI would be left; and as [`Operations::list_model_versions`].
    pub async fn alter_model_version(
        &self,
        call: &Call,
        path: Authorized<ModelPath>,
        name: &ModelVersionName,
        changes: Vec<ModelVersionChange>,
    ) -> Result<ModelVersion, OperationError> {
        let model = self.model_id(call)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let mut version = found(&mut write, model, name)
            .await?
            .ok_or_else(|| missing(&path, name))?;
        for change in changes {
            version.body.apply(change);
        }
        version.body.check().map_err(invalid)?;
        let (number, aliases) = (version.version, version.body.aliases.clone());
        let altered = match write.alter_model_version(model, version).await {
            Err(error) => {
                drop(write);
                return Err(self.told(call, model, Some(number), &aliases, error).await);
            }
            Ok(altered) => altered,
        };
        write.commit().await?;
        Ok(altered)
    }

    /// Deletes a version with its aliases. Its number is not given again. `false` where there is none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for metalake and catalog;
    /// [`OperationError::Unsupported`] for a catalog without models.
    pub async fn delete_model_version(
        &self,
        call: &Call,
        _: Authorized<ModelPath>,
        name: &ModelVersionName,
    ) -> Result<bool, OperationError> {
        let Ok(model) = self.in_model_catalog(call)?.row() else {
            return Ok(false);
        };
        let model = model.object.id;
        let Some(mut write) = self.write_to_end(call, &[Area::Objects]).await? else {
            return Ok(false);
        };
        let Some(version) = found(&mut write, model, name).await? else {
            return Ok(false);
        };
        match write.delete_model_version(model, version.version).await {
            Err(error) if error.is_missing() => return Ok(false),
            other => other?,
        };
        write.commit().await?;
        Ok(true)
    }

    /// Which of these aliases another version has; all of them where none has it any more.
    async fn taken(
        &self,
        model: ObjectId,
        number: Option<i64>,
        aliases: &BTreeSet<String>,
    ) -> Result<String, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        for alias in aliases {
            let holder = snapshot.model_version_of_alias(model, alias).await?;
            if holder.is_some() && holder != number {
                return Ok(alias.clone());
            }
        }
        let all: Vec<&str> = aliases.iter().map(String::as_str).collect();
        Ok(all.join("`, `"))
    }

    fn model_id(&self, call: &Call) -> Result<ObjectId, OperationError> {
        Ok(self.in_model_catalog(call)?.kept_row()?.object.id)
    }

    /// What a failed write of a version with these aliases means to the caller.
    async fn told(
        &self,
        call: &Call,
        model: ObjectId,
        number: Option<i64>,
        aliases: &BTreeSet<String>,
        error: StoreError,
    ) -> OperationError {
        if error.is_unique() {
            return match self.taken(model, number, aliases).await {
                Ok(taken) => OperationError::already_exists(Noun::ModelVersionAlias, taken),
                Err(error) => error,
            };
        }
        if error.is_missing() {
            // The model was dropped since the gate looked.
            return call
                .facts
                .found()
                .map_or_else(|error| error, |found| found.missing());
        }
        error.into()
    }
}

async fn found(
    snapshot: &mut Snapshot,
    model: ObjectId,
    name: &ModelVersionName,
) -> Result<Option<ModelVersion>, OperationError> {
    let number = match name {
        ModelVersionName::Number(number) => Some(*number),
        ModelVersionName::Alias(alias) => snapshot.model_version_of_alias(model, alias).await?,
    };
    match number {
        Some(number) => Ok(snapshot.model_version(model, number).await?),
        None => Ok(None),
    }
}

fn missing(path: &ModelPath, name: &ModelVersionName) -> OperationError {
    let version = match name {
        ModelVersionName::Number(number) => number.to_string(),
        ModelVersionName::Alias(alias) => alias.clone(),
    };
    OperationError::not_found(Noun::ModelVersion, format!("{}.{version}", path.name))
}

fn invalid(error: ModelVersionError) -> OperationError {
    OperationError::invalid(error.to_string())
}
