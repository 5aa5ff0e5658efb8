// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tables and views of one caller, with their columns where those are asked for.

use std::collections::BTreeSet;

use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use arrow_flight::sql::metadata::GetTablesBuilder;
use arrow_flight::sql::{CommandGetTableTypes, CommandGetTables};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use lakeward_reader::description::Description;
use lakeward_reader::error::ReaderError;
use lakeward_reader::listing::RelationKind;
use lakeward_reader::session::Session;
use lakeward_reader::table_name::TableName;

use super::pattern::NamePattern;
use super::visible::{Place, Visible};
use super::{MetadataRows, columns, unbuilt};

/// Namespaces whose tables are listed at once.
const LISTS_AT_ONCE: usize = 8;
/// Tables that are loaded at once for their columns.
const LOADS_AT_ONCE: usize = 8;
/// Rows of one batch.
const BATCH: usize = 1024;

/// A table or view that the caller may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) name: TableName,
    pub(super) kind: RelationKind,
}

/// The word of the protocol.
const fn table_type(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Table => "TABLE",
        RelationKind::View => "VIEW",
    }
}

/// Answers `GetTableTypes`.
///
/// # Errors
/// None in fact.
pub(super) fn get_table_types() -> Result<MetadataRows, ReaderError> {
    let mut builder = CommandGetTableTypes {}.into_builder();
    for kind in RelationKind::ALL {
        builder.append(table_type(kind));
    }
    Ok(MetadataRows::one(builder.build().map_err(unbuilt)?))
}

/// Answers `GetTables`, in the order of names. With `include_schema`, a table that the caller could not read now has no
/// columns among many, and is the error where it alone was asked for.
///
/// # Errors
/// As [`Visible::catalogs`]; those of the lists come with the rows.
pub(super) async fn get_tables(
    visible: &Visible,
    session: &Session,
    asked: CommandGetTables,
) -> Result<MetadataRows, ReaderError> {
    let schemas = NamePattern::like(asked.db_schema_filter_pattern.as_deref());
    let tables = NamePattern::like(asked.table_name_filter_pattern.as_deref());
    let kinds: Vec<RelationKind> = RelationKind::ALL
        .into_iter()
        .filter(|kind| {
            asked.table_types.is_empty() || asked.table_types.iter().any(|name| name == table_type(*kind))
        })
        .collect();
    let include_schema = asked.include_schema;
    let schema = builder(include_schema).schema();
    let places = visible.places(asked.catalog.as_deref(), &schemas).await?;
    let meant = tables.clone();
    let session = session.clone();
    let rows = relations(places, kinds, tables)
        .map_ok(move |relation| {
            let session = session.clone();
            let alone = meant.means(&relation.name.table);
            async move {
                let schema = if include_schema {
                    match shown_schema(&session, &relation, alone).await? {
                        Some(schema) => schema,
                        None => return Ok(None),
                    }
                } else {
                    Schema::empty()
                };
                Ok(Some((relation, schema)))
            }
        })
        .try_buffered(LOADS_AT_ONCE)
        .try_filter_map(|row| async move { Ok(row) })
        .try_chunks(BATCH)
        .map_err(|error| error.1)
        .and_then(move |rows| async move { batch(&rows, include_schema) })
        .boxed();
    Ok(MetadataRows {
        schema,
        batches: rows,
    })
}

/// What is wanted is chosen before, with the same rules for every list.
fn builder(include_schema: bool) -> GetTablesBuilder {
    let none = None::<String>;
    GetTablesBuilder::new(
        none.clone(),
        none.clone(),
        none,
        Vec::<String>::new(),
        include_schema,
    )
}

fn batch(rows: &[(Relation, Schema)], include_schema: bool) -> Result<RecordBatch, ReaderError> {
    let mut builder = builder(include_schema);
    for (Relation { name, kind }, schema) in rows {
        let namespace = name.namespace.join(".");
        builder
            .append(&name.catalog, namespace, &name.table, table_type(*kind), schema)
            .map_err(unbuilt)?;
    }
    builder.build().map_err(unbuilt)
}

/// The columns; `None` for what went away or was hidden since it was listed.
async fn shown_schema(
    session: &Session,
    relation: &Relation,
    alone: bool,
) -> Result<Option<Schema>, ReaderError> {
    match described(session, relation).await {
        Ok(described) => Ok(described.map(|described| columns::schema(&relation.name, &described))),
        Err(error) if error.concerns_one_table() && !alone => Ok(Some(Schema::empty())),
        Err(error) => Err(error),
    }
}

/// What is told of a relation; `None` for what went away or was hidden since it was listed.
pub(super) async fn described(
    session: &Session,
    relation: &Relation,
) -> Result<Option<Description>, ReaderError> {
    match session.describe(&relation.name, relation.kind).await {
        Ok(described) => Ok(Some(described)),
        // Of a view it may be a table below it that is hidden; that is the view's error.
        Err(ReaderError::Refused { .. }) if relation.kind == RelationKind::Table => Ok(None),
        Err(error) => Err(error),
    }
}

/// The wanted relations of some places, in their order and by name.
pub(super) fn relations(
    places: Vec<Place>,
    kinds: Vec<RelationKind>,
    tables: NamePattern,
) -> BoxStream<'static, Result<Relation, ReaderError>> {
    stream::iter(places)
        .map(move |place| {
            let (kinds, tables) = (kinds.clone(), tables.clone());
            async move {
                let mut found = BTreeSet::new();
                for kind in kinds {
                    let names = place.catalog.relations(&place.levels, kind).await?;
                    let wanted = names.into_iter().filter(|name| tables.matches(name));
                    found.extend(wanted.map(|name| (name, kind)));
                }
                let catalog = place.catalog.name().to_owned();
                let relations = found.into_iter().map(move |(table, kind)| {
                    let namespace = place.levels.clone();
                    let catalog = catalog.clone();
                    Ok(Relation {
                        name: TableName {
                            catalog,
                            namespace,
                            table,
                        },
                        kind,
                    })
                });
                Ok::<_, ReaderError>(stream::iter(relations))
            }
        })
        .buffered(LISTS_AT_ONCE)
        .try_flatten()
        .boxed()
}
