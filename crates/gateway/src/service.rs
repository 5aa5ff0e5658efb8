// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The calls of Arrow Flight SQL, each handed on to the module that does it, as the user who makes it.

use std::sync::Arc;

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::server::{FlightSqlService, PeekableFlightDataStream};
use arrow_flight::sql::{
    ActionBeginSavepointRequest, ActionBeginSavepointResult, ActionBeginTransactionRequest,
    ActionBeginTransactionResult, ActionCancelQueryRequest, ActionCancelQueryResult,
    ActionClosePreparedStatementRequest, ActionCreatePreparedStatementRequest,
    ActionCreatePreparedStatementResult, ActionCreatePreparedSubstraitPlanRequest, ActionEndSavepointRequest,
    ActionEndTransactionRequest, Command, CommandGetCatalogs, CommandGetCrossReference, CommandGetDbSchemas,
    CommandGetExportedKeys, CommandGetImportedKeys, CommandGetPrimaryKeys, CommandGetSqlInfo,
    CommandGetTableTypes, CommandGetTables, CommandGetXdbcTypeInfo, CommandPreparedStatementQuery,
    CommandPreparedStatementUpdate, CommandStatementIngest, CommandStatementQuery,
    CommandStatementSubstraitPlan, CommandStatementUpdate, DoPutPreparedStatementResult, SqlInfo,
    TicketStatementQuery,
};
use arrow_flight::{
    Action, ActionType, FlightDescriptor, FlightEndpoint, FlightInfo, HandshakeRequest, HandshakeResponse,
    Ticket,
};
use futures::TryStreamExt as _;
use futures::stream::{self, BoxStream};
use prost::Message as _;
use tonic::metadata::MetadataValue;
use tonic::{Request, Response, Status, Streaming};

use crate::caller::Presented;
use crate::encode::{self, FlightStream};
use crate::gateway::Gateway;
use crate::ticket::Statement;
use crate::{cancellation, gate, metadata, prepared, statement, status};

const NO_TRANSACTIONS: &str =
    "transactions are not served: every statement reads the tables as they are when it starts";
const NO_SUBSTRAIT: &str = "Substrait plans are not served; send the query as SQL";
const NO_UPDATES: &str = "nothing is written through the gateway: run `SELECT` as a query, and change tables with an engine that the catalog server lets write";

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) gateway: Arc<Gateway>,
}

impl Service {
    async fn metadata_info(
        &self,
        command: Command,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let schema = metadata::schema(&command)?;
        let ticket = Ticket::new(command.into_any().encode_to_vec());
        let info = FlightInfo::new()
            .try_with_schema(&schema)
            .map_err(|error| encode::failed(&error))?
            .with_endpoint(FlightEndpoint::new().with_ticket(ticket))
            .with_descriptor(request.into_inner());
        Ok(Response::new(info))
    }

    async fn metadata_rows(
        &self,
        command: Command,
        request: Request<Ticket>,
    ) -> Result<Response<FlightStream>, Status> {
        let caller = gate::caller(&request)?;
        let rows = metadata::rows(&self.gateway, &caller, command).await?;
        let cancelled = self.gateway.cancelled.subscribe();
        Ok(Response::new(encode::stream(
            rows.schema,
            rows.batches.map_err(|error| status::of(&error)),
            cancelled,
        )))
    }
}

#[tonic::async_trait]
impl FlightSqlService for Service {
    type FlightService = Self;

    async fn do_handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<BoxStream<'static, Result<HandshakeResponse, Status>>>, Status> {
        // The door has asked the server about it.
        let presented = self.gateway.presented(request.metadata())?;
        let token = match &presented {
            Presented::Login(login) => self
                .gateway
                .sessions
                .seal(login, self.gateway.settings.session_lifetime)
                .map_err(|error| {
                    tracing::warn!(%error, "a login failed");
                    Status::internal("the session could not be made; tell the operator of the gateway")
                })?,
            Presented::Token(token) => token.clone(),
            Presented::Nothing => String::new(),
        };
        let answer = HandshakeResponse {
            protocol_version: 0,
            payload: token.clone().into(),
        };
        let answers: BoxStream<'static, _> = Box::pin(stream::iter([Ok(answer)]));
        let mut response = Response::new(answers);
        if !token.is_empty() {
            let mut value = MetadataValue::try_from(format!("Bearer {token}")).map_err(|_| {
                Status::unauthenticated("the token has characters that a header cannot carry")
            })?;
            value.set_sensitive(true);
            response.metadata_mut().insert("authorization", value);
        }
        Ok(response)
    }

    async fn get_flight_info_statement(
        &self,
        query: CommandStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let caller = gate::caller(&request)?;
        if query.transaction_id.is_some() {
            return Err(Status::invalid_argument(NO_TRANSACTIONS));
        }
        let info = statement::info(
            &self.gateway,
            &caller,
            &Statement::of(query.query),
            request.into_inner(),
        )
        .await?;
        Ok(Response::new(info))
    }

    async fn get_flight_info_prepared_statement(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let caller = gate::caller(&request)?;
        let statement = Statement::from_bytes(&query.prepared_statement_handle)?;
        let info = statement::info(&self.gateway, &caller, &statement, request.into_inner()).await?;
        Ok(Response::new(info))
    }

    async fn get_flight_info_substrait_plan(
        &self,
        _: CommandStatementSubstraitPlan,
        _: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        Err(Status::unimplemented(NO_SUBSTRAIT))
    }

    async fn do_get_statement(
        &self,
        ticket: TicketStatementQuery,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        let caller = gate::caller(&request)?;
        let statement = Statement::from_bytes(&ticket.statement_handle)?;
        Ok(Response::new(
            statement::run(&self.gateway, &caller, &statement).await?,
        ))
    }

    async fn do_get_prepared_statement(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        let caller = gate::caller(&request)?;
        let statement = Statement::from_bytes(&query.prepared_statement_handle)?;
        Ok(Response::new(
            statement::run(&self.gateway, &caller, &statement).await?,
        ))
    }

    async fn do_action_create_prepared_statement(
        &self,
        query: ActionCreatePreparedStatementRequest,
        request: Request<Action>,
    ) -> Result<ActionCreatePreparedStatementResult, Status> {
        let caller = gate::caller(&request)?;
        if query.transaction_id.is_some() {
            return Err(Status::invalid_argument(NO_TRANSACTIONS));
        }
        prepared::create(&self.gateway, &caller, query).await
    }

    async fn do_put_prepared_statement_query(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<PeekableFlightDataStream>,
    ) -> Result<DoPutPreparedStatementResult, Status> {
        prepared::bind(&query.prepared_statement_handle, request.into_inner()).await
    }

    async fn do_action_close_prepared_statement(
        &self,
        _: ActionClosePreparedStatementRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        // There is nothing to close: the handle is all there is.
        Ok(())
    }

    async fn get_flight_info_catalogs(
        &self,
        command: CommandGetCatalogs,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetCatalogs(command), request)
            .await
    }

    async fn do_get_catalogs(
        &self,
        command: CommandGetCatalogs,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetCatalogs(command), request)
            .await
    }

    async fn get_flight_info_schemas(
        &self,
        command: CommandGetDbSchemas,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetDbSchemas(command), request)
            .await
    }

    async fn do_get_schemas(
        &self,
        command: CommandGetDbSchemas,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetDbSchemas(command), request)
            .await
    }

    async fn get_flight_info_tables(
        &self,
        command: CommandGetTables,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetTables(command), request)
            .await
    }

    async fn do_get_tables(
        &self,
        command: CommandGetTables,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetTables(command), request)
            .await
    }

    async fn get_flight_info_table_types(
        &self,
        command: CommandGetTableTypes,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetTableTypes(command), request)
            .await
    }

    async fn do_get_table_types(
        &self,
        command: CommandGetTableTypes,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetTableTypes(command), request)
            .await
    }

    async fn get_flight_info_sql_info(
        &self,
        command: CommandGetSqlInfo,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetSqlInfo(command), request)
            .await
    }

    async fn do_get_sql_info(
        &self,
        command: CommandGetSqlInfo,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetSqlInfo(command), request)
            .await
    }

    async fn get_flight_info_primary_keys(
        &self,
        command: CommandGetPrimaryKeys,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetPrimaryKeys(command), request)
            .await
    }

    async fn do_get_primary_keys(
        &self,
        command: CommandGetPrimaryKeys,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetPrimaryKeys(command), request)
            .await
    }

    async fn get_flight_info_exported_keys(
        &self,
        command: CommandGetExportedKeys,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetExportedKeys(command), request)
            .await
    }

    async fn do_get_exported_keys(
        &self,
        command: CommandGetExportedKeys,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetExportedKeys(command), request)
            .await
    }

    async fn get_flight_info_imported_keys(
        &self,
        command: CommandGetImportedKeys,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetImportedKeys(command), request)
            .await
    }

    async fn do_get_imported_keys(
        &self,
        command: CommandGetImportedKeys,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetImportedKeys(command), request)
            .await
    }

    async fn get_flight_info_cross_reference(
        &self,
        command: CommandGetCrossReference,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetCrossReference(command), request)
            .await
    }

    async fn do_get_cross_reference(
        &self,
        command: CommandGetCrossReference,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetCrossReference(command), request)
            .await
    }

    async fn get_flight_info_xdbc_type_info(
        &self,
        command: CommandGetXdbcTypeInfo,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.metadata_info(Command::CommandGetXdbcTypeInfo(command), request)
            .await
    }

    async fn do_get_xdbc_type_info(
        &self,
        command: CommandGetXdbcTypeInfo,
        request: Request<Ticket>,
    ) -> Result<Response<<Self as FlightService>::DoGetStream>, Status> {
        self.metadata_rows(Command::CommandGetXdbcTypeInfo(command), request)
            .await
    }

    async fn do_put_statement_update(
        &self,
        _: CommandStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(Status::invalid_argument(NO_UPDATES))
    }

    async fn do_put_statement_ingest(
        &self,
        _: CommandStatementIngest,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(Status::unimplemented(NO_UPDATES))
    }

    async fn do_put_prepared_statement_update(
        &self,
        _: CommandPreparedStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(Status::invalid_argument(NO_UPDATES))
    }

    async fn do_put_substrait_plan(
        &self,
        _: CommandStatementSubstraitPlan,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(Status::unimplemented(NO_SUBSTRAIT))
    }

    async fn do_action_create_prepared_substrait_plan(
        &self,
        _: ActionCreatePreparedSubstraitPlanRequest,
        _: Request<Action>,
    ) -> Result<ActionCreatePreparedStatementResult, Status> {
        Err(Status::unimplemented(NO_SUBSTRAIT))
    }

    async fn do_action_begin_transaction(
        &self,
        _: ActionBeginTransactionRequest,
        _: Request<Action>,
    ) -> Result<ActionBeginTransactionResult, Status> {
        Err(Status::unimplemented(NO_TRANSACTIONS))
    }

    async fn do_action_end_transaction(
        &self,
        _: ActionEndTransactionRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        Err(Status::unimplemented(NO_TRANSACTIONS))
    }

    async fn do_action_begin_savepoint(
        &self,
        _: ActionBeginSavepointRequest,
        _: Request<Action>,
    ) -> Result<ActionBeginSavepointResult, Status> {
        Err(Status::unimplemented(NO_TRANSACTIONS))
    }

    async fn do_action_end_savepoint(
        &self,
        _: ActionEndSavepointRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        Err(Status::unimplemented(NO_TRANSACTIONS))
    }

    async fn do_action_cancel_query(
        &self,
        query: ActionCancelQueryRequest,
        request: Request<Action>,
    ) -> Result<ActionCancelQueryResult, Status> {
        let caller = gate::caller(&request)?;
        let result = cancellation::cancel_query(&self.gateway, &caller, &query.info)?;
        Ok(ActionCancelQueryResult { result })
    }

    async fn list_custom_actions(&self) -> Option<Vec<Result<ActionType, Status>>> {
        Some(vec![Ok(cancellation::action_type())])
    }

    async fn register_sql_info(&self, _: i32, _: &SqlInfo) {}
}
