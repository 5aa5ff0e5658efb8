// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The native protocol's table of errors: status, `code` and `type` for everything that can go wrong. Clients choose
//! their exception by (`code`, `type`).

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use lakeward_gravitino_api::error::{ErrorCode, ErrorResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::error::{Inadmissible, Mistake, Noun};

use crate::http::fault::Fault;

/// The answer to a fault.
pub fn answer(fault: &Fault, request_id: &str) -> Response<Body> {
    let (status, code, kind) = classify(fault);
    let body = ErrorResponse::new(code, kind, message_with_id(fault, request_id));
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// What the caller is told; with the id of the request where the log of the server says more under it.
pub fn message_with_id(fault: &Fault, request_id: &str) -> String {
    let message = message(fault);
    if fault.detail().is_some() {
        return format!("{message} (request {request_id})");
    }
    message
}

/// What the caller is told. The cause of a failure of the server is not in it.
pub fn message(fault: &Fault) -> String {
    match fault {
        Fault::NoRoute { path } => format!("nothing is served at `{path}`"),
        Fault::WrongMethod { method, allowed } => {
            let names: Vec<&str> = allowed.iter().map(http::Method::as_str).collect();
            format!("{method} is not served here; allowed: {}", names.join(", "))
        }
        Fault::NotAcceptable(message) | Fault::UnsupportedMediaType(message) => message.clone(),
        Fault::TooLarge { limit } => {
            format!("the body is larger than the limit of {limit} bytes (`lakeward.server.maxBodyBytes`)")
        }
        Fault::SlowBody => "the body did not arrive in time".to_owned(),
        Fault::BrokenBody(reason) => format!("the body could not be read: {reason}"),
        Fault::TimedOut {
            limit,
            is_outcome_unknown,
        } => {
            let limit = limit.as_millis();
            if *is_outcome_unknown {
                format!(
                    "the outcome of the change is not known: the request took longer than {limit} ms; look before you repeat it"
                )
            } else {
                format!(
                    "the request took longer than {limit} ms (`lakeward.server.requestTimeoutMs`) and was given up; nothing was changed"
                )
            }
        }
        Fault::Repeated(refusal) => refusal.message.clone(),
        Fault::Operation(error) => error.to_string(),
    }
}

/// The status of the answer.
pub fn status(fault: &Fault) -> StatusCode {
    classify(fault).0
}

/// The three things that clients depend on; for errors inside lists (bulk calls, connection tests) as well.
fn classify(fault: &Fault) -> (StatusCode, ErrorCode, String) {
    let (status, code, kind) = match fault {
        Fault::NoRoute { .. } => (StatusCode::NOT_FOUND, ErrorCode::NotFound, "NotFoundException"),
        Fault::WrongMethod { .. } => (
            StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::UnsupportedOperation,
            "UnsupportedOperationException",
        ),
        Fault::NotAcceptable(_) => (
            StatusCode::NOT_ACCEPTABLE,
            ErrorCode::IllegalArguments,
            "NotAcceptableException",
        ),
        Fault::UnsupportedMediaType(_) => (
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::IllegalArguments,
            "NotSupportedException",
        ),
        Fault::TooLarge { .. } => (
            StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::IllegalArguments,
            "IllegalArgumentException",
        ),
        Fault::SlowBody => (
            StatusCode::REQUEST_TIMEOUT,
            ErrorCode::IllegalArguments,
            "IllegalArgumentException",
        ),
        Fault::BrokenBody(_) => (
            StatusCode::BAD_REQUEST,
            ErrorCode::IllegalArguments,
            "IllegalArgumentException",
        ),
        Fault::TimedOut {
            is_outcome_unknown, ..
        } => (
            if *is_outcome_unknown {
                StatusCode::GATEWAY_TIMEOUT
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            },
            ErrorCode::Internal,
            "RuntimeException",
        ),
        // Only the Iceberg protocol has idempotency keys.
        Fault::Repeated(refusal) => {
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::CONFLICT);
            return (status, ErrorCode::Internal, refusal.kind.clone());
        }
        Fault::Operation(error) => return classify_operation(error),
    };
    (status, code, kind.to_owned())
}

fn classify_operation(error: &OperationError) -> (StatusCode, ErrorCode, String) {
    let (status, code, kind) = match error {
        OperationError::NotFound { noun, .. } => {
            return (
                StatusCode::NOT_FOUND,
                ErrorCode::NotFound,
                named(*noun, "NoSuch", "Exception"),
            );
        }
        OperationError::AlreadyExists { noun, .. } => {
            return (
                StatusCode::CONFLICT,
                ErrorCode::AlreadyExists,
                named(*noun, "", "AlreadyExistsException"),
            );
        }
        OperationError::NotEmpty { noun, .. } => {
            return (
                StatusCode::CONFLICT,
                ErrorCode::NonEmpty,
                named(*noun, "NonEmpty", "Exception"),
            );
        }
        OperationError::Disabled { noun, .. } => {
            return (
                StatusCode::CONFLICT,
                ErrorCode::NotInUse,
                named(*noun, "", "NotInUseException"),
            );
        }
        OperationError::InUse { noun, .. } => {
            let own = matches!(noun, Noun::Object(ObjectKind::Metalake | ObjectKind::Catalog));
            let kind = if own {
                named(*noun, "", "InUseException")
            } else {
                "InUseException".to_owned()
            };
            return (StatusCode::CONFLICT, ErrorCode::InUse, kind);
        }
        OperationError::Invalid { mistake, .. } => (
            StatusCode::BAD_REQUEST,
            ErrorCode::IllegalArguments,
            mistake_name(*mistake),
        ),
        OperationError::Unsupported(_) => (
            StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::UnsupportedOperation,
            "UnsupportedOperationException",
        ),
        OperationError::PreconditionFailed(_) => (
            StatusCode::PRECONDITION_FAILED,
            ErrorCode::Conflict,
            "OptimisticLockException",
        ),
        OperationError::Conflict(_) | OperationError::Overtaken => (
            StatusCode::CONFLICT,
            ErrorCode::Conflict,
            "OptimisticLockException",
        ),
        OperationError::WouldWiden(_) | OperationError::WouldFail(_) => {
            (StatusCode::CONFLICT, ErrorCode::InUse, "InUseException")
        }
        OperationError::Forbidden(_) | OperationError::Refused { .. } => {
            (StatusCode::FORBIDDEN, ErrorCode::Forbidden, "ForbiddenException")
        }
        OperationError::Unauthenticated(_) => (
            StatusCode::UNAUTHORIZED,
            ErrorCode::Unauthorized,
            "UnauthorizedException",
        ),
        OperationError::TokenExpired(_) => (
            StatusCode::UNAUTHORIZED,
            ErrorCode::Unauthorized,
            "TokenExpiredException",
        ),
        OperationError::TooManyRequests { .. } => (
            StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::Internal,
            "TooManyRequestsException",
        ),
        OperationError::Restriction { transient: true, .. } => (
            StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Internal,
            "ReadRestrictionException",
        ),
        OperationError::Restriction { transient: false, .. } => (
            StatusCode::FORBIDDEN,
            ErrorCode::Forbidden,
            "ReadRestrictionException",
        ),
        OperationError::NotAdmitted {
            reason: Inadmissible::NotAcceptable,
            ..
        } => (
            StatusCode::NOT_ACCEPTABLE,
            ErrorCode::IllegalArguments,
            "ReadRestrictionException",
        ),
        OperationError::NotAdmitted {
            reason: Inadmissible::UntrustedReader,
            ..
        } => (
            StatusCode::FORBIDDEN,
            ErrorCode::Forbidden,
            "ReadRestrictionException",
        ),
        OperationError::Unreachable { .. } => (
            StatusCode::BAD_GATEWAY,
            ErrorCode::ConnectionFailed,
            "ConnectionFailedException",
        ),
        OperationError::Unavailable { .. } | OperationError::Moved => (
            StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Internal,
            "RuntimeException",
        ),
        OperationError::UnknownOutcome { .. } | OperationError::Internal { .. } => (
            StatusCode::INTERNAL_SERVER_ERROR,
            ErrorCode::Internal,
            "RuntimeException",
        ),
    };
    (status, code, kind.to_owned())
}

/// The code and type of an operation's error as a list of errors inside a 200 shows it (bulk calls, connection tests).
pub fn code_and_type(error: &OperationError) -> (ErrorCode, String) {
    let (_, code, kind) = classify_operation(error);
    (code, kind)
}

fn mistake_name(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::Argument
        | Mistake::Definition
        | Mistake::Contradiction
        | Mistake::GrantType
        | Mistake::Scope
        | Mistake::Target
        | Mistake::Directory(_) => "IllegalArgumentException",
        Mistake::Privilege => "IllegalPrivilegeException",
        Mistake::Role => "IllegalRoleException",
        Mistake::MetadataObject => "IllegalMetadataObjectException",
        Mistake::Namespace => "IllegalNamespaceException",
        Mistake::ActiveRoles => "IllegalActiveRolesException",
        Mistake::StatisticName => "IllegalStatisticNameException",
        Mistake::JobTemplate => "IllegalJobTemplateOperationException",
    }
}

/// `NoSuchTableException` and its like. Things without a name of their own in the protocol have a plain one.
fn named(noun: Noun, before: &str, after: &str) -> String {
    let word = match noun {
        Noun::Object(kind) => camel(kind),
        Noun::MetadataObject => "MetadataObject",
        Noun::User | Noun::LocalUser => "User",
        Noun::Group | Noun::LocalGroup => "Group",
        Noun::Partition => "Partition",
        Noun::LocationName => "LocationName",
        Noun::ModelVersion => "ModelVersion",
        Noun::ModelVersionUriName => "ModelVersionURIName",
        // The original writes this one in the plural.
        Noun::ModelVersionAlias if before.is_empty() => {
            return "ModelVersionAliasesAlreadyExistException".to_owned();
        }
        Noun::ModelVersionAlias => "ModelVersion",
        // Associating twice is a conflict with a name of its own.
        Noun::TagAssignment if before.is_empty() => return "TagAlreadyAssociatedException".to_owned(),
        Noun::PolicyAssignment if before.is_empty() => return "PolicyAlreadyAssociatedException".to_owned(),
        Noun::TagAssignment => "Tag",
        Noun::PolicyAssignment | Noun::PolicyRevision | Noun::PolicyOnTag => "Policy",
        Noun::Owner | Noun::Reader | Noun::AccessToken | Noun::Thing(_) if before == "NoSuch" => {
            return "NotFoundException".to_owned();
        }
        Noun::Owner => "Owner",
        Noun::Reader => "Reader",
        Noun::AccessToken => "AccessToken",
        Noun::Thing(_) => "",
    };
    format!("{before}{word}{after}")
}

const fn camel(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Metalake => "Metalake",
        ObjectKind::Catalog => "Catalog",
        ObjectKind::Schema => "Schema",
        ObjectKind::Table => "Table",
        ObjectKind::View => "View",
        ObjectKind::Topic => "Topic",
        ObjectKind::Fileset => "Fileset",
        ObjectKind::Model => "Model",
        ObjectKind::Function => "Function",
        ObjectKind::Column => "Column",
        ObjectKind::Role => "Role",
        ObjectKind::Tag => "Tag",
        ObjectKind::Policy => "Policy",
        ObjectKind::JobTemplate => "JobTemplate",
        ObjectKind::Job => "Job",
    }
}

#[cfg(test)]
mod tests;
