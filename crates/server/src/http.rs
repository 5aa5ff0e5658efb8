// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How requests reach endpoints: the same way for both protocols and every listener.

pub mod answer;
pub mod body;
pub mod connection;
mod cross_origin;
pub mod endpoint;
pub mod fault;
pub mod governance;
pub mod idempotency;
pub mod media;
pub mod metrics;
mod outcome;
pub mod parts;
pub mod rate_limit;
mod read_body;
pub mod reply;
pub mod respond;
pub mod route_table;
pub mod routes;
mod server_proof;
pub mod strict_json;
