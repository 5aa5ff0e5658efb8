// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward conformance serve`: the fixtures as tables of a small Iceberg REST endpoint, for any reader under test.
//!
//! It has rules of no kind: what a table is restricted by, and what a reader must return of it, stands in the fixtures.

mod cases;
mod mask_cases;
mod report;
mod routes;
mod rows;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;

use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use lakeward_read_restrictions::json::parse_strict;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::kit::revision_line;
use crate::serve::Ended;
use routes::Kit;

/// The fixtures that are in the command itself.
const EVAL: &str = include_str!("../../../../fixtures/conformance/eval.json");
const MASKS: &str = include_str!("../../../../fixtures/conformance/masks.json");

/// Serve the fixtures' tables with their restrictions to a reader under test, and judge what it returns
///
/// Prints one line when ready: where the Iceberg REST endpoint is, and where the cases and answers are. The reader under
/// test reads each table of GET /kit/cases and its driver posts the rows to /kit/answers/{case}. When told to end (SIGINT or
/// SIGTERM), the report is printed; the exit status is 0 if every case passed, else 1.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Folder with eval.json and masks.json; without it those of the kit inside this command
    #[arg(value_name = "DIR")]
    fixtures: Option<PathBuf>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Where the tables are written; without it a folder that is removed at the end
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// A kit that is served.
pub(super) struct Serving {
    pub(super) address: SocketAddr,
    pub(super) kit: Arc<Kit>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Serving {
    /// Writes the tables below the folder and begins to serve them.
    pub(super) async fn start(
        eval: &str,
        masks: &str,
        folder: &Path,
        listen: SocketAddr,
    ) -> anyhow::Result<Self> {
        let sources = cases::Sources {
            eval: parse_strict(eval).context("cannot parse `eval.json`")?,
            masks: parse_strict(masks).context("cannot parse `masks.json`")?,
        };
        let served = cases::all(&sources)?;
        let kit = Arc::new(Kit::new(served, folder).await?);
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("cannot listen on {listen}"))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let router = routes::router(Arc::clone(&kit));
        let task = tokio::spawn(async move {
            axum::serve(listener, router)
                .with_graceful_shutdown(async move {
                    // The sender is dropped when nobody is left to say stop.
                    let _ = stopped.await;
                })
                .await
        });
        Ok(Self {
            address,
            kit,
            stop,
            task,
        })
    }

    /// Ends in order.
    pub(super) async fn stop(self) -> anyhow::Result<()> {
        // Whoever has ended already needs no order.
        let _ = self.stop.send(());
        self.task.await??;
        Ok(())
    }
}

/// Serves until told to end, then reports.
pub(super) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let read = |name: &str, own: &str| match &arguments.fixtures {
        None => Ok(own.to_owned()),
        Some(folder) => {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
        }
    };
    let (eval, masks) = (read("eval.json", EVAL)?, read("masks.json", MASKS)?);
    let temporary = tempfile::tempdir()?;
    let folder = match &arguments.data_dir {
        None => temporary.path().to_owned(),
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
            folder
                .canonicalize()
                .with_context(|| format!("cannot use `{}`", folder.display()))?
        }
    };
    let ended = Ended::listen()?;
    eprintln!("{}", revision_line());
    let serving = Serving::start(&eval, &masks, &folder, arguments.listen).await?;
    let address = serving.address;
    println!("ready iceberg=http://{address}/iceberg kit=http://{address}/kit");
    ended.wait().await;
    let report = serving.kit.report();
    serving.stop().await?;
    let mut out = stdout().lock();
    out.write_all(report.text().as_bytes())?;
    out.flush()?;
    Ok(if report.all_passed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
