// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward query`.

mod output;
mod progress;
mod source;
mod spill;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use futures::StreamExt;
use lakeward_gateway::client::{GatewayClient, GatewayOptions};
use lakeward_reader::connection::{self, Connection, ConnectionOptions, REQUEST_TIME, ReaderIdentity};
use lakeward_reader::session::{Limits, Session, SessionOptions, TableUse};
use url::Url;

use crate::credentials::{Credentials, Login};
pub(crate) use output::Format;
use output::RowWriter;
use progress::Progress;
use source::Source;
use spill::Spill;

/// Read governed tables with SQL through the trusted reader.
///
/// The rows go to standard output or a file; what was filtered and masked is said on standard error. Tables are named
/// catalog.schema.table. Only SELECT runs, and every query loads its tables anew for its user.
///
/// People ask a gateway, which runs the reader for them:
///
///   lakeward query --gateway grpc+tls://gateway.example.com:8815 --user ann \
///       "SELECT count(*) FROM shop.tpch.customer"
///
/// An operator, who holds the certificate of a reader, runs the reader in this process:
///
///   lakeward query --server https://127.0.0.1:8091 --identity reader --user ann \
///       "SELECT count(*) FROM shop.tpch.customer"
///
/// Several statements come from a file, answers go to a file in any format:
///
///   lakeward query … --file report.sql
///   lakeward query … --format parquet --output customers.parquet "SELECT * FROM shop.tpch.customer"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The query, or several with semicolons between them; `-` reads them from standard input
    #[arg(value_name = "SQL", required_unless_present = "file")]
    sql: Option<String>,
    /// File with the query, or with several
    #[arg(long, short, value_name = "FILE", conflicts_with = "sql")]
    file: Option<PathBuf>,
    /// The gateway to ask: `grpc+tls://HOST:PORT`; without encryption `grpc://HOST:PORT`, on this machine only
    #[arg(long, value_name = "URL", conflicts_with_all = ["identity", "memory", "catalog", "schema"])]
    gateway: Option<Url>,
    /// File with the authority of the gateway's certificate, PEM; without it, what this machine trusts
    #[arg(long, value_name = "FILE", requires = "gateway")]
    authority: Option<PathBuf>,
    /// The server: its listener for trusted readers, or any Iceberg REST root for tables without restrictions
    #[arg(
        long,
        value_name = "URL",
        env = "LAKEWARD_SERVER",
        default_value = "https://127.0.0.1:8091"
    )]
    server: Url,
    #[command(flatten)]
    login: Login,
    /// Folder with the reader's certificate, as `lakeward reader enroll` writes it
    #[arg(
        long,
        visible_alias = "reader-identity",
        value_name = "DIR",
        env = "LAKEWARD_READER_IDENTITY"
    )]
    identity: Option<PathBuf>,
    /// Show how the query would run, and which restrictions apply, instead of its rows
    #[arg(long)]
    explain: bool,
    /// How rows are written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Where rows are written instead of standard output. The file is there when the answer is whole
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Catalog of names without one
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
    /// Schema of names without one
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// The most rows of a statement; more are cut off, which is said
    #[arg(long, value_name = "N")]
    max_rows: Option<usize>,
    /// The longest time of a statement, in seconds
    #[arg(long, value_name = "S", default_value_t = 600)]
    timeout: u64,
    /// The most memory for sorts, joins and aggregations, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: usize,
    #[command(flatten)]
    spill: Spill,
    /// Say nothing on standard error but errors
    #[arg(long, short)]
    quiet: bool,
}

/// What was answered.
struct Answered {
    rows: usize,
    truncated: bool,
    tables: Vec<TableUse>,
}

/// Runs the statements one after the other, until one fails.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let statements = source::statements(&arguments.text()?)?;
    let several = statements.len() > 1;
    if several && !arguments.format.holds_several() {
        bail!(
            "a Parquet file holds the rows of one statement, and these are {}",
            statements.len()
        );
    }
    if arguments.output.is_none() && !arguments.format.is_text() && io::stdout().is_terminal() {
        bail!("a terminal cannot show Parquet; name a file with --output FILE");
    }
    let credentials = arguments
        .login
        .credentials(arguments.gateway.as_ref().unwrap_or(&arguments.server))
        .await?;
    let advice = credentials.as_ref().and_then(Credentials::advice);
    let explained = |error: anyhow::Error| match advice.filter(|_| source::is_unauthenticated(&error)) {
        Some(advice) => error.context(advice),
        None => error,
    };
    let source = arguments.source(credentials).await.map_err(explained)?;
    let target = Target::new(arguments.output.as_deref())?;
    for (position, statement) in statements.iter().enumerate() {
        let begin = Instant::now();
        let answered = arguments
            .answer(&source, statement, &target)
            .await
            .map_err(explained);
        let answered = if several {
            answered.with_context(|| format!("statement {} of {}", position + 1, statements.len()))?
        } else {
            answered?
        };
        if !arguments.quiet {
            tell(&answered, begin.elapsed());
        }
    }
    target.keep()?;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// What is to be run.
    fn text(&self) -> anyhow::Result<String> {
        match (&self.file, self.sql.as_deref()) {
            (Some(file), _) => {
                std::fs::read_to_string(file).with_context(|| format!("`{}` cannot be read", file.display()))
            }
            (None, Some("-")) if self.login.secret.takes_standard_input() => {
                bail!("standard input cannot hold both the query and the password")
            }
            (None, Some("-")) => io::read_to_string(io::stdin()).context("the query cannot be read"),
            (None, sql) => Ok(sql.unwrap_or_default().to_owned()),
        }
    }

    async fn source(&self, credentials: Option<Credentials>) -> anyhow::Result<Source> {
        let credentials = credentials.map_or(connection::Credentials::None, Into::into);
        if let Some(gateway) = &self.gateway {
            let options = GatewayOptions {
                gateway: gateway.clone(),
                credentials,
                authority: self.authority.as_deref().map(source::authority).transpose()?,
            };
            return Ok(Source::Gateway(GatewayClient::connect(options).await?));
        }
        let connection = Connection::new(ConnectionOptions {
            iceberg: self.server.clone(),
            credentials,
            identity: self
                .identity
                .as_deref()
                .map(ReaderIdentity::from_directory)
                .transpose()?,
            timeout: REQUEST_TIME,
        })?;
        let options = SessionOptions {
            default_catalog: self.catalog.clone(),
            default_schema: self.schema.clone(),
            limits: Limits {
                rows: self.max_rows,
                time: Duration::from_secs(self.timeout),
                memory_bytes: self.memory.saturating_mul(1024 * 1024),
            },
            share: Some(self.spill.share(self.memory)?),
        };
        Ok(Source::InProcess(Session::new(connection, options)))
    }

    /// Runs one statement and writes its rows as they come.
    async fn answer(&self, source: &Source, sql: &str, target: &Target) -> anyhow::Result<Answered> {
        let sql = if self.explain {
            format!("EXPLAIN {sql}")
        } else {
            sql.to_owned()
        };
        let rows_are_seen =
            self.output.is_none() && io::stdout().is_terminal() && self.format != Format::Table;
        let progress = Progress::new(!self.quiet && !rows_are_seen);
        let time = Duration::from_secs(self.timeout);
        tokio::time::timeout(time, async {
            let mut rows = source.ask(&sql).await?;
            let mut writer = self.format.writer(&rows.schema, target.open()?)?;
            let mut answered = Answered {
                rows: 0,
                truncated: false,
                tables: rows.tables,
            };
            let most = self.max_rows.unwrap_or(usize::MAX);
            while let Some(batch) = rows.batches.next().await {
                let batch = batch?;
                let left = most - answered.rows;
                answered.truncated = batch.num_rows() > left;
                let batch = batch.slice(0, batch.num_rows().min(left));
                answered.rows += batch.num_rows();
                progress.rows(batch.num_rows());
                write_rows(writer.as_mut(), &batch)?;
                if answered.truncated {
                    break;
                }
            }
            drop(progress);
            writer.finish()?;
            Ok(answered)
        })
        .await
        .map_err(|_| anyhow::anyhow!("the query was stopped after {} s (--timeout)", time.as_secs()))?
    }
}

fn write_rows(writer: &mut dyn RowWriter, batch: &arrow::record_batch::RecordBatch) -> anyhow::Result<()> {
    if batch.num_rows() == 0 {
        return Ok(());
    }
    writer.write(batch)
}

/// Where the answers go. A file takes its name when everything is written: there is never half of one, and only its
/// owner may read it.
enum Target {
    StandardOutput,
    File {
        path: PathBuf,
        unfinished: tempfile::NamedTempFile,
    },
}

impl Target {
    fn new(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(Self::StandardOutput);
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let unfinished = tempfile::Builder::new()
            .prefix(".lakeward-query-")
            .tempfile_in(folder)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
        Ok(Self::File {
            path: path.to_owned(),
            unfinished,
        })
    }

    /// What the next answer is written to, behind the others.
    fn open(&self) -> anyhow::Result<Box<dyn Write + Send + '_>> {
        Ok(match self {
            Self::StandardOutput => Box::new(io::stdout()),
            Self::File { unfinished, .. } => Box::new(unfinished.as_file()),
        })
    }

    fn keep(self) -> anyhow::Result<()> {
        if let Self::File { path, unfinished } = self {
            let written = format!("`{}` cannot be written", path.display());
            unfinished.as_file().sync_all().with_context(|| written.clone())?;
            unfinished.persist(&path).with_context(|| written)?;
        }
        Ok(())
    }
}

impl From<Credentials> for connection::Credentials {
    fn from(credentials: Credentials) -> Self {
        match credentials {
            Credentials::Basic { user, password } => Self::Basic {
                user,
                password: password.unwrap_or_default(),
            },
            Credentials::Bearer(token) | Credentials::LoggedIn(token) => Self::Bearer(token),
        }
    }
}

/// One line per fact, for people.
fn tell(answered: &Answered, time: Duration) {
    let rows = answered.rows;
    let plural = if rows == 1 { "" } else { "s" };
    eprintln!("{rows} row{plural} in {:.2} s", time.as_secs_f64());
    if answered.truncated {
        eprintln!("cut off after {rows} rows (--max-rows)");
    }
    for used in &answered.tables {
        eprintln!("{}", used_line(used));
    }
}

/// What was enforced on a table, in words.
fn used_line(used: &TableUse) -> String {
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
