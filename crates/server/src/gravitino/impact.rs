// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a policy, a tag or the assignment of a tag reaches. Ours.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_governance::impact::Failure;
use lakeward_gravitino_api::audit::instant;
use lakeward_gravitino_api::draft::tags_of;
use lakeward_gravitino_api::impact::{
    FailureDto, ImpactDto, ImpactQuestion, ImpactReaderDto, ImpactRequest, ImpactResponse, ImpactSubject,
    LiftingDto, LiftingPrincipalDto, TableImpactDto,
};
use lakeward_metadata::object::MetadataObject;
use lakeward_operations::OperationError;
use lakeward_operations::impact::{
    Impact, ImpactOf, ImpactOnTable, ImpactPath, ImpactReader, Lifting, LiftingPrincipal,
};

use super::draft::checked;
use super::understand::understand;
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, FromCall, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The code of a table that could not be examined.
const UNCHECKED: &str = "unchecked";

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<RestrictionsImpact>()
}

impl FromCall<Json<ImpactRequest>> for ImpactPath {
    /// The policy or tag, the object, and the tags that drafts are put on: each must be the caller's to apply.
    fn from_call(_: &App, parts: &Parts, body: Option<&Json<ImpactRequest>>) -> Result<Self, OperationError> {
        let metalake = parts.path("metalake")?.to_owned();
        let Some(Json(request)) = body else {
            return Ok(Self {
                metalake,
                of: None,
                drafts: Vec::new(),
                tags: Vec::new(),
            });
        };
        let question: ImpactQuestion = understand(request.clone())?;
        let of = match question.subject {
            ImpactSubject::Policy(policy) => ImpactOf::Policy(policy),
            ImpactSubject::Tag(tag) => ImpactOf::Tag(tag),
            ImpactSubject::Assignment { tag, object, values } => ImpactOf::Assignment {
                tag,
                object: MetadataObject::parse(object.object_type.parse()?, &object.full_name)?,
                values,
            },
        };
        Ok(Self {
            metalake,
            of: Some(of),
            drafts: question.drafts.into_iter().map(|draft| draft.name).collect(),
            tags: tags_of(request.drafts.as_deref().unwrap_or_default()),
        })
    }
}

/// `POST …/read-restrictions/impact`: the tables that a policy, a tag or an assignment reaches, where loads would fail,
/// who could lift it, and which readers there are.
#[derive(Debug)]
pub struct RestrictionsImpact;

impl Endpoint for RestrictionsImpact {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/read-restrictions/impact";
    const REQUIRES: Requirement = Requirement::Instruments;
    const READS: bool = true;
    const GOVERNANCE: Governance = Governance::Explain;
    type Target = ImpactPath;
    type Body = Json<ImpactRequest>;
    type Reply = ImpactResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ImpactPath>,
        Json(body): Self::Body,
    ) -> Result<ImpactResponse, OperationError> {
        let question: ImpactQuestion = understand(body)?;
        let drafts = checked(question.drafts)?;
        let impact = app.operations.impact(&request.call, path, drafts).await?;
        Ok(ImpactResponse {
            code: 0,
            impact: impact_dto(impact),
        })
    }
}

fn impact_dto(impact: Impact) -> ImpactDto {
    let tables: Vec<TableImpactDto> = impact.tables.into_iter().map(table_dto).collect();
    let failing = |is_unchecked: bool| {
        tables
            .iter()
            .filter_map(|table| table.failure.as_ref())
            .filter(|failure| (failure.code == UNCHECKED) == is_unchecked)
            .count()
    };
    ImpactDto {
        would_fail: failing(false),
        unchecked: failing(true),
        tables,
        hidden_tables: impact.hidden_tables,
        truncated: impact.is_truncated,
        lifting: impact.lifting.into_iter().map(lifting_dto).collect(),
        hidden_lifting: impact.hidden_lifting,
        readers_enrolled: impact.readers.iter().filter(|reader| reader.is_enabled).count(),
        readers: impact.readers.into_iter().map(reader_dto).collect(),
    }
}

fn table_dto(table: ImpactOnTable) -> TableImpactDto {
    let mut failures = table.failures.into_iter();
    let failure = if table.is_checked {
        failures.next().map(failure_dto)
    } else {
        Some(FailureDto {
            code: UNCHECKED.to_owned(),
            message: "the schema of the table could not be read in time, so it was not examined".to_owned(),
            detail: None,
            certain: false,
        })
    };
    TableImpactDto {
        table: table.table,
        columns: table.columns,
        policies: table.policies,
        row_filter: table.row_filter,
        failure,
        more_failures: failures.count(),
    }
}

fn failure_dto(failure: Failure) -> FailureDto {
    FailureDto {
        code: failure.code.to_owned(),
        message: failure.message().to_owned(),
        certain: failure.is_certain,
        detail: (!failure.detail.is_empty()).then_some(failure.detail),
    }
}

fn lifting_dto(lifting: Lifting) -> LiftingDto {
    let (kind, name) = match lifting.principal {
        LiftingPrincipal::User(name) => ("user", name),
        LiftingPrincipal::Group(name) => ("group", name),
        LiftingPrincipal::Role(name) => ("role", name),
    };
    LiftingDto {
        principal: LiftingPrincipalDto {
            kind: kind.to_owned(),
            name,
        },
        through: lifting.through,
    }
}

fn reader_dto(reader: ImpactReader) -> ImpactReaderDto {
    ImpactReaderDto {
        name: reader.name,
        kind: reader.kind.to_owned(),
        enabled: reader.is_enabled,
        last_load: reader.last_load_at.and_then(instant),
    }
}
