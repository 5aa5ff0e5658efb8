// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which text of the Iceberg REST specification this crate follows.

/// The revision of the Iceberg REST specification that the wire format and the actions follow: the commit that the design of
/// tag-based read restrictions pins. `fixtures/read-restrictions.schema.json` states the same one.
///
/// Until that commit can be read, its content is taken from [`SPECIFICATION_READ_AS`].
pub const SPECIFICATION_REVISION: &str = "6dec25e4";

/// The text that was read in place of [`SPECIFICATION_REVISION`].
pub const SPECIFICATION_READ_AS: &str = "pull request 13879 at 32ddf37d89";
