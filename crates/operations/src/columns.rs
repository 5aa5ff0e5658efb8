// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns: requests name them, the store knows them by field id, and only the table's metadata knows both.

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_read_restrictions::field::Field;
use lakeward_store::ChainRow;

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::facts::Found;
use crate::providers::tables_of;

impl Operations {
    /// The top-level fields of the current schema of a table, given the way to it.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] for a table whose provider keeps no field ids; what the provider reports.
    pub(crate) async fn fields_of_table(
        &self,
        metalake: &str,
        chain: &[ChainRow],
    ) -> Result<Vec<Field>, OperationError> {
        let of_kind = |kind| chain.iter().find(|row| row.object.kind == kind);
        let (Some(catalog), Some(table)) = (of_kind(ObjectKind::Catalog), of_kind(ObjectKind::Table)) else {
            return Err(OperationError::internal(
                "the chain of a table has no catalog or no table",
            ));
        };
        let provider = self.provider_of(metalake, &catalog.object)?;
        if let Some(upstream) = provider.upstream() {
            let way: Vec<ChainRow> = chain
                .iter()
                .filter(|row| row.object.kind != ObjectKind::Column)
                .cloned()
                .collect();
            let table = self.upstream_table(upstream, &way).await?.table;
            return Ok(table.map_ref(|table| table.metadata.facts().fields.clone()));
        }
        let mut pointer = self
            .store()
            .table_pointer(table.object.id)
            .await?
            .ok_or_else(|| {
                OperationError::Unsupported(
                    "columns of this table have no field ids, so nothing can be said of them".to_owned(),
                )
            })?;
        let loaded = self
            .load_version(tables_of(provider.as_ref())?, &mut pointer)
            .await?;
        Ok(loaded.map_ref(|table| table.metadata.facts().fields.clone()))
    }

    /// The same of a table that the request names, or names a column of.
    ///
    /// # Errors
    /// As [`Self::fields_of_table`].
    pub(crate) async fn fields_named(
        &self,
        call: &Call,
        named: &Found,
    ) -> Result<Vec<Field>, OperationError> {
        match call.met.fields_of(named) {
            Some(fields) => Ok(fields),
            None => self.fields_of_table(&named.metalake, &named.chain.rows).await,
        }
    }

    /// The field id of the column that the request names.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for a column that the table does not have, or has twice.
    pub(crate) async fn field_named(&self, call: &Call, column: &Found) -> Result<i32, OperationError> {
        let missing = || OperationError::not_found(Noun::MetadataObject, column.object.full_name());
        if column.chain.object().is_none() {
            return Err(missing());
        }
        let name = column.object.path.last().map(String::as_str).unwrap_or_default();
        let fields = self.fields_named(call, column).await?;
        let mut named = fields.iter().filter(|field| field.name == name && field.id > 0);
        match (named.next(), named.next()) {
            (Some(field), None) => Ok(field.id),
            _ => Err(missing()),
        }
    }

    /// An object whose last level may be a field id, with the column's present name instead; `None` for a column that
    /// the table does not have any more.
    pub(crate) async fn with_column_name(
        &self,
        call: &Call,
        chain: &[ChainRow],
        mut object: MetadataObject,
    ) -> Result<Option<MetadataObject>, OperationError> {
        if object.kind != ObjectKind::Column {
            return Ok(Some(object));
        }
        let fields = self.fields_of_table(&call.facts.found()?.metalake, chain).await?;
        let Some(id) = object.path.pop() else {
            return Ok(None);
        };
        let field = fields.into_iter().find(|field| field.id.to_string() == id);
        Ok(field.map(|field| {
            object.path.push(field.name);
            object
        }))
    }
}
