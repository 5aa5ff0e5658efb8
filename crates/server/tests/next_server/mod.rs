// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The next server on a folder whose last one was given requests that broke off: such a request may hold the store for a
//! moment after its server has stopped.

use std::time::Duration;

use lakeward_server::{Running, Settings, start};

/// Starts as soon as the folder is free; fails when it is not after a minute.
pub(crate) async fn start_when_free(settings: Settings) -> Running {
    let mut attempts = 600;
    loop {
        attempts -= 1;
        match start(settings.clone()).await {
            Err(error) if attempts > 0 && error.to_string().contains("belongs to another running server") => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            other => return other.expect("the server starts"),
        }
    }
}
