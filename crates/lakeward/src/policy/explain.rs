// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy explain`: asks a running server why a table is restricted for a subject.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::question::Question;
use super::report::{Detail, report};

/// Explain why a user has the restrictions that they have on a table.
///
/// For oneself the server tells what applies, with the names that one may see. For another user it
/// tells those who may apply every policy that takes part. With --preview it treats disabled
/// policies as if they were enabled, so that their effect is known before they take it; `lakeward
/// policy preview` also takes policies that are in no server yet and shows sample rows. Exits with
/// 1 when the restrictions cannot be resolved.
///
///   lakeward policy explain --as admin --metalake shop --table lake.sales.orders --user ann
///   lakeward policy explain --as admin --table lake.sales.orders --user ann --group auditors --wire
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    question: Question,
    /// Treat this disabled policy as if it were enabled, repeated for more
    #[arg(long = "preview", value_name = "POLICY")]
    previews: Vec<String>,
    /// Show the restrictions also as they are sent to readers
    #[arg(long)]
    wire: bool,
    /// Answer with the JSON of the server
    #[arg(long)]
    json: bool,
}

/// Asks and tells.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let previews = (!arguments.previews.is_empty()).then(|| ("policies", json!(arguments.previews)));
    let question = &arguments.question;
    let explanation = question.ask(question.credentials().await?, previews).await?;
    let is_resolved = !explanation.contains_key("error");
    let explanation = Value::Object(explanation);
    if arguments.json {
        println!("{explanation:#}");
    } else {
        println!("{}", report(&explanation, Detail { wire: arguments.wire }));
    }
    Ok(if is_resolved {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
