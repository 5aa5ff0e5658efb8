// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How the server of a home is found: it listens on a socket in the folder and never answers. Whoever connects is told
//! by the kernel which process listens, and sees the connection end when that process does, however it ends. So no
//! number in a file is ever trusted.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::time::Duration;

use anyhow::{Context, bail};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::io::AsyncReadExt;
use tokio::net::{UnixListener, UnixStream};

use super::layout::Home;

/// After a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Makes this process the server of a home, until it ends; the result must live as long.
pub(super) fn announce(home: &Home) -> anyhow::Result<File> {
    let lock = lock(home)?;
    let socket = home.socket();
    let told = socket.display();
    match fs::remove_file(&socket) {
        // One that was left by a server that was killed: the lock is ours.
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("`{told}` cannot be replaced")),
    }
    let listener = UnixListener::bind(&socket).with_context(|| format!("`{told}` cannot be made"))?;
    tokio::spawn(receive(listener));
    Ok(lock)
}

/// Keeps every connection open until the visitor leaves or this process ends.
async fn receive(listener: UnixListener) {
    // No tasks of their own, and declared before the listener, so that it is closed first: who sees its connection end
    // must not find this process listening any more.
    let mut visitors = FuturesUnordered::new();
    let listener = listener;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((visitor, _)) => visitors.push(until_closed(visitor)),
                Err(error) => {
                    tracing::warn!(%error, "a look at whether this server runs was not received");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(()) = visitors.next() => {}
        }
    }
}

/// Two servers that start at once both find the socket of one that was killed: only the lock lets one pass.
fn lock(home: &Home) -> anyhow::Result<File> {
    let path = home.lock();
    let told = path.display();
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    let file = file.with_context(|| format!("`{told}` cannot be written"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("the server of this folder is already running"),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("`{told}` cannot be locked")),
    }
}

/// Waits until the other side closes the connection, as the kernel does for a process that ends.
async fn until_closed(mut connection: UnixStream) {
    let mut nothing = [0; 64];
    while let Ok(1..) = connection.read(&mut nothing).await {}
}

/// The running server of a home, as another process sees it.
#[derive(Debug)]
pub(super) struct Present {
    /// Its process.
    pub(super) pid: i32,
    connection: UnixStream,
}

/// Looks for the running server of a home.
pub(super) async fn find(home: &Home) -> anyhow::Result<Option<Present>> {
    let socket = home.socket();
    let told = socket.display();
    let connection = match UnixStream::connect(&socket).await {
        Ok(connection) => connection,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error).with_context(|| format!("`{told}` cannot be reached")),
    };
    let listening = connection
        .peer_cred()
        .with_context(|| format!("nobody says who listens on `{told}`"))?;
    match listening.pid() {
        Some(pid @ 1..) => Ok(Some(Present { pid, connection })),
        _ => bail!(
            "the process that listens on `{told}` is not seen from here, perhaps one of another container"
        ),
    }
}

impl Present {
    /// Waits until the process has ended.
    pub(super) async fn ended(self) {
        until_closed(self.connection).await;
    }
}
