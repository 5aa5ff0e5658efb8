// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy explain`: asks a running server why a table is restricted for a subject.

use std::process::ExitCode;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::report::report;
use crate::client::{NativeClient, understood};
use crate::credentials::Secret;

/// Explain why a user has the restrictions that they have on a table.
///
/// For oneself the server tells what applies, with the names that one may see. For another user it tells those who may
/// apply every policy that takes part. With --preview it treats disabled policies as if they were enabled, so that
/// their effect is known before they take it. Exits with 1 when the restrictions cannot be resolved.
///
///   lakeward policy explain --as admin --metalake shop --table lake.sales.orders --user ann
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Full name of the table, `catalog.schema.table`
    #[arg(long, value_name = "NAME")]
    table: String,
    /// The user to explain; without it whoever asks
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// A group of the user, repeated for more; without it the groups that the server knows
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    /// The user is in no group
    #[arg(long, conflicts_with = "groups")]
    no_groups: bool,
    /// Treat this disabled policy as if it were enabled, repeated for more
    #[arg(long = "preview", value_name = "POLICY")]
    previews: Vec<String>,
    /// Name of the reader entry to come through
    #[arg(long, value_name = "NAME")]
    reader: Option<String>,
    /// The capability header that the client would send
    #[arg(long, value_name = "TEXT")]
    capabilities: Option<String>,
    /// The metalake; without it the only one that the server shows
    #[arg(long, value_name = "NAME")]
    metalake: Option<String>,
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    /// Who asks; without it the user that is explained
    #[arg(long = "as", value_name = "NAME", env = "LAKEWARD_USER")]
    caller: Option<String>,
    #[command(flatten)]
    secret: Secret,
    /// Answer with the JSON of the server
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Explained {
    explanation: Map<String, Value>,
}

#[derive(Deserialize)]
struct Metalakes {
    metalakes: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Asks and tells.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let caller = arguments.caller.as_ref().or(arguments.user.as_ref());
    let credentials = arguments
        .secret
        .credentials(caller.map(String::as_str))?
        .context("say who asks: give --as NAME or --token-file FILE, or set LAKEWARD_USER")?;
    let client = NativeClient::new(arguments.server.clone(), credentials)?;
    let metalake = match &arguments.metalake {
        Some(metalake) => metalake.clone(),
        None => only_metalake(&client).await?,
    };
    let path = [
        "metalakes",
        &metalake,
        "objects",
        "table",
        &arguments.table,
        "read-restrictions",
        "explain",
    ];
    let Explained { explanation } = understood(client.post(&path, question(arguments)).await?)?;
    let is_resolved = !explanation.contains_key("error");
    let explanation = Value::Object(explanation);
    if arguments.json {
        println!("{explanation:#}");
    } else {
        println!("{}", report(&explanation));
    }
    Ok(if is_resolved {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What is asked; what is not said is left out, so that the server says what it means.
fn question(arguments: &Arguments) -> Value {
    let mut question = Map::new();
    let mut say = |member: &str, value: Option<Value>| {
        if let Some(value) = value {
            question.insert(member.to_owned(), value);
        }
    };
    say("user", arguments.user.as_ref().map(|user| json!(user)));
    let states_groups = arguments.no_groups || !arguments.groups.is_empty();
    say("groups", states_groups.then(|| json!(arguments.groups)));
    say("reader", arguments.reader.as_ref().map(|reader| json!(reader)));
    say(
        "capabilities",
        arguments.capabilities.as_ref().map(|header| json!(header)),
    );
    say(
        "policies",
        (!arguments.previews.is_empty()).then(|| json!(arguments.previews)),
    );
    Value::Object(question)
}

async fn only_metalake(client: &NativeClient) -> anyhow::Result<String> {
    let Metalakes { metalakes } = understood(client.get(&["metalakes"]).await?)?;
    match metalakes.as_slice() {
        [only] => Ok(only.name.clone()),
        [] => bail!("the server shows no metalake to this user"),
        several => {
            let names: Vec<&str> = several.iter().map(|metalake| metalake.name.as_str()).collect();
            bail!("say which metalake with --metalake: {}", names.join(", "))
        }
    }
}
