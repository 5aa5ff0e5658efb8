// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keeping what a job writes, up to a limit.

use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// Copies what comes until the end, at most `limit` bytes of it; what is beyond is read and thrown away, so that the job
/// does not wait for somebody to read it, and the file says so.
pub(crate) async fn keep(mut from: impl AsyncRead + Unpin, mut to: File, limit: u64) {
    let mut left = limit;
    let mut buffer = vec![0; 8192];
    let mut is_cut = false;
    loop {
        let count = match from.read(&mut buffer).await {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => {
                tracing::warn!(%error, "the output of a job cannot be read");
                break;
            }
        };
        let kept = usize::try_from(left).unwrap_or(usize::MAX).min(count);
        left -= u64::try_from(kept).unwrap_or(left);
        let mut written = to.write_all(buffer.get(..kept).unwrap_or_default()).await;
        if kept < count && !is_cut {
            is_cut = true;
            let line = format!(
                "\n[lakeward: more than {limit} bytes; the rest is not kept (`lakeward.jobs.maxOutputBytes`)]\n"
            );
            written = to.write_all(line.as_bytes()).await;
        }
        if let Err(error) = written {
            tracing::warn!(%error, "the output of a job cannot be kept");
            left = 0;
            is_cut = true;
        }
    }
    if let Err(error) = to.flush().await {
        tracing::warn!(%error, "the output of a job cannot be kept");
    }
}
