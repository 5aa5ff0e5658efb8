// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The trusted reader as a service: Arrow Flight SQL for ordinary tools.

pub mod client;
