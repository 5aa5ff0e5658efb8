// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward reader`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use crate::client::{NativeClient, understood};
use crate::credentials::Login;
use crate::private_file;

/// Manage the readers that a server trusts.
///
/// Only operators may (`lakeward.operators`, by default the service administrators).
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do with readers.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Enroll a reader: by a client certificate, or by what its users' tokens say
    ///
    /// Without --oauth-client and --actor the server issues a client certificate from its own authority, for the listener
    /// of the readers. Writes certificate.pem, key.pem and authority.pem, readable for their owner only, where
    /// `lakeward query` looks for them.
    ///
    /// With either of them the reader comes to the ordinary listeners with its users' tokens, and nothing is written. What
    /// trusts it is the issuer of the tokens: see docs/configuration.md.
    ///
    /// A name that was enrolled before is known by the new proof, and the earlier one is refused from then on.
    Enroll {
        /// Name of the reader's entry
        name: String,
        #[command(flatten)]
        server: Server,
        /// The OAuth client that gets the users' tokens for this reader (`azp` or `client_id` of the token)
        #[arg(long, value_name = "ID", conflicts_with_all = ["actor", "out"])]
        oauth_client: Option<String>,
        /// Who acts for the users in tokens that are delegated to this reader (`act.sub` of the token, RFC 8693)
        #[arg(long, value_name = "SUBJECT", conflicts_with = "out")]
        actor: Option<String>,
        /// Let it have tokens of its users exchanged for tokens of the server (RFC 8693)
        #[arg(long)]
        token_exchange: bool,
        /// Folder for the three files; without it a folder with the reader's name
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// List the enrolled readers, by what each is known, and when each last loaded something restricted
    List {
        #[command(flatten)]
        server: Server,
    },
    /// Trust a reader no more; what proves it is refused from the next request on
    Remove {
        /// Name of the reader's entry
        name: String,
        #[command(flatten)]
        server: Server,
    },
}

/// Which server, and as whom.
#[derive(Debug, clap::Args)]
pub(crate) struct Server {
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    #[command(flatten)]
    login: Login,
}

#[derive(Deserialize)]
struct Enrolled {
    certificate: String,
    key: String,
    authority: String,
}

#[derive(Deserialize)]
struct Readers {
    readers: Vec<Reader>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reader {
    name: String,
    channel: String,
    oauth_client: Option<String>,
    actor: Option<String>,
    last_load: Option<String>,
    revision: i64,
    enabled: bool,
    creator: String,
    create_time: String,
}

/// Runs one of the reader commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Enroll {
            name,
            server,
            oauth_client,
            actor,
            token_exchange,
            out,
        } => {
            if oauth_client.is_some() || actor.is_some() {
                let proof = [("oauthClient", oauth_client), ("actor", actor)];
                enroll_by_token(&server.client().await?, &name, token_exchange, proof).await?;
                return Ok(ExitCode::SUCCESS);
            }
            let out = out.unwrap_or_else(|| PathBuf::from(&name));
            for path in enroll(&server.client().await?, &name, token_exchange, &out).await? {
                println!("{}", path.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::List { server } => list(&server.client().await?).await,
        Command::Remove { name, server } => remove(&server.client().await?, &name).await,
    }
}

/// Enrolls a reader and writes what proves that it is one into a folder. The files that were written.
pub(crate) async fn enroll(
    client: &NativeClient,
    name: &str,
    may_exchange: bool,
    folder: &Path,
) -> anyhow::Result<[PathBuf; 3]> {
    let body = json!({ "name": name, "tokenExchange": may_exchange });
    let answer = client.post(&["readers"], body).await?;
    let enrolled: Enrolled = understood(answer)?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder `{}` cannot be made", folder.display()))?;
    let paths = ["certificate.pem", "key.pem", "authority.pem"].map(|file| folder.join(file));
    let texts = [&enrolled.certificate, &enrolled.key, &enrolled.authority];
    for (path, text) in paths.iter().zip(texts) {
        private_file::write(path, text)?;
    }
    Ok(paths)
}

/// Enrolls a reader that its users' tokens prove.
async fn enroll_by_token(
    client: &NativeClient,
    name: &str,
    may_exchange: bool,
    proof: [(&str, Option<String>); 2],
) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Enrolled {
        reader: Reader,
    }
    let mut body = json!({ "name": name, "tokenExchange": may_exchange });
    for (member, value) in proof {
        if let (Some(value), Some(body)) = (value, body.as_object_mut()) {
            body.insert(member.to_owned(), value.into());
        }
    }
    let enrolled: Enrolled = understood(client.post(&["readers"], body).await?)?;
    println!(
        "{name} is trusted by {}, revision {}",
        enrolled.reader.known_by(),
        enrolled.reader.revision
    );
    Ok(())
}

async fn list(client: &NativeClient) -> anyhow::Result<ExitCode> {
    let answered: Readers = understood(client.get(&["readers"]).await?)?;
    let mut table = comfy_table::Table::new();
    table.set_header([
        "reader",
        "known by",
        "revision",
        "trusted",
        "last load",
        "enrolled by",
        "at",
    ]);
    for reader in answered.readers {
        let known_by = reader.known_by();
        table.add_row([
            reader.name,
            known_by,
            reader.revision.to_string(),
            if reader.enabled { "yes" } else { "no" }.to_owned(),
            reader.last_load.unwrap_or_else(|| "never".to_owned()),
            reader.creator,
            reader.create_time,
        ]);
    }
    println!("{table}");
    Ok(ExitCode::SUCCESS)
}

async fn remove(client: &NativeClient, name: &str) -> anyhow::Result<ExitCode> {
    #[derive(Deserialize)]
    struct Removed {
        removed: bool,
    }
    let answered: Removed = understood(client.delete(&["readers", name]).await?)?;
    if answered.removed {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("there is no reader `{name}`");
    Ok(ExitCode::FAILURE)
}

impl Reader {
    /// The channel, with what it must prove where that is a name.
    fn known_by(&self) -> String {
        match self.oauth_client.as_ref().or(self.actor.as_ref()) {
            Some(value) => format!("{} {value}", self.channel),
            None => self.channel.clone(),
        }
    }
}

impl Server {
    async fn client(&self) -> anyhow::Result<NativeClient> {
        let credentials = self.login.credentials(&self.server).await?.context(
            "say who you are: log in with `lakeward login`, or give --user NAME or --token-file FILE",
        )?;
        NativeClient::new(self.server.clone(), credentials)
    }
}
