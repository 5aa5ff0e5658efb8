// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A native definition as an Iceberg creation.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::IcebergTableCreation;
use lakeward_metadata::table::{Column, TableDefinition};
use serde_json::{Value, json};

use super::data_type::{field_to_iceberg, to_iceberg};
use super::describe::COMMENT;
use super::layout::{DISTRIBUTION_MODE, distribution_mode, partition_spec, sort_order};
use crate::factory::TABLE_PROPERTIES;
use crate::schema::Schema;

/// Translates a definition.
///
/// # Errors
/// [`CatalogError::Invalid`] for what Iceberg does not have.
pub(crate) fn creation(definition: &TableDefinition) -> Result<IcebergTableCreation, CatalogError> {
    definition
        .check()
        .map_err(|error| CatalogError::Invalid(error.to_string()))?;
    if definition.columns.is_empty() {
        return Err(CatalogError::Invalid(
            "a table needs at least one column".to_owned(),
        ));
    }
    if !definition.indexes.is_empty() {
        return Err(CatalogError::Invalid("Iceberg tables have no indexes".to_owned()));
    }
    TABLE_PROPERTIES.check_new(&definition.properties)?;
    let json = schema_json(&definition.columns).map_err(CatalogError::Invalid)?;
    let schema = Schema::parse(&json).map_err(CatalogError::Invalid)?;
    let mode = distribution_mode(
        &definition.distribution,
        !definition.partitioning.is_empty(),
        !definition.sort_orders.is_empty(),
    )
    .map_err(CatalogError::Invalid)?;

    let mut properties = definition.properties.clone();
    let location = properties.remove("location");
    properties.remove("format");
    if let Some(provider) = properties.remove("provider") {
        // `provider` may name a file format, as in Spark's `USING parquet`.
        if !provider.eq_ignore_ascii_case("iceberg") {
            properties.insert("write.format.default".to_owned(), provider.to_ascii_lowercase());
        }
    }
    if let Some(comment) = &definition.comment {
        properties.insert(COMMENT.to_owned(), comment.clone());
    }
    properties
        .entry(DISTRIBUTION_MODE.to_owned())
        .or_insert_with(|| mode.to_owned());
    Ok(IcebergTableCreation {
        partition_spec: Some(
            partition_spec(&definition.partitioning, &schema).map_err(CatalogError::Invalid)?,
        ),
        write_order: Some(sort_order(&definition.sort_orders, &schema).map_err(CatalogError::Invalid)?),
        schema: json,
        location,
        properties,
    })
}

/// The columns as a schema with the id 0.
///
/// # Errors
/// What Iceberg does not have.
pub(crate) fn schema_json(columns: &[Column]) -> Result<Value, String> {
    let mut last = 0;
    let mut next_id = || {
        last += 1;
        last
    };
    let ids: Vec<i32> = columns.iter().map(|_| next_id()).collect();
    let mut fields = Vec::with_capacity(columns.len());
    for (column, id) in columns.iter().zip(ids) {
        check_column(column)?;
        fields.push(field_to_iceberg(
            id,
            &column.name,
            !column.nullable,
            to_iceberg(&column.data_type, &column.name, &mut next_id)?,
            column.comment.as_deref(),
        ));
    }
    Ok(json!({ "type": "struct", "schema-id": 0, "fields": fields }))
}

fn check_column(column: &Column) -> Result<(), String> {
    if column.auto_increment {
        return Err(format!("Iceberg cannot count up `{}` by itself", column.name));
    }
    if column.default_value.is_some() {
        return Err(format!(
            "a default value for `{}` of an Iceberg table is not supported",
            column.name
        ));
    }
    Ok(())
}
