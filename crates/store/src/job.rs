// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How far jobs are. A job is an object of the tree; what changes while it runs is kept beside it and counts no area, so
//! that no cache forgets anything when a process begins or ends.

use std::time::Duration;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::job::{Job, JobStatus};
use lakeward_metadata::principal::Principal;

use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A job with what a list needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Its identity.
    pub id: ObjectId,
    /// Who owns it.
    pub owner: Option<Principal>,
    /// How far it is.
    pub job: Job,
}

/// A job to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Its template.
    pub template: ObjectId,
    /// The name of the template.
    pub template_name: String,
    /// The server process that runs it.
    pub executor: String,
}

fn job_row(row: &Row) -> Result<JobRow, StoreError> {
    Ok(JobRow {
        id: row.id(0)?,
        owner: row.owner(11)?,
        job: Job {
            id: row.text(1)?,
            template: row.text(2)?,
            status: status(row, 3)?,
            audit: row.audit(4)?,
            queued_at: row.integer(8)?,
            started_at: row.optional_integer(9)?,
            finished_at: row.optional_integer(10)?,
        },
    })
}

fn status(row: &Row, column: usize) -> Result<JobStatus, StoreError> {
    row.text(column)?
        .parse()
        .map_err(|error| row.corrupt(format!("column {column}: {error}")))
}

impl Snapshot {
    /// A living job by id.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn job(&mut self, job: ObjectId) -> Result<Option<JobRow>, StoreError> {
        let row = statement!("job_load")
            .query()
            .id(job)
            .optional(self.connection())
            .await?;
        row.as_ref().map(job_row).transpose()
    }

    /// All jobs of a metalake, in the order in which they were asked for.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn jobs(&mut self, metalake: ObjectId) -> Result<Vec<JobRow>, StoreError> {
        statement!("job_list")
            .query()
            .id(metalake)
            .all(self.connection(), job_row)
            .await
    }

    /// All jobs of a template, in the order in which they were asked for.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn jobs_of_template(&mut self, template: ObjectId) -> Result<Vec<JobRow>, StoreError> {
        statement!("job_of_template")
            .query()
            .id(template)
            .all(self.connection(), job_row)
            .await
    }

    /// Whether a template has a job that is not over.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn has_active_jobs(&mut self, template: ObjectId) -> Result<bool, StoreError> {
        let row = statement!("job_active")
            .query()
            .id(template)
            .optional(self.connection())
            .await?;
        Ok(row.is_some())
    }

    /// The jobs that a server process runs and that are not over.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn jobs_of_executor(
        &mut self,
        executor: &str,
    ) -> Result<Vec<(ObjectId, JobStatus)>, StoreError> {
        statement!("job_of_executor")
            .query()
            .bind(executor)
            .all(self.connection(), |row| Ok((row.id(0)?, status(row, 1)?)))
            .await
    }

    /// Jobs that ended before a time, with their metalakes, at most `limit` of them.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn jobs_finished_before(
        &mut self,
        time: i64,
        limit: u32,
    ) -> Result<Vec<(ObjectId, ObjectId)>, StoreError> {
        statement!("job_finished")
            .query()
            .bind(time)
            .bind(i64::from(limit))
            .all(self.connection(), |row| Ok((row.id(0)?, row.id(1)?)))
            .await
    }
}

/// None of these needs an area but the first two, which need [`Area::Objects`].
impl Write {
    /// Keeps how far a new job is: it is queued. The object was created by the same write.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn insert_job(&mut self, job: ObjectId, new: &NewJob) -> Result<(), StoreError> {
        self.need("job_insert", Area::Objects)?;
        let (metalake, at) = (self.metalake(), self.at());
        let seen = self.shared_now().await?;
        statement!("job_insert")
            .query()
            .id(job)
            .id(metalake)
            .id(new.template)
            .bind(new.template_name.as_str())
            .bind(at)
            .bind(new.executor.as_str())
            .bind(seen)
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Tells the jobs of a template its new name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn rename_template_of_jobs(
        &mut self,
        template: ObjectId,
        name: &str,
    ) -> Result<(), StoreError> {
        self.need("job_template_renamed", Area::Objects)?;
        statement!("job_template_renamed")
            .query()
            .id(template)
            .bind(name)
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Notes that the process of a queued job began at a time, by `modifier`. Gives whether it was queued.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn begin_job(&mut self, job: ObjectId, at: i64, modifier: &str) -> Result<bool, StoreError> {
        let touched = statement!("job_begin")
            .query()
            .id(job)
            .bind(at)
            .bind(modifier)
            .run(self.connection())
            .await?;
        Ok(touched > 0)
    }

    /// Notes how a job ended and when, by `modifier`. Gives whether it was not over.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn end_job(
        &mut self,
        job: ObjectId,
        status: JobStatus,
        at: i64,
        modifier: &str,
    ) -> Result<bool, StoreError> {
        let touched = statement!("job_end")
            .query()
            .id(job)
            .bind(status.as_str())
            .bind(at)
            .bind(modifier)
            .run(self.connection())
            .await?;
        Ok(touched > 0)
    }

    /// Asks for the end of a job that is queued or runs. Gives whether it was.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn cancel_job(&mut self, job: ObjectId, modifier: &str) -> Result<bool, StoreError> {
        let at = self.at();
        let touched = statement!("job_cancel")
            .query()
            .id(job)
            .bind(at)
            .bind(modifier)
            .run(self.connection())
            .await?;
        Ok(touched > 0)
    }

    /// Says that a server process still runs its jobs.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn note_executor(&mut self, executor: &str) -> Result<(), StoreError> {
        let seen = self.shared_now().await?;
        statement!("job_seen")
            .query()
            .bind(executor)
            .bind(seen)
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Ends the jobs of other server processes that were not heard of for so long, all of them for `None`: failed, or
    /// cancelled where that was asked for. Gives how many. Who was heard of when is told by the clock of the database,
    /// since those of the nodes may differ by more.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn lose_jobs(
        &mut self,
        executor: &str,
        unheard_for: Option<Duration>,
        modifier: &str,
    ) -> Result<u64, StoreError> {
        let at = self.at();
        let seen_before = match unheard_for {
            None => i64::MAX,
            Some(time) => {
                let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
                self.shared_now().await?.saturating_sub(time)
            }
        };
        statement!("job_lose")
            .query()
            .bind(executor)
            .bind(seen_before)
            .bind(at)
            .bind(modifier)
            .run(self.connection())
            .await
    }
}
