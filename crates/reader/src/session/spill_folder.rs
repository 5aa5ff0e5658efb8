// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The private folder of one process for what its queries put on the disk, and the end of it.
//!
//! A parent folder, given by the operator, holds one folder per living process, each locked by its process for as long
//! as it lives. What a query spills lies in a folder of its own therein. A folder is removed by its process at a good
//! end, by a small watchdog when the process is killed, and by the next process that starts if both were.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rand::Rng;

/// Folders of processes begin with this; nothing else in the parent is ever touched.
const PREFIX: &str = "process-";
/// The file in a process's folder that it holds locked.
const LOCK: &str = "lock";
/// The file in the parent that is locked while folders are made or swept.
const DOOR: &str = ".lock";

/// Why no folder can be had.
#[derive(Debug, thiserror::Error)]
pub enum SpillFolderError {
    /// The operating system refused.
    #[error("the folder for spilled data `{folder}` cannot be used: {source}")]
    Io {
        /// The folder that was given.
        folder: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The given path is a link or no folder.
    #[error("`{0}` cannot hold spilled data: it is not a folder (a symbolic link does not count)")]
    NotAFolder(String),
    /// Others can look into the folder.
    #[error(
        "`{0}` cannot hold spilled data: other users can reach it; give it to this user alone (`chmod 700`), or name a folder \
         that does not exist yet"
    )]
    NotPrivate(String),
    /// The folder belongs to somebody else.
    #[error("`{0}` cannot hold spilled data: it belongs to another user")]
    ForeignOwner(String),
    /// The watchdog did not start.
    #[error("the watchdog of the folder for spilled data cannot be started: {0}")]
    Watchdog(io::Error),
}

/// The folder of this process. Dropping it removes it with everything in it.
#[derive(Debug)]
pub struct SpillFolder {
    path: PathBuf,
    /// Locked for as long as this lives.
    lock: Option<File>,
    watchdog: Option<Child>,
}

impl SpillFolder {
    /// Makes a folder for this process in `parent`, which is made if it is not there, and removes those of dead processes.
    ///
    /// # Errors
    /// [`SpillFolderError`] when `parent` is not private to this user or cannot be written.
    pub fn create(parent: &Path) -> Result<Self, SpillFolderError> {
        let shown = || parent.display().to_string();
        let failed = |source| SpillFolderError::Io {
            folder: shown(),
            source,
        };
        private().recursive(true).create(parent).map_err(failed)?;
        let metadata = parent.symlink_metadata().map_err(failed)?;
        if !metadata.is_dir() {
            return Err(SpillFolderError::NotAFolder(shown()));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(SpillFolderError::NotPrivate(shown()));
        }
        let door = door(&parent.join(DOOR)).map_err(failed)?;
        // The owner of what one makes is oneself.
        let own = door.metadata().map_err(failed)?.uid();
        if metadata.uid() != own {
            return Err(SpillFolderError::ForeignOwner(shown()));
        }
        door.lock().map_err(failed)?;
        for entry in parent.read_dir().map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            // Values of governed tables would stay there: rather no gateway.
            sweep_if_dead(&path, own).map_err(failed)?;
        }
        let mark: u64 = rand::rng().random();
        let path = parent.join(format!("{PREFIX}{}-{mark:016x}", std::process::id()));
        private().create(&path).map_err(failed)?;
        let lock = private_file(&path.join(LOCK)).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Self {
            path,
            lock: Some(lock),
            watchdog: None,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts a process that outlives this one and removes the folder then. `command` must end in
    /// [`sweep_when_closed`] with the path that is appended to its arguments and its standard input.
    ///
    /// # Errors
    /// [`SpillFolderError::Watchdog`] when it cannot be started.
    pub fn watch(&mut self, mut command: Command) -> Result<(), SpillFolderError> {
        let path = std::path::absolute(&self.path).map_err(SpillFolderError::Watchdog)?;
        let child = command
            .arg(path)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A signal to the group of this process must not reach it.
            .process_group(0)
            .spawn()
            .map_err(SpillFolderError::Watchdog)?;
        self.watchdog = Some(child);
        Ok(())
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        // What cannot be removed now, the watchdog tries once more.
        let _ = std::fs::remove_dir_all(&self.path);
        // It waits for the lock where something could not be removed.
        self.lock = None;
        if let Some(mut child) = self.watchdog.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// Waits until `input` ends, which it does when the process at its other end is gone, and removes that process's folder.
///
/// # Errors
/// Of the operating system, when the folder is there and cannot be removed.
pub fn sweep_when_closed(folder: &Path, mut input: impl Read) -> io::Result<()> {
    let mut nothing = [0; 64];
    loop {
        match input.read(&mut nothing) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    if !is_process_folder(folder) {
        return Err(io::Error::other("not the folder of a process"));
    }
    match folder.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(io::Error::other("not the folder of a process")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    // The pipe may be closed a moment before the lock is given up; a living process keeps it.
    let lock = match OpenOptions::new().write(true).open(folder.join(LOCK)) {
        Ok(lock) => Some(lock),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(lock) = &lock {
        lock.lock()?;
    }
    remove(folder)
}

/// Removes the folder of a process that is no more. Links, and what belongs to others, stay.
fn sweep_if_dead(path: &Path, own: u32) -> io::Result<()> {
    if !is_process_folder(path) {
        return Ok(());
    }
    let metadata = path.symlink_metadata()?;
    if !metadata.is_dir() || metadata.uid() != own {
        return Ok(());
    }
    let file = path.join(LOCK);
    match file.symlink_metadata() {
        // Its process died between making the folder and locking it: both happen behind the door.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return remove(path),
        Err(error) => return Err(error),
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        Ok(_) => {}
    }
    match OpenOptions::new().write(true).open(&file)?.try_lock() {
        Ok(()) => remove(path),
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes a folder with everything in it; links in it are removed, not followed.
fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn is_process_folder(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(PREFIX))
}

fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// The file that is there, or a new one; a link is neither.
fn door(path: &Path) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(io::Error::other(format!("`{DOOR}` in it is no file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    private_file(path)
}

fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests;
