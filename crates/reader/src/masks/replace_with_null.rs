// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `replace-with-null`: null in every row. The column is not read.

use arrow::array::{ArrayRef, new_null_array};
use arrow::datatypes::DataType;

pub(super) fn apply(data_type: &DataType, rows: usize) -> ArrayRef {
    new_null_array(data_type, rows)
}
