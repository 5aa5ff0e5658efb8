// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reads a request body within a size and a time.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use super::fault::Fault;

/// How long the whole body may take, whatever the pace of its parts.
const WHOLE_BODY: Duration = Duration::from_secs(300);

/// How much of a body that nobody wants is read before the answer, so that the client sees the answer and not a
/// closed connection.
const DRAINED_BYTES: u64 = 64 * 1024 * 1024;
const DRAINED_FOR: Duration = Duration::from_secs(5);

/// A body that has not been read yet.
#[derive(Debug)]
pub(super) struct BodyReader {
    body: Body,
    idle: Duration,
}

impl BodyReader {
    /// `idle` is the longest pause between two parts.
    pub(super) fn new(body: Body, idle: Duration) -> Self {
        Self { body, idle }
    }

    /// The whole body.
    pub(super) async fn read(&mut self, limit: u64) -> Result<Bytes, Fault> {
        match tokio::time::timeout(WHOLE_BODY, self.collect(limit)).await {
            Ok(result) => result,
            Err(_elapsed) => Err(Fault::SlowBody),
        }
    }

    async fn collect(&mut self, limit: u64) -> Result<Bytes, Fault> {
        let too_large = || Fault::TooLarge { limit };
        if axum::body::HttpBody::size_hint(&self.body).lower() > limit {
            return Err(too_large());
        }
        let mut collected = BytesMut::new();
        loop {
            let frame = match tokio::time::timeout(self.idle, self.body.frame()).await {
                Err(_elapsed) => return Err(Fault::SlowBody),
                Ok(None) => return Ok(collected.freeze()),
                Ok(Some(Err(error))) => return Err(Fault::BrokenBody(error.to_string())),
                Ok(Some(Ok(frame))) => frame,
            };
            if let Ok(data) = frame.into_data() {
                let size = collected.len().saturating_add(data.len());
                if u64::try_from(size).map_or(true, |size| size > limit) {
                    return Err(too_large());
                }
                collected.extend_from_slice(&data);
            }
        }
    }
}

impl Drop for BodyReader {
    /// What is left unread is drained in the background of the connection: hyper closes a connection whose request
    /// was not read to its end, and the client would see that instead of the answer.
    fn drop(&mut self) {
        let mut body = std::mem::take(&mut self.body);
        if axum::body::HttpBody::is_end_stream(&body) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            let drained = async {
                let mut left = DRAINED_BYTES;
                while let Some(Ok(frame)) = body.frame().await {
                    let size = frame.data_ref().map_or(0, Bytes::len);
                    left = left.saturating_sub(u64::try_from(size).unwrap_or(u64::MAX));
                    if left == 0 {
                        break;
                    }
                }
            };
            // Out of time is as good as done: the connection closes then.
            let _ = tokio::time::timeout(DRAINED_FOR, drained).await;
        });
    }
}
