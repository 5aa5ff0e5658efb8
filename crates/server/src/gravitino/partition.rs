// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/tables/{table}/partitions`. Tables of the providers that are here know no partition objects (Iceberg derives
//! partitions from rows), so every call is refused as not supported, to those who may make it on a table that exists.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::TablePath;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::NoContent;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<ListPartitions>()
        .mount::<AddPartitions>()
        .mount::<GetPartition>()
        .mount::<DropPartition>()
}

const MODIFY: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

macro_rules! partition_endpoints {
    ($($(#[$doc:meta])* $endpoint:ident, $method:ident, $path:literal, $requires:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $endpoint;

        impl Endpoint for $endpoint {
            const METHOD: Method = Method::$method;
            const PATH: &'static str = $path;
            const REQUIRES: Requirement = $requires;
            const GOVERNANCE: Governance = Governance::Refuse;
            type Target = TablePath;
            type Body = NoBody;
            type Reply = NoContent;

            async fn run(
                app: &App,
                request: &Request,
                table: Authorized<TablePath>,
                _: NoBody,
            ) -> Result<NoContent, OperationError> {
                app.operations.refuse_partitions(&request.call, table).await?;
                Ok(NoContent)
            }
        }
    )+};
}

partition_endpoints! {
    /// `GET …/partitions`
    ListPartitions, GET,
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}/partitions",
        *Requirement::load(ObjectKind::Table);
    /// `POST …/partitions`
    AddPartitions, POST,
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}/partitions",
        MODIFY;
    /// `GET …/partitions/{partition}`
    GetPartition, GET,
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}/partitions/{partition}",
        *Requirement::load(ObjectKind::Table);
    /// `DELETE …/partitions/{partition}`
    DropPartition, DELETE,
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}/partitions/{partition}",
        MODIFY;
}
