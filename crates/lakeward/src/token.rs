// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward token`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Subcommand;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use crate::client::{NativeClient, understood};
use crate::credentials::Login;
use crate::private_file;

/// Make, list and revoke access tokens for programs
///
/// A token speaks for its owner's local account until it expires, as `Authorization: Bearer`. It can be narrower than the
/// account, and never manages accounts, passwords or tokens, so these commands need the password.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
enum Command {
    /// Make a token for yourself; it is shown once
    Create {
        /// What to call it
        name: String,
        #[command(flatten)]
        server: Server,
        /// How long it is good for, such as 12h, 30d or 4w
        #[arg(long, value_name = "TIME", value_parser = lifetime)]
        expires_in: Duration,
        /// Only for this metalake; may be given more than once
        #[arg(long = "metalake", value_name = "NAME")]
        metalakes: Vec<String>,
        /// Only with this role of the one metalake; may be given more than once. What you own you still own
        #[arg(long = "role", value_name = "NAME")]
        roles: Vec<String>,
        /// Only for reading
        #[arg(long)]
        read_only: bool,
        /// Write the token to a new file that only you can read, instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// List tokens: yours, or those of an account for service administrators
    List {
        #[command(flatten)]
        server: Server,
        /// The account whose tokens to list, without it your own
        #[arg(long, value_name = "NAME")]
        of: Option<String>,
    },
    /// End a token; it is refused from the next request on
    Revoke {
        /// Its name
        name: String,
        #[command(flatten)]
        server: Server,
        /// The account whose token it is, without it your own
        #[arg(long, value_name = "NAME")]
        of: Option<String>,
    },
}

/// Which server, and as whom.
#[derive(Debug, clap::Args)]
struct Server {
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    #[command(flatten)]
    login: Login,
}

#[derive(Deserialize)]
struct Made {
    token: Token,
    secret: String,
}

#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<Token>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    name: String,
    prefix: String,
    metalakes: Option<Vec<String>>,
    roles: Option<Vec<String>>,
    read_only: bool,
    create_time: String,
    expire_time: String,
}

/// Runs one of the token commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Create {
            name,
            server,
            expires_in,
            metalakes,
            roles,
            read_only,
            out,
        } => {
            let mut body = json!({
                "name": name,
                "expiresInSeconds": expires_in.as_secs(),
                "readOnly": read_only,
            });
            for (member, names) in [("metalakes", metalakes), ("roles", roles)] {
                if let (false, Some(body)) = (names.is_empty(), body.as_object_mut()) {
                    body.insert(member.to_owned(), names.into());
                }
            }
            let client = server.client().await?;
            // A file first: a token that cannot be kept would live without anybody who has it.
            let file = out.as_deref().map(private_file::create).transpose()?;
            let made: anyhow::Result<Made> = async {
                let answer = client.post(&["authn", "me", "tokens"], body).await?;
                understood(answer)
            }
            .await;
            let made = match (made, &out) {
                (Err(error), Some(path)) => {
                    fs::remove_file(path).with_context(|| format!("`{}` stays empty", path.display()))?;
                    return Err(error);
                }
                (made, _) => made?,
            };
            match (file, out) {
                (Some(mut file), Some(path)) => {
                    writeln!(file, "{}", made.secret).with_context(|| {
                        format!(
                            "the token cannot be written to `{}`; revoke `{}`",
                            path.display(),
                            made.token.name
                        )
                    })?;
                    println!("{}", path.display());
                }
                (_, _) => println!("{}", made.secret),
            }
            eprintln!(
                "`{}` is good until {}; the token is shown only now",
                made.token.name, made.token.expire_time
            );
            Ok(ExitCode::SUCCESS)
        }
        Command::List { server, of } => {
            let answer = server.client().await?.get(&tokens_of(of.as_deref())).await?;
            list(understood::<Tokens>(answer)?.tokens);
            Ok(ExitCode::SUCCESS)
        }
        Command::Revoke { name, server, of } => {
            #[derive(Deserialize)]
            struct Removed {
                removed: bool,
            }
            let mut path = tokens_of(of.as_deref());
            path.push(&name);
            let answered: Removed = understood(server.client().await?.delete(&path).await?)?;
            if answered.removed {
                return Ok(ExitCode::SUCCESS);
            }
            eprintln!("there is no token `{name}`");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn list(tokens: Vec<Token>) {
    let mut table = comfy_table::Table::new();
    table.set_header([
        "token",
        "begins with",
        "metalakes",
        "roles",
        "may",
        "made at",
        "expires at",
    ]);
    let names = |names: Option<Vec<String>>| names.map_or("all".to_owned(), |names| names.join(", "));
    for token in tokens {
        table.add_row([
            token.name,
            token.prefix,
            names(token.metalakes),
            names(token.roles),
            if token.read_only {
                "read"
            } else {
                "read and change"
            }
            .to_owned(),
            token.create_time,
            token.expire_time,
        ]);
    }
    println!("{table}");
}

fn tokens_of(user: Option<&str>) -> Vec<&str> {
    match user {
        Some(user) => vec!["idp", "users", user, "tokens"],
        None => vec!["authn", "me", "tokens"],
    }
}

/// `12h`, `30d`, `4w`: whole hours, days or weeks.
fn lifetime(text: &str) -> Result<Duration, String> {
    let refused = || format!("`{text}` is not a time such as 12h, 30d or 4w");
    let unit = text.chars().last().ok_or_else(refused)?;
    let hours: u64 = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 24 * 7,
        _ => return Err(refused()),
    };
    let count = text.strip_suffix(unit).unwrap_or_default();
    let count: u64 = count.parse().map_err(|_| refused())?;
    let seconds = count.checked_mul(hours * 3_600).filter(|seconds| *seconds > 0);
    seconds.map(Duration::from_secs).ok_or_else(refused)
}

impl Server {
    async fn client(&self) -> anyhow::Result<NativeClient> {
        let credentials = self
            .login
            .credentials(&self.server)
            .await?
            .context("say who you are: give --user NAME")?;
        NativeClient::new(self.server.clone(), credentials)
    }
}

#[cfg(test)]
mod tests {
    use super::lifetime;

    #[test]
    fn lifetimes() {
        let hours = |text: &str| lifetime(text).ok().map(|time| time.as_secs() / 3_600);
        assert_eq!(hours("12h"), Some(12));
        assert_eq!(hours("30d"), Some(720));
        assert_eq!(hours("4w"), Some(672));
        for text in [
            "",
            "d",
            "0d",
            "-1d",
            "30",
            "30dd",
            "1.5h",
            "30 d",
            "99999999999999999999w",
            "9999999999999999w",
        ] {
            assert_eq!(hours(text), None, "{text}");
        }
    }
}
