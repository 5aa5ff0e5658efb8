// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The server of the demonstration: the real one, in this process, on this machine only.

use std::net::TcpListener;

use anyhow::Context;
use lakeward_server::config::{Properties, Settings};
use lakeward_server::{Running, start};

use super::scenario::METALAKE;
use super::state::Home;

/// The service administrator.
pub(super) const ADMIN: &str = "admin";

/// Starts with authorization and read restrictions on. The usual ports are taken where they are free.
pub(super) async fn launch(home: &Home) -> anyhow::Result<Running> {
    let folder = home.folder().to_str().context("the data folder is not UTF-8")?;
    let [native, iceberg, reader] = [8090, 9001, 8091].map(|port| free(port).to_string());
    let properties = Properties::from_pairs([
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.server.webserver.httpPort", native.as_str()),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.httpPort", iceberg.as_str()),
        ("gravitino.iceberg-rest.gravitino-metalake", METALAKE),
        ("gravitino.authenticators", "basic"),
        (
            "gravitino.server.rest.extensionPackages",
            "org.apache.gravitino.idp.web.rest.feature",
        ),
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", ADMIN),
        ("lakeward.read-restrictions.enabled", "true"),
        ("lakeward.reader.port", reader.as_str()),
        ("lakeward.data-dir", folder),
    ])?;
    let mut settings = Settings::from_properties(properties)?;
    settings.initial_admin_password = Some(home.password().to_owned());
    Ok(start(settings).await?)
}

/// The port if nobody listens on it, else 0 for any free one.
fn free(port: u16) -> u16 {
    match TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => port,
        Err(_) => 0,
    }
}
