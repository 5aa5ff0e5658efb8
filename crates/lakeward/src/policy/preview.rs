// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy preview`: what a user would see once policies are enabled, with sample rows.

#[cfg(feature = "reader")]
mod sample;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Value, json};

use super::draft::{self, TagOption};
use super::question::Question;
use super::report::{Detail, report};

/// Show what a user would see if policies were enabled that are not, or not even stored.
///
/// A draft is a file: a policy as `export` writes it, or an expression (`filter := …`
/// or `mask := …`). A draft with the name of a policy of the server stands in for it. Whoever asks
/// must be able to apply every policy that takes part.
///
/// With the certificate of a reader the first rows are shown as the user would see them, as far as
/// whoever asks may see them too: rows pass both filters, and of a column that is masked for the
/// asker nothing is shown unless the user has the same mask. A filter that reads such a column gets
/// no sample, since the rows would tell its values.
///
///   lakeward policy preview --as admin --table lake.sales.orders --user ann --policy own_region
///   lakeward policy preview --as admin --table lake.sales.orders --user ann \
///       --draft own_region.txt --tag access=restricted --identity analysts
///
/// Exits with 1 when the restrictions cannot be resolved, or a sample is not shown that was asked
/// for.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    question: Question,
    /// A disabled policy of the server, repeated for more
    #[arg(long = "policy", value_name = "NAME")]
    policies: Vec<String>,
    /// A file with a policy, repeated for more
    #[arg(long = "draft", value_name = "FILE")]
    drafts: Vec<PathBuf>,
    /// A tag that the draft is on, beside those of its file, repeated for more
    #[arg(long = "tag", value_name = "NAME[=VALUE]", requires = "drafts")]
    tags: Vec<TagOption>,
    /// Show the restrictions also as they would be sent to readers
    #[arg(long)]
    wire: bool,
    #[cfg(feature = "reader")]
    #[command(flatten)]
    sample: sample::Options,
    /// Answer in JSON: the explanation of the server, and the sample
    #[arg(long)]
    json: bool,
}

/// Asks, tells, and shows rows.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let question = &arguments.question;
    let credentials = question.credentials().await?;
    let explanation = question.ask(credentials.clone(), more(arguments)?).await?;
    let is_resolved = !explanation.contains_key("error");
    let explanation = Value::Object(explanation);
    #[cfg(feature = "reader")]
    let sample = sample::take(&arguments.sample, question, credentials, &explanation).await?;
    #[cfg(feature = "reader")]
    let is_shown = sample.as_ref().is_none_or(|taken| taken.is_ok());
    #[cfg(not(feature = "reader"))]
    let is_shown = true;
    if arguments.json {
        let mut answer = json!({ "explanation": explanation });
        #[cfg(feature = "reader")]
        if let (Some(sample), Some(members)) = (&sample, answer.as_object_mut()) {
            members.insert("sample".to_owned(), sample::json(sample)?);
        }
        println!("{answer:#}");
    } else {
        println!("{}", report(&explanation, Detail { wire: arguments.wire }));
        #[cfg(feature = "reader")]
        sample::write(sample.as_ref(), &explanation, &mut std::io::stdout().lock())?;
    }
    Ok(if is_resolved && is_shown {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn more(arguments: &Arguments) -> anyhow::Result<Vec<(&'static str, Value)>> {
    let mut more = Vec::new();
    if !arguments.policies.is_empty() {
        more.push(("policies", json!(arguments.policies)));
    }
    if arguments.drafts.len() > 1 && !arguments.tags.is_empty() {
        bail!("with several drafts write the tags into their files (`tags:`), so that each has its own");
    }
    let drafts = arguments
        .drafts
        .iter()
        .map(|file| Ok(draft::read(file, &arguments.tags)?.to_json()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if !drafts.is_empty() {
        more.push(("drafts", json!(drafts)));
    }
    if more.is_empty() {
        bail!(
            "say what to preview: --policy NAME or --draft FILE; `lakeward policy explain` tells how things are"
        );
    }
    Ok(more)
}
