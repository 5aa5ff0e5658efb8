// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward serve`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use lakeward_server::config::Properties;
use lakeward_server::{Settings, start};

/// Run the server until it receives SIGTERM or SIGINT.
///
/// Without options it keeps its state and a warehouse in ./lakeward-data and serves the native API on port 8090 and
/// Iceberg REST on port 9001, both on 127.0.0.1 only and without authorization; a configuration file opens it to the
/// network and switches authorization on. When it accepts requests it prints one line:
///
///   ready native=URL iceberg=URL [reader=URL]
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Configuration file: Gravitino's own properties file; our settings in it start with `lakeward.`
    #[arg(long, value_name = "FILE")]
    pub(crate) conf: Option<PathBuf>,
    /// Folder of the embedded store and of the default warehouse
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Port of the native API; 0 takes any free port
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Port of Iceberg REST; 0 takes any free port
    #[arg(long, value_name = "N")]
    pub(crate) iceberg_port: Option<u16>,
    /// Port of the listener for trusted readers; 0 takes any free port
    #[arg(long, value_name = "N")]
    pub(crate) reader_port: Option<u16>,
}

/// Serves until told to end.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    until_told_to_end(settings(&arguments)?).await
}

/// Serves with these settings.
pub(crate) async fn until_told_to_end(settings: Settings) -> anyhow::Result<ExitCode> {
    // Before the ready line, so that a signal that follows it at once ends the server in order.
    let ended = Ended::listen()?;
    let running = start(settings).await?;
    println!("{}", running.ready_line());
    ended.wait().await;
    running.stop().await;
    Ok(ExitCode::SUCCESS)
}

/// The settings of the file with the options of the command line over them.
fn settings(arguments: &Arguments) -> anyhow::Result<Settings> {
    let mut properties = match &arguments.conf {
        Some(file) => Properties::load(file)?,
        None => on_loopback()?,
    };
    let ports = [
        (
            &[
                "gravitino.server.webserver.httpPort",
                "gravitino.server.webserver.httpsPort",
            ][..],
            arguments.port,
        ),
        (
            &[
                "gravitino.iceberg-rest.httpPort",
                "gravitino.iceberg-rest.httpsPort",
            ],
            arguments.iceberg_port,
        ),
        (&["lakeward.reader.port"], arguments.reader_port),
    ];
    for (keys, port) in ports {
        for key in keys {
            if let Some(port) = port {
                properties.set(key, port.to_string());
            }
        }
    }
    if let Some(folder) = &arguments.data_dir {
        properties.set("lakeward.data-dir", utf8(folder)?);
    }
    Ok(Settings::from_properties(properties)?)
}

/// Without a file nobody has decided to open this server to the network.
fn on_loopback() -> anyhow::Result<Properties> {
    Ok(Properties::from_pairs([
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
    ])?)
}

/// The path as a value of a setting.
pub(crate) fn utf8(path: &Path) -> anyhow::Result<String> {
    let text = path
        .to_str()
        .with_context(|| format!("the path `{}` is not UTF-8", path.display()))?;
    Ok(text.to_owned())
}

/// The order to end, from the terminal or from a process manager.
pub(crate) struct Ended {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Ended {
    /// Begins to listen, so that an order that comes before [`Self::wait`] is not lost.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
                .context("the signal SIGTERM cannot be waited for")?,
        })
    }

    /// Waits for the order.
    #[cfg(unix)]
    pub(crate) async fn wait(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }

    /// Waits for the order.
    #[cfg(not(unix))]
    pub(crate) async fn wait(self) {
        // Without the signal there is no other order to end but the end of the process.
        let _ = tokio::signal::ctrl_c().await;
    }
}
