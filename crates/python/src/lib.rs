// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The trusted reader for Python.
