// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! TLS, its files, and the end of a gateway.

use std::path::Path;
use std::time::Duration;

use arrow_flight::sql::client::FlightSqlServiceClient;
use futures::TryStreamExt as _;
use lakeward_gateway::settings::{CertificateFiles, Settings, Transport};
use lakeward_gateway::start::start;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::scene::{Client, Scene, ask, basic, connect_with};

/// Writes a certificate for localhost, and gives its PEM.
fn certificate(folder: &Path) -> (CertificateFiles, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = CertificateFiles {
        certificate: folder.join("cert.pem"),
        key: folder.join("key.pem"),
    };
    std::fs::write(&files.certificate, made.cert.pem()).unwrap();
    std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    (files, made.cert.pem())
}

async fn connect(port: u16, authority: &str) -> Result<Client, tonic::transport::Error> {
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority));
    let endpoint = Endpoint::from_shared(format!("https://localhost:{port}"))
        .unwrap()
        .tls_config(tls)
        .unwrap();
    let channel: Channel = endpoint.connect().await?;
    let mut client = FlightSqlServiceClient::new(channel);
    client.set_header("authorization", basic("ann"));
    Ok(client)
}

#[tokio::test]
async fn a_new_certificate_counts_at_once_and_open_connections_go_on() {
    let scene = Scene::new().await;
    let (files, old) = certificate(scene.folder.path());
    let settings = Settings {
        transport: Transport::Tls(files),
        ..scene.settings()
    };
    let gateway = start(settings).await.unwrap();
    assert_eq!(
        gateway.ready_line(),
        format!("lakeward gateway ready flight=grpc+tls://{}", gateway.address)
    );
    let port = gateway.address.port();
    let mut open = connect(port, &old).await.unwrap();
    assert_eq!(ask(&mut open, "SELECT 1").await.unwrap(), ["1"]);
    let (_, new) = certificate(scene.folder.path());
    let mut second = connect(port, &new).await.unwrap();
    assert_eq!(ask(&mut second, "SELECT 2").await.unwrap(), ["2"]);
    assert!(connect(port, &old).await.is_err());
    assert_eq!(ask(&mut open, "SELECT 3").await.unwrap(), ["3"]);
    // Half of a change is no change.
    std::fs::write(scene.folder.path().join("key.pem"), "nonsense").unwrap();
    assert!(connect(port, &new).await.is_ok());
    // Nobody speaks in the open.
    let open = Endpoint::from_shared(format!("http://127.0.0.1:{port}"))
        .unwrap()
        .connect()
        .await;
    let mut open = match open {
        Ok(channel) => FlightSqlServiceClient::new(channel),
        Err(_) => return,
    };
    assert!(open.handshake("ann", "ann-secret").await.is_err());
}

#[tokio::test]
async fn without_tls_only_loopback_is_listened_on() {
    let scene = Scene::new().await;
    let settings = Settings {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..scene.settings()
    };
    let refusal = start(settings).await.unwrap_err().to_string();
    assert!(refusal.contains("loopback"), "{refusal}");
}

/// Far more rows than fit between gateway and client, so that the query waits for its client.
fn long(thousands: usize) -> String {
    format!(
        "SELECT a, b, repeat('x', 100) FROM (SELECT unnest(range(0, 1000)) AS a), (SELECT unnest(range(0, {thousands})) AS b)"
    )
}

#[tokio::test]
async fn a_running_query_may_end_and_nothing_new_begins() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let address = gateway.address;
    let mut client = connect_with(&gateway, &basic("ann")).await;
    let info = client.execute(long(200), None).await.unwrap();
    let mut rows = client
        .do_get(info.endpoint[0].ticket.clone().unwrap())
        .await
        .unwrap();
    let mut count = rows.try_next().await.unwrap().unwrap().num_rows();
    let stopping = tokio::spawn(gateway.stop());
    let refused = async {
        // The listener is closed as soon as the order is heard.
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), refused)
        .await
        .unwrap();
    while let Some(batch) = rows.try_next().await.unwrap() {
        count += batch.num_rows();
    }
    assert_eq!(count, 200_000);
    drop((rows, client));
    stopping.await.unwrap();
}

#[tokio::test]
async fn a_query_that_outlives_the_grace_ends_in_an_error() {
    let scene = Scene::new().await;
    let settings = Settings {
        grace: Duration::ZERO,
        ..scene.settings()
    };
    let gateway = start(settings).await.unwrap();
    let mut client = connect_with(&gateway, &basic("ann")).await;
    let info = client.execute(long(1_000_000), None).await.unwrap();
    let mut rows = client
        .do_get(info.endpoint[0].ticket.clone().unwrap())
        .await
        .unwrap();
    rows.try_next().await.unwrap().unwrap();
    let stopping = tokio::spawn(gateway.stop());
    let end = loop {
        match rows.try_next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("an answer that was cut off looks whole"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(end.contains("going down"), "{end}");
    drop((rows, client));
    stopping.await.unwrap();
}
