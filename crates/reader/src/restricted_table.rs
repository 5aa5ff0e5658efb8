// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One table as an engine sees it: behind its restrictions.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef as ArrowSchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result as EngineResult;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::io::{FileIO, FileIOBuilder};
use iceberg::table::Table;
use iceberg::{Runtime, TableIdent};
use iceberg_storage_opendal::OpenDalResolvingStorageFactory;
use lakeward_read_restrictions::action::{MaskAction, QuerySalt};
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use crate::barrier::{Barrier, Column};
use crate::data_file::{FileScan, Seen, Wanted};
use crate::error::ReaderError;
use crate::fields::fields_of;
use crate::load_table::LoadedTable;
use crate::masks::Mask;
use crate::planning::{plan, untrusted_fields};
use crate::row_filter::{RowFilter, collect_fields};
use crate::session::explain::Explaining;
use crate::table_version::{TableState, TableVersion};
use crate::text_views::inside;
use crate::user_filter::user_predicate;

/// A table with the restrictions it was loaded with, for one query. Tables without restrictions are the same with
/// nothing to enforce; there is no other way to a table.
pub struct RestrictedTable {
    name: String,
    table: Table,
    state: TableState,
    schema: ArrowSchemaRef,
    fields: Vec<Field>,
    restrictions: ReadRestrictions,
    untrusted: BTreeSet<i32>,
    salt: QuerySalt,
}

impl fmt::Debug for RestrictedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestrictedTable")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl RestrictedTable {
    /// Puts a version of a loaded table behind its restrictions. `name` is what messages call it; `salt` is that of
    /// the query.
    ///
    /// Must be called within a Tokio runtime, on which files are read.
    ///
    /// # Errors
    /// [`ReaderError::Version`] for versions that do not exist or cannot be restricted; [`ReaderError::Unsupported`]
    /// for tables whose types or storage this reader does not know.
    pub fn new(
        name: &str,
        loaded: LoadedTable,
        version: &TableVersion,
        salt: QuerySalt,
    ) -> Result<Self, ReaderError> {
        let state = version.state(name, &loaded.metadata, &loaded.restrictions)?;
        Self::over(name, loaded, state, salt).map_err(|cause| ReaderError::Unsupported {
            table: name.to_owned(),
            // Without the context of the error, which may hold paths and values.
            problem: cause.message().to_owned(),
        })
    }

    fn over(name: &str, loaded: LoadedTable, state: TableState, salt: QuerySalt) -> iceberg::Result<Self> {
        let LoadedTable {
            metadata,
            metadata_location,
            restrictions,
            storage,
        } = loaded;
        let file_io = file_io(metadata.location(), storage)?;
        let runtime = Runtime::try_current()?;
        let schema = schema_to_arrow_schema(&state.schema)?;
        let fields = fields_of(&state.schema);
        let schema = Arc::new(shown(schema, &fields, &restrictions));
        let untrusted = untrusted_fields(&metadata, &state.schema);
        let mut builder = Table::builder()
            .identifier(TableIdent::from_strs(["t", name])?)
            .metadata(metadata)
            .file_io(file_io)
            .runtime(runtime)
            .readonly(true);
        if let Some(location) = metadata_location {
            builder = builder.metadata_location(location);
        }
        Ok(Self {
            name: name.to_owned(),
            table: builder.build()?,
            state,
            schema,
            fields,
            restrictions,
            untrusted,
            salt,
        })
    }

    /// Whether anything is enforced.
    pub fn is_restricted(&self) -> bool {
        self.restrictions.is_active()
    }

    /// What is enforced.
    pub fn restrictions(&self) -> &ReadRestrictions {
        &self.restrictions
    }

    /// The snapshot that is read; `None` for a table without any.
    pub fn snapshot_id(&self) -> Option<i64> {
        self.state.snapshot_id()
    }

    /// The user's predicates as far as they may skip files: only on columns that show original values.
    fn user_predicates<'a>(&self, filters: impl Iterator<Item = &'a Expr>) -> Vec<Predicate> {
        let column = |name: &str| {
            self.fields
                .iter()
                .zip(self.schema.fields())
                .find(|(field, _)| field.name == name)
                .filter(|(field, _)| self.restrictions.action_of(field.id).is_none())
                .map(|(field, arrow)| (field.clone(), arrow.data_type().clone()))
        };
        filters
            .filter_map(|filter| user_predicate(filter, &column))
            .collect()
    }

    /// All that a row must fulfil to be of use; skipping by it never changes an answer.
    fn pruning(&self, filters: &[Expr]) -> Option<Predicate> {
        let mut all = self.user_predicates(filters.iter());
        if let Some(filter) = self.restrictions.row_filter() {
            all.push(filter.predicate().clone());
        }
        if all.iter().any(|one| one == &Predicate::Constant(false)) {
            return Some(Predicate::Constant(false));
        }
        match all.len() {
            0 | 1 => all.pop(),
            _ => Some(Predicate::And(all)),
        }
    }

    /// The output columns of a projection, each with its mask.
    fn columns(&self, projection: Option<&Vec<usize>>) -> EngineResult<Vec<Column>> {
        let all: Vec<usize> = (0..self.fields.len()).collect();
        projection
            .unwrap_or(&all)
            .iter()
            .map(|position| {
                let (Some(field), Some(arrow)) =
                    (self.fields.get(*position), self.schema.fields().get(*position))
                else {
                    return Err(DataFusionError::Internal(format!(
                        "column {position} of `{}` does not exist",
                        self.name
                    )));
                };
                Ok(Column {
                    field_id: field.id,
                    arrow: Arc::clone(arrow),
                    mask: self
                        .restrictions
                        .action_of(field.id)
                        .map(|action| Mask::new(action, arrow.data_type().clone())),
                })
            })
            .collect()
    }

    /// Restrictions speak of the columns that the table has now. Of one that was dropped since, nobody can say whether
    /// it was masked, so a caller who is restricted does not get it from an older version.
    fn refuse_dropped(&self, columns: &[Column]) -> EngineResult<()> {
        let current = self.table.metadata().current_schema();
        let dropped = columns
            .iter()
            .find(|column| current.field_by_id(column.field_id).is_none());
        match dropped {
            Some(column) if self.is_restricted() => {
                Err(DataFusionError::External(Box::new(ReaderError::Version {
                    table: self.name.clone(),
                    version: "in this version".to_owned(),
                    problem: format!(
                        "its column `{}` was dropped since, so nobody can say what restricts it; leave it out",
                        column.arrow.name()
                    ),
                })))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Ids to read: what the filter needs, and of the projected columns those whose answer depends on the original.
    fn field_ids_to_read(&self, columns: &[Column]) -> Vec<i32> {
        let mut needed: BTreeSet<i32> = columns
            .iter()
            .filter(|column| column.mask.as_ref().is_none_or(Mask::reads_column))
            .map(|column| column.field_id)
            .collect();
        if let Some(filter) = self.restrictions.row_filter() {
            collect_fields(filter.predicate(), &mut needed);
        }
        needed.into_iter().collect()
    }

    /// The fields with the types in which they are shown.
    fn wanted(&self) -> Vec<Wanted> {
        let fields = self.state.schema.as_struct().fields().iter();
        fields
            .zip(self.schema.fields())
            .map(|(field, arrow)| Wanted {
                field: Arc::clone(field),
                data_type: arrow.data_type().clone(),
            })
            .collect()
    }

    /// Columns of text on which work is done value by value.
    fn dictionaries(&self, columns: &[Column]) -> BTreeSet<i32> {
        let masked = columns.iter().filter(|column| column.mask.is_some());
        let mut fields: BTreeSet<i32> = masked.map(|column| column.field_id).collect();
        if let Some(filter) = self.restrictions.row_filter() {
            collect_fields(filter.predicate(), &mut fields);
        }
        fields.retain(|id| {
            let mut all = self.fields.iter().zip(self.schema.fields());
            all.any(|(field, arrow)| field.id == *id && arrow.data_type() == &DataType::Utf8View)
        });
        fields
    }
}

/// The schema of what is shown, in the engine's types. No server replaces a required column by null; what is hidden of
/// a sample may be one.
fn shown(schema: ArrowSchema, fields: &[Field], restrictions: &ReadRestrictions) -> ArrowSchema {
    let shown = schema.fields().iter().zip(fields).map(|(arrow, field)| {
        let nullable =
            arrow.is_nullable() || restrictions.action_of(field.id) == Some(MaskAction::ReplaceWithNull);
        Arc::new(ArrowField::new(
            arrow.name(),
            without_ids(&inside(arrow.data_type())),
            nullable,
        ))
    });
    ArrowSchema::new(shown.collect::<Vec<_>>())
}

/// The type without the field ids that iceberg-rust puts beside members. The engine takes columns of two tables for
/// different because of them, and then refuses to unite them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these have members in an Iceberg schema"
)]
fn without_ids(data_type: &DataType) -> DataType {
    let member = |field: &ArrowField| {
        ArrowField::new(field.name(), without_ids(field.data_type()), field.is_nullable())
    };
    match data_type {
        DataType::Struct(members) => DataType::Struct(members.iter().map(|field| member(field)).collect()),
        DataType::List(element) => DataType::List(Arc::new(member(element))),
        DataType::LargeList(element) => DataType::LargeList(Arc::new(member(element))),
        DataType::Map(entries, sorted) => DataType::Map(Arc::new(member(entries)), *sorted),
        plain => plain.clone(),
    }
}

/// Local files directly, everything else by the scheme of the location, which all files of the table have. Google's and
/// Azure's storage are refused by name: the server gives nobody a credential for them, and what the reader's machine has
/// reaches more than this table.
fn file_io(location: &str, storage: std::collections::BTreeMap<String, String>) -> iceberg::Result<FileIO> {
    if location.starts_with("file:") || location.starts_with('/') {
        return Ok(FileIO::new_with_fs());
    }
    let scheme = location
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    if let Some("gs" | "gcs" | "abfs" | "abfss" | "wasb" | "wasbs") = scheme.as_deref() {
        return Err(iceberg::Error::new(
            iceberg::ErrorKind::FeatureUnsupported,
            "its files lie on Google Cloud Storage or Azure, which the reader does not reach",
        ));
    }
    Ok(
        FileIOBuilder::new(Arc::new(OpenDalResolvingStorageFactory::new()))
            .with_props(storage)
            .build(),
    )
}

#[async_trait]
impl TableProvider for RestrictedTable {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn schema(&self) -> ArrowSchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// No filter of the user is ever evaluated below the barrier; those on unmasked columns may skip files.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> EngineResult<Vec<TableProviderFilterPushDown>> {
        Ok(filters
            .iter()
            .map(|filter| {
                if self.user_predicates(std::iter::once(*filter)).is_empty() {
                    TableProviderFilterPushDown::Unsupported
                } else {
                    TableProviderFilterPushDown::Inexact
                }
            })
            .collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        let columns = self.columns(projection)?;
        self.refuse_dropped(&columns)?;
        let pruning = self.pruning(filters);
        let field_ids = self.field_ids_to_read(&columns);
        // A plan that is shown must not depend on what the table holds: it is planned as if no file could match.
        let no_file = Predicate::Constant(false);
        let explaining = state.config().get_extension::<Explaining>().is_some();
        let planned = plan(
            &self.table,
            &self.name,
            &self.state,
            if explaining {
                Some(&no_file)
            } else {
                pruning.as_ref()
            },
            &self.untrusted,
            &field_ids,
            &state.runtime_env().memory_pool,
        )
        .await
        .map_err(|cause| DataFusionError::External(Box::new(cause)))?;
        let filter = self
            .restrictions
            .row_filter()
            .map(|filter| RowFilter::new(filter.predicate().clone()));
        let files = FileScan {
            table: self.name.clone(),
            file_io: self.table.file_io().clone(),
            fields: self.wanted(),
            filter: filter.clone(),
            pruning,
            untrusted: self.untrusted.clone(),
            dictionaries: self.dictionaries(&columns),
            deletes: planned.deletes,
            seen: Seen::default(),
        };
        let output = ArrowSchema::new(
            columns
                .iter()
                .map(|column| Arc::clone(&column.arrow))
                .collect::<Vec<_>>(),
        );
        Ok(Arc::new(Barrier::new(
            self.name.clone(),
            Arc::new(output),
            columns,
            filter,
            self.salt.clone(),
            Arc::new(files),
            field_ids,
            planned.tasks,
            state.config().target_partitions(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::file_io;

    #[test]
    fn clouds_that_nobody_gives_credentials_for_are_refused() {
        for location in [
            "gs://b/t",
            "GS://b/t",
            "abfss://c@a.dfs.core.windows.net/t",
            "abfs://c@a/t",
            "wasbs://c@a/t",
        ] {
            let refused = file_io(location, std::collections::BTreeMap::new());
            assert!(
                refused.is_err_and(|error| error.message().contains("does not reach")),
                "{location}"
            );
        }
        for location in ["s3://b/t", "s3a://b/t", "file:///t", "/t"] {
            assert!(
                file_io(location, std::collections::BTreeMap::new()).is_ok(),
                "{location}"
            );
        }
    }
}
