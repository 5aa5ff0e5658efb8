// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the product does, once per operation, in the right order. Knows neither HTTP nor SQL.

pub mod error;

pub use error::OperationError;
