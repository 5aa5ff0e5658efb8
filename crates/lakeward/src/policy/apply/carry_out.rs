// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Carrying a plan out, one call after the other.

use reqwest::StatusCode;
use serde_json::json;

use super::Run;
use crate::client::{Refused, Request};
use crate::policy::plan::{Plan, Step};

/// The type of a 409 that is no race: the server asks for `force=true`.
const ASKS_FOR_FORCE: &str = "InUseException";

/// How far it went.
pub(super) struct Carried {
    /// Steps that were made, from the first.
    pub(super) done: usize,
    pub(super) ended: Ended,
}

/// Why it ended.
pub(super) enum Ended {
    /// All steps were made.
    Complete,
    /// Somebody else changed the same thing: a new plan may go on.
    Conflict(Refused),
    /// The server refuses a step.
    Refused(Refused),
}

/// Makes one step after the other, until one is refused.
///
/// # Errors
/// When the server is not reached any more.
pub(super) async fn run(run: &Run<'_>, plan: &Plan) -> anyhow::Result<Carried> {
    for (done, step) in plan.steps.iter().enumerate() {
        let Err(error) = make(run, step).await else {
            tell_step(run, step);
            continue;
        };
        let Some(refused) = error.downcast_ref::<Refused>().cloned() else {
            return Err(error.context(format!("{done} changes were made before; at: {}", step.change)));
        };
        let is_race = refused.status == StatusCode::CONFLICT && !asks_for_force(&refused);
        return Ok(Carried {
            done,
            ended: if is_race {
                Ended::Conflict(refused)
            } else {
                Ended::Refused(refused)
            },
        });
    }
    Ok(Carried {
        done: plan.steps.len(),
        ended: Ended::Complete,
    })
}

async fn make(run: &Run<'_>, step: &Step) -> anyhow::Result<()> {
    let call = step.change.call();
    let path: Vec<&str> = ["metalakes", run.metalake]
        .into_iter()
        .chain(call.path.iter().map(String::as_str))
        .collect();
    let query: &[(&str, &str)] = if run.arguments.force && step.takes_force() {
        &[("force", "true")]
    } else {
        &[]
    };
    run.client
        .send(Request {
            query,
            body: call.body,
            tags_have_values: call.tags_have_values,
            ..Request::new(call.method, &path)
        })
        .await?;
    Ok(())
}

fn tell_step(run: &Run<'_>, step: &Step) {
    if run.arguments.json {
        println!("{}", json!({"done": step.to_json()}));
    } else {
        println!("done: {}", step.change);
    }
}

/// Whether the server would do it with `force=true`.
pub(super) fn asks_for_force(refused: &Refused) -> bool {
    refused.status == StatusCode::CONFLICT && refused.kind == ASKS_FOR_FORCE
}
