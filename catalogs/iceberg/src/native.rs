// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables in native words: both directions.

pub(crate) mod change;
pub(crate) mod create;
pub(crate) mod data_type;
pub(crate) mod describe;
pub(crate) mod layout;
