// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Signatures of restrictions: what makes two of them the same (language reference, section 9).

use sha2::{Digest, Sha256};

use crate::action::MaskAction;
use crate::predicate::Predicate;
use crate::restrictions::{ReadRestrictions, RequiredColumnProjection};

/// Lower-case hexadecimal SHA-256 of `{"kind":"row-filter","restriction":…}`.
pub fn row_filter_signature(filter: &Predicate) -> String {
    sign("row-filter", &filter.wire_json())
}

/// Lower-case hexadecimal SHA-256 of `{"kind":"column-mask","restriction":…}`.
pub fn column_mask_signature(field_id: i32, action: MaskAction) -> String {
    sign(
        "column-mask",
        &RequiredColumnProjection { field_id, action }.wire_json(),
    )
}

impl ReadRestrictions {
    /// Lower-case hexadecimal SHA-256 of the canonical JSON of all restrictions together.
    pub fn signature(&self) -> String {
        self.written()
            .signature
            .get_or_init(|| hex::encode(Sha256::digest(self.wire_json())))
            .clone()
    }
}

fn sign(kind: &str, restriction: &str) -> String {
    hex::encode(Sha256::digest(format!(
        "{{\"kind\":\"{kind}\",\"restriction\":{restriction}}}"
    )))
}

#[cfg(test)]
mod tests;
