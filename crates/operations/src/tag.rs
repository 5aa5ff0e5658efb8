// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags of a metalake: their definitions, and the objects they are on.

use lakeward_authorization::{Authorized, Requirement, Target, Visibility, authorize};
use lakeward_governance::tag::{AllowedValues, Tag, TagChange, TagError, check_value};
use lakeward_metadata::audit::Audit;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, ChainRow, NewObject, ObjectChange, ObjectRow, TaggedObject};
use serde_json::{Value, json};

use crate::Operations;
use crate::caller::Call;
use crate::ending::ENDING;
use crate::error::OperationError;
use crate::paths::{MetalakePath, ObjectPath};
use crate::widening::Force;

/// The member of a tag row's detail that lists the allowed values; absent when any value is.
const ALLOWED_VALUES: &str = "allowedValues";

/// A tag with who made and changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedTag {
    /// The definition.
    pub tag: Tag,
    /// Who made and changed it.
    pub audit: Audit,
}

impl Operations {
    /// The names of the tags that may be shown, in their order.
    ///
    /// # Errors
    /// As [`Self::list_tags`].
    pub async fn list_tag_names(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        self.visible_names_below(call, metalake, ObjectKind::Tag, shown)
            .await
    }

    /// The tags that may be shown, in the order of their names.
    ///
    /// # Errors
    /// [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_tags(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<AuditedTag>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let rows = self
            .visible_in_full(call, metalake, ObjectKind::Tag, shown)
            .await?;
        rows.into_iter()
            .map(|ChainRow { object, .. }| audited(object))
            .collect()
    }

    /// One tag.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn load_tag(
        &self,
        call: &Call,
        _tag: Authorized<ObjectPath>,
    ) -> Result<AuditedTag, OperationError> {
        call.facts.require_metalake_in_use()?;
        audited(call.facts.row()?.object.clone())
    }

    /// Creates a tag, owned by the caller.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`], [`OperationError::Disabled`].
    pub async fn create_tag(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        tag: Tag,
    ) -> Result<AuditedTag, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let mut write = self.write(call, &[Area::Governance]).await?;
        let new = NewObject {
            comment: tag.comment,
            properties: tag.properties,
            detail: detail(&tag.allowed_values),
            ..NewObject::named(metalake, ObjectKind::Tag, tag.name.as_str())
        };
        let row = match write.create_object(&new).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::Tag, tag.name));
            }
            other => other?,
        };
        self.make_creator_own(&mut write, row.id, call).await?;
        let created = audited(row)?;
        write.commit().await?;
        Ok(created)
    }

    /// Alters a tag, all changes or none. Assignments and policies stay with it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::AlreadyExists`] for the new name;
    /// [`OperationError::Disabled`].
    pub async fn alter_tag(
        &self,
        call: &Call,
        _tag: Authorized<ObjectPath>,
        changes: Vec<TagChange>,
    ) -> Result<AuditedTag, OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        let mut write = self.write(call, &[Area::Governance]).await?;
        let Some(ChainRow { object: mut row, .. }) = write.object(id).await? else {
            return Err(call.facts.found()?.missing());
        };
        let mut tag = audited(row.clone())?.tag;
        for change in changes {
            tag.apply(change).map_err(invalid)?;
        }
        let change = ObjectChange {
            comment: (tag.comment != row.comment).then(|| tag.comment.clone()),
            properties: (tag.properties != row.properties).then(|| tag.properties.clone()),
            detail: None,
        };
        if change != ObjectChange::default() {
            row = write.alter_object(id, &change).await?;
        }
        if tag.name != row.name {
            row = match write.rename_object(id, &tag.name).await {
                Err(error) if error.is_unique() => {
                    return Err(OperationError::already_exists(ObjectKind::Tag, tag.name));
                }
                other => other?,
            };
        }
        let altered = audited(row)?;
        write.commit().await?;
        Ok(altered)
    }

    /// Drops a tag with its assignments and the relations of policies to it. Gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::WouldWiden`] without `force` when that takes an enabled restriction from an object;
    /// [`OperationError::Disabled`].
    pub async fn drop_tag(
        &self,
        call: &Call,
        _tag: Authorized<ObjectPath>,
        force: Force,
    ) -> Result<bool, OperationError> {
        call.facts.require_metalake_in_use()?;
        let Ok(ChainRow { object, .. }) = call.facts.row() else {
            return Ok(false);
        };
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        let losses = self.losses_of_tag(call, &mut write, object.id).await?;
        self.check_widening(call, &losses, force)?;
        write.drop_object(object.id).await?;
        write.commit().await?;
        Ok(true)
    }

    /// The objects that a tag is on directly and that the caller has access to, in the order of ids; with `value`,
    /// only those whose assignment has it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the tag; [`OperationError::Invalid`] for an empty value;
    /// [`OperationError::Disabled`].
    pub async fn list_objects_of_tag(
        &self,
        call: &Call,
        _tag: Authorized<ObjectPath>,
        value: Option<&str>,
    ) -> Result<Vec<MetadataObject>, OperationError> {
        call.facts.require_metalake_in_use()?;
        if let Some(value) = value {
            check_value(value, "value").map_err(invalid)?;
        }
        let id = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        let mut objects = snapshot.tagged_objects(id).await?;
        drop(snapshot);
        objects.retain(|tagged| value.is_none_or(|value| tagged.values.iter().any(|known| known == value)));
        let objects = objects
            .into_iter()
            .map(|TaggedObject { id, object, .. }| (id, object));
        self.accessible(call, objects).await
    }
}

impl Operations {
    /// Those of some objects that the caller has access to, columns by their present names. Columns that are no more
    /// are left out.
    pub(crate) async fn accessible(
        &self,
        call: &Call,
        objects: impl IntoIterator<Item = (lakeward_metadata::id::ObjectId, MetadataObject)>,
    ) -> Result<Vec<MetadataObject>, OperationError> {
        let mut snapshot = self.read(&call.facts).await?;
        let mut visible = Vec::new();
        for (id, object) in objects {
            let rows = snapshot.ancestors(id).await?;
            let nodes = rows.iter().map(ChainRow::node).collect();
            let chain = lakeward_authorization::Chain::found(object.kind, nodes);
            let requirement = Requirement::load(object.kind);
            if authorize(requirement, (), &Target::object(chain), call.facts.grants()).is_ok() {
                visible.push((rows, object));
            }
        }
        // Before metadata files are read for the names of columns.
        drop(snapshot);
        let mut accessible = Vec::with_capacity(visible.len());
        for (rows, object) in visible {
            accessible.extend(self.with_column_name(call, &rows, object).await?);
        }
        Ok(accessible)
    }
}

/// The tag of a row.
pub(crate) fn audited(row: ObjectRow) -> Result<AuditedTag, OperationError> {
    let allowed_values = allowed_values(&row)?;
    Ok(AuditedTag {
        tag: Tag {
            name: row.name,
            comment: row.comment,
            properties: row.properties,
            allowed_values,
        },
        audit: row.audit,
    })
}

/// Which values the assignments of a tag may have.
pub(crate) fn allowed_values(row: &ObjectRow) -> Result<AllowedValues, OperationError> {
    let Some(list) = row.detail.get(ALLOWED_VALUES) else {
        return Ok(AllowedValues::Any);
    };
    serde_json::from_value(list.clone())
        .map(AllowedValues::Only)
        .map_err(|error| OperationError::internal(format!("allowed values of tag {}: {error}", row.id)))
}

fn detail(allowed: &AllowedValues) -> Value {
    match allowed.as_list() {
        None => json!({}),
        Some(values) => json!({ ALLOWED_VALUES: values }),
    }
}

/// A definition or value that breaks a rule.
pub(crate) fn invalid(error: TagError) -> OperationError {
    OperationError::invalid(error.to_string())
}
