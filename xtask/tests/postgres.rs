// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The throw-away PostgreSQL starts, accepts connections and leaves nothing behind.

use std::net::TcpStream;
use std::path::Path;

#[test]
fn a_throw_away_server_starts_and_ends() {
    // Where the package is missing, `cargo xtask test` would install it; a test does not.
    if !Path::new("/usr/lib/postgresql").exists() {
        return;
    }
    let server = xtask::postgres::Postgres::start().expect("the server starts");
    let address = server
        .url()
        .split_once('@')
        .and_then(|(_, rest)| rest.split_once('/'))
        .map(|(address, _)| address.to_owned())
        .expect("the address names host and port");
    TcpStream::connect(&address).expect("it accepts connections");
    drop(server);
    TcpStream::connect(&address).expect_err("it ended");
}
