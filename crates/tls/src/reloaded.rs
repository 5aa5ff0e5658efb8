// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A value made of files, made again when the files change.
//!
//! Nothing watches the files: where a connection begins, a look compares what the file system says of them. So a change needs no
//! signal, no timer and no restart. A disk may take its time, so a look is for a thread that may block. There is one at a time, and
//! whoever comes waits for one that has not begun yet, though not for long: a disk that hangs costs one thread and no connection.

use std::fmt;
use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

/// How long a connection should wait for its look before it takes the value as it is.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// See the module.
pub struct Reloaded<T> {
    /// What it is, for messages.
    what: String,
    files: Vec<PathBuf>,
    make: Box<dyn Fn() -> Result<T, ReloadError> + Send + Sync>,
    /// Never locked while files are read.
    state: Mutex<State<T>>,
}

/// Work for a thread that may block.
pub type Work = Box<dyn FnOnce() + Send>;

/// Why files do not give the value. The text names the file and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct ReloadError(pub String);

struct State<T> {
    value: Arc<T>,
    seen: Vec<Option<Stamp>>,
    /// Looks that have begun, and those of them that have ended: all, or all but one.
    begun: u64,
    ended: u64,
    /// When the last one began.
    since: Instant,
    /// Who waits for the end of the one that goes on.
    waiting: Vec<Waker>,
}

/// A look at the files, until it is gone.
struct Look<T>(Arc<Reloaded<T>>);

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
            state: Mutex::new(State {
                value,
                seen,
                begun: 0,
                ended: 0,
                since: Instant::now(),
                waiting: Vec::new(),
            }),
        })
    }

    /// The value as the last look found it. Reads no file.
    pub fn current(&self) -> Arc<T> {
        Arc::clone(&self.state().value)
    }

    /// Waits for the end of a look that begins from now on. `spawn` does work on a thread that may block. Wait no longer than
    /// [`PATIENCE`]: where a look takes longer, it goes on for those who come later, who do not wait for it at all.
    pub async fn look(self: &Arc<Self>, spawn: impl Fn(Work))
    where
        T: Send + Sync + 'static,
    {
        let wanted = self.state().begun + 1;
        poll_fn(|context| {
            let begins = {
                let mut state = self.state();
                let goes_on = state.begun > state.ended;
                if state.ended >= wanted || (goes_on && state.since.elapsed() > PATIENCE) {
                    return Poll::Ready(());
                }
                if !goes_on {
                    state.begun += 1;
                    state.since = Instant::now();
                }
                state.waiting.push(context.waker().clone());
                !goes_on
            };
            if begins {
                let look = Look(Arc::clone(self));
                spawn(Box::new(move || look.take()));
            }
            Poll::Pending
        })
        .await;
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Look<T> {
    /// Makes the value that of the files as they are now. Files that cannot be used, half written for instance, are
    /// said in the log once, and the value before them stays.
    fn take(self) {
        let reloaded = &self.0;
        let now = stamps(&reloaded.files);
        {
            let mut state = reloaded.state();
            if state.seen == now {
                return;
            }
            state.seen = now;
        }
        match (reloaded.make)() {
            Ok(value) => {
                reloaded.state().value = Arc::new(value);
                tracing::info!("{} was read again", reloaded.what);
            }
            Err(error) => {
                tracing::warn!(%error, "{} changed and cannot be used; the one before stays", reloaded.what);
            }
        }
    }
}

impl<T> Drop for Look<T> {
    fn drop(&mut self) {
        let waiting = {
            let mut state = self.0.state();
            state.ended = state.begun;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
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
    use std::path::Path;
    use std::pin::pin;
    use std::sync::{Arc, Mutex, mpsc};
    use std::task::{Context, Poll, Waker};

    use super::{ReloadError, Reloaded, Work};

    fn replace(file: &Path, text: &str) {
        // A new file under the old name, as tools that renew certificates do it.
        let new = file.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, file).unwrap();
    }

    fn read(file: &Path) -> Result<u32, ReloadError> {
        let text = std::fs::read_to_string(file).map_err(|cause| ReloadError(cause.to_string()))?;
        text.parse().map_err(|_| ReloadError(text))
    }

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn follows_its_files_and_keeps_the_last_good_value() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        replace(&file, "1");
        let number = {
            let file = file.clone();
            move || read(&file)
        };
        let value = Arc::new(Reloaded::new("the number", vec![file.clone()], number).unwrap());
        let looked = || {
            let mut look = pin!(value.look(|work| work()));
            assert!(poll(look.as_mut()).is_pending(), "it is woken");
            assert!(poll(look).is_ready());
            *value.current()
        };
        assert_eq!(looked(), 1);
        for (text, expected) in [("2", 2), ("x", 2), ("3", 3)] {
            replace(&file, text);
            assert_eq!(looked(), expected);
        }
        std::fs::remove_file(&file).unwrap();
        assert_eq!(looked(), 3);
    }

    #[test]
    fn who_comes_during_a_look_waits_for_the_next_and_nobody_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        replace(&file, "1");
        let (begun, has_begun) = mpsc::channel();
        let (go, wait) = mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        let slow = {
            let file = file.clone();
            move || {
                let number = read(&file)?;
                if number > 1 {
                    begun.send(()).unwrap();
                    wait.lock().unwrap().recv().unwrap();
                }
                Ok(number)
            }
        };
        let value = Arc::new(Reloaded::new("the number", vec![file.clone()], slow).unwrap());
        let threads = Mutex::new(Vec::new());
        let spawn = |work: Work| threads.lock().unwrap().push(std::thread::spawn(work));
        let ended = |go: &mpsc::Sender<()>| {
            go.send(()).unwrap();
            threads.lock().unwrap().pop().unwrap().join().unwrap();
        };
        replace(&file, "2");
        let mut first = pin!(value.look(spawn));
        assert!(poll(first.as_mut()).is_pending());
        has_begun.recv().unwrap();
        // What the look has read is not what the files hold now.
        replace(&file, "3");
        let mut second = pin!(value.look(spawn));
        for _ in 0..100 {
            assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
            assert_eq!(*value.current(), 1);
        }
        ended(&go);
        assert_eq!(*value.current(), 2);
        assert!(poll(first).is_ready() && poll(second.as_mut()).is_pending());
        has_begun.recv().unwrap();
        ended(&go);
        assert!(poll(second).is_ready());
        assert_eq!(*value.current(), 3);
        // One that is never done keeps nobody from the next.
        let mut dropped = pin!(value.look(drop));
        assert!(poll(dropped.as_mut()).is_pending() && poll(dropped).is_ready());
    }
}
