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
use lakeward_tls::reloaded::{PATIENCE, Reloaded};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

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
    pub(crate) channel: Arc<Channel>,
}

/// What connections come over.
pub(crate) enum Channel {
    /// Nothing that protects them.
    Plain,
    /// TLS with the operator's certificate.
    Encrypted {
        config: Arc<Reloaded<ServerConfig>>,
        /// Whether clients must show a certificate. It lets them in, and proves neither who asks nor which reader does:
        /// those prove themselves at their own listener.
        asks_clients: bool,
    },
    /// TLS with a certificate of the authority of readers, on both sides. The client's says which reader it is.
    Readers(Arc<ServerConfig>),
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
                    let channel = Arc::clone(&self.channel);
                    connections.spawn(async move { door.admit(stream, peer, &channel).await });
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

/// The configuration of a connection that begins now, as far as its files can be looked at in time.
async fn followed(config: &Arc<Reloaded<ServerConfig>>) -> Arc<ServerConfig> {
    let look = config.look(|work| drop(tokio::task::spawn_blocking(work)));
    let _elapsed = tokio::time::timeout(PATIENCE, look).await;
    config.current()
}

/// What one connection needs of its listener.
struct Door {
    app: Arc<App>,
    router: Arc<Router>,
    stop: watch::Receiver<bool>,
}

impl Door {
    async fn admit(self, stream: TcpStream, peer: SocketAddr, channel: &Channel) {
        // Answers are written whole; waiting to fill a segment only delays them.
        let _ = stream.set_nodelay(true);
        let remote = Some(peer.ip());
        let connection = Connection {
            remote,
            certificate: None,
        };
        match channel {
            Channel::Plain => self.serve(stream, connection).await,
            Channel::Encrypted { config, asks_clients } => {
                let refused = asks_clients.then_some("Handshake");
                let config = followed(config).await;
                if let Some(stream) = self.shake_hands(stream, peer, config, refused).await {
                    self.serve(stream, connection).await;
                }
            }
            Channel::Readers(config) => {
                let config = Arc::clone(config);
                let Some(stream) = self
                    .shake_hands(stream, peer, config, Some("ReaderHandshake"))
                    .await
                else {
                    return;
                };
                let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
                let Some(certificate) = certificates.first() else {
                    return;
                };
                let certificate = Some(crate::reader_identity::fingerprint(certificate));
                self.serve(stream, Connection { remote, certificate }).await;
            }
        }
    }

    /// The connection, encrypted. A client that is refused is recorded under this operation, where it is told.
    async fn shake_hands(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        config: Arc<ServerConfig>,
        refused: Option<&'static str>,
    ) -> Option<TlsStream<TcpStream>> {
        let handshake = TlsAcceptor::from(config).accept(stream);
        match (tokio::time::timeout(HANDSHAKE, handshake).await, refused) {
            (Ok(Ok(stream)), _) => return Some(stream),
            (Ok(Err(error)), Some(operation)) => {
                let reason = error.to_string();
                let mut record = Record::of("", operation, Decision::Refused);
                record.remote = Some(peer.ip());
                record.reason = Some(&reason);
                self.app.note(&record);
            }
            // Of a listener that takes everybody there is nothing to tell but noise.
            (Ok(Err(error)), None) => tracing::debug!(%peer, %error, "a handshake failed"),
            (Err(_elapsed), _) => tracing::debug!(%peer, "a handshake took too long"),
        }
        None
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
