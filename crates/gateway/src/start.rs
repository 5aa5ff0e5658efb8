// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Starting a gateway and ending it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lakeward_reader::error::ReaderError;
use lakeward_tls::reloaded::ReloadError;
use lakeward_tls::server_certificate;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::gateway::Gateway;
use crate::listener;
use crate::settings::{Settings, Transport};

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The server's address or the reader's certificate cannot be used.
    #[error(transparent)]
    Connection(#[from] ReaderError),
    /// The key of sessions cannot be used.
    #[error("{0}")]
    SessionKey(String),
    /// The certificate of the listener cannot be used.
    #[error(transparent)]
    Certificate(#[from] ReloadError),
    /// Passwords would cross a network in the open.
    #[error("without TLS a gateway listens on loopback only, and `{0}` is none; give a certificate")]
    PlaintextOnNetwork(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        cause: std::io::Error,
    },
}

/// A gateway that accepts calls. Dropping it does not end it; [`Running::stop`] does.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// The state that calls share.
    pub gateway: Arc<Gateway>,
    encrypted: bool,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

/// Starts a gateway. Returns when calls are accepted.
///
/// # Errors
/// [`StartError`]; nothing is left running then.
pub async fn start(settings: Settings) -> Result<Running, StartError> {
    let tls = match &settings.transport {
        Transport::Tls(files) => Some(server_certificate::server_config(files, &[b"h2"])?),
        Transport::Plaintext if settings.listen.ip().is_loopback() => None,
        Transport::Plaintext => return Err(StartError::PlaintextOnNetwork(settings.listen)),
    };
    let address = settings.listen;
    let refused = |cause| StartError::Listen { address, cause };
    let gateway = Arc::new(Gateway::new(settings)?);
    let socket = TcpListener::bind(address).await.map_err(refused)?;
    let address = socket.local_addr().map_err(refused)?;
    let (stop, stopped) = watch::channel(false);
    let encrypted = tls.is_some();
    let serving = tokio::spawn(listener::serve(Arc::clone(&gateway), socket, tls, stopped));
    Ok(Running {
        address,
        gateway,
        encrypted,
        stop,
        serving,
    })
}

impl Running {
    /// The line that says that calls are accepted, and where.
    pub fn ready_line(&self) -> String {
        format!("lakeward gateway ready flight={}", self.url())
    }

    /// The address for clients on this machine.
    pub fn url(&self) -> String {
        let scheme = if self.encrypted { "grpc+tls" } else { "grpc+tcp" };
        format!("{scheme}://{}", reachable(self.address))
    }

    /// Accepts no more; running queries may end within the grace time, and what is left then is cancelled.
    pub async fn stop(mut self) {
        let grace = self.gateway.settings.grace;
        self.stop.send_replace(true);
        if tokio::time::timeout(grace, &mut self.serving).await.is_ok() {
            return;
        }
        tracing::warn!("queries were still running when the time to end was over, and are cancelled");
        self.gateway.cancelled.send_replace(true);
        // Clients that do not even take the message are left behind.
        if tokio::time::timeout(LAST_WORDS, &mut self.serving).await.is_err() {
            self.serving.abort();
        }
    }
}

/// How long a client may take to be told that its query was cancelled.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An address that a client on this machine can use: the unspecified one is loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback = if address.is_ipv4() {
        std::net::Ipv4Addr::LOCALHOST.into()
    } else {
        std::net::Ipv6Addr::LOCALHOST.into()
    };
    SocketAddr::new(loopback, address.port())
}
