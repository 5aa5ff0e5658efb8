// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Models: list, register, load, alter, delete. The server keeps them itself; their versions are in
//! [`crate::model_version`].

use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::catalog::CatalogType;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::model::{Model, ModelChange, NewModel};
use lakeward_store::{Area, NewObject, ObjectChange, ObjectRow};

use crate::Operations;
use crate::caller::Call;
use crate::ending::ENDING;
use crate::error::OperationError;
use crate::facts::Found;
use crate::paths::{ModelPath, SchemaPath};

impl Operations {
    /// The names of the models of a schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unsupported`] for a catalog that
    /// holds something else.
    pub async fn list_models(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let schema = self.in_model_catalog(call)?.row()?;
        self.visible_children(call, schema.object.id, ObjectKind::Model, shown)
            .await
    }

    /// Registers a model, without versions. The caller owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; and as [`Operations::list_models`].
    pub async fn register_model(
        &self,
        call: &Call,
        schema: Authorized<SchemaPath>,
        new: NewModel,
    ) -> Result<Model, OperationError> {
        let found = self.in_model_catalog(call)?;
        let within = found.row()?.object.id;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let object = NewObject {
            comment: new.comment,
            properties: new.properties,
            ..NewObject::named(within, ObjectKind::Model, new.name.as_str())
        };
        let row = match write.create_object(&object).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(
                    ObjectKind::Model,
                    new.name.as_str(),
                ));
            }
            // The schema was dropped since the gate looked.
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Schema, &schema.schema));
            }
            other => other?,
        };
        self.make_creator_own(&mut write, row.id, call).await?;
        write.commit().await?;
        model(&row)
    }

    /// Loads a model.
    ///
    /// # Errors
    /// As [`Operations::list_models`].
    pub async fn load_model(&self, call: &Call, _: Authorized<ModelPath>) -> Result<Model, OperationError> {
        model(&self.in_model_catalog(call)?.kept_row()?.object)
    }

    /// Alters a model, all changes or none. A rename keeps versions, owner and grants.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] for a new name that is taken; and as [`Operations::list_models`].
    pub async fn alter_model(
        &self,
        call: &Call,
        _: Authorized<ModelPath>,
        changes: Vec<ModelChange>,
    ) -> Result<Model, OperationError> {
        let found = self.in_model_catalog(call)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(found.kept_row()?.object.id).await?;
        let mut row = row.ok_or_else(|| found.missing())?.object;
        let mut new_name = None;
        for change in changes {
            match change {
                ModelChange::Rename(name) => new_name = Some(name),
                ModelChange::UpdateComment(comment) => row.comment = comment,
                ModelChange::SetProperty { property, value } => {
                    row.properties.insert(property, value);
                }
                ModelChange::RemoveProperty(property) => {
                    row.properties.remove(&property);
                }
            }
        }
        let change = ObjectChange {
            comment: Some(row.comment),
            properties: Some(row.properties),
            detail: None,
        };
        let mut altered = write.alter_object(row.id, &change).await?;
        if let Some(name) = new_name.filter(|name| name.as_str() != row.name) {
            altered = match write.rename_object(row.id, name.as_str()).await {
                Err(error) if error.is_unique() => {
                    return Err(OperationError::already_exists(ObjectKind::Model, name.as_str()));
                }
                other => other?,
            };
        }
        write.commit().await?;
        model(&altered)
    }

    /// Deletes a model with all its versions. What their URIs name stays. `false` where there is none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for metalake and catalog;
    /// [`OperationError::Unsupported`] for a catalog that holds something else.
    pub async fn delete_model(&self, call: &Call, _: Authorized<ModelPath>) -> Result<bool, OperationError> {
        let found = self.in_model_catalog(call)?;
        self.drop_leaf(call, found).await
    }

    /// Drops a leaf of a schema that has nothing outside the store; `false` where there is none.
    pub(crate) async fn drop_leaf(&self, call: &Call, found: &Found) -> Result<bool, OperationError> {
        let Ok(row) = found.row() else {
            return Ok(false);
        };
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        write.drop_object(row.object.id).await?;
        write.commit().await?;
        Ok(true)
    }

    /// What the request names, in a catalog of models that is in use.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for metalake and catalog, [`OperationError::Disabled`],
    /// [`OperationError::Unsupported`] for a catalog that holds something else.
    pub(crate) fn in_model_catalog<'a>(&self, call: &'a Call) -> Result<&'a Found, OperationError> {
        let found = call.facts.found()?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        call.facts.require_in_use()?;
        if self.factory_of(catalog)?.catalog_type() != CatalogType::Model.as_str() {
            return Err(OperationError::Unsupported(
                "this catalog has no models".to_owned(),
            ));
        }
        Ok(found)
    }
}

fn model(row: &ObjectRow) -> Result<Model, OperationError> {
    Ok(Model {
        name: row.name.clone(),
        comment: row.comment.clone(),
        properties: row.properties.clone(),
        latest_version: row.linked_versions()?,
        audit: row.audit.clone(),
    })
}
