// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Accepts requests and answers them: listeners, authentication, configuration, and the endpoints of both protocols.
//! Knows no rules of any kind; those are below [`lakeward_operations`].

pub mod app;
pub mod audit;
pub mod authentication;
pub mod config;
pub mod gravitino;
pub mod http;
pub mod iceberg;
pub mod lineage;
mod listener;
pub mod listing;
pub mod openapi;
pub mod operation_name;
pub mod reader_identity;
pub mod scim;
pub mod start;
pub mod token_exchange;

pub use config::Settings;
pub use start::{Running, StartError, providers, start, start_with};
