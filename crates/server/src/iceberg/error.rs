// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The Iceberg protocol's table of errors: `{"error":{"message","type","code"}}`.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::error::{Clash, Inadmissible, Mistake, Noun};
use serde::Serialize;

use crate::http::fault::Fault;
use crate::http::parts::Parts;

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    error: ErrorModel<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorModel<'a> {
    message: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    code: u16,
}

const NAMESPACE: Noun = Noun::Object(ObjectKind::Schema);
const TABLE: Noun = Noun::Object(ObjectKind::Table);
const VIEW: Noun = Noun::Object(ObjectKind::View);

/// What the path of a request names, for the words of its errors.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    namespace: Option<String>,
    /// The table or view.
    leaf: Option<(Noun, String)>,
}

impl Asked {
    /// Reads the parameters of the route.
    pub fn of(parts: &Parts) -> Self {
        Self {
            namespace: parts.optional_path("namespace").map(str::to_owned),
            leaf: [("table", TABLE), ("view", VIEW)]
                .into_iter()
                .find_map(|(parameter, noun)| Some((noun, parts.optional_path(parameter)?.to_owned()))),
        }
    }

    /// The fault as this request sees it: where the namespace of a table or view is missing, so is the
    /// table or view. Clients look for
    /// metadata tables (`namespace.table.snapshots`) only after they were told that the table is missing, not the
    /// namespace.
    pub fn see(&self, fault: Fault) -> Fault {
        let Some((leaf, name)) = &self.leaf else {
            return fault;
        };
        if let Fault::Operation(OperationError::NotFound { noun: NAMESPACE, .. }) = fault {
            return Fault::Operation(OperationError::NotFound {
                noun: *leaf,
                name: name.clone(),
            });
        }
        if let Fault::Operation(OperationError::Refused {
            masked: Some((NAMESPACE, _)),
            message,
        }) = fault
        {
            return Fault::Operation(OperationError::Refused {
                masked: Some((*leaf, name.clone())),
                message,
            });
        }
        fault
    }

    /// A namespace, table or view in the words of Iceberg's own catalogs, which clients compare: `Table does not exist:
    /// a.b.t`. `None` for what the protocol has no words for.
    fn words(&self, noun: Noun, name: &str, what: &str) -> Option<String> {
        if noun == NAMESPACE {
            return Some(format!("Namespace {what}: {}", name.replace(':', ".")));
        }
        let kind = kind_word(noun)?;
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let dotted = format!("{}.{name}", namespace.replace('\u{1f}', "."));
        let dotted = dotted.trim_start_matches('.');
        Some(format!("{kind} {what}: {dotted}"))
    }
}

fn kind_word(noun: Noun) -> Option<&'static str> {
    if noun == TABLE {
        Some("Table")
    } else if noun == VIEW {
        Some("View")
    } else {
        None
    }
}

/// The answer to a fault.
pub fn answer(fault: &Fault, request_id: &str, asked: &Asked) -> Response<Body> {
    let (status, kind) = classify(fault);
    let message =
        message(fault, asked).unwrap_or_else(|| crate::gravitino::error::message_with_id(fault, request_id));
    let body = ErrorBody {
        error: ErrorModel {
            message: &message,
            kind,
            code: status.as_u16(),
        },
    };
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Status, type and message of a fault, without the id of a request.
pub fn words(fault: &Fault, asked: &Asked) -> (StatusCode, String, String) {
    let (status, kind) = classify(fault);
    let message = message(fault, asked).unwrap_or_else(|| crate::gravitino::error::message(fault));
    (status, kind.to_owned(), message)
}

/// The message in the words of Iceberg's own catalogs, where they have any.
fn message(fault: &Fault, asked: &Asked) -> Option<String> {
    match (masked(fault), fault) {
        (Some((noun, name)), _) | (None, Fault::Operation(OperationError::NotFound { noun, name })) => Some(
            asked
                .words(*noun, name, "does not exist")
                .unwrap_or_else(|| format!("{noun} `{name}` does not exist")),
        ),
        (None, Fault::Operation(error @ OperationError::AlreadyExists { noun, name, clash })) => {
            let words = match clash {
                Clash::Same => asked.words(*noun, name, "already exists"),
                Clash::Other(existing) => {
                    asked.words(Noun::Object(*existing), name, "with same name already exists")
                }
                Clash::Rename {
                    existing,
                    source,
                    destination,
                } => kind_word(Noun::Object(*existing))
                    .map(|kind| format!("Cannot rename {source} to {destination}. {kind} already exists")),
            };
            Some(words.unwrap_or_else(|| error.to_string()))
        }
        (None, _) => None,
    }
}

/// What a refusal pretends is missing: only where the caller may be told that the name is free.
fn masked(fault: &Fault) -> Option<&(Noun, String)> {
    if let Fault::Operation(OperationError::Refused { masked, .. }) = fault {
        return masked.as_ref();
    }
    None
}

fn classify(fault: &Fault) -> (StatusCode, &str) {
    match fault {
        Fault::NoRoute { .. } => (StatusCode::NOT_FOUND, "NotFoundException"),
        Fault::WrongMethod { .. } => (StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowedException"),
        Fault::NotAcceptable(_) => (StatusCode::NOT_ACCEPTABLE, "NotAcceptableException"),
        Fault::UnsupportedMediaType(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "NotSupportedException"),
        Fault::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "BadRequestException"),
        Fault::SlowBody => (StatusCode::REQUEST_TIMEOUT, "BadRequestException"),
        Fault::BrokenBody(_) => (StatusCode::BAD_REQUEST, "BadRequestException"),
        Fault::TimedOut {
            is_outcome_unknown: false,
            ..
        } => (StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailableException"),
        // As for an unknown outcome below: whoever is told so keeps its files.
        Fault::TimedOut {
            is_outcome_unknown: true,
            ..
        } => (StatusCode::GATEWAY_TIMEOUT, "CommitStateUnknownException"),
        Fault::Repeated(refusal) => (
            StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::CONFLICT),
            &refusal.kind,
        ),
        Fault::Operation(error) => classify_operation(error),
    }
}

fn classify_operation(error: &OperationError) -> (StatusCode, &'static str) {
    match error {
        OperationError::NotFound { noun, .. } => (StatusCode::NOT_FOUND, missing(*noun)),
        OperationError::Refused {
            masked: Some((noun, _)),
            ..
        } => (StatusCode::NOT_FOUND, missing(*noun)),
        OperationError::AlreadyExists { .. } => (StatusCode::CONFLICT, "AlreadyExistsException"),
        OperationError::NotEmpty { .. } => (StatusCode::CONFLICT, "NamespaceNotEmptyException"),
        OperationError::Invalid {
            mistake: Mistake::Contradiction,
            ..
        } => (StatusCode::UNPROCESSABLE_ENTITY, "UnprocessableEntityException"),
        OperationError::Invalid { mistake, .. } => (StatusCode::BAD_REQUEST, mistake_name(*mistake)),
        OperationError::Unsupported(_) => (StatusCode::NOT_ACCEPTABLE, "UnsupportedOperationException"),
        // 409 would be taken for "exists" by clients that create, so a disabled catalog is a bad request.
        OperationError::Disabled { .. } | OperationError::InUse { .. } => {
            (StatusCode::BAD_REQUEST, "CatalogNotInUseException")
        }
        OperationError::PreconditionFailed(_) => (StatusCode::PRECONDITION_FAILED, "CommitFailedException"),
        OperationError::Conflict(_)
        | OperationError::Overtaken
        | OperationError::WouldWiden(_)
        | OperationError::WouldFail(_) => (StatusCode::CONFLICT, "CommitFailedException"),
        OperationError::Forbidden(_) | OperationError::Refused { masked: None, .. } => {
            (StatusCode::FORBIDDEN, "ForbiddenException")
        }
        OperationError::Unauthenticated(_) | OperationError::TokenExpired(_) => {
            (StatusCode::UNAUTHORIZED, "NotAuthorizedException")
        }
        OperationError::TooManyRequests { .. } => (StatusCode::TOO_MANY_REQUESTS, "TooManyRequestsException"),
        OperationError::Restriction { transient: true, .. } => {
            (StatusCode::SERVICE_UNAVAILABLE, "ReadRestrictionException")
        }
        OperationError::Restriction { transient: false, .. } => {
            (StatusCode::FORBIDDEN, "ReadRestrictionException")
        }
        OperationError::NotAdmitted {
            reason: Inadmissible::NotAcceptable,
            ..
        } => (StatusCode::NOT_ACCEPTABLE, "ReadRestrictionException"),
        OperationError::NotAdmitted {
            reason: Inadmissible::UntrustedReader,
            ..
        } => (StatusCode::FORBIDDEN, "ReadRestrictionException"),
        OperationError::Unreachable { .. } | OperationError::Unavailable { .. } | OperationError::Moved => {
            (StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailableException")
        }
        // Iceberg clients delete their files after a 4xx and keep them after this.
        OperationError::UnknownOutcome { .. } => {
            (StatusCode::INTERNAL_SERVER_ERROR, "CommitStateUnknownException")
        }
        OperationError::Internal { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "InternalServerError"),
    }
}

fn mistake_name(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::Namespace => "IllegalNamespaceException",
        Mistake::ActiveRoles => "IllegalActiveRolesException",
        Mistake::Definition => "IllegalArgumentException",
        Mistake::Argument
        | Mistake::Contradiction
        | Mistake::Privilege
        | Mistake::Role
        | Mistake::MetadataObject
        | Mistake::StatisticName
        | Mistake::JobTemplate
        | Mistake::GrantType
        | Mistake::Scope
        | Mistake::Target
        | Mistake::Directory(_) => "BadRequestException",
    }
}

fn missing(noun: Noun) -> &'static str {
    match noun {
        Noun::Object(kind) => match kind {
            ObjectKind::Metalake | ObjectKind::Catalog => "NoSuchCatalogException",
            ObjectKind::Schema => "NoSuchNamespaceException",
            ObjectKind::Table => "NoSuchTableException",
            ObjectKind::View => "NoSuchViewException",
            ObjectKind::Topic
            | ObjectKind::Fileset
            | ObjectKind::Model
            | ObjectKind::Function
            | ObjectKind::Column
            | ObjectKind::Role
            | ObjectKind::Tag
            | ObjectKind::Policy
            | ObjectKind::JobTemplate
            | ObjectKind::Job => "NotFoundException",
        },
        Noun::Thing("plan") => "NoSuchPlanIdException",
        Noun::Thing("plan task") => "NoSuchPlanTaskException",
        Noun::MetadataObject
        | Noun::User
        | Noun::Group
        | Noun::Owner
        | Noun::Partition
        | Noun::LocationName
        | Noun::ModelVersion
        | Noun::ModelVersionAlias
        | Noun::ModelVersionUriName
        | Noun::PolicyRevision
        | Noun::TagAssignment
        | Noun::PolicyAssignment
        | Noun::PolicyOnTag
        | Noun::LocalUser
        | Noun::LocalGroup
        | Noun::Reader
        | Noun::AccessToken
        | Noun::Thing(_) => "NotFoundException",
    }
}
