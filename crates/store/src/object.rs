// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tree: what a row is, and reading it by id, by name, by path, by parent.

use std::collections::HashMap;

use lakeward_authorization::chain::{Chain, Node};
use lakeward_metadata::Properties;
use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::Principal;

use crate::error::StoreError;
use crate::list;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;

/// One living object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRow {
    /// Its identity, kept through renames and moves, never used again.
    pub id: ObjectId,
    /// The metalake it belongs to; its own id for a metalake.
    pub metalake_id: ObjectId,
    /// What it is directly below.
    pub parent_id: ObjectId,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its own name: one level of a nested schema; the decimal field id of a column.
    pub name: String,
    /// Free text.
    pub comment: Option<String>,
    /// String properties.
    pub properties: Properties,
    /// What only this kind has, as a JSON object.
    pub detail: serde_json::Value,
    /// Who made and changed it.
    pub audit: Audit,
}

/// An object with its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRow {
    /// The object.
    pub object: ObjectRow,
    /// Who owns it; `None` when nobody does.
    pub owner: Option<Principal>,
}

impl ChainRow {
    /// What a decision needs of it.
    pub fn node(&self) -> Node {
        Node {
            id: self.object.id,
            kind: self.object.kind,
            owner: self.owner.clone(),
        }
    }
}

/// The way from the metalake down to a named object, ending early where something is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectChain {
    /// The kind that was asked for.
    pub kind: ObjectKind,
    /// What exists, the metalake first.
    pub rows: Vec<ChainRow>,
    /// Whether the last row is the object that was asked for.
    pub is_found: bool,
    /// What a decision needs of it, made once for all requests that share this.
    decided_on: Chain,
}

impl ObjectChain {
    /// The chain of an object of `kind` that consists of these rows, the metalake first; the last is the object itself
    /// when it is found.
    pub fn new(kind: ObjectKind, rows: Vec<ChainRow>, is_found: bool) -> Self {
        let nodes = rows.iter().map(ChainRow::node).collect();
        let decided_on = if is_found {
            Chain::found(kind, nodes)
        } else {
            Chain::missing(kind, nodes)
        };
        Self {
            kind,
            rows,
            is_found,
            decided_on,
        }
    }

    /// The object, when it exists.
    pub fn object(&self) -> Option<&ChainRow> {
        self.rows.last().filter(|_| self.is_found)
    }

    /// The metalake, when it exists.
    pub fn metalake(&self) -> Option<&ChainRow> {
        self.rows.first()
    }

    /// The first row of a kind, for instance the catalog; the innermost one for schemas.
    pub fn of_kind(&self, kind: ObjectKind) -> Option<&ChainRow> {
        self.rows.iter().rfind(|row| row.object.kind == kind)
    }

    /// What a decision needs of it; shared, not copied.
    pub fn to_decide(&self) -> Chain {
        self.decided_on.clone()
    }
}

/// What a list needs of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// Its identity.
    pub id: ObjectId,
    /// Its own name.
    pub name: String,
    /// Who owns it.
    pub owner: Option<Principal>,
}

/// Which part of a list, in the order of names (by bytes).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Only names after this one.
    pub after: Option<String>,
    /// At most this many; all when `None`.
    pub limit: Option<u32>,
}

impl Page {
    /// The whole list.
    pub const ALL: Self = Self {
        after: None,
        limit: None,
    };

    fn after(&self) -> &str {
        self.after.as_deref().unwrap_or_default()
    }

    fn limit(&self) -> i64 {
        self.limit.map_or(i64::MAX, i64::from)
    }
}

/// The name space of a kind below one parent: tables and views of one schema share one.
pub(crate) fn space(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::View => ObjectKind::Table.as_str(),
        ObjectKind::Metalake
        | ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Table
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Column
        | ObjectKind::Role
        | ObjectKind::Tag
        | ObjectKind::Policy
        | ObjectKind::JobTemplate
        | ObjectKind::Job => kind.as_str(),
    }
}

/// How many columns [`object_row`] reads.
pub(crate) const OBJECT_COLUMNS: usize = 12;
/// How many columns [`chain_row`] reads.
pub(crate) const CHAIN_COLUMNS: usize = OBJECT_COLUMNS + 2;

/// Decodes the object columns, which come first in every statement that has them.
fn object_row(row: &Row) -> Result<ObjectRow, StoreError> {
    Ok(ObjectRow {
        id: row.id(0)?,
        metalake_id: row.id(1)?,
        parent_id: row.id(2)?,
        kind: row.kind(3)?,
        name: row.text(4)?,
        comment: row.optional_text(5)?,
        properties: row.properties(6)?,
        detail: row.json(7)?,
        audit: row.audit(8)?,
    })
}

/// Decodes the object columns and the owner columns after them.
pub(crate) fn chain_row(row: &Row) -> Result<ChainRow, StoreError> {
    Ok(ChainRow {
        object: object_row(row)?,
        owner: row.owner(OBJECT_COLUMNS)?,
    })
}

impl Snapshot {
    /// An object by id.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn object(&mut self, id: ObjectId) -> Result<Option<ChainRow>, StoreError> {
        let row = statement!("object_load")
            .query()
            .id(id)
            .optional(self.connection())
            .await?;
        row.as_ref().map(chain_row).transpose()
    }

    /// A child of `parent` by kind and name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn child(
        &mut self,
        parent: ObjectId,
        kind: ObjectKind,
        name: &str,
    ) -> Result<Option<ChainRow>, StoreError> {
        let row = statement!("object_child")
            .query()
            .id(parent)
            .bind(space(kind))
            .bind(kind.as_str())
            .bind(name)
            .optional(self.connection())
            .await?;
        row.as_ref().map(chain_row).transpose()
    }

    /// The children of one kind by id, name and owner: what a list with authorization needs.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn children(
        &mut self,
        parent: ObjectId,
        kind: ObjectKind,
        page: &Page,
    ) -> Result<Vec<Child>, StoreError> {
        statement!("object_children")
            .query()
            .id(parent)
            .bind(space(kind))
            .bind(kind.as_str())
            .bind(page.after())
            .bind(page.limit())
            .all(self.connection(), |row| {
                Ok(Child {
                    id: row.id(0)?,
                    name: row.text(1)?,
                    owner: row.owner(2)?,
                })
            })
            .await
    }

    /// The children of one kind in full.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn children_in_full(
        &mut self,
        parent: ObjectId,
        kind: ObjectKind,
        page: &Page,
    ) -> Result<Vec<ChainRow>, StoreError> {
        statement!("object_children_full")
            .query()
            .id(parent)
            .bind(space(kind))
            .bind(kind.as_str())
            .bind(page.after())
            .bind(page.limit())
            .all(self.connection(), chain_row)
            .await
    }

    /// Whether anything that must go before `parent` is below it: catalogs, schemas, tables, … . Columns, roles, tags
    /// and policies go with their parent and do not count.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn has_children(&mut self, parent: ObjectId) -> Result<bool, StoreError> {
        let row = statement!("object_any_child")
            .query()
            .id(parent)
            .optional(self.connection())
            .await?;
        Ok(row.is_some())
    }

    /// The way from the metalake down to `object`, in one statement. The chain of a column is that of its table,
    /// since columns are named by field id, which only the table's metadata knows; see [`Snapshot::column`].
    ///
    /// # Errors
    /// What the database reports.
    pub async fn chain(
        &mut self,
        metalake: &str,
        object: &MetadataObject,
    ) -> Result<ObjectChain, StoreError> {
        let separator = self.store().schema_separator().to_owned();
        let steps = steps(metalake, object, &separator);
        let rows = statement!("object_chain")
            .query()
            .bind(list::encode_path(
                steps.iter().map(|(kind, name)| (space(*kind), *name)),
            ))
            .all(self.connection(), chain_row)
            .await?;
        Ok(matched(object.kind, &steps, rows))
    }

    /// The way from the metalake down to an object that is known by id; empty when it does not exist.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn ancestors(&mut self, id: ObjectId) -> Result<Vec<ChainRow>, StoreError> {
        statement!("object_ancestors")
            .query()
            .id(id)
            .all(self.connection(), chain_row)
            .await
    }

    /// The same for several objects at once, by their ids; those that do not exist are left out.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn ancestors_of(
        &mut self,
        ids: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Vec<ChainRow>>, StoreError> {
        let rows = statement!("object_ancestors_of")
            .query()
            .bind(list::encode_ids(ids))
            .all(self.connection(), |row| Ok((row.id(14)?, chain_row(row)?)))
            .await?;
        let mut ways: HashMap<ObjectId, Vec<ChainRow>> = HashMap::new();
        for (origin, row) in rows {
            ways.entry(origin).or_default().push(row);
        }
        Ok(ways)
    }
}

/// The steps of a path, the metalake first.
fn steps<'a>(metalake: &'a str, object: &'a MetadataObject, separator: &str) -> Vec<(ObjectKind, &'a str)> {
    let mut steps = vec![(ObjectKind::Metalake, metalake)];
    if object.kind == ObjectKind::Metalake {
        return steps;
    }
    if object.kind.levels() == 1 {
        steps.extend(object.path.iter().map(|name| (object.kind, name.as_str())));
        return steps;
    }
    let leaf = if object.kind == ObjectKind::Column {
        ObjectKind::Table
    } else {
        object.kind
    };
    for (level, name) in object.path.iter().enumerate() {
        match level {
            0 => steps.push((ObjectKind::Catalog, name)),
            1 if separator.is_empty() => steps.push((ObjectKind::Schema, name)),
            1 => steps.extend(name.split(separator).map(|part| (ObjectKind::Schema, part))),
            2 => steps.push((leaf, name)),
            _ => {}
        }
    }
    steps
}

/// Takes the rows that are of the kinds that were asked for: a view is not the table of that name.
fn matched(kind: ObjectKind, steps: &[(ObjectKind, &str)], mut rows: Vec<ChainRow>) -> ObjectChain {
    let matching = rows
        .iter()
        .zip(steps)
        .take_while(|(row, (kind, _))| row.object.kind == *kind)
        .count();
    rows.truncate(matching);
    let is_found = rows.len() == steps.len();
    ObjectChain::new(kind, rows, is_found)
}
