// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One query as three users, through the trusted reader.

use std::time::{Duration, Instant};

use anyhow::Context;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials, ReaderIdentity};
use lakeward_reader::session::{Answer, Session, SessionOptions};

use super::governance::explain;
use super::scenario::{PEOPLE, Person, Scenario};
use super::terminal::{Block, Terminal};
use crate::client::NativeClient;

/// Where readers connect, and as which reader.
pub(super) struct Reader {
    pub(super) url: String,
    pub(super) identity: ReaderIdentity,
    pub(super) password: String,
}

/// Asks the query as every user and shows the answers beside each other, with what was enforced and why.
pub(super) async fn show(
    reader: &Reader,
    admin: &NativeClient,
    scenario: &Scenario,
    terminal: Terminal,
) -> anyhow::Result<()> {
    for line in scenario.query.lines() {
        terminal.fact(line);
    }
    terminal.gap();
    let asked =
        futures::future::try_join_all(PEOPLE.iter().map(|person| ask(reader, scenario, *person))).await?;
    let mut blocks = Vec::new();
    for (person, (answer, time)) in PEOPLE.iter().zip(asked) {
        blocks.push(Block {
            head: format!("{} ({}), {} ms", person.name, person.group, time.as_millis()),
            body: shown(&answer, terminal)?,
            below: explain(admin, scenario, person.name, false).await?,
        });
    }
    terminal.side_by_side(&blocks);
    Ok(())
}

async fn ask(reader: &Reader, scenario: &Scenario, person: Person) -> anyhow::Result<(Answer, Duration)> {
    let connection = Connection::new(ConnectionOptions {
        iceberg: reader.url.parse()?,
        credentials: Credentials::Basic {
            user: person.name.to_owned(),
            password: reader.password.clone(),
        },
        identity: Some(reader.identity.clone()),
        timeout: Duration::from_secs(30),
    })?;
    let session = Session::new(connection, SessionOptions::default());
    let begin = Instant::now();
    let answer = session
        .query(&scenario.query)
        .await
        .with_context(|| format!("the query as `{}`", person.name))?;
    Ok((answer, begin.elapsed()))
}

fn shown(answer: &Answer, terminal: Terminal) -> anyhow::Result<Vec<String>> {
    let fields = answer.schema.fields();
    let header: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let numeric: Vec<bool> = fields
        .iter()
        .map(|field| field.data_type().is_numeric())
        .collect();
    let options = FormatOptions::default().with_null("NULL");
    let mut rows = Vec::new();
    for batch in &answer.batches {
        let formatters = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let cells = formatters
                .iter()
                .map(|formatter| Ok(short(&formatter.value(row).try_to_string()?)))
                .collect::<anyhow::Result<Vec<_>>>()?;
            rows.push(cells);
        }
    }
    Ok(terminal.table(&header, &rows, &numeric))
}

/// Long texts would push the answers apart.
fn short(text: &str) -> String {
    const LONGEST: usize = 24;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}
