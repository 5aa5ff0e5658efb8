// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one thread that appends to the audit log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::{Counts, NotKept};

/// Records that are written at once.
const BATCH: usize = 512;

/// Something to write, and whoever waits for it.
#[derive(Debug)]
pub(super) struct Job {
    line: Vec<u8>,
    kept: Option<oneshot::Sender<Result<(), NotKept>>>,
}

impl Job {
    pub(super) fn line(record: &impl Serialize, kept: Option<oneshot::Sender<Result<(), NotKept>>>) -> Self {
        // A record has string keys and plain values, which can always be written.
        let mut line = serde_json::to_vec(record).unwrap_or_default();
        line.push(b'\n');
        Self { line, kept }
    }

    pub(super) fn flush(done: oneshot::Sender<Result<(), NotKept>>) -> Self {
        Self {
            line: Vec::new(),
            kept: Some(done),
        }
    }
}

/// Writes until the last sender is gone.
pub(super) fn run(mut writer: Writer, mut waiting: mpsc::Receiver<Job>, counts: &Counts) {
    let mut jobs = Vec::with_capacity(BATCH);
    let mut text = Vec::new();
    while waiting.blocking_recv_many(&mut jobs, BATCH) > 0 {
        text.clear();
        let mut records = 0;
        for job in &jobs {
            text.extend_from_slice(&job.line);
            records += u64::from(!job.line.is_empty());
        }
        let is_awaited = jobs.iter().any(|job| job.kept.is_some());
        let outcome = match writer.append(&text, is_awaited) {
            Ok(()) => {
                counts.written.fetch_add(records, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                tracing::error!(file = %writer.path.display(), %error, "the audit log cannot be written");
                if records > 0 {
                    counts.lose(records);
                }
                Err(NotKept)
            }
        };
        for kept in jobs.drain(..).filter_map(|job| job.kept) {
            // Who does not wait any more is not told.
            let _ = kept.send(outcome);
        }
    }
}

/// The file.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    max_bytes: u64,
    /// `None` after a failure: the next batch opens it again.
    file: Option<File>,
    bytes: u64,
}

impl Writer {
    pub(super) fn open(path: &Path, max_bytes: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let mut writer = Self {
            path: path.to_owned(),
            max_bytes,
            file: None,
            bytes: 0,
        };
        writer.file()?;
        Ok(writer)
    }

    /// Appends whole lines, or fails; on the disk when it returns, if that is asked.
    fn append(&mut self, text: &[u8], is_awaited: bool) -> io::Result<()> {
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        if self.bytes > 0 && self.bytes.saturating_add(length) > self.max_bytes {
            self.put_aside();
        }
        let result = self.file().and_then(|file| {
            file.write_all(text)?;
            if is_awaited { file.sync_data() } else { Ok(()) }
        });
        match result {
            Ok(()) => self.bytes = self.bytes.saturating_add(length),
            Err(_) => self.file = None,
        }
        result
    }

    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            options.create(true).append(true).read(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&self.path)?;
            self.bytes = file.metadata()?.len();
            if !ends_with_line(&mut file, self.bytes)? {
                // A line that was cut off by a crash or a full disk stands alone.
                file.write_all(b"\n")?;
                self.bytes += 1;
            }
            self.file = Some(file);
        }
        self.file.as_mut().ok_or_else(|| io::Error::other("no file"))
    }

    /// Gives the full file a name with its time. Where that fails, it grows on.
    fn put_aside(&mut self) {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let time = chrono::Utc::now().format("%Y%m%dT%H%M%S%.3fZ");
        let mut name = format!("{stem}-{time}");
        if let Some(extension) = self.path.extension() {
            name = format!("{name}.{}", extension.to_string_lossy());
        }
        let aside = self.path.with_file_name(name);
        if aside.exists() {
            return;
        }
        match std::fs::rename(&self.path, &aside) {
            Ok(()) => {
                self.file = None;
                self.bytes = 0;
            }
            Err(error) => {
                tracing::error!(file = %self.path.display(), %error, "the audit log cannot be put aside")
            }
        }
    }
}

fn ends_with_line(file: &mut File, length: u64) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    if length == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
