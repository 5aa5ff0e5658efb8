// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views: their metadata read, checked and changed, and the provider's face for them. As with tables the JSON itself is
//! changed, so that members and kinds of representations that nobody here knows survive.

mod catalog;
mod commit;
pub(crate) mod native;
pub(crate) mod reading;
