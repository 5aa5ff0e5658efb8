// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Running commands as the user of jobs: jobs themselves, and whatever must be done with their rights and no more.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::ExecutorError;

/// Where the tools are that this crate itself calls; jobs do not see it.
const PATH: &str = "/usr/bin:/bin";

/// A user of the operating system that has no rights of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobUser {
    /// The number of the user.
    pub uid: u32,
    /// The number of its group; it has no further ones.
    pub gid: u32,
}

impl JobUser {
    /// Finds a user by name, or by numbers (`1001:1001`), and makes sure that this process may become it.
    ///
    /// # Errors
    /// [`ExecutorError::Failed`] for an unknown user, for the superuser, for the user that the server runs as, and where
    /// the server does not run as root or may not switch users.
    pub fn find(text: &str) -> Result<Self, ExecutorError> {
        let own = own_uid()?;
        require_root(text, own)?;
        let numbers = text
            .split_once(':')
            .and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)));
        let (uid, gid) = match numbers {
            Some(numbers) => numbers,
            None => (id(&["-u", "--", text])?, id(&["-g", "--", text])?),
        };
        let user = Self { uid, gid };
        if uid == 0 || gid == 0 {
            return Err(ExecutorError::Failed(format!(
                "`{text}` is the superuser or in its group; jobs need a user without rights"
            )));
        }
        if uid == own {
            return Err(ExecutorError::Failed(format!(
                "`{text}` is the user that the server runs as; jobs need one of their own"
            )));
        }
        let status = command(Some(&user), "/bin/sh")
            .args(["-c", ":"])
            .status()
            .map_err(|error| {
                ExecutorError::failed(
                    format!(
                        "the server may not run anything as `{text}`; it must be started by root for that"
                    ),
                    error,
                )
            })?;
        if !status.success() {
            return Err(ExecutorError::Failed(format!(
                "a shell run as `{text}` ended with {status}"
            )));
        }
        Ok(user)
    }
}

/// Refuses to switch users for a server that only has the capability of it: such a one keeps its groups and its ambient
/// capabilities as the new user, whose jobs then have rights of the server. What root starts as another user loses both.
fn require_root(text: &str, own: u32) -> Result<(), ExecutorError> {
    if own == 0 {
        return Ok(());
    }
    Err(ExecutorError::Failed(format!(
        "jobs can be run as `{text}` only by a server that runs as root; this one runs as user {own}, and its groups and \
         capabilities could stay with the jobs"
    )))
}

/// The number of the user that this process has the rights of.
pub(crate) fn own_uid() -> Result<u32, ExecutorError> {
    id(&["-u"])
}

fn id(arguments: &[&str]) -> Result<u32, ExecutorError> {
    let answer = command(None, "id")
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| ExecutorError::failed("`id` cannot be run", error))?;
    if !answer.status.success() {
        let reason = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
        return Err(ExecutorError::Failed(format!("no such user: {reason}")));
    }
    String::from_utf8_lossy(&answer.stdout)
        .trim()
        .parse()
        .map_err(|error| ExecutorError::failed("`id` gave no number", error))
}

/// A command with nothing of the server's environment, no input and no output, as a user.
pub(crate) fn command(user: Option<&JobUser>, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", PATH)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    become_user(&mut command, user);
    command
}

/// Makes a command run with the rights of a user; its further groups are given up with it.
pub(crate) fn become_user(command: &mut Command, user: Option<&JobUser>) {
    if let Some(user) = user {
        command.uid(user.uid).gid(user.gid);
    }
}

/// Whether a user may read a file, or list or enter a folder. What is not there is not readable.
pub(crate) fn can_read(user: &JobUser, path: &Path) -> Result<bool, ExecutorError> {
    let status = command(Some(user), "/bin/sh")
        .arg("-c")
        .arg("test -r \"$0\" || test -x \"$0\"")
        .arg(path)
        .status()
        .map_err(|error| ExecutorError::failed("a shell cannot be run as the user of jobs", error))?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        Some(_) | None => Err(ExecutorError::Failed(format!(
            "whether jobs can read `{}` is not known: the test ended with {status}",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::require_root;

    #[test]
    fn only_root_switches_users() {
        assert!(require_root("jobs", 0).is_ok());
        let refused = require_root("jobs", 1000).unwrap_err().to_string();
        assert!(
            refused.contains("only by a server that runs as root"),
            "{refused}"
        );
    }
}
