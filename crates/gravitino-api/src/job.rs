// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs of a metalake.

use lakeward_metadata::Properties;
use lakeward_metadata::instant::instant_of;
use lakeward_metadata::job::{Job, JobQuery, JobStatus, JobTime};
use serde::{Deserialize, Serialize};

use crate::audit::{AuditDto, instant};
use crate::request::{RequestError, not_blank};

/// A job as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobDto {
    /// Its name, `job-` and digits.
    pub job_id: String,
    /// The name of its template.
    pub job_template_name: String,
    /// How far it is.
    pub status: String,
    /// Who ran it and what changed its status last.
    pub audit: AuditDto,
    /// When it was asked for, as an ISO 8601 instant in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_at: Option<String>,
    /// When its process began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
}

impl From<Job> for JobDto {
    fn from(job: Job) -> Self {
        Self {
            audit: (&job.audit).into(),
            job_id: job.id,
            job_template_name: job.template,
            status: job.status.as_str().to_owned(),
            queued_at: instant(job.queued_at),
            started_at: job.started_at.and_then(instant),
            finished_at: job.finished_at.and_then(instant),
        }
    }
}

/// Answer with one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobResponse {
    /// Always 0.
    pub code: i32,
    /// The job.
    pub job: JobDto,
}

impl From<Job> for JobResponse {
    fn from(job: Job) -> Self {
        Self {
            code: 0,
            job: job.into(),
        }
    }
}

/// How many of the jobs of an answer have each status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusCounts {
    /// Those that wait.
    pub queued: u64,
    /// Those that run.
    pub started: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that succeeded.
    pub succeeded: u64,
    /// Those that are to end.
    pub cancelling: u64,
    /// Those that were ended.
    pub cancelled: u64,
}

/// Answer of `GET …/jobs/runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobListResponse {
    /// Always 0.
    pub code: i32,
    /// The jobs.
    pub jobs: Vec<JobDto>,
    /// Their statuses, counted.
    pub status_counts: StatusCounts,
}

impl FromIterator<Job> for JobListResponse {
    fn from_iter<I: IntoIterator<Item = Job>>(jobs: I) -> Self {
        let mut counts = StatusCounts::default();
        let jobs = jobs
            .into_iter()
            .map(|job| {
                let count = match job.status {
                    JobStatus::Queued => &mut counts.queued,
                    JobStatus::Started => &mut counts.started,
                    JobStatus::Failed => &mut counts.failed,
                    JobStatus::Succeeded => &mut counts.succeeded,
                    JobStatus::Cancelling => &mut counts.cancelling,
                    JobStatus::Cancelled => &mut counts.cancelled,
                };
                *count += 1;
                job.into()
            })
            .collect();
        Self {
            code: 0,
            jobs,
            status_counts: counts,
        }
    }
}

/// `POST …/jobs/runs`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct JobRunRequest {
    /// The template; required.
    pub job_template_name: Option<String>,
    /// Values for its placeholders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_conf: Option<Properties>,
}

/// A run that is asked for, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobToRun {
    /// The template.
    pub template: String,
    /// Values for its placeholders.
    pub parameters: Properties,
}

impl TryFrom<JobRunRequest> for JobToRun {
    type Error = RequestError;

    fn try_from(request: JobRunRequest) -> Result<Self, RequestError> {
        Ok(Self {
            template: not_blank("jobTemplateName", request.job_template_name)?,
            parameters: request.job_conf.unwrap_or_default(),
        })
    }
}

/// Reads the query of a list of jobs, given as the value of each of its parameters. Empty values count as absent.
///
/// # Errors
/// [`RequestError::Invalid`] that names the parameter.
pub fn job_query<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<JobQuery, RequestError> {
    let given = |name: &str| value(name).filter(|value| !value.trim().is_empty());
    let time = |name: &str| {
        given(name)
            .map(|text| {
                instant_of(text).ok_or_else(|| {
                    RequestError::invalid(
                        name,
                        format!("`{text}` is not an ISO 8601 instant such as 2026-08-18T00:00:00Z"),
                    )
                })
            })
            .transpose()
    };
    let sort_by = match given("sortBy") {
        None | Some("queuedAt") => JobTime::QueuedAt,
        Some("startedAt") => JobTime::StartedAt,
        Some("finishedAt") => JobTime::FinishedAt,
        Some(other) => {
            return Err(RequestError::invalid(
                "sortBy",
                format!("`{other}` is not one of: queuedAt, startedAt, finishedAt"),
            ));
        }
    };
    let ascending = match given("sortOrder").map(str::to_ascii_lowercase).as_deref() {
        None | Some("desc") => false,
        Some("asc") => true,
        Some(other) => {
            return Err(RequestError::invalid(
                "sortOrder",
                format!("`{other}` is not one of: desc, asc"),
            ));
        }
    };
    Ok(JobQuery {
        template: given("jobTemplateName").map(str::to_owned),
        queued_after: time("queuedAfter")?,
        started_after: time("startedAfter")?,
        finished_after: time("finishedAfter")?,
        sort_by,
        ascending,
    })
}

#[cfg(test)]
mod tests {
    use super::job_query;

    fn query(text: &str) -> Result<lakeward_metadata::job::JobQuery, String> {
        let pairs: Vec<(&str, &str)> = text.split('&').filter_map(|pair| pair.split_once('=')).collect();
        job_query(|name| {
            pairs
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| *value)
        })
        .map_err(|error| error.to_string())
    }

    #[test]
    fn empty_values_are_absent_and_wrong_ones_are_named() {
        let empty = "jobTemplateName=&queuedAfter=&sortBy=&sortOrder=";
        assert_eq!(query(empty), query(""));
        let full = query("queuedAfter=2026-01-01T00:00:00Z&sortBy=finishedAt&sortOrder=ASC").unwrap();
        assert_eq!(full.queued_after, Some(1_767_225_600_000));
        assert!(full.ascending);
        for (text, expected) in [
            (
                "sortBy=zz",
                "`sortBy`: `zz` is not one of: queuedAt, startedAt, finishedAt",
            ),
            ("sortOrder=up", "`sortOrder`: `up` is not one of: desc, asc"),
            (
                "queuedAfter=yesterday",
                "`queuedAfter`: `yesterday` is not an ISO 8601 instant such as 2026-08-18T00:00:00Z",
            ),
        ] {
            assert_eq!(query(text).unwrap_err(), expected);
        }
    }
}
