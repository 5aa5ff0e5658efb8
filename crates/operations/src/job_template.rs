// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Job templates of a metalake.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::job_template::{
    JobTemplate, JobTemplateChange, JobTemplateDefinition, NewJobTemplate, is_built_in,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, ChainRow, NewObject, ObjectChange, ObjectRow};

use crate::Operations;
use crate::caller::Call;
use crate::ending::ENDING;
use crate::error::{Mistake, OperationError};
use crate::metalake::{created, renamed};
use crate::paths::{MetalakePath, ObjectPath};

impl Operations {
    /// The names of the templates that may be shown, in their order.
    ///
    /// # Errors
    /// As [`Self::list_job_templates`].
    pub async fn list_job_template_names(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        self.visible_names_below(call, metalake, ObjectKind::JobTemplate, shown)
            .await
    }

    /// The templates that may be shown, in the order of their names.
    ///
    /// # Errors
    /// [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_job_templates(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<JobTemplate>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let rows = self
            .visible_in_full(call, metalake, ObjectKind::JobTemplate, shown)
            .await?;
        rows.into_iter().map(|row| template(row.object)).collect()
    }

    /// One template.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn load_job_template(
        &self,
        call: &Call,
        _template: Authorized<ObjectPath>,
    ) -> Result<JobTemplate, OperationError> {
        call.facts.require_metalake_in_use()?;
        template(call.facts.row()?.object.clone())
    }

    /// Registers a template, owned by the caller.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for a name that the server keeps for its own templates;
    /// [`OperationError::AlreadyExists`], [`OperationError::Disabled`].
    pub async fn register_job_template(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        new: NewJobTemplate,
    ) -> Result<(), OperationError> {
        call.facts.require_metalake_in_use()?;
        require_free(&new.name)?;
        let metalake = call.facts.metalake_id()?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let object = NewObject {
            comment: new.comment,
            detail: detail(&new.definition)?,
            ..NewObject::named(metalake, ObjectKind::JobTemplate, new.name)
        };
        let row = created(&mut write, &object).await?;
        self.make_creator_own(&mut write, row.id, call).await?;
        Ok(write.commit().await?)
    }

    /// Alters a template, all changes or none. Jobs that were run keep what they were run with.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::AlreadyExists`] for the new name; [`OperationError::Invalid`] for
    /// an update of another type of job, and for one of the server's own templates or names;
    /// [`OperationError::Disabled`].
    pub async fn alter_job_template(
        &self,
        call: &Call,
        path: Authorized<ObjectPath>,
        changes: Vec<JobTemplateChange>,
    ) -> Result<JobTemplate, OperationError> {
        call.facts.require_metalake_in_use()?;
        require_not_built_in(&path)?;
        let id = call.facts.row()?.object.id;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let Some(ChainRow { object: mut row, .. }) = write.object(id).await? else {
            return Err(call.facts.found()?.missing());
        };
        let before = template(row.clone())?;
        let mut after = before.clone();
        for change in changes {
            match change {
                JobTemplateChange::Rename(name) => {
                    require_free(&name)?;
                    after.name = name;
                }
                JobTemplateChange::UpdateComment(comment) => after.comment = comment,
                JobTemplateChange::UpdateTemplate(update) => {
                    after
                        .definition
                        .update(*update)
                        .map_err(|error| OperationError::invalid(error.to_string()))?;
                }
            }
        }
        let change = ObjectChange {
            comment: (after.comment != before.comment).then(|| after.comment.clone()),
            properties: None,
            detail: (after.definition != before.definition)
                .then(|| detail(&after.definition))
                .transpose()?,
        };
        if change != ObjectChange::default() {
            row = write.alter_object(id, &change).await?;
        }
        if after.name != before.name {
            row = renamed(&mut write, &row, &after.name).await?;
            write.rename_template_of_jobs(id, &after.name).await?;
        }
        let altered = template(row)?;
        write.commit().await?;
        Ok(altered)
    }

    /// Deletes a template. Its jobs that are over stay. Gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::InUse`] while a job of it is not over; [`OperationError::Invalid`] for one of the server's own;
    /// [`OperationError::Disabled`].
    pub async fn delete_job_template(
        &self,
        call: &Call,
        path: Authorized<ObjectPath>,
    ) -> Result<bool, OperationError> {
        call.facts.require_metalake_in_use()?;
        require_not_built_in(&path)?;
        let Ok(ChainRow { object, .. }) = call.facts.row() else {
            return Ok(false);
        };
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        if write.has_active_jobs(object.id).await? {
            return Err(OperationError::InUse {
                noun: ObjectKind::JobTemplate.into(),
                name: object.name.clone(),
                what_to_do: "cancel its jobs first, or wait for their end",
            });
        }
        write.drop_object(object.id).await?;
        write.commit().await?;
        Ok(true)
    }
}

/// The template of a row.
pub(crate) fn template(row: ObjectRow) -> Result<JobTemplate, OperationError> {
    let definition: JobTemplateDefinition = serde_json::from_value(row.detail)
        .map_err(|error| OperationError::internal(format!("job template {}: {error}", row.id)))?;
    Ok(JobTemplate {
        name: row.name,
        comment: row.comment,
        definition,
        audit: row.audit,
    })
}

/// What the row of a template keeps.
pub(crate) fn detail(definition: &JobTemplateDefinition) -> Result<serde_json::Value, OperationError> {
    serde_json::to_value(definition).map_err(OperationError::internal)
}

/// Refuses a new name that the server keeps for its own templates.
fn require_free(name: &str) -> Result<(), OperationError> {
    if is_built_in(name) {
        return Err(OperationError::mistake(
            Mistake::JobTemplate,
            format!(
                "`{name}` is reserved: names of job templates that start with `builtin-` are the server's own"
            ),
        ));
    }
    Ok(())
}

/// Refuses to change one of the server's own templates, whether or not there is one of the name.
fn require_not_built_in(path: &ObjectPath) -> Result<(), OperationError> {
    let name = path.object.full_name();
    if is_built_in(&name) {
        return Err(OperationError::mistake(
            Mistake::JobTemplate,
            format!("the job template `{name}` is the server's own and cannot be changed or deleted"),
        ));
    }
    Ok(())
}
