// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lineage: run events of OpenLineage, which are checked where they enter and handed on as they are.

use lakeward_metadata::instant::instant_of;
use serde::Deserialize;
use serde_json::Value;

use crate::json_object::{Members, kind};
use crate::request::RequestError;

/// The states of a run that an event may tell.
const EVENT_TYPES: [&str; 6] = ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"];

/// `POST /api/lineage`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct LineageRequest(pub Value);

/// A run event that has what the specification of OpenLineage requires, with all its members.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent(pub Value);

impl TryFrom<LineageRequest> for RunEvent {
    type Error = RequestError;

    /// Members that the specification does not know are kept: it lets everybody add some.
    fn try_from(LineageRequest(event): LineageRequest) -> Result<Self, RequestError> {
        let members = Members::of(&event, "")?;
        let time = members.required_text("eventTime")?;
        if instant_of(time).is_none() {
            return Err(RequestError::invalid(
                "eventTime",
                format!("`{time}` is not an ISO 8601 instant with its offset"),
            ));
        }
        for member in ["producer", "schemaURL"] {
            members.required_text(member)?;
        }
        if let Some(event_type) = members.text("eventType")?
            && !EVENT_TYPES.contains(&event_type)
        {
            return Err(RequestError::invalid(
                "eventType",
                format!("`{event_type}` is not one of: {}", EVENT_TYPES.join(", ")),
            ));
        }
        let run = Members::of(members.required("run")?, "run")?;
        let id = run.required_text("runId")?;
        if !is_uuid(id) {
            return Err(RequestError::invalid(
                "run.runId",
                format!("`{id}` is not a UUID"),
            ));
        }
        facets(run, &["facets"])?;
        let job = Members::of(members.required("job")?, "job")?;
        named(job)?;
        facets(job, &["facets"])?;
        for (list, of_side) in [("inputs", "inputFacets"), ("outputs", "outputFacets")] {
            members.each(list, |item, at| {
                let data_set = Members::of(item, at)?;
                named(data_set)?;
                facets(data_set, &["facets", of_side])
            })?;
        }
        Ok(Self(event))
    }
}

fn named(members: Members<'_>) -> Result<(), RequestError> {
    members.required_text("namespace")?;
    members.required_text("name").map(drop)
}

fn facets(members: Members<'_>, names: &[&str]) -> Result<(), RequestError> {
    for name in names {
        if let Some(value) = members.get(name)
            && !value.is_object()
        {
            return Err(RequestError::invalid(
                members.at(name),
                format!("{} is given, an object is expected", kind(value)),
            ));
        }
    }
    Ok(())
}

/// The usual form of a UUID: groups of 8, 4, 4, 4 and 12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}
