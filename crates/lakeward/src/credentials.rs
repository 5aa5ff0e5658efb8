// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks a server, and how every command is told.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use url::Url;

use crate::login::kept::Keeping;

/// Where a password comes from when no option says so.
const PASSWORD_VARIABLE: &str = "LAKEWARD_PASSWORD";

/// What helps whom a server does not know, and who gave no password.
pub(crate) const NO_PASSWORD: &str = "no password was given; use --password-file FILE or --password-stdin, or set LAKEWARD_PASSWORD, or log in with `lakeward login`";

/// Who asks.
#[derive(Debug, clap::Args)]
pub(crate) struct Login {
    /// The user who asks
    #[arg(long, visible_alias = "as", value_name = "NAME", env = "LAKEWARD_USER")]
    user: Option<String>,
    #[command(flatten)]
    pub(crate) secret: Secret,
}

/// The proof of who asks. Never an argument, since other users of a machine see those.
#[derive(Debug, clap::Args)]
pub(crate) struct Secret {
    /// File with the password, first line; without it the environment variable LAKEWARD_PASSWORD
    #[arg(long, value_name = "FILE", conflicts_with = "password_stdin")]
    password_file: Option<PathBuf>,
    /// Read the password from the first line of standard input
    #[arg(long)]
    password_stdin: bool,
    /// File with a bearer token, instead of user and password
    #[arg(long, value_name = "FILE", conflicts_with_all = ["password_file", "password_stdin"])]
    token_file: Option<PathBuf>,
}

/// What goes with every request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// HTTP Basic.
    Basic {
        /// The name.
        user: String,
        /// The password; none is sent as an empty one, which is enough for a server that asks for none.
        password: Option<String>,
    },
    /// HTTP Bearer.
    Bearer(String),
    /// The token of a login that is kept.
    LoggedIn(String),
}

impl fmt::Debug for Credentials {
    /// Never shows a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Basic { user, .. } => write!(f, "Basic({user})"),
            Self::Bearer(_) => f.write_str("Bearer(..)"),
            Self::LoggedIn(_) => f.write_str("LoggedIn(..)"),
        }
    }
}

impl Credentials {
    /// What helps whoever has these and is not known to the server.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Basic { password: None, .. } => Some(NO_PASSWORD),
            Self::Basic { .. } => None,
            Self::Bearer(_) => Some("the server does not take the token of --token-file"),
            Self::LoggedIn(_) => Some("the server does not take your login; renew it with `lakeward login`"),
        }
    }

    /// The login to this server, or to another on its host, that `lakeward login` keeps.
    pub(crate) async fn kept(server: &Url) -> anyhow::Result<Option<Self>> {
        match Keeping::existing() {
            Some(keeping) => Ok(keeping.token(server).await?.map(Self::LoggedIn)),
            None => Ok(None),
        }
    }
}

impl Login {
    /// The credentials for this server: those that are given, else the login that is kept. `None` where there are none.
    pub(crate) async fn credentials(&self, server: &Url) -> anyhow::Result<Option<Credentials>> {
        match self.secret.credentials(self.user.as_deref())? {
            Some(given) => Ok(Some(given)),
            None => Credentials::kept(server).await,
        }
    }
}

impl Secret {
    /// Whether standard input is the password's.
    #[cfg(feature = "reader")]
    pub(crate) fn takes_standard_input(&self) -> bool {
        self.password_stdin
    }

    /// Whether there is any.
    pub(crate) fn is_given(&self) -> bool {
        self.token_file.is_some()
            || self.password_file.is_some()
            || self.password_stdin
            || std::env::var_os(PASSWORD_VARIABLE).is_some()
    }

    /// The credentials of `user`; `None` where there is neither a user nor a token.
    pub(crate) fn credentials(&self, user: Option<&str>) -> anyhow::Result<Option<Credentials>> {
        if let Some(file) = &self.token_file {
            let token = first_line(file, "token")?;
            return Ok(Some(Credentials::Bearer(token.trim().to_owned())));
        }
        let password = self.password()?;
        match user {
            Some(user) => Ok(Some(Credentials::Basic {
                user: user.to_owned(),
                password,
            })),
            None if password.is_some() => bail!("whose password is it? name the user"),
            None => Ok(None),
        }
    }

    fn password(&self) -> anyhow::Result<Option<String>> {
        if let Some(file) = &self.password_file {
            return first_line(file, "password").map(Some);
        }
        if self.password_stdin {
            let mut line = String::new();
            std::io::stdin()
                .read_line(&mut line)
                .context("the password cannot be read")?;
            return Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()));
        }
        match std::env::var(PASSWORD_VARIABLE) {
            Ok(password) => Ok(Some(password)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => bail!("{PASSWORD_VARIABLE} is not UTF-8"),
        }
    }
}

/// The first line of a file with a secret.
fn first_line(file: &Path, what: &str) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the {what} file `{}` cannot be read", file.display()))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Credentials, Login};

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        login: Login,
    }

    fn credentials(arguments: &[&str]) -> Option<Credentials> {
        let command = CommandLine::try_parse_from([&["test"], arguments].concat()).unwrap();
        let login = command.login;
        login.secret.credentials(login.user.as_deref()).unwrap()
    }

    #[test]
    fn secrets_are_the_first_lines_of_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, " a secret \r\nmore\n").unwrap();
        let file = file.to_str().unwrap();
        assert_eq!(
            credentials(&["--user", "ann", "--password-file", file]),
            Some(Credentials::Basic {
                user: "ann".to_owned(),
                password: Some(" a secret ".to_owned())
            })
        );
        for arguments in [
            &["--token-file", file][..],
            &["--as", "ann", "--token-file", file],
        ] {
            assert_eq!(
                credentials(arguments),
                Some(Credentials::Bearer("a secret".to_owned()))
            );
        }
    }

    #[test]
    fn secrets_are_never_arguments_or_shown() {
        for arguments in [
            &["--password", "a secret"][..],
            &["--password-file", "a", "--password-stdin"],
            &["--password-file", "a", "--token-file", "b"],
        ] {
            let arguments = [&["test", "--user", "ann"], arguments].concat();
            assert!(CommandLine::try_parse_from(arguments).is_err());
        }
        let shown = [
            Credentials::Basic {
                user: "ann".to_owned(),
                password: Some("a secret".to_owned()),
            },
            Credentials::Bearer("a secret".to_owned()),
            Credentials::LoggedIn("a secret".to_owned()),
        ]
        .map(|credentials| format!("{credentials:?}"));
        assert_eq!(shown, ["Basic(ann)", "Bearer(..)", "LoggedIn(..)"]);
    }
}
