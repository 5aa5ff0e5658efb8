// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward logout`.

use std::process::ExitCode;

use url::Url;

use crate::login::kept::Keeping;

/// Forget a login of `lakeward login`, and give it back to the identity provider
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    /// Forget the logins to all servers
    #[arg(long, conflicts_with = "server")]
    all: bool,
}

/// Forgets first, so that whatever the provider says nothing is kept here.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let server = (!arguments.all).then_some(&arguments.server);
    let forgotten = Keeping::open()?.forget(server)?;
    if forgotten.is_empty() {
        println!("there is no login to forget");
    }
    for login in forgotten {
        println!("{} is logged out of {}", login.user, login.server);
        if let Err(error) = login.revoke().await {
            eprintln!("lakeward: {error:#}; the login ends there by itself");
        }
    }
    Ok(ExitCode::SUCCESS)
}
