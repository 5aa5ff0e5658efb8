// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Accepting connections. Every connection is a task of its own, so a silent one blocks nobody; a handshake or a
//! request head that does not come in time ends the connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::app::App;
use crate::audit::record::{Decision, Record};
use crate::http::connection::Connection;
use crate::http::respond::respond;
use crate::http::routes::Router;

/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long the head of a request may take, counted from the end of the request before.
const REQUEST_HEAD: Duration = Duration::from_secs(30);
/// After a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Parts of one answer that HTTP/2 may have in flight; more streams than this per connection wait.
const STREAMS: u32 = 256;

/// One listening socket with what it serves.
pub(crate) struct Listener {
    pub(crate) socket: TcpListener,
    pub(crate) router: Arc<Router>,
    pub(crate) app: Arc<App>,
    /// Present on the reader listener.
    pub(crate) tls: Option<Arc<rustls::ServerConfig>>,
}

impl Listener {
    /// Accepts until `stop` changes, then waits for open requests.
    pub(crate) async fn serve(self, mut stop: watch::Receiver<bool>) {
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                _ = stop.wait_for(|stopped| *stopped) => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = self.socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let door = Door {
                        app: Arc::clone(&self.app),
                        router: Arc::clone(&self.router),
                        stop: stop.clone(),
                    };
                    let tls = self.tls.clone();
                    connections.spawn(async move { door.admit(stream, peer, tls).await });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(self.socket);
        let finish = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(self.app.settings.server.shutdown_timeout, finish)
            .await
            .is_err()
        {
            tracing::warn!("requests were still open when the time to stop was over");
        }
    }
}

/// What one connection needs of its listener.
struct Door {
    app: Arc<App>,
    router: Arc<Router>,
    stop: watch::Receiver<bool>,
}

impl Door {
    async fn admit(self, stream: TcpStream, peer: SocketAddr, tls: Option<Arc<rustls::ServerConfig>>) {
        // Answers are written whole; waiting to fill a segment only delays them.
        let _ = stream.set_nodelay(true);
        let remote = Some(peer.ip());
        let Some(tls) = tls else {
            let connection = Connection {
                remote,
                certificate: None,
            };
            return self.serve(stream, connection).await;
        };
        let handshake = TlsAcceptor::from(tls).accept(stream);
        match tokio::time::timeout(HANDSHAKE, handshake).await {
            Ok(Ok(stream)) => {
                let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
                let Some(certificate) = certificates.first() else {
                    return;
                };
                let certificate = Some(crate::reader_identity::fingerprint(certificate));
                self.serve(stream, Connection { remote, certificate }).await;
            }
            Ok(Err(error)) => {
                let reason = error.to_string();
                let mut record = Record::of("", "ReaderHandshake", Decision::Refused);
                record.remote = remote;
                record.reason = Some(&reason);
                self.app.audit.note(&record);
            }
            Err(_elapsed) => tracing::debug!(%peer, "a handshake took too long"),
        }
    }

    async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        connection: Connection,
    ) {
        let limit = self.app.settings.server.max_header_bytes;
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(REQUEST_HEAD)
            .max_buf_size(limit.max(8192));
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(u32::try_from(limit).unwrap_or(u32::MAX))
            .keep_alive_interval(Some(REQUEST_HEAD));
        let Self {
            app,
            router,
            mut stop,
        } = self;
        let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
            let app = Arc::clone(&app);
            let router = Arc::clone(&router);
            let connection = connection.clone();
            async move {
                Ok::<_, std::convert::Infallible>(
                    respond(app, router, connection, request.map(Body::new)).await,
                )
            }
        });
        let serving = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(serving);
        let stopped = async move {
            // The guard that `wait_for` gives must not live across the next await.
            let _ = stop.wait_for(|stopped| *stopped).await.is_ok();
        };
        let ended = tokio::select! {
            result = serving.as_mut() => Some(result),
            () = stopped => None,
        };
        let result = match ended {
            Some(result) => result,
            None => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        };
        if let Err(error) = result {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}
