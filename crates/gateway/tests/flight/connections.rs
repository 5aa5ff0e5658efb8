// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How many connect, and for how long.

use std::time::Duration;

use arrow_flight::sql::client::FlightSqlServiceClient;
use lakeward_gateway::settings::Settings;
use lakeward_gateway::start::start;
use tonic::transport::Endpoint;

use crate::scene::{Scene, ask, basic, channel};

#[tokio::test]
async fn more_connections_than_there_may_be_are_refused_with_the_reason() {
    let scene = Scene::new().await;
    let settings = Settings {
        connections: 2,
        ..scene.settings()
    };
    let gateway = start(settings).await.unwrap();
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut client = FlightSqlServiceClient::new(channel(&gateway).await);
        client.set_header("authorization", basic("ann"));
        assert_eq!(ask(&mut client, "SELECT 1").await.unwrap(), ["1"]);
        clients.push(client);
    }
    let refused = || async {
        let endpoint = Endpoint::from_shared(format!("http://{}", gateway.address)).unwrap();
        let channel = endpoint.connect().await.map_err(|cause| format!("{cause:?}"))?;
        let mut client = FlightSqlServiceClient::new(channel);
        client.set_header("authorization", basic("ann"));
        ask(&mut client, "SELECT 1").await
    };
    for _ in 0..3 {
        let told = refused().await.unwrap_err();
        assert!(
            told.contains("--connections") || told.contains("ENHANCE_YOUR_CALM"),
            "{told}"
        );
    }
    // Those who were there before go on, and a place that is given back is there for others.
    for client in &mut clients {
        assert_eq!(ask(client, "SELECT 2").await.unwrap(), ["2"]);
    }
    clients.pop();
    let mut answer = refused().await;
    for _ in 0..1200 {
        if answer.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        answer = refused().await;
    }
    assert_eq!(answer.unwrap(), ["1"]);
    gateway.stop().await;
}

#[tokio::test]
async fn a_connection_without_calls_is_closed_and_opened_again_when_it_is_needed() {
    let scene = Scene::new().await;
    let settings = Settings {
        connections: 1,
        connection_idle: Duration::from_secs(1),
        ..scene.settings()
    };
    let gateway = start(settings).await.unwrap();
    let mut first = FlightSqlServiceClient::new(channel(&gateway).await);
    first.set_header("authorization", basic("ann"));
    assert_eq!(ask(&mut first, "SELECT 1").await.unwrap(), ["1"]);
    // The only place becomes free, though the first client still holds on, and then again for the first.
    let mut second = FlightSqlServiceClient::new(channel(&gateway).await);
    second.set_header("authorization", basic("ann"));
    for (client, number) in [(&mut second, "2"), (&mut first, "3")] {
        let mut answer = Err(String::new());
        for _ in 0..600 {
            answer = ask(client, &format!("SELECT {number}")).await;
            if answer.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(answer.unwrap(), [number]);
    }
    gateway.stop().await;
}
