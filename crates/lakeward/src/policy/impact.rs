// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy impact`: what a policy, a tag or an assignment reaches.

pub(crate) mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

use super::draft::{self, TagOption};
use super::place::Place;

/// Tell what a policy, a tag, or a tag on an object reaches, before it takes effect.
///
/// Shows the tables and columns that are restricted, the tables that could not be loaded any more
/// and why, who could lift the restriction, and whether a reader is enrolled that could read them.
/// A policy counts as enabled.
///
///   lakeward policy impact --policy own_region --user admin --metalake shop
///   lakeward policy impact --tag access=restricted --on "schema lake.sales" --user admin
///   lakeward policy impact --draft policies/own_region.yaml --draft-tag access=restricted --user admin
///
/// Exits with 1 when a table could not be loaded any more.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["policy", "tag", "draft"]))]
pub(crate) struct Arguments {
    /// A policy of the server
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// A tag of the server; with --on its assignment there, with a value and --on an intended one
    #[arg(long, value_name = "NAME[=VALUE]")]
    tag: Option<TagOption>,
    /// The object of the assignment, `table lake.sales.orders` for instance
    #[arg(long, value_name = "TYPE NAME", requires = "tag")]
    on: Option<String>,
    /// The assignment is intended, and has no value
    #[arg(long, requires = "on")]
    no_value: bool,
    /// A policy that the server does not have yet, or has otherwise: a file as for `preview`
    #[arg(long, value_name = "FILE")]
    draft: Option<PathBuf>,
    /// A tag that the draft is on, repeated for more
    #[arg(long = "draft-tag", value_name = "NAME[=VALUE]", requires = "draft")]
    draft_tags: Vec<TagOption>,
    #[command(flatten)]
    place: Place,
    /// Answer with the JSON of the server
    #[arg(long)]
    json: bool,
}

/// Asks and tells.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let question = question(arguments)?;
    let (client, metalake) = arguments.place.client().await?;
    let path = ["metalakes", &metalake, "read-restrictions", "impact"];
    let mut answer = client.post(&path, question).await?;
    let impact = answer
        .get_mut("impact")
        .map(Value::take)
        .context("the answer of the server is not understood")?;
    if arguments.json {
        println!("{impact:#}");
    } else {
        print!("{}", report::text(&impact));
    }
    Ok(if report::would_fail(&impact) == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn question(arguments: &Arguments) -> anyhow::Result<Value> {
    let mut question = Map::new();
    if let Some(file) = &arguments.draft {
        let draft = draft::read(file, &arguments.draft_tags)?;
        question.insert("policy".to_owned(), json!(draft.name));
        question.insert("drafts".to_owned(), json!([draft.to_json()]));
    }
    if let Some(policy) = &arguments.policy {
        question.insert("policy".to_owned(), json!(policy));
    }
    if let Some(tag) = &arguments.tag {
        question.insert("tag".to_owned(), json!(tag.tag));
        match &arguments.on {
            Some(object) => {
                let Some((kind, name)) = object.split_once(' ') else {
                    bail!("`{object}` is no object; write for instance `--on \"table lake.sales.orders\"`");
                };
                question.insert(
                    "object".to_owned(),
                    json!({"type": kind, "fullName": name.trim()}),
                );
                if tag.value.is_some() || arguments.no_value {
                    let values: Vec<&String> = tag.value.iter().collect();
                    question.insert("values".to_owned(), json!(values));
                }
            }
            None if tag.value.is_some() => bail!("with a value say on which object: --on \"TYPE NAME\""),
            None => {}
        }
    }
    Ok(Value::Object(question))
}
