// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The trusted reader for Python: `lakeward.connect(…).sql(…)`.
//!
//! The module `lakeward._lakeward`. What users see, with its types and documentation, is `python/lakeward`.

mod connection;
mod errors;
mod parameters;
mod rows;

use pyo3::prelude::*;

/// The native half of the package `lakeward`.
#[pymodule(gil_used = false)]
fn _lakeward(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<connection::Connection>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<rows::TableUse>()?;
    errors::add(module)
}
