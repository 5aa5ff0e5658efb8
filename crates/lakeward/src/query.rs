// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward query`.

mod output;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use lakeward_reader::connection::{self, Connection, ConnectionOptions, ReaderIdentity};
use lakeward_reader::error::ReaderError;
use lakeward_reader::session::{Answer, Limits, Session, SessionOptions, TableUse};
use url::Url;

use crate::credentials::{Credentials, Login, NO_PASSWORD};
pub(crate) use output::{Format, write};

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

/// Runs one query.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let sql = match arguments.sql.as_str() {
        "-" if arguments.login.secret.takes_standard_input() => {
            bail!("standard input cannot hold both the query and the password")
        }
        "-" => std::io::read_to_string(std::io::stdin()).context("the query cannot be read")?,
        sql => sql.to_owned(),
    };
    let credentials = arguments.login.credentials()?;
    let lack_password = credentials.as_ref().is_some_and(Credentials::lack_password);
    let connection = Connection::new(ConnectionOptions {
        iceberg: arguments.server.clone(),
        credentials: credentials.map_or(connection::Credentials::None, Into::into),
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
    let answer = session.query(&sql).await.map_err(|error| {
        let unknown = matches!(error, ReaderError::Unauthenticated(_));
        let error = anyhow::Error::new(error);
        if unknown && lack_password {
            error.context(NO_PASSWORD)
        } else {
            error
        }
    })?;
    output::write(&answer, arguments.format, &mut std::io::stdout().lock())?;
    if !arguments.quiet {
        tell(&answer, begin.elapsed());
    }
    Ok(ExitCode::SUCCESS)
}

impl From<Credentials> for connection::Credentials {
    fn from(credentials: Credentials) -> Self {
        match credentials {
            Credentials::Basic { user, password } => Self::Basic {
                user,
                password: password.unwrap_or_default(),
            },
            Credentials::Bearer(token) => Self::Bearer(token),
        }
    }
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
