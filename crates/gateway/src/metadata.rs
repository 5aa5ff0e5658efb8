// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a gateway tells of itself and of catalogs, schemas, tables and columns.
//!
//! Every command has one schema of the protocol's and one list of rows; its ticket is the command itself. Every answer is
//! made for one caller at the moment of the question, and shows what a query of theirs would find.

mod columns;
mod keys;
mod pattern;
mod relations;
mod sql_info;
mod turn;
mod type_info;
mod visible;

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use arrow_flight::error::FlightError;
use arrow_flight::sql::metadata::{SqlInfoDataBuilder, XdbcTypeInfoDataBuilder};
use arrow_flight::sql::{Command, CommandGetTableTypes};
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use lakeward_reader::error::ReaderError;
use lakeward_reader::listing::{Listing, ListingBounds, catalogs_of};
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::status;
use turn::Turn;
use visible::Visible;

/// The answer to a question about metadata.
pub(crate) struct MetadataRows {
    /// The columns, as the protocol says.
    pub(crate) schema: SchemaRef,
    /// The rows as they come.
    pub(crate) batches: BoxStream<'static, Result<RecordBatch, ReaderError>>,
}

impl MetadataRows {
    /// An answer that is complete.
    fn one(batch: RecordBatch) -> Self {
        Self {
            schema: batch.schema(),
            batches: stream::once(async { Ok(batch) }).boxed(),
        }
    }
}

/// The schema of a command's rows.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the set of commands is open; what is no question about metadata is refused"
)]
pub(crate) fn schema(command: &Command) -> Result<SchemaRef, Status> {
    Ok(match command {
        Command::CommandGetCatalogs(asked) => asked.into_builder().schema(),
        Command::CommandGetDbSchemas(asked) => asked.clone().into_builder().schema(),
        Command::CommandGetTables(asked) => asked.clone().into_builder().schema(),
        Command::CommandGetTableTypes(_) => CommandGetTableTypes {}.into_builder().schema(),
        Command::CommandGetSqlInfo(_) => Arc::new(SqlInfoDataBuilder::schema().clone()),
        Command::CommandGetXdbcTypeInfo(_) => XdbcTypeInfoDataBuilder::new().schema(),
        Command::CommandGetPrimaryKeys(_) => keys::primary_keys_schema(),
        Command::CommandGetExportedKeys(_)
        | Command::CommandGetImportedKeys(_)
        | Command::CommandGetCrossReference(_) => keys::foreign_keys_schema(),
        other => return Err(unknown(other)),
    })
}

/// The rows of a command, as the caller may see them, within the limits of such questions.
pub(crate) async fn rows(
    gateway: &Gateway,
    caller: &Caller,
    command: Command,
) -> Result<MetadataRows, Status> {
    let turn = Turn::take(gateway, caller).await?;
    let MetadataRows { schema, batches } = turn.within(answer(gateway, caller, command)).await?;
    Ok(MetadataRows {
        schema,
        batches: turn.rows(batches),
    })
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the set of commands is open; what is no question about metadata is refused"
)]
async fn answer(gateway: &Gateway, caller: &Caller, command: Command) -> Result<MetadataRows, Status> {
    let session = &caller.session;
    let visible = Visible::new(
        Listing::new(caller.connection.clone(), ListingBounds::default()),
        catalogs_of(&caller.configuration),
        gateway.settings.catalogs.clone(),
    );
    let answered = match command {
        Command::CommandGetCatalogs(_) => visible.get_catalogs().await,
        Command::CommandGetDbSchemas(asked) => visible.get_schemas(&asked).await,
        Command::CommandGetTables(asked) => relations::get_tables(&visible, session, asked).await,
        Command::CommandGetTableTypes(_) => relations::get_table_types(),
        Command::CommandGetSqlInfo(asked) => sql_info::get_sql_info(asked),
        Command::CommandGetXdbcTypeInfo(asked) => type_info::get_type_info(&asked),
        Command::CommandGetPrimaryKeys(asked) => keys::get_primary_keys(&visible, session, &asked).await,
        Command::CommandGetExportedKeys(_)
        | Command::CommandGetImportedKeys(_)
        | Command::CommandGetCrossReference(_) => Ok(keys::no_foreign_keys()),
        other => return Err(unknown(&other)),
    };
    answered.map_err(|error| status::of(&error))
}

fn unknown(command: &Command) -> Status {
    Status::unimplemented(format!("`{}` is not served", command.type_url()))
}

/// What cannot happen with the columns that are built here, but is told instead of assumed.
fn unbuilt(error: FlightError) -> ReaderError {
    ReaderError::Query(format!("the answer could not be built: {error}"))
}
