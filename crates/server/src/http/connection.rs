// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a listener knows of the connection that carries a request.

use std::net::IpAddr;

/// The origin of a connection.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The address of the peer; `None` in-process.
    pub remote: Option<IpAddr>,
    /// The fingerprint of the client's certificate; only the reader listener asks for one. Whom it proves is looked up for
    /// every request, so that a revoked reader is refused with its next one.
    pub certificate: Option<String>,
}
