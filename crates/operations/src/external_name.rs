// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names that clients of the Iceberg protocol choose, and where their tables stand.

use lakeward_catalog::table_catalog::TablePlace;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;

use crate::Operations;
use crate::error::OperationError;
use crate::facts::Found;
use crate::schema::LOCATION;

/// The longest name of a table or namespace level that clients of the Iceberg protocol may choose.
const MAX_NAME_CHARS: usize = 255;

impl Operations {
    /// Where a table of this name stands in a schema.
    pub(crate) fn place_in(&self, schema: &Found, name: &str) -> TablePlace {
        let full_name = schema.object.path.get(1).cloned().unwrap_or_default();
        TablePlace {
            namespace: self.levels(&full_name),
            name: name.to_owned(),
            namespace_location: schema
                .chain
                .of_kind(ObjectKind::Schema)
                .and_then(|row| row.object.properties.get(LOCATION).cloned()),
            unused_location: false,
        }
    }
}

/// A name that a client of the Iceberg protocol chose: almost anything, and kept exactly.
///
/// # Errors
/// [`OperationError::Invalid`].
pub(crate) fn check_external_name(kind: ObjectKind, name: &str) -> Result<(), OperationError> {
    Name::external(kind, name)?;
    let what = kind.lower_case();
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(OperationError::invalid(format!(
            "the name of a {what} must not have more than {MAX_NAME_CHARS} characters"
        )));
    }
    if name.contains('\0') {
        return Err(OperationError::invalid(format!(
            "the name of a {what} must not contain a NUL"
        )));
    }
    Ok(())
}
