// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a listener knows of the connection that carries a request.

use std::net::IpAddr;

use lakeward_read_restrictions::admission::Trust;

/// The origin of a connection.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The address of the peer; `None` in-process.
    pub remote: Option<IpAddr>,
    /// The reader that the client certificate proves; untrusted on every listener but the reader's.
    pub trust: Trust,
}
