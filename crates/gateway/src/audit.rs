// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the audit of a gateway says: who read what, under which restrictions, and how it ended. No rows, no parameters,
//! no credentials.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lakeward_audit_log::{AuditError, AuditSettings, NotKept};
use lakeward_reader::session::TableUse;
use serde::Serialize;
use tonic::{Code, Status};

use crate::clock;
use crate::running::{Entry, Operation};

/// The longest text of a statement in a record, in bytes.
const LONGEST: usize = 4096;
/// Users whose refused logins are counted by name in one minute; those of others are counted together.
const NAMES: usize = 50;
/// How often refused logins are recorded.
pub(crate) const REFUSALS: Duration = Duration::from_secs(60);

/// Where the audit goes.
#[derive(Debug, Clone)]
pub struct AuditFile {
    /// The file that records are appended to.
    pub file: PathBuf,
    /// The size at which it is put aside and a new one begins.
    pub max_file_bytes: u64,
    /// Whether a statement waits for its first record to be on the disk, and is refused without.
    pub required: bool,
}

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// All rows were sent.
    Done,
    /// It may not run, or not so: by the server, by limits, by its text.
    Refused,
    /// Something broke.
    Failed,
    /// Its user cancelled it.
    Cancelled,
    /// Its time was over.
    TimedOut,
    /// Its client took no rows.
    Idle,
    /// Its client went away.
    GivenUp,
}

impl Outcome {
    /// All of them.
    pub(crate) const ALL: [Self; 7] = [
        Self::Done,
        Self::Refused,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
        Self::Idle,
        Self::GivenUp,
    ];

    /// As records and metrics have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed-out",
            Self::Idle => "idle",
            Self::GivenUp => "given-up",
        }
    }

    /// That of a statement which ended with this status.
    pub(crate) fn of(code: Code) -> Self {
        match code {
            Code::Ok => Self::Done,
            Code::Cancelled => Self::Cancelled,
            Code::DeadlineExceeded => Self::TimedOut,
            Code::Aborted => Self::Idle,
            Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::ResourceExhausted
            | Code::FailedPrecondition
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::Unauthenticated => Self::Refused,
            Code::Unknown | Code::Internal | Code::Unavailable | Code::DataLoss => Self::Failed,
        }
    }
}

/// A statement, for its records.
#[derive(Debug)]
pub(crate) struct Event<'a>(&'a Entry);

impl<'a> Event<'a> {
    pub(crate) fn of(entry: &'a Entry) -> Self {
        Self(entry)
    }
}

/// The audit of one gateway.
#[derive(Debug)]
pub(crate) struct Audit {
    node: String,
    log: Option<lakeward_audit_log::Audit>,
    refused: Mutex<Refused>,
}

/// Logins refused since the last record of them.
#[derive(Debug, Default)]
struct Refused {
    by_user: BTreeMap<String, u64>,
    others: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Record<'a> {
    time: String,
    node: &'a str,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    user: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    statement_cut: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<Table<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Table<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
}

impl<'a> From<&'a TableUse> for Table<'a> {
    fn from(used: &'a TableUse) -> Self {
        Self {
            name: used.name.to_string(),
            metadata: used.metadata_location.as_deref(),
            snapshot: used.snapshot,
            signature: used.signature.as_deref(),
        }
    }
}

impl Audit {
    /// Opens it; without a file nothing is recorded.
    ///
    /// # Errors
    /// [`AuditError`] when the file cannot be appended to.
    pub(crate) fn open(node: String, settings: Option<&AuditFile>) -> Result<Self, AuditError> {
        let log = settings
            .map(|settings| {
                lakeward_audit_log::Audit::open(&AuditSettings {
                    enabled: true,
                    file: settings.file.clone(),
                    max_file_bytes: settings.max_file_bytes,
                    required: settings.required,
                })
            })
            .transpose()?;
        Ok(Self {
            node,
            log,
            refused: Mutex::default(),
        })
    }

    /// A statement begins. Waits for the record where that is required.
    ///
    /// # Errors
    /// [`NotKept`], only where it is required.
    pub(crate) async fn began(&self, event: &Event<'_>) -> Result<(), NotKept> {
        let Some(log) = &self.log else { return Ok(()) };
        let record = self.of_statement("begin", event.0);
        if log.is_required() {
            log.keep(&record).await
        } else {
            log.note(&record);
            Ok(())
        }
    }

    /// A statement has ended.
    pub(crate) fn ended(&self, event: &Event<'_>, outcome: Outcome, status: Option<&Status>) {
        let Some(log) = &self.log else { return };
        let entry = event.0;
        let name = match entry.operation {
            Operation::Plan => "plan",
            Operation::Run => "end",
        };
        let mut record = self.of_statement(name, entry);
        record.tables = entry
            .tables
            .get()
            .map(|tables| tables.iter().map(Into::into).collect())
            .unwrap_or_default();
        record.outcome = Some(outcome);
        record.code = status.map(|status| format!("{:?}", status.code()));
        record.reason = status.map(Status::message);
        if entry.operation == Operation::Run {
            record.rows = Some(entry.rows.load(Ordering::Relaxed));
            record.bytes = Some(entry.bytes.load(Ordering::Relaxed));
        }
        record.micros = Some(u64::try_from(entry.took().as_micros()).unwrap_or(u64::MAX));
        log.note(&record);
    }

    /// Counts a refused login.
    pub(crate) fn refused_login(&self, user: &str) {
        if self.log.is_none() {
            return;
        }
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = refused.by_user.get_mut(user) {
            *count += 1;
        } else if refused.by_user.len() < NAMES {
            refused.by_user.insert(user.to_owned(), 1);
        } else {
            refused.others += 1;
        }
    }

    /// Records the refused logins since the last time: one record for each of a bounded number of names.
    pub(crate) fn record_refused(&self) {
        let Some(log) = &self.log else { return };
        let refused = std::mem::take(&mut *self.refused.lock().unwrap_or_else(PoisonError::into_inner));
        let of_others = (refused.others > 0).then_some(("", refused.others));
        let by_user = refused
            .by_user
            .iter()
            .map(|(user, count)| (user.as_str(), *count));
        for (user, count) in by_user.chain(of_others) {
            log.note(&Record {
                user,
                count: Some(count),
                outcome: Some(Outcome::Refused),
                ..self.record("login")
            });
        }
    }

    /// Writes everything that was handed over.
    pub(crate) async fn flush(&self) {
        self.record_refused();
        if let Some(log) = &self.log {
            log.flush().await;
        }
    }

    /// Records written and lost.
    pub(crate) fn counted(&self) -> (u64, u64) {
        self.log
            .as_ref()
            .map_or((0, 0), lakeward_audit_log::Audit::counted)
    }

    fn record<'a>(&'a self, event: &'a str) -> Record<'a> {
        Record {
            time: clock::text(),
            node: &self.node,
            event,
            request_id: None,
            user: "",
            statement: None,
            statement_cut: false,
            tables: Vec::new(),
            outcome: None,
            code: None,
            reason: None,
            rows: None,
            bytes: None,
            micros: None,
            count: None,
        }
    }

    fn of_statement<'a>(&'a self, event: &'a str, entry: &'a Entry) -> Record<'a> {
        let mut end = LONGEST.min(entry.sql.len());
        while !entry.sql.is_char_boundary(end) {
            end -= 1;
        }
        let cut = entry.sql.get(..end).unwrap_or_default();
        Record {
            request_id: Some(entry.id.to_string()),
            user: &entry.user,
            statement: Some(cut),
            statement_cut: cut.len() < entry.sql.len(),
            ..self.record(event)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn refused_logins_cannot_fill_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("audit.jsonl");
        let settings = AuditFile {
            file: file.clone(),
            max_file_bytes: u64::MAX,
            required: false,
        };
        let audit = Audit::open("n".to_owned(), Some(&settings)).unwrap();
        for number in 0..10_000 {
            audit.refused_login("ann");
            audit.refused_login(&format!("guess{number}"));
        }
        audit.flush().await;
        let text = std::fs::read_to_string(&file).unwrap();
        let records: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(records.len(), NAMES + 1);
        let counts = records.iter().map(|record| record["count"].as_u64().unwrap());
        assert_eq!(counts.sum::<u64>(), 20_000);
        let ann = records.iter().find(|record| record["user"] == "ann").unwrap();
        assert_eq!((&ann["event"], &ann["count"]), (&"login".into(), &10_000.into()));
        audit.flush().await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}
