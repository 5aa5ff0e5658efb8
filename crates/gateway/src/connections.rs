// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How many clients are connected, and for how long without a call. Nobody has to log in to connect, so connections
//! without a bound would be memory and file descriptors for whoever wants to use them up.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tonic::transport::server::Connected;

/// The connections of a gateway.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    free: Arc<Semaphore>,
    idle: Duration,
}

/// How long whoever is refused may take to be told.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Those who are told at one time; more are closed without a word.
const TOLD: usize = 64;
/// What is said to whoever is refused.
const TOO_MANY: &[u8] =
    b"this gateway has as many connections as it may have (--connections); try again later";

impl Connections {
    /// At most `most` at once, each closed when it had no call for `idle`.
    pub(crate) fn new(most: usize, idle: Duration) -> Self {
        Self {
            free: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
            idle,
        }
    }

    /// A connection with its place; without it when there is none left.
    pub(crate) fn admit<S>(&self, stream: S) -> Result<Admitted<S>, S> {
        match Arc::clone(&self.free).try_acquire_owned() {
            Ok(place) => Ok(Admitted {
                stream,
                activity: Activity::default(),
                idle: self.idle,
                look: Box::pin(sleep(self.idle)),
                _place: place,
            }),
            Err(_) => Err(stream),
        }
    }
}

/// Tells those who are refused, some at a time.
#[derive(Debug, Clone)]
pub(crate) struct Refusals(Arc<Semaphore>);

impl Refusals {
    /// Nobody is told yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TOLD)))
    }

    /// Closes a connection with the reason in the words of HTTP/2, which clients show.
    pub(crate) fn refuse<S>(&self, mut stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        tracing::debug!("a connection was refused: there are too many");
        let Ok(place) = Arc::clone(&self.0).try_acquire_owned() else {
            return;
        };
        tokio::spawn(async move {
            let said = async {
                stream.write_all(&go_away()).await?;
                stream.shutdown().await?;
                // What the client has sent is read, else the reason may be lost with the connection.
                let mut rest = tokio::io::AsyncReadExt::take(&mut stream, 64 * 1024);
                tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
            };
            let _ = tokio::time::timeout(LAST_WORDS, said).await;
            drop(place);
        });
    }
}

/// Empty settings, which have to come first, and the end of the connection with `ENHANCE_YOUR_CALM` and the reason.
fn go_away() -> Vec<u8> {
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const GO_AWAY: u8 = 7;
    const ENHANCE_YOUR_CALM: [u8; 4] = [0, 0, 0, 11];
    let length = u32::try_from(8 + TOO_MANY.len()).unwrap_or(8).to_be_bytes();
    let mut frames = SETTINGS.to_vec();
    frames.extend_from_slice(length.get(1..).unwrap_or_default());
    frames.extend_from_slice(&[GO_AWAY, 0, 0, 0, 0, 0]);
    // No call of this connection was taken.
    frames.extend_from_slice(&[0; 4]);
    frames.extend_from_slice(&ENHANCE_YOUR_CALM);
    frames.extend_from_slice(TOO_MANY);
    frames
}

/// The calls of one connection.
#[derive(Debug, Clone)]
pub(crate) struct Activity(Arc<Calls>);

#[derive(Debug)]
struct Calls {
    open: AtomicUsize,
    last: Mutex<Instant>,
}

impl Default for Activity {
    fn default() -> Self {
        Self(Arc::new(Calls {
            open: AtomicUsize::new(0),
            last: Mutex::new(Instant::now()),
        }))
    }
}

/// A call, as long as its answer goes on.
#[derive(Debug)]
pub(crate) struct OpenCall(Activity);

impl Activity {
    /// A call begins.
    pub(crate) fn begin(&self) -> OpenCall {
        self.0.open.fetch_add(1, Ordering::AcqRel);
        OpenCall(self.clone())
    }

    /// Since when there is no call; `None` while there is one.
    fn quiet_since(&self) -> Option<Instant> {
        let last = *self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        (self.0.open.load(Ordering::Acquire) == 0).then_some(last)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let calls = &self.0.0;
        *calls.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        calls.open.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A connection that has its place, and gives it back with its end.
#[derive(Debug)]
pub(crate) struct Admitted<S> {
    stream: S,
    activity: Activity,
    idle: Duration,
    /// When to look whether it is still used.
    look: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl<S> Admitted<S> {
    /// Whether it had no call for too long; else looks again later.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        while self.look.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let next = self.activity.quiet_since().unwrap_or(now) + self.idle;
            if next <= now {
                return true;
            }
            self.look = Box::pin(sleep_until(next));
        }
        false
    }
}

impl<S: Connected> Connected for Admitted<S> {
    type ConnectInfo = Activity;

    fn connect_info(&self) -> Activity {
        self.activity.clone()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Admitted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() && self.is_over(context) {
            // As if the client had closed it.
            return Poll::Ready(Ok(()));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Admitted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use super::Connections;

    #[tokio::test]
    async fn a_connection_without_calls_ends_and_one_with_a_call_goes_on() {
        let connections = Connections::new(1, Duration::from_millis(100));
        let (_client, server) = tokio::io::duplex(16);
        let mut admitted = connections.admit(server).unwrap();
        let call = admitted.activity.begin();
        let long = Duration::from_millis(500);
        assert!(tokio::time::timeout(long, admitted.read_u8()).await.is_err());
        drop(call);
        let long = Duration::from_secs(10);
        let ended = tokio::time::timeout(long, admitted.read_u8()).await.unwrap();
        assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    }

    #[tokio::test]
    async fn places_are_given_back() {
        let connections = Connections::new(1, Duration::from_secs(60));
        let first = connections.admit(tokio::io::duplex(16).1).unwrap();
        assert!(connections.admit(tokio::io::duplex(16).1).is_err());
        drop(first);
        assert!(connections.admit(tokio::io::duplex(16).1).is_ok());
    }
}
