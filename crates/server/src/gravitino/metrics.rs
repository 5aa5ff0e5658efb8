// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/metrics` and `/prometheus/metrics`: counts of answers per operation. Open to the world, since scripts ask here
//! whether the server is up; nothing in it names an object or a user.

use std::fmt::Write;

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use lakeward_operations::step::Passed;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::metrics::Counted;
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<GetMetrics>()
        .mount::<GetPrometheusMetrics>()
}

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// `GET /metrics`: the layout of Dropwizard.
#[derive(Debug)]
pub struct GetMetrics;

impl Endpoint for GetMetrics {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metrics";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Value;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<Value, OperationError> {
        Ok(dropwizard(&app.metrics.counted()))
    }
}

/// `GET /prometheus/metrics`
#[derive(Debug)]
pub struct GetPrometheusMetrics;

impl Endpoint for GetPrometheusMetrics {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/prometheus/metrics";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        let mut text = prometheus(&app.metrics.counted());
        steps(&mut text, &app.operations.steps().passed());
        audit(&mut text, app.audit.counted());
        Ok(Reply::bytes(
            "text/plain; version=0.0.4; charset=utf-8",
            text.into(),
        ))
    }
}

fn dropwizard(counted: &[Counted]) -> Value {
    let mut counters = Map::new();
    let mut timers = Map::new();
    for operation in counted {
        let name = |what: &str| format!("gravitino-server.{}.{what}", operation.operation);
        for (class, count) in CLASSES.iter().zip(operation.by_class) {
            counters.insert(name(&format!("{class}-responses")), json!({ "count": count }));
        }
        let answers = operation.answers();
        timers.insert(
            name("http-request-duration-seconds"),
            json!({ "count": answers, "mean": seconds(operation.micros / answers.max(1)) }),
        );
    }
    json!({
        "version": "4.0.0", "gauges": {}, "counters": counters, "histograms": {}, "meters": {}, "timers": timers,
    })
}

fn prometheus(counted: &[Counted]) -> String {
    let mut text = String::new();
    for (position, class) in CLASSES.iter().enumerate() {
        let name = format!("gravitino_server_{class}_responses_total");
        line(&mut text, &format!("# TYPE {name} counter"));
        for operation in counted {
            let count = operation.by_class.get(position).copied().unwrap_or_default();
            line(
                &mut text,
                &format!("{name}{{operation=\"{}\"}} {count}", operation.operation),
            );
        }
    }
    let name = "gravitino_server_http_request_duration_seconds";
    line(&mut text, &format!("# TYPE {name} summary"));
    for operation in counted {
        let label = format!("{{operation=\"{}\"}}", operation.operation);
        line(
            &mut text,
            &format!("{name}_sum{label} {}", seconds(operation.micros)),
        );
        line(&mut text, &format!("{name}_count{label} {}", operation.answers()));
    }
    text
}

/// Where the time of requests goes.
fn steps(text: &mut String, passed: &[Passed]) {
    let name = "lakeward_step_duration_seconds";
    line(text, &format!("# TYPE {name} summary"));
    for passed in passed {
        let label = format!("{{stage=\"{}\",step=\"{}\"}}", passed.step.stage(), passed.step);
        line(text, &format!("{name}_sum{label} {}", passed.took.as_secs_f64()));
        line(text, &format!("{name}_count{label} {}", passed.times));
    }
}

/// Whether decisions are recorded as they should be.
fn audit(text: &mut String, (written, lost): (u64, u64)) {
    for (what, count) in [("written", written), ("lost", lost)] {
        let name = format!("lakeward_audit_records_{what}_total");
        line(text, &format!("# TYPE {name} counter"));
        line(text, &format!("{name} {count}"));
    }
}

fn line(text: &mut String, line: &str) {
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{line}");
}

fn seconds(micros: u64) -> f64 {
    std::time::Duration::from_micros(micros).as_secs_f64()
}
