// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward access explain`: asks a running server why somebody may do something, or may not.

use std::process::ExitCode;

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::text::explanation;
use crate::asker::Asker;
use crate::client::understood;

/// Explain whether a user may do something to an object: the rule that decides, the roles and the
/// ownership that allow it, the denial that wins, what is missing on the way.
///
/// The operation is named as in a refusal, in the audit log and in the API's description:
/// loadTable, alterTable, dropSchema, icebergCommitTable, setOwner, and so on; a wrong name is
/// answered with those that there are. Without one the question is whether the user may load the
/// object.
///
/// For oneself the server tells what one may see. For another user it tells those who may grant
/// and revoke on the metalake. Where the server does not know in which groups the user is, there
/// is no verdict; say which with --group or --no-groups. Exits with 1 unless the answer is yes.
///
///   lakeward access explain table lake.sales.orders --user ann --as admin
///   lakeward access explain schema lake.sales --operation createTable --user ann --group staff --as admin
///   lakeward access explain table lake.sales.orders --operation associateTags --instrument tag:pii --as ann
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The type of the object: metalake, catalog, schema, table, view, role, tag, …
    #[arg(value_name = "TYPE")]
    object_type: String,
    /// The full name of the object, `catalog.schema.table`
    #[arg(value_name = "NAME")]
    object: String,
    /// The user; without it whoever asks
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// What to do to the object; without it, to load it
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// A tag, policy or job template that is used on the object, as `tag:NAME`, repeated for more
    #[arg(long = "instrument", value_name = "TYPE:NAME")]
    instruments: Vec<String>,
    /// A group of the user, repeated for more; without it the groups that the server knows
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    /// The user is in no group
    #[arg(long, conflicts_with = "groups")]
    no_groups: bool,
    /// Tell everything that was looked at
    #[arg(long)]
    all: bool,
    /// Answer with the JSON of the server
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    asker: Asker,
}

#[derive(Deserialize)]
struct Explained {
    explanation: Value,
}

/// Asks and tells.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let credentials = arguments.asker.credentials(arguments.user.as_deref()).await?;
    let question = arguments.question()?;
    let (client, metalake) = arguments.asker.client(credentials).await?;
    let path = [
        "metalakes",
        &metalake,
        "objects",
        &arguments.object_type,
        &arguments.object,
        "access",
        "explain",
    ];
    let answer = client.post(&path, Value::Object(question)).await?;
    let Explained { explanation: told } = understood(answer)?;
    if arguments.json {
        println!("{told:#}");
    } else {
        print!("{}", explanation(&told, arguments.all));
    }
    let is_yes = told.get("allowed") == Some(&Value::Bool(true));
    Ok(if is_yes {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Arguments {
    /// What is asked; what is not said is left out, so that the server says what it means.
    fn question(&self) -> anyhow::Result<Map<String, Value>> {
        let mut question = Map::new();
        let mut say = |member: &str, value: Option<Value>| {
            if let Some(value) = value {
                question.insert(member.to_owned(), value);
            }
        };
        say("user", self.user.as_ref().map(|user| json!(user)));
        let states_groups = self.no_groups || !self.groups.is_empty();
        say("groups", states_groups.then(|| json!(self.groups)));
        say("operation", self.operation.as_ref().map(|name| json!(name)));
        let instruments = self
            .instruments
            .iter()
            .map(|text| {
                let (kind, name) = text
                    .split_once(':')
                    .with_context(|| format!("`{text}` is not TYPE:NAME, for instance tag:pii"))?;
                Ok(json!({ "type": kind, "fullName": name }))
            })
            .collect::<anyhow::Result<Vec<Value>>>()?;
        say(
            "instruments",
            (!instruments.is_empty()).then(|| json!(instruments)),
        );
        Ok(question)
    }
}
