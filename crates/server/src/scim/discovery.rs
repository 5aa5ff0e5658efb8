// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/ServiceProviderConfig`, `/ResourceTypes` and `/Schemas`: what the server says of itself.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_operations::OperationError;
use lakeward_operations::error::Noun;
use lakeward_operations::named::TheServer;
use lakeward_scim_api::discovery::{resource_type, schema, service_provider_config};
use lakeward_scim_api::list::list_response;
use lakeward_scim_api::schema::ResourceType;
use serde_json::Value;

use super::{base, reply, require_enabled};
use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub(super) fn routes() -> Routes {
    Routes::default()
        .mount::<ServiceProviderConfig>()
        .mount::<ResourceTypes>()
        .mount::<OneResourceType>()
        .mount::<Schemas>()
        .mount::<OneSchema>()
}

/// Declares an endpoint that needs nothing but the request.
macro_rules! shows {
    ($name:ident, $path:literal, $what:literal, $shown:expr) => {
        #[doc = concat!("`GET ", $path, "`: ", $what)]
        #[derive(Debug)]
        pub(super) struct $name;

        impl Endpoint for $name {
            const METHOD: Method = Method::GET;
            const PATH: &'static str = $path;
            const REQUIRES: Requirement = Requirement::Provisioner;
            const GOVERNANCE: Governance = Governance::NoTable;
            type Target = TheServer;
            type Body = NoBody;
            type Reply = Reply;

            async fn run(
                app: &App,
                request: &Request,
                _: Authorized<TheServer>,
                _: NoBody,
            ) -> Result<Reply, OperationError> {
                require_enabled(app)?;
                let shown: fn(&Request, &str) -> Result<Value, OperationError> = $shown;
                reply(&shown(request, &base(app, &request.parts))?)
            }
        }
    };
}

shows!(
    ServiceProviderConfig,
    "/ServiceProviderConfig",
    "what is supported.",
    |_, base| { Ok(service_provider_config(base)) }
);
shows!(
    ResourceTypes,
    "/ResourceTypes",
    "the types of resources.",
    |_, base| { Ok(all(|of| resource_type(of, base))) }
);
shows!(
    OneResourceType,
    "/ResourceTypes/{id}",
    "one type of resources.",
    |request, base| { one(request, "resource type", ResourceType::name).map(|of| resource_type(of, base)) }
);
shows!(Schemas, "/Schemas", "the schemas of resources.", |_, base| {
    Ok(all(|of| schema(of, base)))
});
shows!(OneSchema, "/Schemas/{id}", "one schema.", |request, base| {
    one(request, "schema", ResourceType::urn).map(|of| schema(of, base))
});

fn all(shown: impl Fn(ResourceType) -> Value) -> Value {
    let all: Vec<Value> = ResourceType::ALL.into_iter().map(shown).collect();
    list_response(all.len(), 1, all)
}

fn one(
    request: &Request,
    what: &'static str,
    name: fn(ResourceType) -> &'static str,
) -> Result<ResourceType, OperationError> {
    let wanted = request.parts.path("id")?;
    let mut types = ResourceType::ALL.into_iter();
    types
        .find(|of| name(*of).eq_ignore_ascii_case(wanted))
        .ok_or_else(|| OperationError::not_found(Noun::Thing(what), wanted))
}
