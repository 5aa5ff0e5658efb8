// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The first rows as another user would see them, read with the asker's own credentials through the trusted reader.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use lakeward_reader::connection::{Connection, ConnectionOptions, ReaderIdentity};
use lakeward_reader::session::{Answer, Limits, Sample, Session, SessionOptions};
use lakeward_reader::table_name::TableName;
use serde_json::{Value, json};
use url::Url;

use crate::credentials::Credentials;
use crate::policy::question::Question;
use crate::policy::report::{member, says};
use crate::query::Format;

/// Where rows come from.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder with a reader's certificate; without it no rows are shown
    #[arg(
        long,
        visible_alias = "reader-identity",
        value_name = "DIR",
        env = "LAKEWARD_READER_IDENTITY"
    )]
    identity: Option<PathBuf>,
    /// The server's listener for trusted readers
    #[arg(
        long,
        value_name = "URL",
        env = "LAKEWARD_SERVER",
        default_value = "https://127.0.0.1:8091"
    )]
    reader_server: Url,
    /// The most rows
    #[arg(long = "sample", value_name = "N", default_value_t = 10)]
    rows: usize,
    /// The longest time for the sample, in seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    timeout: u64,
}

/// Rows, or why none are shown.
pub(super) type Taken = Result<Sample, String>;

/// The sample; `None` where nobody asked for one.
///
/// # Errors
/// When the reader's certificate cannot be used. A refusal is a result.
pub(super) async fn take(
    options: &Options,
    question: &Question,
    credentials: Credentials,
    explanation: &Value,
) -> anyhow::Result<Option<Taken>> {
    let Some(identity) = &options.identity else {
        return Ok(None);
    };
    let access = member(explanation, "access");
    if !says(access, "allowed") {
        let user = question.user.as_deref().unwrap_or("the user");
        return Ok(Some(Err(format!(
            "{user} may not load the table, so there is nothing that they would see"
        ))));
    }
    let Some(restrictions) = explanation.get("read-restrictions") else {
        return Ok(Some(Err(
            "the restrictions cannot be resolved, so no row would be shown".to_owned(),
        )));
    };
    let timeout = Duration::from_secs(options.timeout);
    let connection = Connection::new(ConnectionOptions {
        iceberg: options.reader_server.clone(),
        credentials: credentials.into(),
        identity: Some(ReaderIdentity::from_directory(identity)?),
        timeout,
    })?;
    let session = Session::new(
        connection,
        SessionOptions {
            limits: Limits {
                time: timeout,
                ..Limits::default()
            },
            ..SessionOptions::default()
        },
    );
    let taken = session
        .sample(
            &table_name(&question.table)?,
            &restrictions.to_string(),
            options.rows,
        )
        .await;
    Ok(Some(taken.map_err(|error| error.to_string())))
}

/// `catalog.schema.table`; the levels of a nested schema are separated by `:` in the native API.
fn table_name(full_name: &str) -> anyhow::Result<TableName> {
    let parts: Vec<&str> = full_name.split('.').collect();
    let [catalog, schema, table] = parts.as_slice() else {
        anyhow::bail!("`{full_name}` is no full name of a table: catalog.schema.table");
    };
    Ok(TableName {
        catalog: (*catalog).to_owned(),
        namespace: schema.split(':').map(str::to_owned).collect(),
        table: (*table).to_owned(),
    })
}

/// The sample for people.
///
/// # Errors
/// When the output breaks off.
pub(super) fn write(
    taken: Option<&Taken>,
    explanation: &Value,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let sample = match taken {
        None => {
            writeln!(
                output,
                "sample      none; --identity DIR, the certificate of a reader, shows rows"
            )?;
            return Ok(());
        }
        Some(Err(why)) => {
            writeln!(output, "sample      none: {why}")?;
            return Ok(());
        }
        Some(Ok(sample)) => sample,
    };
    let user = member(member(explanation, "subject"), "user")
        .as_str()
        .unwrap_or("the user");
    writeln!(
        output,
        "sample      what {user} would see of rows that you may see, in the order of what is shown"
    )?;
    output.write_all(&written(&sample.answer, Format::Table)?)?;
    for column in &sample.hidden {
        writeln!(
            output,
            "hidden      {column}: masked for you, and otherwise for {user}"
        )?;
    }
    if sample.answer.rows() == 0 {
        writeln!(
            output,
            "no rows     either {user} would see none, or none that you may see too"
        )?;
    }
    Ok(())
}

/// The sample for programs.
///
/// # Errors
/// When rows cannot be written as JSON.
pub(super) fn json(taken: &Taken) -> anyhow::Result<Value> {
    match taken {
        Err(why) => Ok(json!({ "refused": why })),
        Ok(Sample { answer, hidden }) => Ok(json!({ "rows": rows(answer)?, "hidden": hidden })),
    }
}

fn rows(answer: &Answer) -> anyhow::Result<Value> {
    Ok(serde_json::from_slice(&written(answer, Format::Json)?)?)
}

fn written(answer: &Answer, format: Format) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut writer = format.writer(&answer.schema, Box::new(&mut text))?;
    for batch in &answer.batches {
        writer.write(batch)?;
    }
    writer.finish()?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::table_name;

    #[test]
    fn nested_schemas_are_levels_of_a_namespace() {
        let name = table_name("lake.sales:eu.orders").unwrap();
        assert_eq!(name.namespace, ["sales", "eu"]);
        assert_eq!((name.catalog.as_str(), name.table.as_str()), ("lake", "orders"));
        assert!(table_name("sales.orders").is_err());
    }
}
