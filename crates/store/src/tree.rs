// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tree: creating, altering, renaming, moving and dropping objects.

use lakeward_metadata::Properties;
use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::object::{ObjectRow, space};
use crate::revision::Area;
use crate::row::{Statement, json_text, statement};
use crate::write::Write;

/// An object to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewObject {
    /// What it is directly below; [`crate::ROOT`] for a metalake.
    pub parent_id: ObjectId,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its own name.
    pub name: String,
    /// Free text.
    pub comment: Option<String>,
    /// String properties.
    pub properties: Properties,
    /// What only this kind has, as a JSON object.
    pub detail: serde_json::Value,
}

impl NewObject {
    /// An object with nothing but a name.
    pub fn named(parent_id: ObjectId, kind: ObjectKind, name: impl Into<String>) -> Self {
        Self {
            parent_id,
            kind,
            name: name.into(),
            comment: None,
            properties: Properties::new(),
            detail: serde_json::Value::Object(serde_json::Map::new()),
        }
    }
}

/// New values of what may be altered in place; `None` keeps the old one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectChange {
    /// The comment; `Some(None)` removes it.
    pub comment: Option<Option<String>>,
    /// All properties.
    pub properties: Option<Properties>,
    /// The whole detail.
    pub detail: Option<serde_json::Value>,
}

/// An object that a drop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedObject {
    /// Its identity.
    pub id: ObjectId,
    /// What it was directly below.
    pub parent_id: ObjectId,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its own name.
    pub name: String,
    /// The metadata location of an Iceberg table, for a purge.
    pub metadata_location: Option<String>,
    /// As [`crate::TablePointer::metadata_digest`].
    pub metadata_digest: Option<String>,
}

/// What can refer to an object of any kind, in an order that keeps every reference valid.
const ANY: [Statement; 3] = [
    statement!("drop_owner"),
    statement!("drop_role_privilege_on_object"),
    statement!("drop_role_object_on_object"),
];
/// What can refer to catalogs and all below them.
const TREE: [Statement; 10] = [
    // Before it is forgotten where they lie.
    statement!("drop_lent_location"),
    statement!("drop_statistic"),
    statement!("drop_metrics_report"),
    statement!("drop_upstream_identity"),
    statement!("drop_tag_assignment_on_object"),
    statement!("drop_policy_object_on_object"),
    statement!("drop_table_location"),
    statement!("drop_table_former_location"),
    statement!("drop_iceberg_table"),
    statement!("drop_fileset_location"),
];
/// What belongs to models.
const MODEL: [Statement; 2] = [
    statement!("drop_model_version_alias"),
    statement!("drop_model_version"),
];
const ROLE: [Statement; 4] = [
    statement!("drop_role_user"),
    statement!("drop_role_group"),
    statement!("drop_role_privilege_of_role"),
    statement!("drop_role_object_of_role"),
];
const TAG: [Statement; 2] = [
    statement!("drop_tag_assignment_of_tag"),
    statement!("drop_policy_tag_of_tag"),
];
const POLICY: [Statement; 2] = [
    statement!("drop_policy_tag_of_policy"),
    statement!("drop_policy_object_of_policy"),
];

/// How far the jobs of a metalake are.
const JOBS: [Statement; 1] = [statement!("drop_job_of_metalake")];
const JOB: [Statement; 1] = [statement!("drop_job")];

/// What to end before an object of a kind and all below it. One statement per index: a condition on two columns would
/// read whole tables.
fn relations(kind: ObjectKind) -> Vec<Statement> {
    let special: &[&[Statement]] = match kind {
        ObjectKind::Metalake => &[&TREE, &MODEL, &ROLE, &TAG, &POLICY, &JOBS],
        ObjectKind::Catalog | ObjectKind::Schema | ObjectKind::Model => &[&TREE, &MODEL],
        ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Function
        | ObjectKind::Column => &[&TREE],
        ObjectKind::Role => &[&ROLE],
        ObjectKind::Tag => &[&TAG],
        ObjectKind::Policy => &[&POLICY],
        ObjectKind::Job => &[&JOB],
        // Jobs that are over outlive their template.
        ObjectKind::JobTemplate => &[],
    };
    std::iter::once(&ANY[..])
        .chain(special.iter().copied())
        .flatten()
        .copied()
        .collect()
}

/// The area in which a kind of object is changed.
pub(crate) fn area(kind: ObjectKind) -> Area {
    match kind {
        ObjectKind::Metalake
        | ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Column
        | ObjectKind::JobTemplate
        | ObjectKind::Job => Area::Objects,
        ObjectKind::Role => Area::Grants,
        ObjectKind::Tag | ObjectKind::Policy => Area::Governance,
    }
}

impl Write {
    /// Creates an object. Needs [`Area::Objects`] (roles: [`Area::Grants`]; tags and policies: [`Area::Governance`]);
    /// a metalake needs a write of [`crate::Store::write_server`], which becomes a write to the new metalake with all
    /// areas.
    ///
    /// # Errors
    /// Class `Unique` when the name is taken; [`StoreError::Missing`] when the parent does not exist.
    pub async fn create_object(&mut self, new: &NewObject) -> Result<ObjectRow, StoreError> {
        let is_metalake = new.kind == ObjectKind::Metalake;
        let needed = if is_metalake { Area::Server } else { area(new.kind) };
        self.need("object_insert", needed)?;
        if !is_metalake {
            self.living_here(new.parent_id).await?;
        }
        let audit = Audit {
            creator: self.actor().to_owned(),
            create_time: self.at(),
            last_modifier: None,
            last_modified_time: None,
        };
        let metalake = self.metalake();
        let id: ObjectId = statement!("object_insert")
            .query()
            .id(metalake)
            .id(new.parent_id)
            .bind(new.kind.as_str())
            .bind(space(new.kind))
            .bind(new.name.as_str())
            .bind(new.comment.as_deref())
            .bind(json_text(&new.properties)?)
            .bind(json_text(&new.detail)?)
            .bind(audit.creator.as_str())
            .bind(audit.create_time)
            .one(self.connection())
            .await?
            .id(0)?;
        if is_metalake {
            statement!("metalake_adopt")
                .query()
                .id(id)
                .run(self.connection())
                .await?;
            self.adopt_metalake(id).await?;
        }
        let row = ObjectRow {
            id,
            metalake_id: self.metalake(),
            parent_id: new.parent_id,
            kind: new.kind,
            name: new.name.clone(),
            comment: new.comment.clone(),
            properties: new.properties.clone(),
            detail: new.detail.clone(),
            audit,
        };
        self.log_object(Change::Create, &row).await?;
        Ok(row)
    }

    /// Changes an object in place. Gives the new state. Areas as for [`Write::create_object`]; a metalake needs
    /// [`Area::Server`] and [`Area::Objects`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the object does not exist.
    pub async fn alter_object(
        &mut self,
        id: ObjectId,
        change: &ObjectChange,
    ) -> Result<ObjectRow, StoreError> {
        let mut row = self.mine(id, "object_alter").await?;
        if let Some(comment) = &change.comment {
            row.comment.clone_from(comment);
        }
        if let Some(properties) = &change.properties {
            row.properties.clone_from(properties);
        }
        if let Some(detail) = &change.detail {
            row.detail.clone_from(detail);
        }
        self.touch(&mut row);
        self.store_object(&row).await?;
        self.log_object(Change::Alter, &row).await?;
        Ok(row)
    }

    /// Gives an object a new name. Everything that refers to it stays. Areas as for [`Write::alter_object`].
    ///
    /// # Errors
    /// Class `Unique` when the name is taken; [`StoreError::Missing`] when the object does not exist.
    pub async fn rename_object(&mut self, id: ObjectId, name: &str) -> Result<ObjectRow, StoreError> {
        let row = self.mine(id, "object_move").await?;
        let parent = row.parent_id;
        self.place(row, parent, name).await
    }

    /// Moves an object, with all below it, under another parent of the same metalake, under a name that may be new.
    /// Its owner, the privileges granted on it and its own tags stay with it; what it inherited is now that of the new
    /// parent. Areas as for [`Write::alter_object`].
    ///
    /// # Errors
    /// Class `Unique` when the name is taken there; [`StoreError::Missing`] when the object or the parent does not
    /// exist, or the parent is below the object.
    pub async fn move_object(
        &mut self,
        id: ObjectId,
        new_parent: ObjectId,
        name: &str,
    ) -> Result<ObjectRow, StoreError> {
        let row = self.mine(id, "object_move").await?;
        let above = self.ancestors(new_parent).await?;
        let is_below_itself = above.iter().any(|ancestor| ancestor.object.id == id);
        let is_of_this_metalake = above
            .first()
            .is_some_and(|metalake| metalake.object.id == row.metalake_id);
        if is_below_itself || !is_of_this_metalake {
            return Err(missing(new_parent));
        }
        self.place(row, new_parent, name).await
    }

    /// Ends an object and everything below it, with their owners, the privileges granted on them, their tags, their
    /// policies; a role with its holders, a tag with its assignments. Ids and names are told, parents before
    /// children. Needs [`Area::Objects`], [`Area::Grants`] and [`Area::Governance`]; a metalake needs all areas.
    ///
    /// Whether children may go too is the caller's question ([`crate::Snapshot::has_children`]).
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the object does not exist.
    pub async fn drop_object(&mut self, id: ObjectId) -> Result<Vec<DroppedObject>, StoreError> {
        let row = self.mine(id, "object_drop").await?;
        for area in [Area::Objects, Area::Grants, Area::Governance] {
            self.need("object_drop", area)?;
        }
        let dropped = statement!("object_below")
            .query()
            .id(id)
            .all(self.connection(), |row| {
                Ok(DroppedObject {
                    id: row.id(0)?,
                    parent_id: row.id(1)?,
                    kind: row.kind(2)?,
                    name: row.text(3)?,
                    metadata_location: row.optional_text(4)?,
                    metadata_digest: row.optional_text(5)?,
                })
            })
            .await?;
        for table in dropped.iter().filter(|object| object.metadata_location.is_some()) {
            self.will_point(table.id, i64::MAX);
        }
        for relation in relations(row.kind) {
            relation.query().id(id).run(self.connection()).await?;
        }
        if row.kind == ObjectKind::Metalake {
            self.need("drop_user_all", Area::Identities)?;
            statement!("drop_user_all")
                .query()
                .id(id)
                .run(self.connection())
                .await?;
            statement!("drop_group_all")
                .query()
                .id(id)
                .run(self.connection())
                .await?;
        }
        let (at, actor) = (self.at(), self.actor().to_owned());
        statement!("object_drop")
            .query()
            .id(id)
            .bind(at)
            .bind(actor)
            .run(self.connection())
            .await?;
        self.log_object(Change::Drop, &row).await?;
        Ok(dropped)
    }

    /// Loads an object that must live.
    pub(crate) async fn living(&mut self, id: ObjectId) -> Result<ObjectRow, StoreError> {
        let row = self.object(id).await?;
        row.map(|row| row.object).ok_or_else(|| missing(id))
    }

    /// Loads an object that must live in the metalake of this write.
    pub(crate) async fn living_here(&mut self, id: ObjectId) -> Result<ObjectRow, StoreError> {
        let row = self.living(id).await?;
        if row.metalake_id == self.metalake() {
            Ok(row)
        } else {
            Err(missing(id))
        }
    }

    /// Loads an object that must live in the metalake of this write, whose area the write must have named.
    pub(crate) async fn mine(
        &mut self,
        id: ObjectId,
        statement: &'static str,
    ) -> Result<ObjectRow, StoreError> {
        let row = self.living_here(id).await?;
        self.need(statement, area(row.kind))?;
        if row.kind == ObjectKind::Metalake {
            self.need(statement, Area::Server)?;
        }
        Ok(row)
    }

    /// Writes what may be altered in place.
    pub(crate) async fn store_object(&mut self, row: &ObjectRow) -> Result<(), StoreError> {
        statement!("object_alter")
            .query()
            .id(row.id)
            .bind(row.comment.as_deref())
            .bind(json_text(&row.properties)?)
            .bind(json_text(&row.detail)?)
            .bind(row.audit.last_modifier.as_deref())
            .bind(row.audit.last_modified_time)
            .run(self.connection())
            .await
            .map(drop)
    }

    async fn place(
        &mut self,
        mut row: ObjectRow,
        parent: ObjectId,
        name: &str,
    ) -> Result<ObjectRow, StoreError> {
        self.log_object(Change::Rename, &row).await?;
        row.parent_id = parent;
        name.clone_into(&mut row.name);
        self.touch(&mut row);
        statement!("object_move")
            .query()
            .id(row.id)
            .id(parent)
            .bind(name)
            .bind(row.audit.last_modifier.as_deref())
            .bind(row.audit.last_modified_time)
            .run(self.connection())
            .await?;
        Ok(row)
    }

    pub(crate) fn touch(&self, row: &mut ObjectRow) {
        row.audit.last_modifier = Some(self.actor().to_owned());
        row.audit.last_modified_time = Some(self.at());
    }

    /// Logs a change of an object in its area; of a metalake also in the server's.
    pub(crate) async fn log_object(&mut self, change: Change, row: &ObjectRow) -> Result<(), StoreError> {
        let subject = (row.kind.as_str(), row.id.value(), row.name.as_str());
        if row.kind == ObjectKind::Metalake {
            self.log(Area::Server, change, subject).await?;
        }
        self.log(area(row.kind), change, subject).await
    }
}

/// The error of an object that does not exist.
pub(crate) fn missing(id: ObjectId) -> StoreError {
    StoreError::Missing {
        what: "object",
        name: id.to_string(),
    }
}
