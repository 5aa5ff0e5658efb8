// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A value made of files, made again when the files change.
//!
//! Nothing watches the files: whoever asks for the value compares what the file system says of them, which is cheap and
//! is done where a connection begins. So a change needs no signal, no timer and no restart.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// See the module.
pub struct Reloaded<T> {
    /// What it is, for messages.
    what: String,
    files: Vec<PathBuf>,
    make: Box<dyn Fn() -> Result<T, ReloadError> + Send + Sync>,
    state: Mutex<State<T>>,
}

/// Why files do not give the value. The text names the file and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct ReloadError(pub String);

struct State<T> {
    value: Arc<T>,
    seen: Vec<Option<Stamp>>,
}

/// What changes with a file.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    identity: (u64, u64, i64, i64),
}

impl<T> Reloaded<T> {
    /// Makes the value for the first time. `make` reads the files named.
    ///
    /// # Errors
    /// What `make` says.
    pub fn new(
        what: impl Into<String>,
        files: Vec<PathBuf>,
        make: impl Fn() -> Result<T, ReloadError> + Send + Sync + 'static,
    ) -> Result<Self, ReloadError> {
        // Before the files are read: a change in between is then seen the next time.
        let seen = stamps(&files);
        let value = Arc::new(make()?);
        Ok(Self {
            what: what.into(),
            files,
            make: Box::new(make),
            state: Mutex::new(State { value, seen }),
        })
    }

    /// The value of the files as they are now. Files that cannot be used, half written for instance, are said in the
    /// log once, and the value before them stays.
    pub fn current(&self) -> Arc<T> {
        let now = stamps(&self.files);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.seen != now {
            state.seen = now;
            match (self.make)() {
                Ok(value) => {
                    state.value = Arc::new(value);
                    tracing::info!("{} was read again", self.what);
                }
                Err(error) => {
                    tracing::warn!(%error, "{} changed and cannot be used; the one before stays", self.what);
                }
            }
        }
        Arc::clone(&state.value)
    }
}

impl<T> fmt::Debug for Reloaded<T> {
    /// Never shows the value, which may be a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reloaded")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

fn stamps(files: &[PathBuf]) -> Vec<Option<Stamp>> {
    files
        .iter()
        .map(|file| std::fs::metadata(file).ok().map(|metadata| stamp(&metadata)))
        .collect()
}

#[cfg(unix)]
fn stamp(metadata: &std::fs::Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt as _;
    Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
        identity: (
            metadata.dev(),
            metadata.ino(),
            metadata.ctime(),
            metadata.ctime_nsec(),
        ),
    }
}

#[cfg(not(unix))]
fn stamp(metadata: &std::fs::Metadata) -> Stamp {
    Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ReloadError, Reloaded};

    #[test]
    fn follows_its_files_and_keeps_the_last_good_value() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        let replace = |text: &str| {
            // A new file under the old name, as tools that renew certificates do it.
            let new = folder.path().join("new");
            std::fs::write(&new, text).unwrap();
            std::fs::rename(&new, &file).unwrap();
        };
        replace("1");
        let read = {
            let file = file.clone();
            move || {
                let text = std::fs::read_to_string(&file).map_err(|cause| ReloadError(cause.to_string()))?;
                text.parse::<u32>()
                    .map_err(|cause| ReloadError(cause.to_string()))
            }
        };
        let value = Reloaded::new("the number", vec![file.clone()], read).unwrap();
        assert_eq!(*value.current(), 1);
        replace("2");
        assert_eq!(*value.current(), 2);
        replace("x");
        assert_eq!(*value.current(), 2);
        replace("3");
        assert_eq!(*value.current(), 3);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(*value.current(), 3);
    }
}
