// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements stay within their limits, end when they are told to, and leave records and nothing else.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use arrow_flight::sql::{ActionCancelQueryRequest, Any, ProstMessageExt as _};
use arrow_flight::{Action, CancelFlightInfoRequest, FlightInfo};
use futures::TryStreamExt as _;
use lakeward_gateway::audit::AuditFile;
use lakeward_gateway::budget::Budget;
use lakeward_gateway::settings::Settings;
use lakeward_gateway::start::{Running, start};
use prost::Message as _;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tonic::{Code, Request, Status};

use crate::scene::{Client, Scene, ask, basic, connect_with, region};

/// Rows without an end, as far as a test can tell.
const ENDLESS: &str = "SELECT a, b, c, repeat('x', 100) FROM (SELECT unnest(range(0, 1000)) AS a), (SELECT unnest(range(0, \
     1000)) AS b), (SELECT unnest(range(0, 1000)) AS c)";
/// No row for as long: of rows that are made, and of a condition that is never true.
const SILENT: [&str; 2] = [
    "SELECT max(a * b + c) FROM (SELECT unnest(range(0, 3000)) AS a), (SELECT unnest(range(0, 3000)) AS b), (SELECT \
     unnest(range(0, 3000)) AS c)",
    "SELECT count(*) FROM (SELECT unnest(range(0, 3000)) AS a), (SELECT unnest(range(0, 3000)) AS b), (SELECT \
     unnest(range(0, 3000)) AS c), (SELECT unnest(range(0, 3000)) AS d) WHERE a * 3000 + b < c * 3000 + d AND (a + b + c + \
     d) * 2 = 1",
];

struct Watched {
    gateway: Running,
    audit: PathBuf,
}

impl Watched {
    async fn start(scene: &Scene, change: impl FnOnce(&mut Settings)) -> Self {
        let audit = scene.folder.path().join("audit.jsonl");
        let mut settings = Settings {
            audit: Some(AuditFile {
                file: audit.clone(),
                max_file_bytes: u64::MAX,
                required: true,
            }),
            metrics: Some("127.0.0.1:0".parse().unwrap()),
            node: Some("n1".to_owned()),
            ..scene.settings()
        };
        change(&mut settings);
        Self {
            gateway: start(settings).await.unwrap(),
            audit,
        }
    }

    async fn client(&self, user: &str) -> Client {
        connect_with(&self.gateway, &basic(user)).await
    }

    /// One line of the metrics.
    async fn metric(&self, name: &str) -> f64 {
        let address = self.gateway.metrics.unwrap();
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let wanted = format!("lakeward_gateway_{name} ");
        let line = text.lines().find_map(|line| line.strip_prefix(&wanted));
        line.unwrap_or_else(|| panic!("{name} in {text}"))
            .parse()
            .unwrap()
    }

    /// Waits until no statement runs and none holds memory.
    async fn is_idle(&self) {
        while self.metric("statements_running").await + self.metric("memory_reserved_bytes").await > 0.0 {
            tokio::task::yield_now().await;
        }
    }

    /// Ends the gateway and gives the records of statements that ran.
    async fn stop(self) -> Vec<Json> {
        self.gateway.stop().await;
        let text = std::fs::read_to_string(&self.audit).unwrap();
        let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
        records
            .filter(|record: &Json| record["event"] != "plan")
            .collect()
    }
}

async fn info(client: &mut Client, sql: &str) -> FlightInfo {
    client.execute(sql.to_owned(), None).await.unwrap()
}

/// The first rows, and what gives the others.
async fn begin(client: &mut Client, info: &FlightInfo) -> arrow_flight::decode::FlightRecordBatchStream {
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    let mut rows = client.do_get(ticket).await.unwrap();
    rows.try_next().await.unwrap().unwrap();
    rows
}

/// How the rows end.
async fn rest(mut rows: arrow_flight::decode::FlightRecordBatchStream) -> String {
    loop {
        match rows.try_next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it looks whole"),
            Err(error) => return error.to_string(),
        }
    }
}

async fn act(client: &mut Client, user: &str, kind: &str, body: Vec<u8>) -> Result<(), Status> {
    let mut request = Request::new(Action {
        r#type: kind.to_owned(),
        body: body.into(),
    });
    let header = basic(user).parse().unwrap();
    request.metadata_mut().insert("authorization", header);
    let answer = client.inner_mut().do_action(request).await?;
    answer.into_inner().try_collect::<Vec<_>>().await.map(drop)
}

#[tokio::test]
async fn only_its_user_cancels_a_statement() {
    let scene = Scene::new().await;
    let watched = Watched::start(&scene, |_| {}).await;
    let mut client = watched.client("ann").await;
    for (kind, body) in [("CancelFlightInfo", None), ("CancelQuery", Some(()))] {
        let info = info(&mut client, ENDLESS).await;
        let body = match body {
            None => CancelFlightInfoRequest::new(info.clone()).encode_to_vec(),
            Some(()) => ActionCancelQueryRequest {
                info: info.encode_to_vec().into(),
            }
            .as_any()
            .encode_to_vec(),
        };
        let rows = begin(&mut client, &info).await;
        let mut other = watched.client("bob").await;
        let refused = act(&mut other, "bob", kind, body.clone()).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        assert_eq!(watched.metric("statements_running").await, 1.0);
        act(&mut client, "ann", kind, body.clone()).await.unwrap();
        let error = rest(rows).await;
        assert!(error.contains("cancelled"), "{error}");
        watched.is_idle().await;
        let refused = act(&mut client, "ann", kind, body).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
    }
    let refused = act(&mut client, "ann", "CancelFlightInfo", b"nonsense".to_vec()).await;
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
    let refused = act(&mut client, "ann", "CancelQuery", Any::default().encode_to_vec()).await;
    assert!(refused.is_err());
    let records = watched.stop().await;
    let outcomes: Vec<_> = records.iter().map(|record| &record["outcome"]).collect();
    assert_eq!(
        outcomes,
        [&Json::Null, &"cancelled".into(), &Json::Null, &"cancelled".into()]
    );
}

#[tokio::test]
async fn a_statement_ends_with_its_time_or_its_client() {
    let scene = Scene::new().await;
    let watched = Watched::start(&scene, |settings| {
        settings.limits.time = Duration::from_millis(300);
    })
    .await;
    let mut client = watched.client("ann").await;
    for sql in [ENDLESS].into_iter().chain(SILENT) {
        let error = ask(&mut client, sql).await.unwrap_err();
        assert!(error.contains("--statement-timeout"), "{error}");
        watched.is_idle().await;
    }
    let records = watched.stop().await;
    assert_eq!(
        records
            .iter()
            .filter(|record| record["outcome"] == "timed-out")
            .count(),
        3
    );

    let watched = Watched::start(&scene, |_| {}).await;
    // What the client itself says.
    let mut hasty = watched.client("ann").await;
    let info_of_silent = info(&mut hasty, SILENT[1]).await;
    hasty.set_header("grpc-timeout", "300m");
    let ticket = info_of_silent.endpoint[0].ticket.clone().unwrap();
    let answer = match hasty.do_get(ticket).await {
        Ok(rows) => rest(rows).await,
        Err(error) => error.to_string(),
    };
    assert!(
        answer.to_lowercase().contains("time") || answer.contains("Cancelled"),
        "{answer}"
    );
    watched.is_idle().await;
    // A client that goes away, with rows under way and without.
    let mut client = watched.client("ann").await;
    let endless = info(&mut client, ENDLESS).await;
    drop(begin(&mut client, &endless).await);
    watched.is_idle().await;
    for sql in SILENT {
        let mut client = watched.client("ann").await;
        let silent = info(&mut client, sql).await;
        let waits = tokio::spawn(async move {
            let rows = client.do_get(silent.endpoint[0].ticket.clone().unwrap()).await;
            rest(rows.unwrap()).await
        });
        while watched.metric("statements_running").await < 1.0 {
            tokio::task::yield_now().await;
        }
        waits.abort();
        watched.is_idle().await;
    }
    let records = watched.stop().await;
    assert_eq!(
        records
            .iter()
            .filter(|record| record["outcome"] == "given-up")
            .count(),
        3,
        "{records:?}"
    );
}

#[tokio::test]
async fn a_client_that_takes_no_rows_loses_its_statement() {
    let scene = Scene::new().await;
    let watched = Watched::start(&scene, |settings| {
        settings.budget.idle = Duration::from_secs(2);
    })
    .await;
    let mut client = watched.client("ann").await;
    let endless = info(&mut client, ENDLESS).await;
    let rows = begin(&mut client, &endless).await;
    // Without the client doing anything.
    watched.is_idle().await;
    assert_eq!(watched.metric("statements_total{outcome=\"idle\"}").await, 1.0);
    let error = rest(rows).await;
    assert!(error.contains("--idle-timeout"), "{error}");
}

#[tokio::test]
async fn statements_wait_for_each_other_and_not_for_ever() {
    let scene = Scene::new().await;
    let watched = Watched::start(&scene, |settings| {
        settings.budget = Budget {
            statements: 2,
            statements_per_user: 1,
            wait: Duration::from_millis(50),
            ..Budget::default()
        };
    })
    .await;
    let mut ann = watched.client("ann").await;
    let mut bob = watched.client("bob").await;
    let endless = info(&mut ann, ENDLESS).await;
    let of_ann = begin(&mut ann, &endless).await;
    let error = ask(&mut ann, "SELECT 1").await.unwrap_err();
    assert!(error.contains("--statements-per-user"), "{error}");
    let endless = info(&mut bob, ENDLESS).await;
    let of_bob = begin(&mut bob, &endless).await;
    let mut cleo = connect_with(&watched.gateway, &format!("Bearer {}", crate::scene::CLEO)).await;
    let error = ask(&mut cleo, "SELECT 1").await.unwrap_err();
    assert!(error.contains("(`--statements`)"), "{error}");
    drop((of_ann, of_bob));
    watched.is_idle().await;
    assert_eq!(ask(&mut cleo, "SELECT 1").await.unwrap(), ["1"]);
}

#[tokio::test]
async fn memory_is_limited_and_the_limit_is_named() {
    let scene = Scene::new().await;
    let sql = "SELECT b, count(*) FROM (SELECT a + 1000 * b AS b FROM (SELECT unnest(range(0, 1000)) AS a), (SELECT \
               unnest(range(0, 1000)) AS b)) GROUP BY b";
    let watched = Watched::start(&scene, |settings| {
        settings.budget.memory_per_statement = 4 * 1024 * 1024;
    })
    .await;
    let error = ask(&mut watched.client("ann").await, sql).await.unwrap_err();
    assert!(error.contains("--memory-per-statement"), "{error}");
    watched.is_idle().await;
    let records = watched.stop().await;
    assert_eq!(records.last().unwrap()["code"], "ResourceExhausted");
}

#[tokio::test]
async fn the_audit_says_who_read_what_and_nothing_of_it() {
    let scene = Scene::new().await;
    scene.catalog.restricts("ann", "people", region("north"));
    let watched = Watched::start(&scene, |_| {}).await;
    let mut ann = watched.client("ann").await;
    let sql = "SELECT id, name FROM lake.s.people";
    assert_eq!(ask(&mut ann, sql).await.unwrap().len(), 2);
    let mut bob = watched.client("bob").await;
    assert_eq!(ask(&mut bob, sql).await.unwrap().len(), 4);
    let error = ask(&mut bob, "SELECT * FROM lake.s.absent").await.unwrap_err();
    assert!(!error.is_empty());
    let mut eve = watched.client("eve").await;
    for _ in 0..3 {
        assert!(ask(&mut eve, sql).await.is_err());
    }
    assert_eq!(watched.metric("statements_total{outcome=\"done\"}").await, 2.0);
    assert_eq!(watched.metric("logins_refused_total").await, 3.0);
    assert_eq!(watched.metric("rows_total").await, 6.0);
    let text = std::fs::read_to_string(&watched.audit).unwrap();
    assert!(!text.contains("Ada") && !text.contains("secret"), "{text}");
    let records = watched.stop().await;
    let of = |event: &str, user: &str| -> Json {
        let mut found = records
            .iter()
            .filter(|record| record["event"] == event && record["user"] == user);
        let record = found
            .next()
            .unwrap_or_else(|| panic!("{event} {user} in {records:?}"));
        record.clone()
    };
    for user in ["ann", "bob"] {
        let (begin, end) = (of("begin", user), of("end", user));
        assert_eq!(begin["request-id"], end["request-id"]);
        assert_eq!(
            (&end["node"], &end["statement"], &end["outcome"]),
            (&"n1".into(), &sql.into(), &"done".into())
        );
        assert!(end["bytes"].as_u64().unwrap() > 0 && end["micros"].as_u64().unwrap() > 0);
        assert_eq!(end["tables"][0]["name"], "lake.s.people");
        assert!(end["tables"][0]["snapshot"].is_i64());
    }
    assert_eq!(
        (&of("end", "ann")["rows"], &of("end", "bob")["rows"]),
        (&2.into(), &4.into())
    );
    assert!(of("end", "ann")["tables"][0]["signature"].is_string());
    assert!(of("end", "bob")["tables"][0]["signature"].is_null());
    let login = of("login", "eve");
    assert_eq!(
        (&login["count"], &login["outcome"]),
        (&3.into(), &"refused".into())
    );
}

/// With rows under way, without any, and with a client that takes none.
#[tokio::test]
async fn what_still_runs_when_the_gateway_ends_has_its_last_record() {
    let scene = Scene::new().await;
    let watched = Watched::start(&scene, |settings| settings.grace = Duration::ZERO).await;
    let mut clients = Vec::new();
    for sql in [ENDLESS].into_iter().chain(SILENT) {
        let mut client = watched.client("ann").await;
        let info = info(&mut client, sql).await;
        let rows = client.do_get(info.endpoint[0].ticket.clone().unwrap()).await;
        clients.push(tokio::spawn(rest(rows.unwrap())));
    }
    let mut client = watched.client("bob").await;
    let endless = info(&mut client, ENDLESS).await;
    let untaken = begin(&mut client, &endless).await;
    assert_eq!(watched.metric("statements_running").await, 4.0);
    let records = watched.stop().await;
    for client in clients {
        let error = client.await.unwrap();
        assert!(error.contains("going down"), "{error}");
    }
    drop((untaken, client));
    let ids = |event: &str| -> BTreeSet<String> {
        let found = records.iter().filter(|record| record["event"] == event);
        found.map(|record| record["request-id"].to_string()).collect()
    };
    assert_eq!(ids("begin").len(), 4);
    assert_eq!(ids("begin"), ids("end"));
    for record in records.iter().filter(|record| record["event"] == "end") {
        // A client that takes nothing cannot be told; it is given up.
        let is_told = record["code"] == "Unavailable" && record["outcome"] == "failed";
        let is_given_up = record["user"] == "bob" && record["outcome"] == "given-up";
        assert!(is_told || is_given_up, "{record}");
    }
}

/// A device that is always full.
#[tokio::test]
async fn where_the_audit_is_required_nothing_is_read_without_it() {
    let scene = Scene::new().await;
    let settings = Settings {
        audit: Some(AuditFile {
            file: "/dev/full".into(),
            max_file_bytes: u64::MAX,
            required: true,
        }),
        ..scene.settings()
    };
    let gateway = start(settings).await.unwrap();
    let mut client = connect_with(&gateway, &basic("ann")).await;
    let error = ask(&mut client, "SELECT * FROM lake.s.people").await.unwrap_err();
    assert!(error.contains("audit"), "{error}");
}
