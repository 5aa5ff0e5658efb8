// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a waiting person sees.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line on the terminal behind standard error with the rows so far; nothing where that is no terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Begins to count, silently if nobody wants to see it.
    pub(super) fn new(is_shown: bool) -> Self {
        let bar = if is_shown {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} rows, {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// More rows have come.
    pub(super) fn rows(&self, more: usize) {
        self.0.inc(u64::try_from(more).unwrap_or(u64::MAX));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
