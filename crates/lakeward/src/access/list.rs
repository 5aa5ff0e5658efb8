// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward access list`: what a user may do, as a tree.

use std::process::ExitCode;

use anyhow::ensure;
use serde::Deserialize;
use serde_json::Value;

use super::text::subject;
use super::tree::tree;
use crate::asker::Asker;
use crate::client::understood;

/// Show what a user may do, as a tree of the objects of which something is said.
///
/// Each line names what is effective at an object, by what is said there and above; everything
/// that is not listed follows from what is above it. `-NAME` is denied. `(no USE_SCHEMA)` means that
/// nothing of it can be used until that is granted. For oneself the server shows what one may load;
/// others are shown to those who may grant and revoke on the metalake.
///
///   lakeward access list ann --as admin
///   lakeward access list ann --as admin --most 20000 --roles
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The user
    #[arg(value_name = "USER")]
    user: String,
    /// Show at most so many objects
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    most: usize,
    /// Show which role says what, and through whom it is held
    #[arg(long)]
    roles: bool,
    /// Answer with the JSON of the server, one object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    asker: Asker,
}

/// How many objects are asked for at a time.
const PAGE: &str = "500";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    subject: Value,
    access: Vec<Value>,
    #[serde(default)]
    next_page_token: Option<String>,
}

/// Asks page by page, and shows.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    ensure!(arguments.most > 0, "--most must be at least 1");
    let credentials = arguments.asker.credentials(Some(&arguments.user)).await?;
    let (client, metalake) = arguments.asker.client(credentials).await?;
    let path = ["metalakes", &metalake, "users", &arguments.user, "access"];
    let mut items = Vec::new();
    let mut token = String::new();
    let (about, is_whole) = loop {
        let query = [("pageSize", PAGE), ("pageToken", token.as_str())];
        let page: Page = understood(client.get_with(&path, &query).await?)?;
        items.extend(page.access);
        match page.next_page_token {
            Some(next) if items.len() < arguments.most => token = next,
            next => break (page.subject, next.is_none() && items.len() <= arguments.most),
        }
    };
    items.truncate(arguments.most);
    if arguments.json {
        for item in &items {
            println!("{item}");
        }
    } else {
        println!("{}", subject(&about));
        print!("{}", tree(&metalake, &items, arguments.roles));
    }
    if !is_whole {
        eprintln!(
            "there is more; --most NUMBER shows more than {} objects",
            arguments.most
        );
    }
    Ok(ExitCode::SUCCESS)
}
