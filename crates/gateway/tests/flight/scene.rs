// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A catalog with tables and users, gateways before it, and clients of those.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::util::pretty::pretty_format_batches;
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::{FlightInfo, Ticket};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::TryStreamExt as _;
use lakeward_gateway::settings::Settings;
use lakeward_gateway::start::{Running, start};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tonic::transport::{Channel, Endpoint};
use url::Url;

use crate::catalog::{Catalog, write};

/// The client of the library.
pub(crate) type Client = FlightSqlServiceClient<Channel>;

/// A catalog with the table `lake.s.people` and the users ann, bob (by password) and cleo (by token).
pub(crate) struct Scene {
    pub(crate) catalog: Catalog,
    /// Holds the tables.
    pub(crate) folder: TempDir,
}

/// The token of cleo: its payload says `{"sub":"cleo"}`.
pub(crate) const CLEO: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJjbGVvIn0.c2ln";

/// The header of a user with the password that is the user's name and `-secret`.
pub(crate) fn basic(user: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{user}-secret")))
}

/// Only rows with this region.
pub(crate) fn region(name: &str) -> Json {
    json!({"required-row-filter": {
        "type": "eq",
        "left": {"type": "reference", "id": 2},
        "right": {"type": "literal", "value": name, "data-type": "string"},
    }})
}

pub(crate) fn people() -> (Json, Vec<ArrayRef>) {
    let schema = json!({"type": "struct", "fields": [
        {"id": 1, "name": "id", "type": "long", "required": true},
        {"id": 2, "name": "region", "type": "string", "required": true},
        {"id": 3, "name": "name", "type": "string", "required": false},
    ]});
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![1, 2, 3, 4])),
        Arc::new(StringArray::from(vec!["north", "south", "north", "west"])),
        Arc::new(StringArray::from(vec![Some("Ada"), Some("Bo"), None, Some("Di")])),
    ];
    (schema, columns)
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let (schema, columns) = people();
        Self::with(&[("people", schema, columns)]).await
    }

    pub(crate) async fn with(tables: &[(&str, Json, Vec<ArrayRef>)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut written = HashMap::new();
        for (name, schema, columns) in tables {
            let metadata = write(folder.path(), name, schema.clone(), columns.clone()).await;
            written.insert((*name).to_owned(), metadata);
        }
        let catalog = Catalog::start(written).await;
        for user in ["ann", "bob", "locked"] {
            catalog.knows(&basic(user), user);
        }
        catalog.knows(&format!("Bearer {CLEO}"), "cleo");
        Self { catalog, folder }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            ..Settings::new(Url::parse(&format!("http://{}", self.catalog.address)).unwrap())
        }
    }

    pub(crate) async fn gateway(&self) -> Running {
        start(self.settings()).await.unwrap()
    }
}

/// A connection without encryption.
pub(crate) async fn channel(gateway: &Running) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", gateway.address)).unwrap();
    endpoint.connect().await.unwrap()
}

/// A client without credentials.
pub(crate) async fn connect(gateway: &Running) -> Client {
    FlightSqlServiceClient::new(channel(gateway).await)
}

/// A client that sends this header with every call.
pub(crate) async fn connect_with(gateway: &Running, header: &str) -> Client {
    let mut client = connect(gateway).await;
    client.set_header("authorization", header);
    client
}

/// The rows that a ticket of this information gives.
pub(crate) async fn fetch(client: &mut Client, info: FlightInfo) -> Result<Vec<RecordBatch>, String> {
    let ticket: Ticket = info.endpoint[0].ticket.clone().unwrap();
    let stream = client.do_get(ticket).await.map_err(|error| error.to_string())?;
    stream.try_collect().await.map_err(|error| error.to_string())
}

/// The rows of a query as lines of text.
pub(crate) async fn ask(client: &mut Client, sql: &str) -> Result<Vec<String>, String> {
    let info = client
        .execute(sql.to_owned(), None)
        .await
        .map_err(|error| error.to_string())?;
    let schema = info.clone().try_decode_schema().unwrap();
    let batches = fetch(client, info).await?;
    for batch in &batches {
        assert_eq!(
            batch.schema().fields(),
            schema.fields(),
            "what was announced is what comes"
        );
    }
    Ok(lines(&batches))
}

/// Rows as lines of text.
pub(crate) fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let text = pretty_format_batches(batches).unwrap().to_string();
    text.lines()
        .skip(3)
        .filter(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(str::trim)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}
