// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one gate of statements: everything that reads a table for a client passes here, whether it was prepared or not.

use arrow_flight::sql::{ProstMessageExt as _, TicketStatementQuery};
use arrow_flight::{FlightDescriptor, FlightEndpoint, FlightInfo, Ticket};
use prost::Message as _;
use tonic::Status;

use crate::caller::Caller;
use crate::encode::{self, FlightStream};
use crate::gateway::Gateway;
use crate::prepared;
use crate::status;
use crate::ticket::Statement;

/// Plans a statement as the caller; the answer's ticket runs it.
pub(crate) async fn info(
    caller: &Caller,
    statement: &Statement,
    descriptor: FlightDescriptor,
) -> Result<FlightInfo, Status> {
    let parameters = prepared::parameters(statement)?;
    let prepared = caller
        .session
        .prepare(&statement.sql, parameters.as_ref())
        .await
        .map_err(|error| status::of(&error))?;
    let ticket = TicketStatementQuery {
        statement_handle: statement.to_execute().to_bytes().into(),
    };
    let endpoint = FlightEndpoint::new().with_ticket(Ticket::new(ticket.as_any().encode_to_vec()));
    FlightInfo::new()
        .try_with_schema(&encode::on_the_wire(&prepared.schema))
        .map(|info| info.with_endpoint(endpoint).with_descriptor(descriptor))
        .map_err(|error| encode::failed(&error))
}

/// Runs a statement as the caller.
pub(crate) async fn run(
    gateway: &Gateway,
    caller: &Caller,
    statement: &Statement,
) -> Result<FlightStream, Status> {
    let parameters = prepared::parameters(statement)?;
    let query = caller
        .session
        .start_with(&statement.sql, parameters.as_ref())
        .await
        .map_err(|error| status::of(&error))?;
    Ok(encode::stream(
        query.schema.clone(),
        query.into_batches(),
        gateway.cancelled.subscribe(),
    ))
}
