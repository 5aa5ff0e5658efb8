// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The process of a home's server.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::pin::pin;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use lakeward_server::Settings;
use lakeward_server::config::Properties;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use super::layout::{Home, make_folder};
use super::presence;
use crate::serve;

/// How long a server may take to end before it is killed.
const END: Duration = Duration::from_secs(60);
/// How much is shown of what a server wrote that did not start.
const SHOWN_BYTES: u64 = 16 * 1024;
const DATA_DIR: &str = "lakeward.data-dir";

/// Starts the server in the background, unless it runs. Returns when it accepts requests.
pub(super) async fn start(home: &Home) -> anyhow::Result<()> {
    if let Some(server) = presence::find(home).await? {
        println!("the server is already running, PID {}", server.pid);
        return Ok(());
    }
    make_folder(&home.log_dir)?;
    let log = home.log();
    let (output, from) = append_to(&log).with_context(|| format!("`{}` cannot be written", log.display()))?;
    let mut server = Command::new(std::env::current_exe().context("the path of this binary is not known")?)
        .args(["home", "run"])
        .arg(&home.folder)
        .arg("--config")
        .arg(&home.conf_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(output)
        // What is typed into this terminal later is not meant for it.
        .process_group(0)
        .spawn()
        .context("the server cannot be started")?;
    let stdout = server
        .stdout
        .take()
        .context("the server's output is not to be had")?;
    let mut ready = String::new();
    BufReader::new(stdout).read_line(&mut ready).await?;
    if ready.is_empty() {
        let status = server.wait().await?;
        bail!(
            "the server did not start ({status}):\n{}",
            written_since(&log, from)?
        );
    }
    print!("{ready}");
    Ok(())
}

fn append_to(log: &Path) -> std::io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).append(true).open(log)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

fn written_since(log: &Path, from: u64) -> anyhow::Result<String> {
    let mut written = Vec::new();
    let mut file = File::open(log)?;
    let from = from.max(file.metadata()?.len().saturating_sub(SHOWN_BYTES));
    file.seek(SeekFrom::Start(from))?;
    file.take(SHOWN_BYTES).read_to_end(&mut written)?;
    Ok(String::from_utf8_lossy(&written).trim_end().to_owned())
}

/// Runs the server in this process.
pub(super) async fn run(home: &Home) -> anyhow::Result<ExitCode> {
    let _present = presence::announce(home)?;
    let mut properties = Properties::load(&home.conf())?;
    if properties.given(DATA_DIR).is_none() {
        properties.set(DATA_DIR, serve::utf8(&home.data())?);
    }
    serve::until_told_to_end(Settings::from_properties(properties)?).await
}

/// Stops the server where it runs. Returns when its process has ended.
pub(super) async fn stop(home: &Home) -> anyhow::Result<()> {
    let Some(server) = presence::find(home).await? else {
        println!("the server is not running");
        return Ok(());
    };
    let pid = server.pid;
    let mut ended = pin!(server.ended());
    for signal in ["TERM", "KILL"] {
        let sent = send(signal, pid).await;
        // It cannot be sent to a process that has ended meanwhile, which is known at once then.
        let patience = if sent.is_ok() { END } else { Duration::ZERO };
        if timeout(patience, &mut ended).await.is_ok() {
            println!("the server has stopped");
            return Ok(());
        }
        sent?;
        eprintln!(
            "the server did not end within {} s of the signal {signal}",
            END.as_secs()
        );
    }
    bail!("the server, PID {pid}, cannot be stopped");
}

/// Sends a signal to a process.
async fn send(signal: &str, pid: i32) -> anyhow::Result<()> {
    // The standard library has no safe call for it, every shell has.
    let sent = Command::new("sh")
        .args(["-c", "kill -s \"$0\" \"$1\"", signal, &pid.to_string()])
        .output()
        .await
        .context("there is no shell to signal the server with")?;
    if !sent.status.success() {
        bail!(
            "the server, PID {pid}, cannot be signalled: {}",
            String::from_utf8_lossy(&sent.stderr).trim()
        );
    }
    Ok(())
}

/// Tells whether the server runs.
pub(super) async fn status(home: &Home) -> anyhow::Result<ExitCode> {
    match presence::find(home).await? {
        Some(server) => {
            println!("the server is running, PID {}", server.pid);
            Ok(ExitCode::SUCCESS)
        }
        None => {
            println!("the server is not running");
            Ok(ExitCode::FAILURE)
        }
    }
}
