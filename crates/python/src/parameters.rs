// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Values of a statement's parameters, as one row.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float64Array, Int64Array, NullArray, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Field, Schema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDate, PyDateTime, PyFloat, PyInt, PyString, PyTzInfoAccess};

use crate::errors::QueryError;

/// The row of some values: `None`, `bool`, `int` of 64 bits, `float`, `str`, `bytes`, `date`, and `datetime`, which is one of
/// a time zone if it has one.
pub(crate) fn row(values: &[Bound<'_, PyAny>]) -> PyResult<RecordBatch> {
    let columns = values.iter().map(array).collect::<PyResult<Vec<ArrayRef>>>()?;
    let fields: Vec<Field> = columns
        .iter()
        .enumerate()
        .map(|(position, column)| Field::new(format!("${}", position + 1), column.data_type().clone(), true))
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .map_err(|cause| QueryError::new_err(cause.to_string()))
}

fn array(value: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    // Booleans are integers in Python, and times are dates.
    Ok(if value.is_none() {
        Arc::new(NullArray::new(1))
    } else if value.is_instance_of::<PyBool>() {
        Arc::new(BooleanArray::from(vec![value.extract::<bool>()?]))
    } else if value.is_instance_of::<PyInt>() {
        Arc::new(Int64Array::from(vec![value.extract::<i64>()?]))
    } else if value.is_instance_of::<PyFloat>() {
        Arc::new(Float64Array::from(vec![value.extract::<f64>()?]))
    } else if value.is_instance_of::<PyString>() {
        Arc::new(StringArray::from(vec![value.extract::<String>()?]))
    } else if value.is_instance_of::<PyBytes>() {
        Arc::new(BinaryArray::from_vec(vec![value.extract::<&[u8]>()?]))
    } else if let Ok(time) = value.cast::<PyDateTime>() {
        if time.get_tzinfo().is_some() {
            let time = time.extract::<DateTime<Utc>>().or_else(|_| utc(time))?;
            Arc::new(TimestampMicrosecondArray::from(vec![time.timestamp_micros()]).with_timezone("UTC"))
        } else {
            let time = time.extract::<NaiveDateTime>()?;
            Arc::new(TimestampMicrosecondArray::from(vec![
                time.and_utc().timestamp_micros(),
            ]))
        }
    } else if value.is_instance_of::<PyDate>() {
        let date = value.extract::<NaiveDate>()?;
        Arc::new(Date32Array::from(vec![Date32Type::from_naive_date(date)]))
    } else {
        return Err(PyTypeError::new_err(format!(
            "a parameter cannot be a `{}`; use None, bool, int, float, str, bytes, date or datetime, and cast it in the query",
            value.get_type().name()?
        )));
    })
}

/// A time of any zone, by Python's own rules.
fn utc(time: &Bound<'_, PyDateTime>) -> PyResult<DateTime<Utc>> {
    let zone = time
        .py()
        .import("datetime")?
        .getattr("timezone")?
        .getattr("utc")?;
    time.call_method1("astimezone", (zone,))?.extract()
}
