// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs: runs of job templates.

use std::fmt;
use std::str::FromStr;

use crate::audit::Audit;

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its name, by which it is asked for: `job-` and digits.
    pub id: String,
    /// The name of its template; after that was deleted, the last name it had.
    pub template: String,
    /// How far it is.
    pub status: JobStatus,
    /// Who ran it, and who or what changed its status last.
    pub audit: Audit,
    /// When it was asked for, in epoch milliseconds.
    pub queued_at: i64,
    /// When its process began; `None` before, and for one that ended before it began.
    pub started_at: Option<i64>,
    /// When it ended; `None` before.
    pub finished_at: Option<i64>,
}

/// How far a job is (Gravitino `JobHandle.Status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobStatus {
    /// It waits for its turn.
    Queued,
    /// Its process runs.
    Started,
    /// Its process ended in failure, or never began, or was lost with its server.
    Failed,
    /// Its process ended with status 0.
    Succeeded,
    /// Somebody asked for its end.
    Cancelling,
    /// It ended because somebody asked for it.
    Cancelled,
}

impl JobStatus {
    /// Every status, in the order in which they are counted in lists.
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Started,
        Self::Failed,
        Self::Succeeded,
        Self::Cancelling,
        Self::Cancelled,
    ];

    /// The name, as it is written and stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Started => "started",
            Self::Failed => "failed",
            Self::Succeeded => "succeeded",
            Self::Cancelling => "cancelling",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it is over.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Failed | Self::Succeeded | Self::Cancelled => true,
            Self::Queued | Self::Started | Self::Cancelling => false,
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a status of a job")]
pub struct UnknownJobStatus(pub String);

impl FromStr for JobStatus {
    type Err = UnknownJobStatus;

    fn from_str(text: &str) -> Result<Self, UnknownJobStatus> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| UnknownJobStatus(text.to_owned()))
    }
}

/// Which jobs a list has, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobQuery {
    /// Only those of the template with this name.
    pub template: Option<String>,
    /// Only those that were queued then or later, in epoch milliseconds.
    pub queued_after: Option<i64>,
    /// Only those that began then or later.
    pub started_after: Option<i64>,
    /// Only those that ended then or later.
    pub finished_after: Option<i64>,
    /// By which time they are ordered.
    pub sort_by: JobTime,
    /// Whether the earliest comes first.
    pub ascending: bool,
}

/// A time of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JobTime {
    /// When it was asked for.
    #[default]
    QueuedAt,
    /// When its process began.
    StartedAt,
    /// When it ended.
    FinishedAt,
}

impl JobQuery {
    /// Keeps the jobs that are asked for, but for the template, and puts them in order; those without the time that they
    /// are ordered by come last.
    pub fn select(&self, mut jobs: Vec<Job>) -> Vec<Job> {
        let since = |bound: Option<i64>, time: Option<i64>| {
            bound.is_none_or(|bound| time.is_some_and(|time| time >= bound))
        };
        jobs.retain(|job| {
            since(self.queued_after, Some(job.queued_at))
                && since(self.started_after, job.started_at)
                && since(self.finished_after, job.finished_at)
        });
        let time = |job: &Job| match self.sort_by {
            JobTime::QueuedAt => Some(job.queued_at),
            JobTime::StartedAt => job.started_at,
            JobTime::FinishedAt => job.finished_at,
        };
        jobs.sort_by(|left, right| {
            let (left_time, right_time) = (time(left), time(right));
            let by_time = if self.ascending {
                left_time.cmp(&right_time)
            } else {
                right_time.cmp(&left_time)
            };
            left_time
                .is_none()
                .cmp(&right_time.is_none())
                .then(by_time)
                .then_with(|| left.id.cmp(&right.id))
        });
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, JobQuery, JobStatus, JobTime};
    use crate::audit::Audit;

    fn job(id: &str, queued_at: i64, started_at: Option<i64>, finished_at: Option<i64>) -> Job {
        Job {
            id: id.to_owned(),
            template: "t".to_owned(),
            status: JobStatus::Queued,
            audit: Audit {
                creator: "ann".to_owned(),
                create_time: queued_at,
                last_modifier: None,
                last_modified_time: None,
            },
            queued_at,
            started_at,
            finished_at,
        }
    }

    #[test]
    fn bounds_are_inclusive_and_the_latest_comes_first() {
        let jobs = || {
            vec![
                job("a", 1, None, Some(5)),
                job("b", 2, Some(3), None),
                job("c", 3, Some(4), Some(6)),
            ]
        };
        let names =
            |query: JobQuery| -> String { query.select(jobs()).into_iter().map(|job| job.id).collect() };
        assert_eq!(names(JobQuery::default()), "cba");
        for (query, expected) in [
            (
                JobQuery {
                    queued_after: Some(2),
                    ascending: true,
                    ..JobQuery::default()
                },
                "bc",
            ),
            (
                JobQuery {
                    started_after: Some(4),
                    ..JobQuery::default()
                },
                "c",
            ),
            (
                JobQuery {
                    finished_after: Some(5),
                    ..JobQuery::default()
                },
                "ca",
            ),
            // Those without the time stand last either way.
            (
                JobQuery {
                    sort_by: JobTime::StartedAt,
                    ..JobQuery::default()
                },
                "cba",
            ),
            (
                JobQuery {
                    sort_by: JobTime::StartedAt,
                    ascending: true,
                    ..JobQuery::default()
                },
                "bca",
            ),
            (
                JobQuery {
                    sort_by: JobTime::FinishedAt,
                    ..JobQuery::default()
                },
                "cab",
            ),
        ] {
            assert_eq!(names(query.clone()), expected, "{query:?}");
        }
    }

    #[test]
    fn every_status_has_a_name_of_its_own() {
        for status in JobStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
        assert!("QUEUED".parse::<JobStatus>().is_err());
    }
}
