// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Sharing the files of a scan out to the threads that read them.

use std::cmp::Reverse;

use iceberg::scan::FileScanTask;

/// Files below this size are never split: opening one twice costs more than it gains.
const SMALLEST_SPLIT_BYTES: u64 = 8 * 1024 * 1024;

/// At most `partitions` shares of about the same size. Large files are split into byte ranges when there are fewer
/// files than shares; each row group belongs to the range that holds its midpoint, so every row is read once.
pub(crate) fn distribute(
    tasks: Vec<FileScanTask>,
    partitions: usize,
    whole_files: bool,
) -> Vec<Vec<FileScanTask>> {
    let partitions = partitions.max(1);
    let total: u64 = tasks.iter().map(|task| task.length).sum();
    let share = (total / u64::try_from(partitions).unwrap_or(1)).max(SMALLEST_SPLIT_BYTES);
    let mut pieces: Vec<FileScanTask> = tasks
        .into_iter()
        .flat_map(|task| {
            if whole_files {
                vec![task]
            } else {
                split(task, share)
            }
        })
        .collect();
    // Largest first, each to the share that has least.
    pieces.sort_by_key(|piece| Reverse(piece.length));
    let mut shares: Vec<(u64, Vec<FileScanTask>)> = Vec::new();
    shares.resize_with(partitions.min(pieces.len()).max(1), Default::default);
    for piece in pieces {
        if let Some((bytes, tasks)) = shares.iter_mut().min_by_key(|(bytes, _)| *bytes) {
            *bytes += piece.length;
            tasks.push(piece);
        }
    }
    shares.into_iter().map(|(_, tasks)| tasks).collect()
}

fn split(task: FileScanTask, share: u64) -> Vec<FileScanTask> {
    if task.length < 2 * SMALLEST_SPLIT_BYTES || task.length <= share {
        return vec![task];
    }
    let count = task.length.div_ceil(share);
    let step = task.length.div_ceil(count);
    (0..count)
        .map(|index| {
            let start = task.start + index * step;
            let mut piece = task.clone();
            piece.start = start;
            piece.length = step.min(task.start + task.length - start);
            piece.record_count = None;
            piece
        })
        .collect()
}
