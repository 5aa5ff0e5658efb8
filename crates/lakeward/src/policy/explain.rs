// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy explain`: asks a running server why a table is restricted for a subject.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use reqwest::{Client, RequestBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use url::Url;

use super::report::report;

/// Explain why a user has the restrictions that they have on a table.
///
/// For oneself the server tells what applies, with the names that one may see. For another user it tells those who may
/// apply every policy that takes part. With --preview it treats disabled policies as if they were enabled, so that
/// their effect is known before they take it. Exits with 1 when the restrictions cannot be resolved.
///
///   lakeward policy explain --as admin --metalake shop --table lake.sales.orders --user ann
///
/// The password of who asks comes from LAKEWARD_PASSWORD.
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
    /// The password, from the environment only: other users of a machine see arguments
    #[arg(
        long = "password-from-environment",
        hide = true,
        env = "LAKEWARD_PASSWORD",
        hide_env_values = true,
        default_value = ""
    )]
    password: String,
    /// File with a bearer token, instead of user and password
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
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

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// Asks and tells.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let asker = Asker::new(arguments)?;
    let metalake = match &arguments.metalake {
        Some(metalake) => metalake.clone(),
        None => asker.only_metalake().await?,
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
    let request = asker.client.post(asker.url(&path)?).json(&question(arguments));
    let Explained { explanation } = asker.answer(request).await?;
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

/// Requests with the credentials of who asks.
struct Asker<'a> {
    client: Client,
    server: &'a Url,
    credentials: Credentials,
}

enum Credentials {
    Basic { user: String, password: String },
    Token(String),
}

impl<'a> Asker<'a> {
    fn new(arguments: &'a Arguments) -> anyhow::Result<Self> {
        let credentials = match (
            &arguments.token_file,
            arguments.caller.as_ref().or(arguments.user.as_ref()),
        ) {
            (Some(file), _) => Credentials::Token(
                std::fs::read_to_string(file)
                    .with_context(|| format!("the token file `{}` cannot be read", file.display()))?
                    .trim()
                    .to_owned(),
            ),
            (None, Some(user)) => Credentials::Basic {
                user: user.clone(),
                password: arguments.password.clone(),
            },
            (None, None) => bail!("say who asks with --as, or set LAKEWARD_USER"),
        };
        Ok(Self {
            client: Client::new(),
            server: &arguments.server,
            credentials,
        })
    }

    /// An address below `/api`; every segment is encoded.
    fn url(&self, segments: &[&str]) -> anyhow::Result<Url> {
        let mut url = self.server.clone();
        match url.path_segments_mut() {
            Ok(mut path) => {
                path.pop_if_empty().push("api").extend(segments);
            }
            Err(()) => bail!("`{}` is not the address of a server", self.server),
        }
        Ok(url)
    }

    async fn only_metalake(&self) -> anyhow::Result<String> {
        let request = self.client.get(self.url(&["metalakes"])?);
        let Metalakes { metalakes } = self.answer(request).await?;
        match metalakes.as_slice() {
            [only] => Ok(only.name.clone()),
            [] => bail!("the server shows no metalake to this user"),
            several => {
                let names: Vec<&str> = several.iter().map(|metalake| metalake.name.as_str()).collect();
                bail!("say which metalake with --metalake: {}", names.join(", "))
            }
        }
    }

    async fn answer<T: DeserializeOwned>(&self, request: RequestBuilder) -> anyhow::Result<T> {
        let request = match &self.credentials {
            Credentials::Basic { user, password } => request.basic_auth(user, Some(password)),
            Credentials::Token(token) => request.bearer_auth(token),
        };
        let response = request
            .send()
            .await
            .with_context(|| format!("the server at {} does not answer", self.server))?;
        let status = response.status();
        if status.is_success() {
            return response
                .json()
                .await
                .context("the answer of the server is not understood");
        }
        match response.json::<Refusal>().await {
            Ok(refusal) => bail!("{status}: {}", refusal.message),
            Err(_) => bail!("the server answers {status}"),
        }
    }
}
