// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Prepared statements without state: the handle is the statement itself, and binding parameters answers a new handle
//! that holds them (the protocol's updated handle). Parameters stay values; they never become part of the text.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, FieldRef, Schema, TimeUnit};
use arrow::ipc::root_as_message;
use arrow::ipc::writer::IpcWriteOptions;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::sql::server::PeekableFlightDataStream;
use arrow_flight::sql::{
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, DoPutPreparedStatementResult,
};
use arrow_flight::utils::batches_to_flight_data;
use arrow_flight::{FlightData, IpcMessage, SchemaAsIpc};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, TryStreamExt as _, future, stream};
use tonic::Status;

use crate::caller::Caller;
use crate::encode;
use crate::gateway::Gateway;
use crate::statement;
use crate::ticket::Statement;

/// Prepares a statement as the caller: checks it and says what it takes and gives.
pub(crate) async fn create(
    gateway: &Gateway,
    caller: &Caller,
    request: ActionCreatePreparedStatementRequest,
) -> Result<ActionCreatePreparedStatementResult, Status> {
    let prepared = statement::plan(gateway, caller, &Statement::of(request.query.clone())).await?;
    Ok(ActionCreatePreparedStatementResult {
        prepared_statement_handle: Statement::of(request.query).to_bytes().into(),
        dataset_schema: schema_bytes(&encode::on_the_wire(&prepared.schema))?,
        parameter_schema: schema_bytes(&announced(&encode::on_the_wire(&prepared.parameters)))?,
    })
}

/// Parameters as clients are asked for them. The JDBC driver (18.3) writes the milliseconds of a time and of a timestamp
/// into whatever unit is announced, so it is asked for milliseconds; and it has no value for a parameter of unknown type,
/// so it is asked for text, which a cast around the parameter turns into anything. A client that brings types of its own
/// is not bound by this.
fn announced(parameters: &Schema) -> Schema {
    let fields = parameters.fields().iter().map(|field| {
        let data_type = if let DataType::Timestamp(_, zone) = field.data_type() {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        } else if matches!(field.data_type(), DataType::Time32(_) | DataType::Time64(_)) {
            DataType::Time32(TimeUnit::Millisecond)
        } else if field.data_type().is_null() {
            DataType::Utf8
        } else {
            return Arc::clone(field);
        };
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    });
    Schema::new(fields.collect::<Vec<FieldRef>>())
}

/// Binds the parameters that a client sends: the answer is the handle to execute.
pub(crate) async fn bind(
    handle: &[u8],
    parameters: PeekableFlightDataStream,
) -> Result<DoPutPreparedStatementResult, Status> {
    let mut statement = Statement::from_bytes(handle)?;
    let row = one_row(parameters.map_err(FlightError::from)).await?;
    statement.parameters = match row {
        Some(row) => {
            batches_to_flight_data(&row.schema(), vec![row]).map_err(|error| encode::failed(&error))?
        }
        None => Vec::new(),
    };
    Ok(DoPutPreparedStatementResult {
        prepared_statement_handle: Some(statement.to_bytes().into()),
    })
}

/// The bound parameters: one row, or nothing.
pub(crate) async fn parameters(statement: &Statement) -> Result<Option<RecordBatch>, Status> {
    // The client had the handle in its hands, so what is in it is no more trusted than what it sends.
    one_row(stream::iter(statement.parameters.clone()).map(Ok)).await
}

/// The one row in Arrow messages, if there is any.
async fn one_row(
    messages: impl Stream<Item = Result<FlightData, FlightError>> + Send + 'static,
) -> Result<Option<RecordBatch>, Status> {
    let plain = messages.and_then(|message| future::ready(uncompressed(message)));
    let mut batches = FlightRecordBatchStream::new_from_flight_data(plain);
    let mut row: Option<RecordBatch> = None;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(unreadable)?;
        match (batch.num_rows(), &row) {
            (0, _) => {}
            (1, None) => row = Some(batch),
            _ => {
                return Err(Status::invalid_argument(
                    "several rows of parameters were bound; a query runs with one row, so execute it once for each",
                ));
            }
        }
    }
    Ok(row)
}

/// Refuses a message whose buffers are compressed: the message itself says how much memory to take for each.
fn uncompressed(message: FlightData) -> Result<FlightData, FlightError> {
    let is_compressed = root_as_message(&message.data_header).is_ok_and(|header| {
        let of_rows = header.header_as_record_batch();
        let of_dictionary = header.header_as_dictionary_batch().and_then(|batch| batch.data());
        of_rows
            .or(of_dictionary)
            .is_some_and(|batch| batch.compression().is_some())
    });
    if is_compressed {
        return Err(
            Status::invalid_argument("compressed parameters are not read; send them uncompressed").into(),
        );
    }
    Ok(message)
}

fn unreadable(error: FlightError) -> Status {
    if let FlightError::Tonic(status) = error {
        return *status;
    }
    tracing::debug!(%error, "parameters could not be read");
    Status::invalid_argument("the parameters cannot be read; send them as one Arrow record batch of one row")
}

fn schema_bytes(schema: &Schema) -> Result<Bytes, Status> {
    let IpcMessage(bytes) = SchemaAsIpc::new(schema, &IpcWriteOptions::default())
        .try_into()
        .map_err(|error| encode::failed(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{DataType, Schema, TimeUnit, announced};
    use arrow::datatypes::Field;

    #[test]
    fn parameters_are_announced_in_types_that_clients_can_write() {
        let zone = || Some("+00:00".into());
        for (known, asked) in [
            (DataType::Null, DataType::Utf8),
            (
                DataType::Time64(TimeUnit::Microsecond),
                DataType::Time32(TimeUnit::Millisecond),
            ),
            (
                DataType::Time32(TimeUnit::Second),
                DataType::Time32(TimeUnit::Millisecond),
            ),
            (
                DataType::Timestamp(TimeUnit::Nanosecond, None),
                DataType::Timestamp(TimeUnit::Millisecond, None),
            ),
            (
                DataType::Timestamp(TimeUnit::Microsecond, zone()),
                DataType::Timestamp(TimeUnit::Millisecond, zone()),
            ),
            (DataType::Date32, DataType::Date32),
            (DataType::Int64, DataType::Int64),
        ] {
            let schema = announced(&Schema::new(vec![Field::new("$1", known, true)]));
            assert_eq!(schema.field(0).data_type(), &asked);
        }
    }
}
