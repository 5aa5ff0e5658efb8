// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The same queries through a gateway, over TLS on loopback, and in process: TPC-H's line items, restricted, loaded from
//! the same small catalog each time.
//!
//! `cargo bench -p lakeward-gateway --bench gateway`. LAKEWARD_BENCH_SCALE (1) and LAKEWARD_BENCH_ROUNDS change the size.
//! Rounds are interleaved; figures in brackets are quartiles of rounds.

#[path = "../../../reader/benches/restricted_scan/lineitem.rs"]
mod lineitem;
#[path = "../../../reader/benches/restricted_scan/rounds.rs"]
mod rounds;

use std::error::Error;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use futures::{StreamExt as _, TryStreamExt as _};
use lakeward_gateway::client::{GatewayClient, GatewayOptions};
use lakeward_gateway::settings::{CertificateFiles, Settings, Transport};
use lakeward_gateway::start::start;
use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials};
use lakeward_reader::session::{Session, SessionOptions};
use serde_json::json;
use url::Url;

use lineitem::{FIELDS, id, table, written};
use rounds::{Rounds, verdict};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Large answers and small ones.
const QUERIES: [(&str, &str); 4] = [
    (
        "large: six columns of all rows",
        "select l_orderkey, l_partkey, l_extendedprice, l_shipdate, l_shipmode, l_comment from lake.s.t",
    ),
    (
        "large: two numbers of all rows",
        "select l_orderkey, l_extendedprice from lake.s.t",
    ),
    (
        "small: groups of all rows",
        "select l_returnflag, count(*), sum(l_extendedprice) from lake.s.t group by l_returnflag",
    ),
    ("small: one key", "select * from lake.s.t where l_orderkey = 7"),
];

#[derive(Clone)]
enum Way {
    InProcess(Session),
    Gateway(GatewayClient),
}

/// Runs a query to its last row and counts rows.
async fn rows(way: Way, sql: &str) -> Outcome<usize> {
    let mut count = 0;
    match way {
        Way::InProcess(session) => {
            let mut batches = session.start(sql).await?.into_rows();
            while let Some(batch) = batches.next().await {
                count += batch?.num_rows();
            }
        }
        Way::Gateway(client) => {
            let mut batches = client.query(sql, None).await?.batches;
            while let Some(batch) = batches.try_next().await? {
                count += batch.num_rows();
            }
        }
    }
    Ok(count)
}

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let quick = std::env::args().any(|argument| argument == "--test");
    let scale = setting("LAKEWARD_BENCH_SCALE", if quick { 0.01 } else { 1.0 });
    let rounds = setting("LAKEWARD_BENCH_ROUNDS", if quick { 1 } else { 9 });
    let folder = tempfile::tempdir()?;
    let metadata = written(&folder.path().join("lake"), scale).await?;
    let restrictions = json!({"required-column-projections": [
        {"field-id": id("l_comment"), "action": "show-first-4"},
        {"field-id": id("l_tax"), "action": "replace-with-null"}]});
    // Says early if the restrictions do not fit the table.
    table(&metadata, &restrictions)?;
    let answer = json!({"metadata": metadata, "config": {}, "read-restrictions": restrictions}).to_string();
    let config =
        json!({"defaults": {"lakeward.catalogs": "lake"}, "overrides": {"prefix": "lake"}}).to_string();
    let router = Router::new()
        .route("/iceberg/v1/config", get(|| async move { config }))
        .route(
            "/iceberg/v1/lake/namespaces/s/tables/t",
            get(|| async move { answer }),
        );
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let server = Url::parse(&format!("http://{}", socket.local_addr()?))?;
    let serving = tokio::spawn(async move { axum::serve(socket, router).await });

    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let files = CertificateFiles {
        certificate: folder.path().join("cert.pem"),
        key: folder.path().join("key.pem"),
    };
    std::fs::write(&files.certificate, certified.cert.pem())?;
    std::fs::write(&files.key, certified.signing_key.serialize_pem())?;
    let gateway = start(Settings {
        listen: "127.0.0.1:0".parse()?,
        transport: Transport::Tls(files),
        ..Settings::new(server.clone())
    })
    .await?;
    let credentials = Credentials::Bearer("somebody".to_owned());
    let client = GatewayClient::connect(GatewayOptions {
        gateway: Url::parse(&format!("grpc+tls://localhost:{}", gateway.address.port()))?,
        credentials: credentials.clone(),
        authority: Some(certified.cert.pem().into_bytes()),
    })
    .await?;
    let connection = Connection::new(ConnectionOptions {
        iceberg: server,
        credentials,
        identity: None,
        timeout: Duration::from_secs(60),
    })?;
    let session = Session::new(connection, SessionOptions::default());

    println!(
        "gateway ÷ in process (goal 1.2); line items at scale {scale}, {} columns, {rounds} interleaved rounds",
        FIELDS.len()
    );
    let ways = [Way::InProcess(session), Way::Gateway(client)];
    for (name, sql) in QUERIES {
        let measured = Rounds::run(rounds, &ways, |way| rows(way, sql)).await?;
        let ratio = measured.ratio(1, 0);
        println!(
            "  {name:<32} {:>9.1} ms ÷ {:>9.1} ms = {ratio}{}",
            measured.times(1).middle,
            measured.times(0).middle,
            verdict(&ratio, Some(1.2))
        );
    }
    gateway.stop().await;
    serving.abort();
    Ok(())
}
