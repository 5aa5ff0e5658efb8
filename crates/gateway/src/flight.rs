// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The service as gRPC sees it: the calls of Flight SQL, and those of Flight that its trait leaves out.

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::{
    Action, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest, PollInfo,
    SchemaResult, Ticket,
};
use futures::{TryStreamExt as _, future, stream};
use tonic::{Request, Response, Status, Streaming};

use crate::cancellation::{CANCEL_FLIGHT_INFO, cancel_flight_info};
use crate::gate;
use crate::service::Service;

/// What is refused whenever it is asked for.
const REFUSED_ACTIONS: [&str; 5] = [
    "CreatePreparedSubstraitPlan",
    "BeginTransaction",
    "EndTransaction",
    "BeginSavepoint",
    "EndSavepoint",
];

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Flight(pub(crate) Service);

#[tonic::async_trait]
impl FlightService for Flight {
    type HandshakeStream = <Service as FlightService>::HandshakeStream;
    type ListFlightsStream = <Service as FlightService>::ListFlightsStream;
    type DoGetStream = <Service as FlightService>::DoGetStream;
    type DoPutStream = <Service as FlightService>::DoPutStream;
    type DoActionStream = <Service as FlightService>::DoActionStream;
    type ListActionsStream = <Service as FlightService>::ListActionsStream;
    type DoExchangeStream = <Service as FlightService>::DoExchangeStream;

    async fn handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        self.0.handshake(request).await
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        Err(Status::unimplemented(
            "flights are not listed; ask for catalogs, schemas and tables with the commands of Flight SQL",
        ))
    }

    async fn get_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.0.get_flight_info(request).await
    }

    /// Information is complete as soon as a statement is planned; it runs when its rows are fetched.
    async fn poll_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<PollInfo>, Status> {
        let info = self.0.get_flight_info(request).await?.into_inner();
        Ok(Response::new(PollInfo {
            info: Some(info),
            flight_descriptor: None,
            progress: Some(1.0),
            expiration_time: None,
        }))
    }

    /// The schema of a command, as the information on it has it.
    async fn get_schema(&self, request: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        let info = self.0.get_flight_info(request).await?.into_inner();
        Ok(Response::new(SchemaResult { schema: info.schema }))
    }

    async fn do_get(&self, request: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        self.0.do_get(request).await
    }

    async fn do_put(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        self.0.do_put(request).await
    }

    async fn do_action(&self, request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        if request.get_ref().r#type == CANCEL_FLIGHT_INFO {
            let gateway = &self.0.gateway;
            let caller = gate::caller(&request)?;
            let body = cancel_flight_info(gateway, &caller, &request.get_ref().body)?;
            let result = arrow_flight::Result { body: body.into() };
            return Ok(Response::new(Box::pin(stream::iter([Ok(result)]))));
        }
        self.0.do_action(request).await
    }

    /// The actions of Flight SQL that are served; its trait lists all.
    async fn list_actions(
        &self,
        request: Request<Empty>,
    ) -> Result<Response<Self::ListActionsStream>, Status> {
        let all = self.0.list_actions(request).await?.into_inner();
        let served =
            all.try_filter(|action| future::ready(!REFUSED_ACTIONS.contains(&action.r#type.as_str())));
        Ok(Response::new(Box::pin(served)))
    }

    async fn do_exchange(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        Err(Status::unimplemented(
            "exchanges are not served; send the query as SQL",
        ))
    }
}
