// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one gate of statements: everything that reads a table for a client passes here, whether it was prepared or not.

use std::sync::Arc;

use arrow_flight::sql::{ProstMessageExt as _, TicketStatementQuery};
use arrow_flight::{FlightDescriptor, FlightEndpoint, FlightInfo, Ticket};
use lakeward_reader::session::prepared::Prepared;
use lakeward_reader::session::size::MOST_TEXT;
use prost::Message as _;
use tonic::Status;

use crate::caller::Caller;
use crate::delivery;
use crate::encode::{self, FlightStream};
use crate::gateway::Gateway;
use crate::prepared;
use crate::running::{Asked, Begun, Operation};
use crate::status;
use crate::ticket::Statement;

/// Plans a statement as the caller; the answer's ticket runs it.
pub(crate) async fn info(
    gateway: &Gateway,
    caller: &Caller,
    statement: &Statement,
    descriptor: FlightDescriptor,
) -> Result<FlightInfo, Status> {
    let prepared = plan(gateway, caller, statement).await?;
    let ticket = TicketStatementQuery {
        statement_handle: statement.to_execute().to_bytes().into(),
    };
    let endpoint = FlightEndpoint::new().with_ticket(Ticket::new(ticket.as_any().encode_to_vec()));
    FlightInfo::new()
        .try_with_schema(&encode::on_the_wire(&prepared.schema))
        .map(|info| info.with_endpoint(endpoint).with_descriptor(descriptor))
        .map_err(|error| encode::failed(&error))
}

/// Plans a statement as the caller, and runs nothing.
pub(crate) async fn plan(
    gateway: &Gateway,
    caller: &Caller,
    statement: &Statement,
) -> Result<Prepared, Status> {
    let begun = begin(gateway, caller, statement, Operation::Plan).await?;
    let step = async {
        let parameters = prepared::parameters(statement).await?;
        let prepared = caller.session.prepare(&statement.sql, parameters.as_ref());
        prepared.await.map_err(|error| status::of(&error))
    };
    let prepared = begun.within(step).await?;
    begun.reads(&prepared.tables);
    begun.done();
    Ok(prepared)
}

/// Runs a statement as the caller.
pub(crate) async fn run(
    gateway: &Gateway,
    caller: &Caller,
    statement: &Statement,
) -> Result<FlightStream, Status> {
    let begun = begin(gateway, caller, statement, Operation::Run).await?;
    let step = async {
        let parameters = prepared::parameters(statement).await?;
        let query = caller.session.start_with(&statement.sql, parameters.as_ref());
        query.await.map_err(|error| status::of(&error))
    };
    let query = begun.within(step).await?;
    begun.reads(&query.tables);
    let schema = query.schema.clone();
    let mut begun = Arc::new(begun);
    let batches = delivery::batches(&mut begun, query.into_batches());
    let messages = encode::stream(schema, batches, gateway.cancelled.subscribe());
    Ok(delivery::counted(begun, messages))
}

async fn begin(
    gateway: &Gateway,
    caller: &Caller,
    statement: &Statement,
    operation: Operation,
) -> Result<Begun, Status> {
    // Before it waits with others: what waits lies in memory.
    if statement.sql.len() > MOST_TEXT {
        return Err(Status::invalid_argument(format!(
            "the statement has {} bytes, and {MOST_TEXT} are the most",
            statement.sql.len()
        )));
    }
    let asked = Asked {
        operation,
        user: &caller.name,
        sql: &statement.sql,
        execution: statement.execution_id(),
        timeout: caller.timeout,
    };
    gateway.statements.begin(asked).await
}
