// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Full names of objects that are known by id.

use std::collections::HashMap;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;

use crate::error::StoreError;
use crate::row::{Statement, statement};
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The full name of a living object. A column's last level is its field id.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn full_name(&mut self, id: ObjectId) -> Result<Option<MetadataObject>, StoreError> {
        Ok(self
            .paths(statement!("path_of_object"), id)
            .await?
            .into_iter()
            .next()
            .map(|(_, object)| object))
    }

    /// Runs one of the `path_of_…` statements, which give (origin, id, kind, name) from the metalake down, origins
    /// together.
    pub(crate) async fn paths(
        &mut self,
        statement: Statement,
        about: ObjectId,
    ) -> Result<Vec<(ObjectId, MetadataObject)>, StoreError> {
        let rows = statement
            .query()
            .id(about)
            .all(self.connection(), |row| {
                Ok((row.id(0)?, row.kind(2)?, row.text(3)?))
            })
            .await?;
        Ok(compose(rows, self.store().schema_separator()))
    }

    /// As [`Self::paths`], by id.
    pub(crate) async fn paths_by_id(
        &mut self,
        statement: Statement,
        about: ObjectId,
    ) -> Result<HashMap<ObjectId, MetadataObject>, StoreError> {
        Ok(self.paths(statement, about).await?.into_iter().collect())
    }
}

/// Puts levels together: the metalake is left out except for itself, nested schemas become one level.
fn compose(rows: Vec<(ObjectId, ObjectKind, String)>, separator: &str) -> Vec<(ObjectId, MetadataObject)> {
    let mut found: Vec<(ObjectId, MetadataObject)> = Vec::new();
    for (origin, kind, name) in rows {
        match found.last_mut() {
            Some((last, object)) if *last == origin => {
                let is_nested = object.kind == ObjectKind::Schema && kind == ObjectKind::Schema;
                if object.kind == ObjectKind::Metalake {
                    object.path.clear();
                }
                match object.path.last_mut() {
                    Some(schema) if is_nested => {
                        schema.push_str(separator);
                        schema.push_str(&name);
                    }
                    Some(_) | None => object.path.push(name),
                }
                object.kind = kind;
            }
            Some(_) | None => found.push((
                origin,
                MetadataObject {
                    kind,
                    path: vec![name],
                },
            )),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::compose;
    use lakeward_metadata::id::ObjectId;
    use lakeward_metadata::kind::ObjectKind;

    fn check(levels: &[(ObjectKind, &str)], expected: (ObjectKind, &str)) {
        let origin = ObjectId::new(9);
        let rows = levels
            .iter()
            .map(|(kind, name)| (origin, *kind, (*name).to_owned()))
            .collect();
        let found: Vec<_> = compose(rows, ":")
            .into_iter()
            .map(|(id, object)| (id, object.kind, object.full_name()))
            .collect();
        assert_eq!(found, [(origin, expected.0, expected.1.to_owned())]);
    }

    #[test]
    fn levels_become_full_names() {
        use ObjectKind::{Catalog, Column, Metalake, Schema, Table, Tag};
        check(&[(Metalake, "m")], (Metalake, "m"));
        check(&[(Metalake, "m"), (Tag, "a.b")], (Tag, "a.b"));
        check(&[(Metalake, "m"), (Catalog, "c")], (Catalog, "c"));
        check(
            &[(Metalake, "m"), (Catalog, "c"), (Schema, "a"), (Schema, "b")],
            (Schema, "c.a:b"),
        );
        check(
            &[
                (Metalake, "m"),
                (Catalog, "c"),
                (Schema, "s"),
                (Table, "t"),
                (Column, "4"),
            ],
            (Column, "c.s.t.4"),
        );
    }
}
