// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions: list, register, load, alter, drop. The server keeps them itself, in the schemas of any catalog.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::function::{Function, FunctionBody, FunctionChange, NewFunction};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, NewObject, ObjectChange, ObjectRow};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::paths::{FunctionPath, SchemaPath};

impl Operations {
    /// The names of the functions of a schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn list_functions(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let schema = in_use(call)?.row()?;
        self.visible_children(call, schema.object.id, ObjectKind::Function, shown)
            .await
    }

    /// The same in full.
    ///
    /// # Errors
    /// As [`Operations::list_functions`].
    pub async fn list_functions_in_full(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        shown: &Visibility,
    ) -> Result<Vec<Function>, OperationError> {
        let schema = in_use(call)?.row()?.object.id;
        self.visible_in_full(call, schema, ObjectKind::Function, shown)
            .await?
            .iter()
            .map(|row| function(&row.object))
            .collect()
    }

    /// Registers a function. The caller owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`] for definitions that cannot stand together, and in
    /// the schema that an engine keeps for functions of its own; and as [`Operations::list_functions`].
    pub async fn register_function(
        &self,
        call: &Call,
        schema: Authorized<SchemaPath>,
        new: NewFunction,
    ) -> Result<Function, OperationError> {
        let found = in_use(call)?;
        let within = found.row()?.object.id;
        self.refuse_reserved_schema(found, &schema.schema)?;
        new.body
            .check()
            .map_err(|error| OperationError::invalid(error.to_string()))?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let object = NewObject {
            comment: new.comment,
            detail: detail(&new.body)?,
            ..NewObject::named(within, ObjectKind::Function, new.name.as_str())
        };
        let row = match write.create_object(&object).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(
                    ObjectKind::Function,
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
        function(&row)
    }

    /// Loads a function.
    ///
    /// # Errors
    /// As [`Operations::list_functions`].
    pub async fn load_function(
        &self,
        call: &Call,
        _: Authorized<FunctionPath>,
    ) -> Result<Function, OperationError> {
        function(&in_use(call)?.kept_row()?.object)
    }

    /// Alters a function, all changes or none.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for changes that leave no function; and as [`Operations::register_function`].
    pub async fn alter_function(
        &self,
        call: &Call,
        path: Authorized<FunctionPath>,
        changes: Vec<FunctionChange>,
    ) -> Result<Function, OperationError> {
        let found = in_use(call)?;
        let id = found.kept_row()?.object.id;
        self.refuse_reserved_schema(found, &path.schema)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(id).await?.ok_or_else(|| found.missing())?.object;
        let mut comment = row.comment.clone();
        let mut body = body(&row)?;
        for change in changes {
            if let FunctionChange::UpdateComment(new) = &change {
                comment.clone_from(new);
            }
            body.apply(change)
                .map_err(|error| OperationError::invalid(error.to_string()))?;
        }
        let change = ObjectChange {
            comment: Some(comment),
            properties: None,
            detail: Some(detail(&body)?),
        };
        let row = write.alter_object(id, &change).await?;
        write.commit().await?;
        function(&row)
    }

    /// Drops a function. `false` where there is none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for metalake and catalog;
    /// [`OperationError::Invalid`] as [`Operations::register_function`].
    pub async fn drop_function(
        &self,
        call: &Call,
        path: Authorized<FunctionPath>,
    ) -> Result<bool, OperationError> {
        let found = in_use(call)?;
        self.refuse_reserved_schema(found, &path.schema)?;
        self.drop_leaf(call, found).await
    }

    /// Refuses to change functions where the engine of a catalog has its own.
    fn refuse_reserved_schema(&self, found: &Found, schema: &str) -> Result<(), OperationError> {
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        let factory = self.factory_of(catalog)?;
        if factory.schema_of_own_functions() != Some(schema) {
            return Ok(());
        }
        Err(OperationError::invalid(format!(
            "the schema `{schema}` of a catalog of `{}` is reserved for functions of the engine",
            factory.name()
        )))
    }
}

/// What the request names, in a catalog that is in use.
fn in_use(call: &Call) -> Result<&Found, OperationError> {
    let found = call.facts.found()?;
    found.of_kind(ObjectKind::Catalog)?;
    call.facts.require_in_use()?;
    Ok(found)
}

fn detail(body: &FunctionBody) -> Result<serde_json::Value, OperationError> {
    serde_json::to_value(body).map_err(OperationError::internal)
}

fn body(row: &ObjectRow) -> Result<FunctionBody, OperationError> {
    serde_json::from_value(row.detail.clone())
        .map_err(|error| OperationError::internal(format!("the row of function {}: {error}", row.id)))
}

fn function(row: &ObjectRow) -> Result<Function, OperationError> {
    Ok(Function {
        name: row.name.clone(),
        comment: row.comment.clone(),
        body: body(row)?,
        audit: row.audit.clone(),
    })
}
