// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a gateway counts, and the small HTTP listener that tells it in Prometheus' text format.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::audit::Outcome;
use crate::gateway::Gateway;
use crate::running::{Entry, Operation};

/// Connections at once; more wait.
const CONNECTIONS: usize = 16;
/// How long a scraper may take to say what it wants.
const HEADER: Duration = Duration::from_secs(5);
/// How long a connection may stay.
const CONNECTION: Duration = Duration::from_secs(30);
/// After a failed accept, so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What was counted since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    run: [Ended; Outcome::ALL.len()],
    planned: [Ended; Outcome::ALL.len()],
    rows: AtomicU64,
    bytes: AtomicU64,
    logins_refused: AtomicU64,
    loads: AtomicU64,
    upstream_errors: AtomicU64,
}

/// Statements that ended one way.
#[derive(Debug, Default)]
struct Ended {
    count: AtomicU64,
    micros: AtomicU64,
}

impl Metrics {
    /// A statement has ended.
    pub(crate) fn ended(&self, entry: &Entry, outcome: Outcome) {
        let kinds = match entry.operation {
            Operation::Plan => &self.planned,
            Operation::Run => &self.run,
        };
        let place = Outcome::ALL.iter().position(|known| *known == outcome);
        if let Some(ended) = place.and_then(|place| kinds.get(place)) {
            ended.count.fetch_add(1, Ordering::Relaxed);
            let micros = u64::try_from(entry.took().as_micros()).unwrap_or(u64::MAX);
            ended.micros.fetch_add(micros, Ordering::Relaxed);
        }
        self.rows
            .fetch_add(entry.rows.load(Ordering::Relaxed), Ordering::Relaxed);
        self.bytes
            .fetch_add(entry.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// A login was refused.
    pub(crate) fn refused_login(&self) {
        self.logins_refused.fetch_add(1, Ordering::Relaxed);
    }

    /// So many tables were loaded from the server.
    pub(crate) fn loaded(&self, tables: usize) {
        self.loads
            .fetch_add(u64::try_from(tables).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The server could not be reached, or failed.
    pub(crate) fn upstream_failed(&self) {
        self.upstream_errors.fetch_add(1, Ordering::Relaxed);
    }
}

/// All of it as text.
pub(crate) fn text(gateway: &Gateway) -> String {
    let statements = &gateway.statements;
    let metrics = &statements.metrics;
    let mut text = Text::default();
    for (name, help, kinds) in [
        (
            "statements",
            "Statements that were run, by how they ended.",
            &metrics.run,
        ),
        (
            "plans",
            "Statements that were only planned, by how that ended.",
            &metrics.planned,
        ),
    ] {
        text.head(&format!("{name}_total"), "counter", help);
        for (outcome, ended) in Outcome::ALL.iter().zip(kinds) {
            text.line(
                &format!("{name}_total{{outcome=\"{}\"}}", outcome.name()),
                ended.count.load(Ordering::Relaxed),
            );
        }
        text.head(
            &format!("{name}_seconds_total"),
            "counter",
            "The time that they took.",
        );
        for (outcome, ended) in Outcome::ALL.iter().zip(kinds) {
            let micros = Duration::from_micros(ended.micros.load(Ordering::Relaxed));
            text.line(
                &format!("{name}_seconds_total{{outcome=\"{}\"}}", outcome.name()),
                micros.as_secs_f64(),
            );
        }
    }
    let usage = gateway.resources.usage();
    let (audited, audit_lost) = statements.audit.counted();
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    for (name, help, value) in [
        (
            "rows_total",
            "Rows of statements that ended.",
            load(&metrics.rows),
        ),
        (
            "bytes_total",
            "Bytes sent of statements that ended.",
            load(&metrics.bytes),
        ),
        (
            "logins_refused_total",
            "Logins that were refused.",
            load(&metrics.logins_refused),
        ),
        (
            "upstream_loads_total",
            "Tables loaded from the server.",
            load(&metrics.loads),
        ),
        (
            "upstream_errors_total",
            "Calls that failed because the server or its storage did.",
            load(&metrics.upstream_errors),
        ),
        (
            "spilled_bytes_total",
            "Bytes put on the disk by statements that ended.",
            usage.spilled_in_all,
        ),
        ("audit_records_total", "Records of the audit.", audited),
        (
            "audit_records_lost_total",
            "Records of the audit that were lost.",
            audit_lost,
        ),
    ] {
        text.head(name, "counter", help);
        text.line(name, value);
    }
    for (name, help, value) in [
        (
            "statements_running",
            "Statements that run or wait.",
            statements.running(),
        ),
        (
            "statements_waiting",
            "Statements that wait to run.",
            statements.admission.waiting(),
        ),
        (
            "memory_reserved_bytes",
            "Memory that running statements reserved.",
            usage.memory_reserved,
        ),
        (
            "memory_limit_bytes",
            "Memory that they may reserve.",
            usage.memory_limit,
        ),
        (
            "spilled_files",
            "Files that running statements have on the disk.",
            usage.spilled_files,
        ),
    ] {
        text.head(name, "gauge", help);
        text.line(name, value);
    }
    text.head(
        "spilled_bytes",
        "gauge",
        "Bytes that running statements have on the disk.",
    );
    text.line("spilled_bytes", usage.spilled_bytes);
    if let Some(bytes) = resident_bytes() {
        text.head(
            "memory_used_bytes",
            "gauge",
            "Memory of the process, as the system sees it.",
        );
        text.line("memory_used_bytes", bytes);
    }
    text.0
}

/// The resident memory of this process; `None` where the system does not tell it as Linux does.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.0,
            "# HELP lakeward_gateway_{name} {help}\n# TYPE lakeward_gateway_{name} {kind}"
        );
    }

    fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "lakeward_gateway_{name} {value}");
    }
}

/// Answers `GET /metrics` until dropped.
pub(crate) async fn serve(socket: TcpListener, gateway: Arc<Gateway>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The room is never closed.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = socket.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let gateway = Arc::clone(&gateway);
        tokio::spawn(async move {
            let _place = place;
            let service = service_fn(move |request| {
                let answer = answer(&gateway, &request);
                async move { Ok::<_, Infallible>(answer) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER)
                .serve_connection(TokioIo::new(stream), service);
            // A scraper that breaks off or stays too long is not missed.
            let _ = tokio::time::timeout(CONNECTION, connection).await;
        });
    }
}

fn answer(gateway: &Gateway, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => (StatusCode::OK, text(gateway)),
        (_, "/metrics") => (StatusCode::METHOD_NOT_ALLOWED, String::new()),
        _ => (StatusCode::NOT_FOUND, "the metrics are at /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(
        http::header::CONTENT_TYPE,
        http::HeaderValue::from_static("text/plain; version=0.0.4"),
    );
    response
}
