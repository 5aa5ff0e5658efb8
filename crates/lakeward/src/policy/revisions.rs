// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy revisions`: everything a policy ever said.

use std::process::ExitCode;

use serde::Deserialize;
use serde_json::Value;

use super::place::Place;
use crate::client::understood;

/// List what a policy said from one time to the next, the newest first.
///
///   lakeward policy revisions own_region --user admin --metalake shop
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The policy
    #[arg(value_name = "NAME")]
    policy: String,
    #[command(flatten)]
    place: Place,
    /// Answer with the JSON of the server
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Revisions {
    revisions: Vec<Revision>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Revision {
    revision: i64,
    content: Value,
    enabled: bool,
    author: String,
    #[serde(default)]
    create_time: Option<String>,
}

/// Asks and lists.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (client, metalake) = arguments.place.client().await?;
    let path = ["metalakes", &metalake, "policies", &arguments.policy, "revisions"];
    let answer = client.get(&path).await?;
    if arguments.json {
        println!("{answer:#}");
        return Ok(ExitCode::SUCCESS);
    }
    let Revisions { revisions } = understood(answer)?;
    for revision in &revisions {
        print!("{}", revision.text());
    }
    Ok(ExitCode::SUCCESS)
}

impl Revision {
    fn text(&self) -> String {
        let content = match self.content.get("expression").and_then(Value::as_str) {
            Some(expression) => expression.to_owned(),
            None => self.content.to_string(),
        };
        let mut text = format!(
            "revision {}  {}  {}  by {}\n",
            self.revision,
            self.create_time.as_deref().unwrap_or("at an unknown time"),
            if self.enabled { "enabled" } else { "disabled" },
            self.author
        );
        for line in content.lines() {
            text.push_str(&format!("    {line}\n"));
        }
        text
    }
}
