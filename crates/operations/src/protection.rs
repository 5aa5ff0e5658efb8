// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Protection against dropping: a catalog or schema whose property says so is not dropped, and nothing that lies in it is.
//!
//! The property is one of the row, so that the write that would drop asks it: nobody protects in between unnoticed, and
//! whether metadata files can be read does not matter. Whoever may change the schema or catalog sets and lifts it.

use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{ObjectRow, Page, Snapshot};

use crate::Operations;
use crate::error::OperationError;
use crate::facts::Found;

/// The property of a schema or catalog that protects it and everything in it.
const PROTECTED: &str = "lakeward.protected";

impl Operations {
    /// Refuses to drop what the request names, or to move it away, where it is protected or lies in what is.
    ///
    /// # Errors
    /// [`OperationError::Conflict`]; what the store reports.
    pub(crate) async fn refuse_protected(
        &self,
        snapshot: &mut Snapshot,
        found: &Found,
    ) -> Result<(), OperationError> {
        // What has no row of its own, as a topic nobody named yet, lies in the last that has one.
        let Some(last) = found.chain.rows.last() else {
            return Ok(());
        };
        let chain = snapshot.ancestors(last.object.id).await?;
        if chain.iter().any(|row| is_protected(&row.object)) {
            return Err(OperationError::Conflict(format!(
                "it is protected against dropping by the property `{PROTECTED}` of its schema or catalog; set that to \
                 `false` first"
            )));
        }
        Ok(())
    }

    /// Refuses to drop a container that has a protected one anywhere below it.
    ///
    /// # Errors
    /// [`OperationError::Conflict`]; what the store reports.
    pub(crate) async fn refuse_protected_below(
        &self,
        snapshot: &mut Snapshot,
        container: ObjectId,
    ) -> Result<(), OperationError> {
        let mut open = vec![container];
        while let Some(parent) = open.pop() {
            for kind in [ObjectKind::Catalog, ObjectKind::Schema] {
                for child in snapshot.children_in_full(parent, kind, &Page::ALL).await? {
                    if is_protected(&child.object) {
                        // Which it is, the caller may not be allowed to know.
                        return Err(OperationError::Conflict(format!(
                            "something in it is protected against dropping by the property `{PROTECTED}`"
                        )));
                    }
                    open.push(child.object.id);
                }
            }
        }
        Ok(())
    }
}

/// Whether the row is of a catalog or schema that is protected.
fn is_protected(row: &ObjectRow) -> bool {
    matches!(row.kind, ObjectKind::Catalog | ObjectKind::Schema) && says_protected(&row.properties)
}

/// Every value but `false` protects: a slip of the pen must not leave open what somebody meant to protect.
fn says_protected(properties: &Properties) -> bool {
    properties
        .get(PROTECTED)
        .is_some_and(|value| !value.trim().eq_ignore_ascii_case("false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_false_leaves_open() {
        for (value, protects) in [
            (None, false),
            (Some("false"), false),
            (Some(" FALSE"), false),
            (Some("true"), true),
            (Some("yes"), true),
            (Some(""), true),
        ] {
            let properties = value
                .map(|value| (PROTECTED.to_owned(), value.to_owned()))
                .into_iter()
                .collect();
            assert_eq!(says_protected(&properties), protects, "{value:?}");
        }
    }
}
