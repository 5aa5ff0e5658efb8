// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys and certificates that an operator keeps in files and replaces while the process runs, and what listeners are
//! encrypted with; whom this machine trusts.
//!
//! Knows neither protocols nor who a certificate speaks for.

pub mod key_store;
pub mod listener;
pub mod machine;
pub mod reloaded;
pub mod server_certificate;
