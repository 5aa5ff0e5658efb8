// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys. Iceberg has identifier fields, which serve as primary keys, and no foreign keys.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray, new_null_array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow_flight::sql::CommandGetPrimaryKeys;
use futures::TryStreamExt;
use lakeward_reader::error::ReaderError;
use lakeward_reader::listing::RelationKind;
use lakeward_reader::session::Session;
use lakeward_reader::table_name::TableName;

use super::MetadataRows;
use super::pattern::NamePattern;
use super::relations::{described, relations};
use super::visible::Visible;

/// The columns of `GetPrimaryKeys`.
pub(super) fn primary_keys_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("catalog_name", DataType::Utf8, true),
        Field::new("db_schema_name", DataType::Utf8, true),
        Field::new("table_name", DataType::Utf8, false),
        Field::new("column_name", DataType::Utf8, false),
        Field::new("key_name", DataType::Utf8, true),
        Field::new("key_sequence", DataType::Int32, false),
    ]))
}

/// The columns of `GetExportedKeys`, `GetImportedKeys` and `GetCrossReference`.
pub(super) fn foreign_keys_schema() -> SchemaRef {
    let side = |side: &str| {
        [
            Field::new(format!("{side}_catalog_name"), DataType::Utf8, true),
            Field::new(format!("{side}_db_schema_name"), DataType::Utf8, true),
            Field::new(format!("{side}_table_name"), DataType::Utf8, false),
            Field::new(format!("{side}_column_name"), DataType::Utf8, false),
        ]
    };
    let mut fields = Vec::new();
    fields.extend(side("pk"));
    fields.extend(side("fk"));
    fields.extend([
        Field::new("key_sequence", DataType::Int32, false),
        Field::new("fk_key_name", DataType::Utf8, true),
        Field::new("pk_key_name", DataType::Utf8, true),
        Field::new("update_rule", DataType::UInt8, false),
        Field::new("delete_rule", DataType::UInt8, false),
    ]);
    Arc::new(Schema::new(fields))
}

/// Answers the three questions about foreign keys: there are none.
pub(super) fn no_foreign_keys() -> MetadataRows {
    MetadataRows::one(RecordBatch::new_empty(foreign_keys_schema()))
}

/// Answers `GetPrimaryKeys`. Names are names here, not patterns; without a catalog or schema, all that the caller may see
/// are looked through.
///
/// # Errors
/// As [`Visible::catalogs`], and as a query of the table.
pub(super) async fn get_primary_keys(
    visible: &Visible,
    session: &Session,
    asked: &CommandGetPrimaryKeys,
) -> Result<MetadataRows, ReaderError> {
    let schemas = asked
        .db_schema
        .as_deref()
        .map_or_else(NamePattern::any, NamePattern::exactly);
    let places = visible.places(asked.catalog.as_deref(), &schemas).await?;
    let table = NamePattern::exactly(&asked.table);
    let mut found = relations(places, vec![RelationKind::Table], table);
    let mut keys = Vec::new();
    while let Some(relation) = found.try_next().await? {
        if let Some(described) = described(session, &relation).await? {
            keys.extend(
                (1..)
                    .zip(described.identifier)
                    .map(|(position, column)| (relation.name.clone(), column, position)),
            );
        }
    }
    Ok(MetadataRows::one(primary_keys(&keys)?))
}

fn primary_keys(keys: &[(TableName, String, i32)]) -> Result<RecordBatch, ReaderError> {
    let text = |of: fn(&TableName) -> String| {
        Arc::new(StringArray::from_iter_values(
            keys.iter().map(|(name, ..)| of(name)),
        )) as ArrayRef
    };
    let columns = keys.iter().map(|(_, column, _)| column);
    let positions = keys.iter().map(|(.., position)| *position);
    let arrays = vec![
        text(|name| name.catalog.clone()),
        text(|name| name.namespace.join(".")),
        text(|name| name.table.clone()),
        Arc::new(StringArray::from_iter_values(columns)),
        new_null_array(&DataType::Utf8, keys.len()),
        Arc::new(Int32Array::from_iter_values(positions)),
    ];
    RecordBatch::try_new(primary_keys_schema(), arrays)
        .map_err(|error| ReaderError::Query(format!("the answer could not be built: {error}")))
}
