// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the server's audit log says: one record per decision. `lakeward-audit-log` writes them.

pub(crate) mod flood;
pub mod record;
