// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Equality delete files: a row is deleted when it equals one of theirs in the columns that are compared.
//!
//! Null equals null and nothing else; every NaN equals every NaN; `-0.0` and `0.0` differ.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use arrow::row::{RowConverter, SortField};
use datafusion::execution::memory_pool::MemoryReservation;
use iceberg::arrow::type_to_arrow_type;
use iceberg::io::FileIO;
use iceberg::spec::TableMetadata;

use super::delete_file::DeleteFile;
use super::reserve;
use crate::data_file::{Wanted, widened};
use crate::error::ReaderError;

/// What a row takes beside its values, in bytes, rounded up: its place in the set and in the allocator.
const PER_ROW: usize = 64;

/// The rows of one file.
#[derive(Debug)]
pub(super) struct EqualityDeletes {
    columns: Vec<Wanted>,
    converter: RowConverter,
    rows: HashSet<Box<[u8]>>,
}

/// The columns that a file compares: as the table has them now, or had them last.
///
/// # Errors
/// What is wrong with the ids.
pub(super) fn columns(ids: &[i32], metadata: &TableMetadata) -> Result<Vec<Wanted>, String> {
    if ids.is_empty() {
        return Err("an equality delete file does not say which columns it compares".to_owned());
    }
    let current = metadata.current_schema();
    let mut older: Vec<_> = metadata.schemas_iter().collect();
    older.sort_by_key(|schema| std::cmp::Reverse(schema.schema_id()));
    ids.iter()
        .map(|id| {
            let schemas = std::iter::once(current).chain(older.iter().copied());
            let field = schemas
                .clone()
                .find_map(|schema| schema.as_struct().field_by_id(*id))
                .filter(|field| field.field_type.is_primitive());
            let Some(field) = field else {
                return Err(format!(
                    "an equality delete file compares field {id}, which is no top-level column of a primitive type"
                ));
            };
            let data_type = type_to_arrow_type(&field.field_type).map_err(|cause| cause.to_string())?;
            // Files of before the column, or of after it, show its default or null.
            let mut field = field.as_ref().clone();
            field.required = false;
            Ok(Wanted {
                field: Arc::new(field),
                data_type,
            })
        })
        .collect()
}

/// Reads a whole file.
pub(super) async fn read(
    table: &str,
    file_io: &FileIO,
    file: &DeleteFile,
    memory: &MemoryReservation,
) -> Result<EqualityDeletes, ReaderError> {
    let wanted: Vec<(i32, DataType)> = file
        .columns
        .iter()
        .map(|column| (column.field.id, column.data_type.clone()))
        .collect();
    let mut deletes = EqualityDeletes::new(file.columns.clone())?;
    let add = |values: &[ArrayRef]| reserve(memory, deletes.add(values)?);
    file.parquet(table, file_io, memory, &wanted, add).await?;
    Ok(deletes)
}

impl EqualityDeletes {
    pub(super) fn new(columns: Vec<Wanted>) -> Result<Self, ReaderError> {
        let fields = columns
            .iter()
            .map(|column| SortField::new(column.data_type.clone()))
            .collect();
        Ok(Self {
            columns,
            converter: RowConverter::new(fields).map_err(failed)?,
            rows: HashSet::new(),
        })
    }

    /// Takes rows and tells how many bytes it has grown.
    pub(super) fn add(&mut self, values: &[ArrayRef]) -> Result<usize, ReaderError> {
        let rows = self
            .converter
            .convert_columns(&comparable(values))
            .map_err(failed)?;
        let mut grown = 0_usize;
        for row in &rows {
            let row = row.as_ref();
            if self.rows.insert(Box::from(row)) {
                grown = grown.saturating_add(row.len() + PER_ROW);
            }
        }
        Ok(grown)
    }

    /// The columns that are compared.
    pub(super) fn columns(&self) -> &[Wanted] {
        &self.columns
    }

    /// Which rows of a batch this file names.
    pub(super) fn named<'a>(
        &self,
        rows: usize,
        column: &dyn Fn(i32) -> Option<&'a ArrayRef>,
    ) -> Result<BooleanBuffer, ReaderError> {
        let values = self
            .columns
            .iter()
            .map(|wanted| {
                let values = column(wanted.field.id).ok_or_else(|| {
                    ReaderError::Query("a column that equality deletes compare was not read".to_owned())
                })?;
                if values.data_type() == &wanted.data_type {
                    return Ok(Arc::clone(values));
                }
                widened(values, &wanted.data_type).map_err(failed)
            })
            .collect::<Result<Vec<_>, _>>()?;
        if self.rows.is_empty() {
            return Ok(BooleanBuffer::new_unset(rows));
        }
        let keys = self
            .converter
            .convert_columns(&comparable(&values))
            .map_err(failed)?;
        Ok(keys.iter().map(|key| self.rows.contains(key.as_ref())).collect())
    }
}

/// The columns with one NaN for all.
fn comparable(values: &[ArrayRef]) -> Vec<ArrayRef> {
    values
        .iter()
        .map(|array| -> ArrayRef {
            if let Some(floats) = array.as_primitive_opt::<Float32Type>() {
                let one: PrimitiveArray<Float32Type> =
                    floats.unary(|value| if value.is_nan() { f32::NAN } else { value });
                return Arc::new(one);
            }
            if let Some(doubles) = array.as_primitive_opt::<Float64Type>() {
                let one: PrimitiveArray<Float64Type> =
                    doubles.unary(|value| if value.is_nan() { f64::NAN } else { value });
                return Arc::new(one);
            }
            Arc::clone(array)
        })
        .collect()
}

/// Arrow's message may hold a value.
fn failed(_: arrow::error::ArrowError) -> ReaderError {
    ReaderError::Query("equality deletes could not be compared with the rows of a data file".to_owned())
}
