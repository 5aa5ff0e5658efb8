// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of the files that say what a table or view is. The catalog alone writes them: whoever could put another one there
//! would choose its location, its snapshots and its schema. Engines write the other files beside them (manifests, manifest
//! lists, statistics). Names count anywhere below the table, since `write.metadata.path` may name any folder there.

/// How the names end.
pub(super) const METADATA_FILES: [&str; 3] = [".metadata.json", ".metadata.json.gz", "version-hint.text"];

/// Whether a key of the storage names such a file.
pub(super) fn is_metadata_file(key: &str) -> bool {
    METADATA_FILES.iter().any(|end| key.ends_with(end))
}
