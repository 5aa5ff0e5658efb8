// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward query`.

mod output;

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials, ReaderIdentity};
use lakeward_reader::session::{Answer, Limits, Session, SessionOptions, TableUse};
use url::Url;

pub(crate) use output::Format;

/// Read governed tables with SQL through the trusted reader.
///
/// The rows go to standard output; what was filtered and masked is said on standard error. Tables are named
/// catalog.schema.table. Only SELECT runs, and every query loads its tables anew for its user.
///
///   lakeward query --server https://127.0.0.1:8091 --identity reader --user ann \
///       "SELECT count(*) FROM shop.tpch.customer"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The query; `-` reads it from standard input
    #[arg(value_name = "SQL")]
    sql: String,
    /// The server: its listener for trusted readers, or any Iceberg REST root for tables without restrictions
    #[arg(
        long,
        value_name = "URL",
        env = "LAKEWARD_SERVER",
        default_value = "https://127.0.0.1:8091"
    )]
    server: Url,
    /// The end user, who sees what they may see
    #[arg(long, visible_alias = "as", value_name = "NAME", env = "LAKEWARD_USER")]
    user: Option<String>,
    #[command(flatten)]
    secret: Secret,
    /// Folder with the reader's certificate, as `lakeward reader enroll` writes it
    #[arg(
        long,
        visible_alias = "reader-identity",
        value_name = "DIR",
        env = "LAKEWARD_READER_IDENTITY"
    )]
    identity: Option<PathBuf>,
    /// How rows are written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Catalog of names without one
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
    /// Schema of names without one
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// The most rows; more are cut off, which is said
    #[arg(long, value_name = "N")]
    max_rows: Option<usize>,
    /// The longest time, in seconds
    #[arg(long, value_name = "S", default_value_t = 600)]
    timeout: u64,
    /// The most memory for sorts, joins and aggregations, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: usize,
    /// Say nothing on standard error but errors
    #[arg(long, short)]
    quiet: bool,
}

/// Where the end user's password or token comes from. Never an argument, since other users of a machine see those.
#[derive(Debug, clap::Args)]
struct Secret {
    /// File with the password, first line
    #[arg(long, value_name = "FILE", conflicts_with = "password_stdin")]
    password_file: Option<PathBuf>,
    /// Read the password from the first line of standard input
    #[arg(long)]
    password_stdin: bool,
    /// The password, from the environment only
    #[arg(
        long = "password-from-environment",
        hide = true,
        env = "LAKEWARD_PASSWORD",
        hide_env_values = true
    )]
    password: Option<String>,
    /// File with a bearer token, instead of user and password
    #[arg(long, value_name = "FILE", conflicts_with_all = ["password_file", "password_stdin"])]
    token_file: Option<PathBuf>,
}

/// Runs one query.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let credentials = credentials(&arguments)?;
    let sql = match arguments.sql.as_str() {
        "-" if arguments.secret.password_stdin => {
            bail!("standard input cannot hold both the query and the password")
        }
        "-" => std::io::read_to_string(std::io::stdin()).context("the query cannot be read")?,
        sql => sql.to_owned(),
    };
    let connection = Connection::new(ConnectionOptions {
        iceberg: arguments.server.clone(),
        credentials,
        identity: arguments
            .identity
            .as_deref()
            .map(ReaderIdentity::from_directory)
            .transpose()?,
        timeout: Duration::from_secs(arguments.timeout.min(60)),
    })?;
    let session = Session::new(
        connection,
        SessionOptions {
            default_catalog: arguments.catalog,
            default_schema: arguments.schema,
            limits: Limits {
                rows: arguments.max_rows,
                time: Duration::from_secs(arguments.timeout),
                memory_bytes: arguments.memory.saturating_mul(1024 * 1024),
            },
        },
    );
    let begin = Instant::now();
    let answer = session.query(&sql).await?;
    output::write(&answer, arguments.format, &mut std::io::stdout().lock())?;
    if !arguments.quiet {
        tell(&answer, begin.elapsed());
    }
    Ok(ExitCode::SUCCESS)
}

fn credentials(arguments: &Arguments) -> anyhow::Result<Credentials> {
    let secret = &arguments.secret;
    if let Some(file) = &secret.token_file {
        let token = std::fs::read_to_string(file)
            .with_context(|| format!("the token file `{}` cannot be read", file.display()))?;
        return Ok(Credentials::Bearer(first_line(&token)));
    }
    let password = if let Some(file) = &secret.password_file {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("the password file `{}` cannot be read", file.display()))?;
        Some(first_line(&text))
    } else if secret.password_stdin {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("the password cannot be read")?;
        Some(first_line(&text))
    } else {
        secret.password.clone()
    };
    match (&arguments.user, password) {
        (Some(user), Some(password)) => Ok(Credentials::Basic {
            user: user.clone(),
            password,
        }),
        (Some(user), None) => bail!(
            "no password for `{user}`: give --password-file FILE or --password-stdin, or set LAKEWARD_PASSWORD"
        ),
        (None, Some(_)) => bail!("whose password is it? give --user NAME"),
        (None, None) => Ok(Credentials::None),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// One line per fact, for people.
fn tell(answer: &Answer, time: Duration) {
    let rows = answer.rows();
    let plural = if rows == 1 { "" } else { "s" };
    eprintln!("{rows} row{plural} in {:.2} s", time.as_secs_f64());
    if answer.truncated {
        eprintln!("cut off after {rows} rows (--max-rows)");
    }
    for used in &answer.tables {
        eprintln!("{}", used_line(used));
    }
}

/// What was enforced on a table, in words.
pub(crate) fn used_line(used: &TableUse) -> String {
    let rows = if used.filtered {
        "rows filtered"
    } else {
        "all rows"
    };
    let masks: Vec<String> = used
        .masks
        .iter()
        .map(|(column, action)| format!("{column} ({action})"))
        .collect();
    if masks.is_empty() {
        format!("{}: {rows}, no masks", used.name)
    } else {
        format!("{}: {rows}, masked {}", used.name, masks.join(", "))
    }
}
