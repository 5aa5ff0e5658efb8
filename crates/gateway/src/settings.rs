// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the operator of a gateway decides.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use lakeward_reader::connection::REQUEST_TIME;
use lakeward_reader::session::Limits;
pub use lakeward_tls::server_certificate::CertificateFiles;
use url::Url;

use crate::audit::AuditFile;
use crate::budget::Budget;

/// What the operator of a gateway decides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server: its listener for trusted readers, or any Iceberg REST root.
    pub server: Url,
    /// Folder of the reader's certificate; without it the server lets nobody read restricted tables.
    pub identity: Option<PathBuf>,
    /// How long one request to the server may take.
    pub server_timeout: Duration,
    /// Where clients connect; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Whether and how connections are encrypted.
    pub transport: Transport,
    /// File with the key that seals sessions, at least 32 bytes, the same for all gateways behind one balancer. Without
    /// it sessions end with the process.
    pub session_key: Option<PathBuf>,
    /// How long a session lasts after its login.
    pub session_lifetime: Duration,
    /// Catalogs that clients are told of; empty asks the server.
    pub catalogs: Vec<String>,
    /// What one query may use: the time is that of `--statement-timeout`; memory follows the budget.
    pub limits: Limits,
    /// What all statements may use, together and each.
    pub budget: Budget,
    /// The name of this gateway in its audit; the address that it listens on when `None`.
    pub node: Option<String>,
    /// Where the audit goes; without it nothing is recorded.
    pub audit: Option<AuditFile>,
    /// Where metrics are served, over HTTP at `/metrics`; without it nowhere.
    pub metrics: Option<SocketAddr>,
    /// The longest message of a client, in bytes.
    pub request_bytes: usize,
    /// Connections at once; more are refused.
    pub connections: usize,
    /// How long a connection may have no call before it is closed.
    pub connection_idle: Duration,
    /// How long running queries may go on after the order to end.
    pub grace: Duration,
}

/// How clients connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// TLS with this certificate.
    Tls(CertificateFiles),
    /// Unencrypted, on loopback only.
    Plaintext,
}

impl Settings {
    /// Settings for one server with everything else as it is by default: port 8815 on loopback, unencrypted.
    pub fn new(server: Url) -> Self {
        Self {
            server,
            identity: None,
            server_timeout: REQUEST_TIME,
            listen: SocketAddr::from(([127, 0, 0, 1], 8815)),
            transport: Transport::Plaintext,
            session_key: None,
            session_lifetime: Duration::from_secs(8 * 60 * 60),
            catalogs: Vec::new(),
            limits: Limits::default(),
            budget: Budget::default(),
            node: None,
            audit: None,
            metrics: None,
            request_bytes: 16 * 1024 * 1024,
            connections: 1024,
            connection_idle: Duration::from_secs(15 * 60),
            grace: Duration::from_secs(30),
        }
    }
}
