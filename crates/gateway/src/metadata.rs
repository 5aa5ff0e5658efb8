// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a gateway tells of itself and of catalogs, schemas, tables and columns.
//!
//! Every command has one schema of the protocol's and one list of rows; its ticket is the command itself.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow_flight::sql::Command;
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Gateway;

/// The schema of a command's rows.
pub(crate) fn schema(command: &Command) -> Result<SchemaRef, Status> {
    Err(unknown(command))
}

/// The rows of a command, as the caller may see them.
pub(crate) async fn rows(_: &Gateway, _: &Caller, command: &Command) -> Result<RecordBatch, Status> {
    Err(unknown(command))
}

fn unknown(command: &Command) -> Status {
    Status::unimplemented(format!("`{}` is not served", command.type_url()))
}
