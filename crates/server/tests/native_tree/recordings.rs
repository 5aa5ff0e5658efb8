// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the original server was recorded to answer, `fixtures/recordings`, is what this one answers, but for the
//! differences that are listed with their reasons.

use std::sync::Arc;

use crate::in_process::{Broker, Database, Empty};
use crate::scene::{Place, Server, on_both_stores};

mod compare;
mod exceptions;
mod exchange;
mod replay;

on_both_stores!(what_was_recorded_is_answered);

async fn what_was_recorded_is_answered(place: Place) {
    let settings = [
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", "admin"),
        ("gravitino.iceberg-rest.gravitino-metalake", "irc"),
        ("gravitino.iceberg-rest.default-catalog-name", "ice"),
    ];
    let mut providers = lakeward_server::providers()
        .with(Arc::new(Broker::default()))
        .with(Arc::new(Database));
    for name in ["fileset", "model"] {
        if providers.find(name).is_err() {
            providers = providers.with(Arc::new(Empty(name)));
        }
    }
    let server = Server::start_with_providers(&place, &settings, providers).await;
    let exceptions = exceptions::Exceptions::read();
    let outcome = replay::replay(&server, &exceptions).await;
    let outdated = exceptions.outdated();
    assert!(
        outcome.wrong.is_empty() && outdated.is_empty(),
        "{} exchanges made, {} left out; {} differences:\n{}\n{} rows are outdated:\n{}",
        outcome.made,
        outcome.left_out,
        outcome.wrong.len(),
        outcome.wrong.join("\n"),
        outdated.len(),
        outdated.join("\n"),
    );
}
