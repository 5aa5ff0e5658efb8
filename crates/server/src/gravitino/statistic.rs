// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statistics of tables and of their partitions. `POST` drops.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_gravitino_api::audit::AuditDto;
use lakeward_gravitino_api::response::{BaseResponse, DropResponse};
use lakeward_gravitino_api::statistic::{
    PartitionStatisticsDropRequest, PartitionStatisticsDto, PartitionStatisticsListResponse,
    PartitionStatisticsUpdateRequest, StatisticDto, StatisticListResponse, StatisticNames, StatisticValues,
    StatisticsDropRequest, StatisticsUpdateRequest,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;
use lakeward_store::{NewStatistic, PartitionRange, StatisticRow};

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<ListStatistics>()
        .mount::<UpdateStatistics>()
        .mount::<DropStatistics>()
        .mount::<ListPartitionStatistics>()
        .mount::<UpdatePartitionStatistics>()
        .mount::<DropPartitionStatistics>()
}

const READ: Requirement = Requirement::AccessTo;
const WRITE: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

fn dto(row: StatisticRow) -> Result<StatisticDto, OperationError> {
    let value = serde_json::from_str(&row.value).map_err(OperationError::internal)?;
    Ok(StatisticDto::custom(row.name, value, AuditDto::from(&row.audit)))
}

/// `GET …/objects/{type}/{fullName}/statistics`
#[derive(Debug)]
pub struct ListStatistics;

impl Endpoint for ListStatistics {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/statistics";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = StatisticListResponse;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<StatisticListResponse, OperationError> {
        let rows = app.operations.list_statistics(&request.call, object).await?;
        Ok(StatisticListResponse {
            code: 0,
            statistics: rows.into_iter().map(dto).collect::<Result<_, _>>()?,
        })
    }
}

/// `GET …/objects/{type}/{fullName}/statistics/partitions?from=&to=&fromInclusive=&toInclusive=`
#[derive(Debug)]
pub struct ListPartitionStatistics;

impl Endpoint for ListPartitionStatistics {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/statistics/partitions";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = PartitionStatisticsListResponse;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<PartitionStatisticsListResponse, OperationError> {
        let rows = app
            .operations
            .list_partition_statistics(&request.call, object, &range(&request.parts))
            .await?;
        let mut partition_statistics: Vec<PartitionStatisticsDto> = Vec::new();
        for row in rows {
            let partition_name = row.partition.clone().unwrap_or_default();
            let statistic = dto(row)?;
            match partition_statistics.last_mut() {
                Some(last) if last.partition_name == partition_name => last.statistics.push(statistic),
                Some(_) | None => partition_statistics.push(PartitionStatisticsDto {
                    partition_name,
                    statistics: vec![statistic],
                }),
            }
        }
        Ok(PartitionStatisticsListResponse {
            code: 0,
            partition_statistics,
        })
    }
}

fn range(parts: &Parts) -> PartitionRange {
    let bound = |name: &str, flag: &str, default: bool| {
        let name = parts.query(name).filter(|text| !text.is_empty())?;
        Some((name.to_owned(), parts.flag(flag, default)))
    };
    PartitionRange {
        from: bound("from", "fromInclusive", true),
        to: bound("to", "toInclusive", false),
    }
}

macro_rules! changes {
    ($($(#[$doc:meta])* $endpoint:ident, $method:ident, $end:literal, $body:ty, $meaning:ty => $reply:ty,
        |$app:ident, $call:ident, $object:ident, $given:ident| $run:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $endpoint;

        impl Endpoint for $endpoint {
            const METHOD: Method = Method::$method;
            const PATH: &'static str = concat!("/metalakes/{metalake}/objects/{type}/{fullName}/statistics", $end);
            const REQUIRES: Requirement = WRITE;
            const GOVERNANCE: Governance = Governance::Refuse;
            type Target = ObjectPath;
            type Body = Json<$body>;
            type Reply = $reply;

            async fn run(
                $app: &App,
                request: &Request,
                $object: Authorized<ObjectPath>,
                Json(body): Self::Body,
            ) -> Result<$reply, OperationError> {
                let $call = &request.call;
                check_kind(&$object)?;
                let $given: $meaning = understand(body)?;
                $run
            }
        }
    )+};
}

changes! {
    /// `PUT …/objects/{type}/{fullName}/statistics`
    UpdateStatistics, PUT, "", StatisticsUpdateRequest, StatisticValues => BaseResponse,
        |app, call, object, values| {
            app.operations.update_statistics(call, object, &new(values)).await?;
            Ok(BaseResponse::default())
        };
    /// `POST …/objects/{type}/{fullName}/statistics`: drops.
    DropStatistics, POST, "", StatisticsDropRequest, StatisticNames => DropResponse,
        |app, call, object, names| {
            Ok(DropResponse::of(app.operations.drop_statistics(call, object, &names.0).await?))
        };
    /// `PUT …/objects/{type}/{fullName}/statistics/partitions`
    UpdatePartitionStatistics, PUT, "/partitions", PartitionStatisticsUpdateRequest, StatisticValues => BaseResponse,
        |app, call, object, values| {
            app.operations.update_statistics(call, object, &new(values)).await?;
            Ok(BaseResponse::default())
        };
    /// `POST …/objects/{type}/{fullName}/statistics/partitions`: drops.
    DropPartitionStatistics, POST, "/partitions", PartitionStatisticsDropRequest, StatisticNames => DropResponse,
        |app, call, object, names| {
            Ok(DropResponse::of(app.operations.drop_statistics(call, object, &names.0).await?))
        };
}

/// What has no statistics is refused before its body is looked at, as the original does.
fn check_kind(object: &ObjectPath) -> Result<(), OperationError> {
    if object.object.kind == ObjectKind::Table {
        return Ok(());
    }
    Err(OperationError::Unsupported(
        "statistics are kept of tables only".to_owned(),
    ))
}

fn new(StatisticValues(values): StatisticValues) -> Vec<NewStatistic> {
    values
        .into_iter()
        .map(|(partition, name, value)| NewStatistic {
            partition,
            name,
            value: value.to_string(),
        })
        .collect()
}
