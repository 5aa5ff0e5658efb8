// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward reader`.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde::Deserialize;

/// Manage the readers that a server trusts.
///
/// Only operators may (`lakeward.operators`, by default the service administrators). The password comes from the
/// environment variable LAKEWARD_PASSWORD unless it is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do with readers.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Enroll a reader: the server issues a client certificate from its own authority
    ///
    /// Writes certificate.pem, key.pem and authority.pem, readable for their owner only, where `lakeward query` looks for
    /// them. A name that was enrolled before gets a new certificate, and the earlier one is refused from then on.
    Enroll {
        /// Name of the reader's entry
        name: String,
        #[command(flatten)]
        server: Server,
        /// Folder for the three files; without it a folder with the reader's name
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// List the enrolled readers
    List {
        #[command(flatten)]
        server: Server,
    },
    /// Trust a reader no more; its certificate is refused from the next request on
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
    server: String,
    /// Name of an operator
    #[arg(long, value_name = "NAME")]
    user: String,
    /// The operator's password
    #[arg(
        long,
        value_name = "TEXT",
        env = "LAKEWARD_PASSWORD",
        hide_env_values = true,
        default_value = ""
    )]
    password: String,
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
    revision: i64,
    enabled: bool,
    creator: String,
    create_time: String,
}

/// Runs one of the reader commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Enroll { name, server, out } => {
            let out = out.unwrap_or_else(|| PathBuf::from(&name));
            enroll(&name, &server, &out).await
        }
        Command::List { server } => list(&server).await,
        Command::Remove { name, server } => remove(&name, &server).await,
    }
}

async fn enroll(name: &str, server: &Server, out: &Path) -> anyhow::Result<ExitCode> {
    let request = server
        .request(reqwest::Method::POST, &[])?
        .json(&serde_json::json!({ "name": name }));
    let enrolled: Enrolled = answer(request).await?;
    std::fs::create_dir_all(out).with_context(|| format!("the folder `{}` cannot be made", out.display()))?;
    for (file, text) in [
        ("certificate.pem", &enrolled.certificate),
        ("key.pem", &enrolled.key),
        ("authority.pem", &enrolled.authority),
    ] {
        let path = out.join(file);
        write_private(&path, text).with_context(|| format!("`{}` cannot be written", path.display()))?;
        println!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(server: &Server) -> anyhow::Result<ExitCode> {
    let answered: Readers = answer(server.request(reqwest::Method::GET, &[])?).await?;
    let mut table = comfy_table::Table::new();
    table.set_header(["reader", "revision", "trusted", "enrolled by", "at"]);
    for reader in answered.readers {
        table.add_row([
            reader.name,
            reader.revision.to_string(),
            if reader.enabled { "yes" } else { "no" }.to_owned(),
            reader.creator,
            reader.create_time,
        ]);
    }
    println!("{table}");
    Ok(ExitCode::SUCCESS)
}

async fn remove(name: &str, server: &Server) -> anyhow::Result<ExitCode> {
    #[derive(Deserialize)]
    struct Removed {
        removed: bool,
    }
    let answered: Removed = answer(server.request(reqwest::Method::DELETE, &[name])?).await?;
    if answered.removed {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("there is no reader `{name}`");
    Ok(ExitCode::FAILURE)
}

impl Server {
    fn request(&self, method: reqwest::Method, below: &[&str]) -> anyhow::Result<reqwest::RequestBuilder> {
        let mut url: url::Url = self
            .server
            .parse()
            .with_context(|| format!("`{}` is not the address of a server", self.server))?;
        match url.path_segments_mut() {
            Ok(mut segments) => {
                segments.pop_if_empty().extend(["api", "readers"]).extend(below);
            }
            Err(()) => bail!("`{}` is not the address of a server", self.server),
        }
        let client = reqwest::Client::new();
        Ok(client
            .request(method, url)
            .basic_auth(&self.user, Some(&self.password)))
    }
}

/// The answer of the server, or its message as error.
async fn answer<T: serde::de::DeserializeOwned>(request: reqwest::RequestBuilder) -> anyhow::Result<T> {
    #[derive(Deserialize)]
    struct Refusal {
        message: String,
    }
    let response = request.send().await.context("the server does not answer")?;
    let status = response.status();
    if status.is_success() {
        return response
            .json()
            .await
            .context("the answer of the server is not understood");
    }
    match response.json::<Refusal>().await {
        Ok(refusal) => bail!("{status}: {}", refusal.message),
        Err(_) => bail!("the server answers {status}"),
    }
}

/// Writes a file that only its owner can read, also when it existed with wider rights.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(0o600);
        if path.exists() {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        }
    }
    options.open(path)?.write_all(text.as_bytes())
}
