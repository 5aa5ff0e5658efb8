// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Accepting connections. Each TLS handshake is a task of its own and must end in time, so a silent client blocks nobody.

use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use futures::{Stream, stream};
use lakeward_tls::reloaded::{PATIENCE, Reloaded};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tonic::transport::Server;
use tonic::transport::server::Connected;

use crate::connections::{Admitted, Connections, Refusals};
use crate::flight::Flight;
use crate::gate::Gate;
use crate::gateway::Gateway;
use crate::service::Service;

/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes at one time; more connections wait in the queue of the operating system.
const HANDSHAKES: usize = 256;
/// After a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Calls at one time on one connection; more wait.
const STREAMS: u32 = 256;
/// The longest headers of a call, in bytes. Tokens with hundreds of groups stay well below it.
const HEADERS: u32 = 64 * 1024;
/// How often a silent connection is asked whether it is still there, and how long it may take to say so.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
const KEEP_ALIVE_ANSWER: Duration = Duration::from_secs(20);

/// Serves until told to stop, then until open calls have ended.
pub(crate) async fn serve(
    gateway: Arc<Gateway>,
    socket: TcpListener,
    tls: Option<Arc<Reloaded<rustls::ServerConfig>>>,
    stopped: watch::Receiver<bool>,
) {
    let settings = &gateway.settings;
    let places = Places {
        connections: Connections::new(settings.connections, settings.connection_idle),
        refusals: Refusals::new(),
    };
    let result = match tls {
        Some(tls) => {
            let (send, received) = mpsc::channel(HANDSHAKES);
            let accepting = tokio::spawn(accept_tls(socket, tls, places, send, stopped.clone()));
            let result = serve_connections(gateway, stream::unfold(received, next), stopped).await;
            accepting.abort();
            result
        }
        None => {
            let connections = stream::unfold((socket, places), |(socket, places)| async move {
                loop {
                    if let Some(stream) = places.admit(accept(&socket).await) {
                        return Some((Ok(stream), (socket, places)));
                    }
                }
            });
            serve_connections(gateway, connections, stopped).await
        }
    };
    if let Err(error) = result {
        tracing::warn!(%error, "the listener ended");
    }
}

/// The places of connections, and what becomes of those that find none.
#[derive(Debug, Clone)]
struct Places {
    connections: Connections,
    refusals: Refusals,
}

impl Places {
    /// The connection with its place; where there is none, the client is told.
    fn admit<S>(&self, stream: S) -> Option<Admitted<S>>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        self.connections
            .admit(stream)
            .map_err(|stream| self.refusals.refuse(stream))
            .ok()
    }
}

async fn next<T>(mut received: mpsc::Receiver<T>) -> Option<(Result<T, std::io::Error>, mpsc::Receiver<T>)> {
    received.recv().await.map(|stream| (Ok(stream), received))
}

async fn serve_connections<S>(
    gateway: Arc<Gateway>,
    connections: impl Stream<Item = Result<S, std::io::Error>>,
    mut stopped: watch::Receiver<bool>,
) -> Result<(), tonic::transport::Error>
where
    S: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    let request_bytes = gateway.settings.request_bytes;
    let gate = Gate(Arc::clone(&gateway));
    let flight = FlightServiceServer::new(Flight(Service { gateway }))
        .max_decoding_message_size(request_bytes)
        // Answers are split well below what clients take; a single row may be as long as it is.
        .max_encoding_message_size(usize::MAX);
    Server::builder()
        .max_concurrent_streams(STREAMS)
        .http2_max_header_list_size(HEADERS)
        .http2_keepalive_interval(Some(KEEP_ALIVE))
        .http2_keepalive_timeout(Some(KEEP_ALIVE_ANSWER))
        .layer(gate)
        .add_service(flight)
        .serve_with_incoming_shutdown(connections, async move {
            // The guard must not live on.
            let _ = stopped.wait_for(|stopped| *stopped).await.is_ok();
        })
        .await
}

/// The next connection.
async fn accept(socket: &TcpListener) -> TcpStream {
    loop {
        match socket.accept().await {
            Ok((stream, _)) => {
                // Messages are written whole; waiting to fill a segment only delays them.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// The configuration of a connection that begins now, as far as its files can be looked at in time.
async fn followed(tls: &Arc<Reloaded<rustls::ServerConfig>>) -> Arc<rustls::ServerConfig> {
    let look = tls.look(|work| drop(tokio::task::spawn_blocking(work)));
    let _elapsed = tokio::time::timeout(PATIENCE, look).await;
    tls.current()
}

/// Accepts, and hands on the connections whose handshake succeeds.
async fn accept_tls(
    socket: TcpListener,
    tls: Arc<Reloaded<rustls::ServerConfig>>,
    places: Places,
    connections: mpsc::Sender<Admitted<tokio_rustls::server::TlsStream<TcpStream>>>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut handshakes = JoinSet::new();
    loop {
        let stream = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => return,
            Some(_) = handshakes.join_next(), if !handshakes.is_empty() => continue,
            stream = accept(&socket), if handshakes.len() < HANDSHAKES => stream,
        };
        let connections = connections.clone();
        let places = places.clone();
        let tls = Arc::clone(&tls);
        handshakes.spawn(async move {
            let acceptor = TlsAcceptor::from(followed(&tls).await);
            match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => {
                    if let Some(stream) = places.admit(stream) {
                        // The receiver is gone when the gateway stops.
                        drop(connections.send(stream).await);
                    }
                }
                Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
                Err(_) => tracing::debug!("a handshake took too long"),
            }
        });
    }
}
