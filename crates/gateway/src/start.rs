// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Starting a gateway and ending it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lakeward_audit_log::AuditError;
use lakeward_reader::error::ReaderError;
use lakeward_reader::session::spill_folder::SpillFolderError;
use lakeward_tls::reloaded::ReloadError;
use lakeward_tls::server_certificate;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::audit::REFUSALS;
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
    /// The audit cannot be written.
    #[error("{0}; choose another file with `--audit`")]
    Audit(#[from] AuditError),
    /// The folder for spilled data cannot be used.
    #[error(transparent)]
    SpillFolder(#[from] SpillFolderError),
    /// The certificate of the listener cannot be used.
    #[error(transparent)]
    Certificate(#[from] ReloadError),
    /// Passwords would cross a network in the open.
    #[error("without TLS a gateway listens on loopback only, and `{0}` is none; give a certificate")]
    PlaintextOnNetwork(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}, the address of `{option}`: {cause}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The option that names it.
        option: &'static str,
        /// What the operating system says.
        cause: std::io::Error,
    },
}

/// A gateway that accepts calls. Dropping it does not end it; [`Running::stop`] does.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it serves metrics, if it does.
    pub metrics: Option<SocketAddr>,
    /// The state that calls share.
    pub gateway: Arc<Gateway>,
    encrypted: bool,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    /// Metrics and records of refused logins; they end with the gateway.
    beside: JoinSet<()>,
}

/// Starts a gateway. Returns when calls are accepted.
///
/// # Errors
/// [`StartError`]; nothing is left running then.
pub async fn start(settings: Settings) -> Result<Running, StartError> {
    let tls = match &settings.transport {
        Transport::Tls(files) => Some(Arc::new(server_certificate::server_config(files, &[b"h2"])?)),
        Transport::Plaintext if settings.listen.ip().is_loopback() => None,
        Transport::Plaintext => return Err(StartError::PlaintextOnNetwork(settings.listen)),
    };
    let address = settings.listen;
    let refused = |cause| StartError::Listen {
        address,
        option: "--listen",
        cause,
    };
    let gateway = Arc::new(Gateway::new(settings)?);
    let socket = TcpListener::bind(address).await.map_err(refused)?;
    let address = socket.local_addr().map_err(refused)?;
    let mut beside = JoinSet::new();
    let mut metrics = None;
    if let Some(address) = gateway.settings.metrics {
        let refused = |cause| StartError::Listen {
            address,
            option: "--metrics",
            cause,
        };
        let socket = TcpListener::bind(address).await.map_err(refused)?;
        metrics = Some(socket.local_addr().map_err(refused)?);
        beside.spawn(crate::metrics::serve(socket, Arc::clone(&gateway)));
    }
    beside.spawn(record_refused(Arc::clone(&gateway)));
    let (stop, stopped) = watch::channel(false);
    let encrypted = tls.is_some();
    let serving = tokio::spawn(listener::serve(Arc::clone(&gateway), socket, tls, stopped));
    Ok(Running {
        address,
        metrics,
        gateway,
        encrypted,
        stop,
        serving,
        beside,
    })
}

/// Records refused logins, as many of them as there may be, a few times an hour.
async fn record_refused(gateway: Arc<Gateway>) {
    let mut ticks = tokio::time::interval(REFUSALS);
    loop {
        ticks.tick().await;
        gateway.statements.audit.record_refused();
    }
}

impl Running {
    /// The line that says that calls are accepted, and where.
    pub fn ready_line(&self) -> String {
        let metrics = self
            .metrics
            .map(|address| format!(" metrics=http://{}/metrics", reachable(address)))
            .unwrap_or_default();
        format!("lakeward gateway ready flight={}{metrics}", self.url())
    }

    /// The address for clients on this machine.
    pub fn url(&self) -> String {
        let scheme = if self.encrypted { "grpc+tls" } else { "grpc+tcp" };
        format!("{scheme}://{}", reachable(self.address))
    }

    /// Accepts no more; running queries may end within the grace time, and what is left then is cancelled. Their records
    /// are on the disk when it returns, and nothing of theirs is.
    pub async fn stop(mut self) {
        self.end_serving().await;
        self.beside.shutdown().await;
        // Tasks of statements whose clients are gone end by themselves.
        let ended = async {
            while self.gateway.statements.running() > 0 || self.gateway.resources.usage().queries > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        };
        if tokio::time::timeout(LAST_WORDS, ended).await.is_err() {
            tracing::warn!("queries were still ending when the gateway did");
        }
        self.gateway.statements.end_all();
        self.gateway.statements.audit.flush().await;
    }

    async fn end_serving(&mut self) {
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

/// Between two looks at what still runs.
const PAUSE: Duration = Duration::from_millis(5);
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
