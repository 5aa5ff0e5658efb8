// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Cancelling statements by their `FlightInfo`, as Flight (`CancelFlightInfo`) and Flight SQL (`CancelQuery`) have it.

use arrow_flight::sql::{Any, TicketStatementQuery};
use arrow_flight::{ActionType, CancelFlightInfoRequest, CancelFlightInfoResult, CancelStatus, FlightInfo};
use prost::Message;
use tonic::Status;
use uuid::Uuid;

use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::ticket::Statement;

/// The name of the action of Flight.
pub(crate) const CANCEL_FLIGHT_INFO: &str = "CancelFlightInfo";

/// How clients are told of it.
pub(crate) fn action_type() -> ActionType {
    ActionType {
        r#type: CANCEL_FLIGHT_INFO.to_owned(),
        description: "Cancels a statement.\n\
            Request Message: CancelFlightInfoRequest\n\
            Response Message: CancelFlightInfoResult"
            .to_owned(),
    }
}

/// Cancels by the body of the action of Flight; the answer is its body.
///
/// # Errors
/// As [`cancel`].
pub(crate) fn cancel_flight_info(gateway: &Gateway, caller: &Caller, body: &[u8]) -> Result<Vec<u8>, Status> {
    let info = CancelFlightInfoRequest::decode(body)
        .ok()
        .and_then(|request| request.info)
        .ok_or_else(unreadable)?;
    let status = cancel(gateway, caller, &info)?;
    Ok(CancelFlightInfoResult::new(status).encode_to_vec())
}

/// Cancels by the `FlightInfo` in the action of Flight SQL; the answer is its result, whose numbers are those of
/// [`CancelStatus`].
///
/// # Errors
/// As [`cancel`].
pub(crate) fn cancel_query(gateway: &Gateway, caller: &Caller, info: &[u8]) -> Result<i32, Status> {
    let info = FlightInfo::decode(info).map_err(|_| unreadable())?;
    cancel(gateway, caller, &info).map(Into::into)
}

/// Cancels the statement that was answered with `info`.
///
/// # Errors
/// `NOT_FOUND` when no such statement of the caller runs here: it has ended, has not begun, is another user's, or runs on
/// another gateway; `INVALID_ARGUMENT` for what no gateway answered.
fn cancel(gateway: &Gateway, caller: &Caller, info: &FlightInfo) -> Result<CancelStatus, Status> {
    let executions: Vec<Uuid> = info
        .endpoint
        .iter()
        .filter_map(|endpoint| endpoint.ticket.as_ref())
        .filter_map(|ticket| Any::decode(ticket.ticket.as_ref()).ok())
        .filter_map(|ticket| ticket.unpack::<TicketStatementQuery>().ok().flatten())
        .filter_map(|ticket| Statement::from_bytes(&ticket.statement_handle).ok())
        .filter_map(|statement| statement.execution_id())
        .collect();
    if executions.is_empty() {
        return Err(unreadable());
    }
    let mut is_there = false;
    for execution in executions {
        is_there |= gateway.statements.cancel(execution, &caller.name);
    }
    if is_there {
        Ok(CancelStatus::Cancelling)
    } else {
        Err(Status::not_found(
            "no such statement of yours runs on this gateway: it has ended, or another gateway runs it",
        ))
    }
}

fn unreadable() -> Status {
    Status::invalid_argument(
        "what should be cancelled names no statement; send the FlightInfo that it was answered with",
    )
}
