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
    // Lengths are what manifests claim, and a sum that wraps would cut files into countless pieces.
    let total = tasks
        .iter()
        .fold(0_u64, |total, task| total.saturating_add(task.length));
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
            *bytes = bytes.saturating_add(piece.length);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use iceberg::scan::FileScanTask;
    use iceberg::spec::{DataFileFormat, Schema};
    use proptest::prelude::*;

    use super::distribute;

    fn task(path: usize, length: u64) -> FileScanTask {
        FileScanTask::builder()
            .with_file_size_in_bytes(length)
            .with_start(0)
            .with_length(length)
            .with_record_count(Some(1))
            .with_data_file_path(path.to_string())
            .with_data_file_format(DataFileFormat::Parquet)
            .with_schema(Arc::new(Schema::builder().build().unwrap()))
            .with_project_field_ids(Vec::new())
            .with_case_sensitive(true)
            .build()
    }

    #[test]
    fn claimed_lengths_do_not_make_countless_pieces() {
        for lengths in [
            vec![1 << 63, (1 << 63) - 1, 2],
            vec![u64::MAX, u64::MAX],
            vec![1 << 62; 8],
        ] {
            let tasks: Vec<_> = lengths
                .iter()
                .enumerate()
                .map(|(path, length)| task(path, *length))
                .collect();
            let pieces: usize = distribute(tasks, 4, false).iter().map(Vec::len).sum();
            assert!(pieces <= lengths.len() * 5, "{pieces}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_of_every_file_is_read_once(
            lengths in proptest::collection::vec(1_u64..200_000_000, 0..8),
            partitions in 0_usize..9,
            whole_files in any::<bool>(),
        ) {
            let tasks = lengths.iter().enumerate().map(|(path, length)| task(path, *length)).collect();
            let shares = distribute(tasks, partitions, whole_files);
            prop_assert!(!shares.is_empty() && shares.len() <= partitions.max(1));
            let mut ranges: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
            for piece in shares.iter().flatten() {
                let pieces = ranges.entry(piece.data_file_path.clone()).or_default();
                pieces.push((piece.start, piece.length));
            }
            prop_assert_eq!(ranges.len(), lengths.len());
            for (path, length) in lengths.iter().enumerate() {
                let pieces = ranges.get_mut(&path.to_string()).unwrap();
                pieces.sort_unstable();
                prop_assert!(!whole_files || pieces.len() == 1);
                let mut next = 0;
                for (start, length) in pieces {
                    prop_assert_eq!(*start, next);
                    next += *length;
                }
                prop_assert_eq!(next, *length);
            }
        }
    }
}
