// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows of a query, given to any library that knows the Arrow PyCapsule interface.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{ArrayRef, StructArray};
use arrow::datatypes::{Field, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use futures::StreamExt;
use futures::stream::BoxStream;
use lakeward_reader::session;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use tokio::runtime::Runtime;

use crate::errors::QueryError;

/// Batches as they come, with errors as texts: the C interface carries nothing else.
pub(crate) type Batches = BoxStream<'static, Result<RecordBatch, String>>;

/// How a table was used by a query.
#[pyclass(frozen, module = "lakeward", get_all, skip_from_py_object)]
#[derive(Debug, Clone)]
pub(crate) struct TableUse {
    /// catalog.schema.table
    name: String,
    /// Whether rows were filtered.
    filtered: bool,
    /// Names of masked columns with their actions.
    masks: Vec<(String, String)>,
}

#[pymethods]
impl TableUse {
    fn __repr__(&self) -> String {
        let masks: Vec<String> = self
            .masks
            .iter()
            .map(|(column, action)| format!("{column} ({action})"))
            .collect();
        let rows = if self.filtered {
            "rows filtered"
        } else {
            "all rows"
        };
        let masked = if masks.is_empty() {
            "no masks".to_owned()
        } else {
            format!("masked {}", masks.join(", "))
        };
        format!("<TableUse {}: {rows}, {masked}>", self.name)
    }
}

impl From<&session::TableUse> for TableUse {
    fn from(used: &session::TableUse) -> Self {
        Self {
            name: used.name.to_string(),
            filtered: used.filtered,
            masks: used.masks.clone(),
        }
    }
}

/// The rows of one query. They can be read once.
#[pyclass(frozen, module = "lakeward")]
pub(crate) struct Rows {
    schema: SchemaRef,
    tables: Option<Vec<TableUse>>,
    batches: Mutex<Option<Batches>>,
    /// Reads on while there are rows, also when the connection is gone.
    runtime: Arc<Runtime>,
}

impl Rows {
    pub(crate) fn new(
        schema: SchemaRef,
        tables: Option<Vec<TableUse>>,
        batches: Batches,
        runtime: Arc<Runtime>,
    ) -> Self {
        Self {
            schema,
            tables,
            batches: Mutex::new(Some(batches)),
            runtime,
        }
    }
}

#[pymethods]
impl Rows {
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields();
        fields.iter().map(|field| field.name().clone()).collect()
    }

    #[getter]
    fn tables(&self) -> Option<Vec<TableUse>> {
        self.tables.clone()
    }

    fn close(&self) {
        *self.batches.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.schema.as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(batches) = batches else {
            return Err(
                QueryError::new_err("these rows were read or closed before; run the query again").into(),
            );
        };
        let field = Field::new_struct("", self.schema.fields().clone(), false)
            .with_metadata(self.schema.metadata().clone());
        let arrays = Blocking {
            batches,
            runtime: Arc::clone(&self.runtime),
        };
        let reader = ArrayIterator::new(arrays, Arc::new(field));
        to_stream_pycapsule(py, Box::new(reader), requested_schema)
    }

    fn __repr__(&self) -> String {
        format!("<Rows of {}>", self.columns().join(", "))
    }
}

/// A stream as an iterator. Consumers wait on threads of their own, never on one of the runtime.
struct Blocking {
    batches: Batches,
    runtime: Arc<Runtime>,
}

impl Iterator for Blocking {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.runtime.block_on(self.batches.next())?;
        Some(
            next.map(|batch| Arc::new(StructArray::from(batch)) as ArrayRef)
                .map_err(|cause| ArrowError::ExternalError(cause.into())),
        )
    }
}
