// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One process group for each job, led by a watchdog that ends it when the server is gone, however it went.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use lakeward_metadata::Properties;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};

use crate::as_user::{JobUser, become_user, command};
use crate::error::ExecutorError;

/// Signals its whole group: to end with each line that it reads, and by force when the other end is closed, which the
/// operating system does when the server ends in whatever way.
const WATCHDOG: &str = "trap '' TERM INT HUP QUIT; while read -r line; do kill -TERM 0; done; kill -KILL 0";

/// How long the end by force may take before it is said that it failed.
const END: Duration = Duration::from_secs(5);

/// The group of a job. Its number is not given to another group while this lives: the watchdog that has it as its own is
/// waited for last.
pub(crate) struct ProcessGroup {
    watchdog: Child,
    order: Option<ChildStdin>,
    id: i32,
}

impl ProcessGroup {
    /// Starts the watchdog, with the rights of the server.
    pub(crate) fn start() -> Result<Self, ExecutorError> {
        let failed = |error: &dyn std::fmt::Display| {
            ExecutorError::failed("the watchdog of a job cannot be started", error)
        };
        let mut shell = command(None, "/bin/sh");
        shell
            .args(["-c", WATCHDOG])
            .stdin(Stdio::piped())
            .process_group(0);
        let mut watchdog = tokio::process::Command::from(shell)
            .spawn()
            .map_err(|error| failed(&error))?;
        let id = watchdog
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .ok_or_else(|| failed(&"it has no number"))?;
        Ok(Self {
            order: watchdog.stdin.take(),
            watchdog,
            id,
        })
    }

    /// Starts the process of a job in the group: nothing in its environment but what is given, no input.
    pub(crate) fn spawn(
        &self,
        words: &[String],
        environment: &Properties,
        work: &Path,
        user: Option<&JobUser>,
    ) -> Result<Child, std::io::Error> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(std::io::Error::other("there is nothing to run"));
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(environment)
            .current_dir(work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(self.id);
        become_user(&mut command, user);
        tokio::process::Command::from(command).kill_on_drop(true).spawn()
    }

    /// Asks every process of the group to end.
    pub(crate) async fn terminate(&mut self) {
        let told = match &mut self.order {
            Some(order) => order.write_all(b"\n").await.is_ok() && order.flush().await.is_ok(),
            None => false,
        };
        if !told {
            self.signal("TERM").await;
        }
    }

    /// Ends every process of the group by force. Gives whether that is certain.
    pub(crate) async fn end(mut self) -> bool {
        // A watchdog that was ended before tells nobody anything, so the group is signalled here too; its number is still
        // its own, since the watchdog was not waited for yet.
        self.signal("KILL").await;
        drop(self.order.take());
        match tokio::time::timeout(END, self.watchdog.wait()).await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => {
                tracing::error!(%error, group = self.id, "the processes of a job may still run");
                false
            }
            Err(_) => {
                tracing::error!(group = self.id, "the processes of a job may still run");
                false
            }
        }
    }

    /// Sends a signal to the group, with the rights of the server.
    async fn signal(&self, name: &str) {
        let mut shell = command(None, "/bin/sh");
        shell
            .args(["-c", "kill -s \"$0\" -- \"-$1\"", name])
            .arg(self.id.to_string());
        let sent = tokio::process::Command::from(shell).status().await;
        if let Err(error) = sent {
            tracing::warn!(%error, group = self.id, "the processes of a job cannot be signalled");
        }
    }
}
