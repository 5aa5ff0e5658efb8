// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The exact JSON of the Iceberg REST protocol, and the grammar of its paths and headers.
//!
//! Requests are validated while they are read: whoever holds one holds a well-formed one. Table metadata stays raw
//! text and passes through byte for byte. The crate knows neither routes nor storage.

pub mod access_delegation;
pub mod commit_table;
pub mod config;
pub mod create_table;
pub mod error;
pub mod etag;
pub mod load_table;
pub mod load_table_response;
pub mod metrics_report;
pub mod namespace;
pub mod page;
pub mod plan_table_scan;
pub mod remote_sign;
pub mod request;
pub mod table_identifier;
pub mod view;
