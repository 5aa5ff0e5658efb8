// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What became of requests that named an idempotency key, per user, until they expire. The row is written in the
//! transaction of the effect, so there is one exactly when there is the other: a node that dies leaves no request half
//! finished, and of two requests with one key the second finds the first one's row, or waits for it.

use lakeward_metadata::id::ObjectId;

use crate::clock;
use crate::error::StoreError;
use crate::row::{Row, statement};
use crate::store::Store;
use crate::write::Write;

/// A request that names a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedRequest {
    /// Who asks.
    pub user: String,
    /// The key, unique to the user.
    pub key: String,
    /// What is asked: equal for equal requests.
    pub fingerprint: String,
    /// How long its outcome is kept, in milliseconds.
    pub lifetime: i64,
}

/// How a request ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOutcome {
    /// The status that it was refused with; `None` when it succeeded.
    pub refusal: Option<u16>,
    /// The object that it made or changed, if it was one.
    pub object: Option<ObjectId>,
    /// What is needed to answer it once more beside the object; never anything that an answer must be decided for.
    pub answer: Option<String>,
}

/// A request that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRequest {
    /// What was asked.
    pub fingerprint: String,
    /// How it ended.
    pub outcome: RequestOutcome,
}

fn finished(row: &Row) -> Result<FinishedRequest, StoreError> {
    let refusal = row.optional_integer(1)?;
    let refusal = refusal.map(|status| {
        u16::try_from(status).map_err(|_| row.corrupt(format!("column 1: {status} is not a status")))
    });
    Ok(FinishedRequest {
        fingerprint: row.text(0)?,
        outcome: RequestOutcome {
            refusal: refusal.transpose()?,
            object: row.optional_id(2)?,
            answer: row.optional_text(3)?,
        },
    })
}

impl Store {
    /// The request of a user that ended under a key and has not expired.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn finished_request(
        &self,
        user: &str,
        key: &str,
    ) -> Result<Option<FinishedRequest>, StoreError> {
        let (user, key, now) = (user.to_owned(), key.to_owned(), clock::now());
        let query = || {
            statement!("finished_request_load")
                .query()
                .bind(user.clone())
                .bind(key.clone())
                .bind(now)
        };
        Ok(self.read(query, finished).await?.pop())
    }

    /// Whether at least so many requests of a user ended under keys that have not expired. It reads at most `most` rows of
    /// the user.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn has_finished_requests(&self, user: &str, most: u32) -> Result<bool, StoreError> {
        let Some(offset) = most.checked_sub(1) else {
            return Ok(true);
        };
        let (user, now) = (user.to_owned(), clock::now());
        let query = || {
            statement!("finished_request_nth")
                .query()
                .bind(user.clone())
                .bind(now)
                .bind(i64::from(offset))
        };
        Ok(!self.read(query, |_| Ok(())).await?.is_empty())
    }

    /// Forgets the requests that have expired. Gives their number.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn forget_finished_requests(&self) -> Result<u64, StoreError> {
        let mut write = self.write_uncounted().await?;
        let now = write.at();
        let forgotten = statement!("finished_request_forget")
            .query()
            .bind(now)
            .run(write.connection())
            .await?;
        write.commit().await?;
        Ok(forgotten)
    }
}

impl Write {
    /// Keeps how a request ended, when this write commits. `false` when another one of that user and key has ended
    /// before: the write must then be dropped. A request that is about to end in another transaction is waited for, so
    /// do this after everything else that waits.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn finish_request(
        &mut self,
        request: &KeyedRequest,
        outcome: &RequestOutcome,
    ) -> Result<bool, StoreError> {
        let now = self.at();
        let touched = statement!("finished_request_keep")
            .query()
            .bind(request.user.as_str())
            .bind(request.key.as_str())
            .bind(request.fingerprint.as_str())
            .bind(outcome.refusal.map(i64::from))
            .bind(outcome.object.map(ObjectId::value))
            .bind(outcome.answer.as_deref())
            .bind(now.saturating_add(request.lifetime))
            .bind(now)
            .run(self.connection())
            .await?;
        Ok(touched > 0)
    }
}
