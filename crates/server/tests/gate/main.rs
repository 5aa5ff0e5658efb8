// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The gate of read restrictions, over every operation that is governed: the list comes from the routes.

mod outcomes;
mod requests;
mod scene;

#[path = "../authorization/golden.rs"]
mod golden;
