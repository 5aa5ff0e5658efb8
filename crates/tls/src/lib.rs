// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Certificates that an operator keeps in PEM files and replaces while the process runs.
//!
//! Knows neither protocols nor who a certificate speaks for.

pub mod reloaded;
pub mod server_certificate;
