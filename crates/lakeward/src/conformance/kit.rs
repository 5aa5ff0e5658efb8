// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which kit of fixtures this is, and which specification it follows.

use lakeward_read_restrictions::specification::{SPECIFICATION_READ_AS, SPECIFICATION_REVISION};

/// The version of the fixtures in `fixtures/conformance`, as `fixtures/conformance-kit.json` states it.
pub(super) const KIT_VERSION: &str = "1.0.0";

/// One line for people.
pub(super) fn revision_line() -> String {
    format!(
        "conformance kit {KIT_VERSION}, Iceberg REST specification at {SPECIFICATION_REVISION} (until that can be read: \
         {SPECIFICATION_READ_AS})"
    )
}
