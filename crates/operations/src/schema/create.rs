// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Creating schemas, with the schemas that they nest in.

use lakeward_authorization::Authorized;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use lakeward_metadata::schema::{NewSchema, Schema};
use lakeward_store::{Area, NewObject, ObjectRow, Write};

use super::{SchemaParentPath, require_in_use_with_catalog};
use crate::Operations;
use crate::caller::Call;
use crate::error::{Mistake, OperationError};
use crate::paths::SchemaPath;

/// The deepest nesting of schemas. Every level above a new one is made with it, in one write.
const MAX_LEVELS: usize = 64;

impl Operations {
    /// Creates a schema, and above it what it nests in where that is missing. The creator owns all of them.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`] for names and properties that break a rule, and
    /// for a nested name in a catalog whose schemas do not nest; [`OperationError::NotFound`] and
    /// [`OperationError::Disabled`] for metalake and catalog.
    pub async fn create_schema(
        &self,
        call: &Call,
        parent: Authorized<SchemaParentPath>,
        new: NewSchema,
    ) -> Result<Schema, OperationError> {
        call.facts.found()?.of_kind(ObjectKind::Catalog)?;
        require_in_use_with_catalog(call.facts.found()?)?;
        let levels = self.new_levels(&new.name)?;
        self.create_schema_at(call, &parent, new, levels).await
    }

    /// As [`Operations::create_schema`], with levels whose names were checked by the rules of the protocol in use.
    ///
    /// # Errors
    /// As [`Operations::create_schema`].
    pub(crate) async fn create_schema_at(
        &self,
        call: &Call,
        parent: &SchemaParentPath,
        new: NewSchema,
        levels: Vec<String>,
    ) -> Result<Schema, OperationError> {
        let found = call.facts.found()?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        require_in_use_with_catalog(found)?;
        self.require_kept_here(found)?;
        let factory = self.factory_of(catalog)?;
        if let Some(schema) = factory.fixed_schemas().first() {
            return Err(OperationError::Unsupported(format!(
                "no schema can be made in a catalog of the provider `{}`: it has the schema `{}`, with everything in it",
                factory.name(),
                schema.name
            )));
        }
        if levels.len() > MAX_LEVELS {
            return Err(OperationError::mistake(
                Mistake::Namespace,
                format!("schemas nest at most {MAX_LEVELS} levels deep"),
            ));
        }
        if levels.len() > 1 && !factory.has_nested_schemas() {
            return Err(OperationError::invalid(format!(
                "`{}` is not a name of a schema: the schemas of the provider `{}` do not nest",
                new.name,
                factory.name()
            )));
        }
        factory.schema_properties().check_new(&new.properties)?;
        let mut properties = new.properties;
        self.check_schema_location((&parent.metalake, &new.name), found, &mut properties)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let (last, above) = levels
            .split_last()
            .ok_or_else(|| OperationError::invalid("a schema needs a name"))?;
        let mut within = catalog.id;
        for level in above {
            within = self.schema_or_new(&mut write, call, within, level).await?;
        }
        let object = NewObject {
            comment: new.comment,
            properties,
            ..NewObject::named(within, ObjectKind::Schema, last)
        };
        let row: ObjectRow = match write.create_object(&object).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::Schema, new.name));
            }
            // The catalog was dropped since the gate looked.
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Catalog, &catalog.name));
            }
            other => other?,
        };
        self.make_creator_own(&mut write, row.id, call).await?;
        self.end_with_object(call, &mut write, row.id).await?;
        write.commit().await?;
        let path = SchemaPath {
            metalake: parent.metalake.clone(),
            catalog: parent.catalog.clone(),
            schema: new.name,
        };
        self.schema(found, &path, &row)
    }

    /// The levels of a new schema's name, each of them a name.
    fn new_levels(&self, full_name: &str) -> Result<Vec<String>, OperationError> {
        self.levels(full_name)
            .iter()
            .map(|level| Ok(Name::parse(ObjectKind::Schema, level)?.as_str().to_owned()))
            .collect()
    }

    async fn schema_or_new(
        &self,
        write: &mut Write,
        call: &Call,
        within: lakeward_metadata::id::ObjectId,
        level: &str,
    ) -> Result<lakeward_metadata::id::ObjectId, OperationError> {
        if let Some(row) = write.child(within, ObjectKind::Schema, level).await? {
            return Ok(row.object.id);
        }
        let row = write
            .create_object(&NewObject::named(within, ObjectKind::Schema, level))
            .await?;
        self.make_creator_own(write, row.id, call).await?;
        Ok(row.id)
    }
}
