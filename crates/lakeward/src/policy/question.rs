// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is asked of a server about one table: whose restrictions, through which reader, by whom.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::asker::Asker;
use crate::client::understood;
use crate::credentials::Credentials;

/// A table, a subject, and who asks.
#[derive(Debug, clap::Args)]
pub(crate) struct Question {
    /// Full name of the table, `catalog.schema.table`
    #[arg(long, value_name = "NAME")]
    pub(crate) table: String,
    /// The user; without it whoever asks
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// A group of the user, repeated for more; without it the groups that the server knows
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    /// The user is in no group
    #[arg(long, conflicts_with = "groups")]
    no_groups: bool,
    /// Name of the reader entry to come through
    #[arg(long, value_name = "NAME")]
    reader: Option<String>,
    /// The capability header that the client would send
    #[arg(long, value_name = "TEXT")]
    capabilities: Option<String>,
    #[command(flatten)]
    asker: Asker,
}

#[derive(Deserialize)]
struct Explained {
    explanation: Map<String, Value>,
}

impl Question {
    /// The credentials of who asks.
    ///
    /// # Errors
    /// When nothing says who that is.
    pub(crate) async fn credentials(&self) -> anyhow::Result<Credentials> {
        self.asker.credentials(self.user.as_deref()).await
    }

    /// Asks with some more members of the question. The explanation.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) async fn ask(
        &self,
        credentials: Credentials,
        more: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> anyhow::Result<Map<String, Value>> {
        let (client, metalake) = self.asker.client(credentials).await?;
        let path = [
            "metalakes",
            &metalake,
            "objects",
            "table",
            &self.table,
            "read-restrictions",
            "explain",
        ];
        let mut body = self.members();
        body.extend(more.into_iter().map(|(member, value)| (member.to_owned(), value)));
        let Explained { explanation } = understood(client.post(&path, Value::Object(body)).await?)?;
        Ok(explanation)
    }

    /// What is asked; what is not said is left out, so that the server says what it means.
    fn members(&self) -> Map<String, Value> {
        let mut question = Map::new();
        let mut say = |member: &str, value: Option<Value>| {
            if let Some(value) = value {
                question.insert(member.to_owned(), value);
            }
        };
        say("user", self.user.as_ref().map(|user| json!(user)));
        let states_groups = self.no_groups || !self.groups.is_empty();
        say("groups", states_groups.then(|| json!(self.groups)));
        say("reader", self.reader.as_ref().map(|reader| json!(reader)));
        say(
            "capabilities",
            self.capabilities.as_ref().map(|header| json!(header)),
        );
        question
    }
}
