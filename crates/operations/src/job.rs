// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs of a metalake: run, list, load, cancel.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_job_executor::ExecutorError;
use lakeward_metadata::Properties;
use lakeward_metadata::job::{Job, JobQuery};
use lakeward_metadata::job_template::is_built_in;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, NewJob, NewObject};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::job_template::template;
use crate::maintenance::Maintenance;
use crate::metalake::created;
use crate::named::{Named, NamedWhat, Names};
use crate::paths::{MetalakePath, ObjectPath};

/// A metalake and the template to use in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRunPath {
    /// The metalake.
    pub metalake: String,
    /// The template; `None` where the request names none, and is refused for that after it was authorized.
    pub template: Option<String>,
}

impl Names for JobRunPath {
    fn named(&self) -> Named {
        let instruments = self
            .template
            .iter()
            .map(|template| ObjectPath::top(&self.metalake, ObjectKind::JobTemplate, template).object);
        Named::of(
            &self.metalake,
            NamedWhat::Instruments {
                object: MetadataObject {
                    kind: ObjectKind::Metalake,
                    path: vec![self.metalake.clone()],
                },
                instruments: instruments.collect(),
            },
        )
    }
}

impl Operations {
    /// The jobs that are asked for and may be shown. `shown_templates` says which templates the caller may see: one that
    /// it may not see is as one that does not exist.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the template; [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_jobs(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        query: &JobQuery,
        shown: &Visibility,
        shown_templates: &Visibility,
    ) -> Result<Vec<Job>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = match &query.template {
            None => snapshot.jobs(metalake).await?,
            Some(name) => {
                let template = snapshot.child(metalake, ObjectKind::JobTemplate, name).await?;
                let template = template
                    .filter(|row| shown_templates.shows(row.object.id, row.owner.as_ref()))
                    .ok_or_else(|| OperationError::not_found(ObjectKind::JobTemplate, name))?;
                snapshot.jobs_of_template(template.object.id).await?
            }
        };
        let jobs = rows
            .into_iter()
            .filter(|row| shown.shows(row.id, row.owner.as_ref()))
            .map(|row| row.job);
        Ok(query.select(jobs.collect()))
    }

    /// One job.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn load_job(&self, call: &Call, _job: Authorized<ObjectPath>) -> Result<Job, OperationError> {
        call.facts.require_metalake_in_use()?;
        self.job(call).await
    }

    /// Queues a job of a template, owned by the caller. Its files are there when this returns. What a built-in template stands
    /// for the server does itself: no program runs that would have to be kept apart.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the template; [`OperationError::Invalid`] for what cannot be run; for a built-in
    /// template what refuses the caller or the table that it names; [`OperationError::Unsupported`] and [`OperationError::Unavailable`] where this server runs no jobs, or no more for
    /// now; [`OperationError::Disabled`].
    pub async fn run_job(
        &self,
        call: &Call,
        _path: Authorized<JobRunPath>,
        parameters: &Properties,
    ) -> Result<Job, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let row = match call.facts.instruments() {
            [found] => found.row()?.object.clone(),
            _ => return Err(OperationError::internal("a job is run of one template")),
        };
        let (template_id, template_name) = (row.id, row.name.clone());
        let executor = self.executor();
        let name = new_name();
        let (slot, staged) = if is_built_in(&template_name) {
            let work = Maintenance::of_template(&template_name).ok_or_else(|| {
                OperationError::Unsupported(format!(
                    "this server does not know the built-in job template `{template_name}`"
                ))
            })?;
            let work = self.maintenance(call, work, parameters).await?;
            let slot = executor.reserve()?;
            (slot, executor.stage_work(&name, work).await?)
        } else {
            let resolved = template(row)?.definition.resolve(parameters);
            let program = executor.program(&resolved)?;
            self.require_separation().await?;
            let slot = executor.reserve()?;
            (slot, executor.stage(&name, program).await?)
        };
        let mut write = self.write(call, &[Area::Objects]).await?;
        if write.object(template_id).await?.is_none() {
            return Err(OperationError::not_found(ObjectKind::JobTemplate, template_name));
        }
        let row = created(
            &mut write,
            &NewObject::named(metalake, ObjectKind::Job, name.as_str()),
        )
        .await?;
        let new = NewJob {
            template: template_id,
            template_name,
            executor: self.executor_name().to_owned(),
        };
        write.insert_job(row.id, &new).await?;
        self.make_creator_own(&mut write, row.id, call).await?;
        let job = write
            .job(row.id)
            .await?
            .ok_or_else(|| OperationError::internal("a job that was just made is not there"))?
            .job;
        // In a task of its own, so that a request that is given up here leaves no job that nobody runs.
        let executor = executor.clone();
        let submitted = tokio::spawn(async move {
            write.commit().await?;
            executor.submit(slot, row.id.value(), staged);
            Ok::<_, OperationError>(())
        });
        submitted.await.map_err(OperationError::internal)??;
        Ok(job)
    }

    /// Asks for the end of a job. Of one that is over, or is to end already, nothing changes.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn cancel_job(&self, call: &Call, _job: Authorized<ObjectPath>) -> Result<Job, OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        let mut write = self.write(call, &[]).await?;
        let is_new = write.cancel_job(id, call.user()).await?;
        let Some(row) = write.job(id).await? else {
            return Err(call.facts.found()?.missing());
        };
        if is_new {
            let executor = self.executor().clone();
            let ordered = tokio::spawn(async move {
                write.commit().await?;
                // On a shared store another server may run it; that one finds the order there.
                executor.cancel(id.value());
                Ok::<_, OperationError>(())
            });
            ordered.await.map_err(OperationError::internal)??;
        }
        Ok(row.job)
    }

    async fn job(&self, call: &Call) -> Result<Job, OperationError> {
        let id = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        let row = snapshot.job(id).await?;
        Ok(row
            .ok_or_else(|| OperationError::internal(format!("job {id} has no status")))?
            .job)
    }
}

/// A name that no job has: `job-` and 63 random bits.
fn new_name() -> String {
    let (bits, _) = uuid::Uuid::new_v4().as_u64_pair();
    let (other, _) = uuid::Uuid::new_v4().as_u64_pair();
    // Some bits of each say which kind of identifier it is.
    format!("job-{}", (bits ^ other.rotate_left(32)) >> 1)
}

impl From<ExecutorError> for OperationError {
    fn from(error: ExecutorError) -> Self {
        match error {
            ExecutorError::Refused(reason) => Self::invalid(reason),
            ExecutorError::Full => Self::Unavailable {
                message: error.to_string(),
                detail: "the queue of jobs is full".to_owned(),
            },
            ExecutorError::Failed(detail) => Self::Unavailable {
                message: "this server cannot run jobs at the moment".to_owned(),
                detail,
            },
        }
    }
}
