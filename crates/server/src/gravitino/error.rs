// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The native protocol's table of errors: status, `code` and `type` for everything that can go wrong. Clients choose
//! their exception by (`code`, `type`).

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::error::{Inadmissible, Mistake, Noun};
use serde::Serialize;

use crate::http::fault::Fault;

/// The protocol's error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Illegal = 1001,
    Internal = 1002,
    NotFound = 1003,
    AlreadyExists = 1004,
    NotEmpty = 1005,
    Unsupported = 1006,
    ConnectionFailed = 1007,
    Forbidden = 1008,
    NotInUse = 1009,
    InUse = 1010,
    Unauthenticated = 1011,
    Concurrent = 1012,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    code: u16,
    #[serde(rename = "type")]
    kind: &'a str,
    message: &'a str,
}

/// The answer to a fault.
pub fn answer(fault: &Fault) -> Response<Body> {
    let (status, code, kind) = classify(fault);
    let message = message(fault);
    let body = ErrorBody {
        code: code as u16,
        kind: &kind,
        message: &message,
    };
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
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
        Fault::TooLarge { limit } => format!(
            "the body is larger than the limit of {limit} bytes (`lakeward.server.maxBodyBytes`)"
        ),
        Fault::SlowBody => "the body did not arrive in time".to_owned(),
        Fault::BrokenBody(reason) => format!("the body could not be read: {reason}"),
        Fault::Operation(error) => error.to_string(),
    }
}

/// The three things that clients depend on; for errors inside lists (bulk calls, connection tests) as well.
fn classify(fault: &Fault) -> (StatusCode, Code, String) {
    let (status, code, kind) = match fault {
        Fault::NoRoute { .. } => (StatusCode::NOT_FOUND, Code::NotFound, "NotFoundException"),
        Fault::WrongMethod { .. } => (
            StatusCode::METHOD_NOT_ALLOWED,
            Code::Unsupported,
            "UnsupportedOperationException",
        ),
        Fault::NotAcceptable(_) => (StatusCode::NOT_ACCEPTABLE, Code::Illegal, "NotAcceptableException"),
        Fault::UnsupportedMediaType(_) => (
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::Illegal,
            "NotSupportedException",
        ),
        Fault::TooLarge { .. } => (
            StatusCode::PAYLOAD_TOO_LARGE,
            Code::Illegal,
            "IllegalArgumentException",
        ),
        Fault::SlowBody => (
            StatusCode::REQUEST_TIMEOUT,
            Code::Illegal,
            "IllegalArgumentException",
        ),
        Fault::BrokenBody(_) => (StatusCode::BAD_REQUEST, Code::Illegal, "IllegalArgumentException"),
        Fault::Operation(error) => return classify_operation(error),
    };
    (status, code, kind.to_owned())
}

fn classify_operation(error: &OperationError) -> (StatusCode, Code, String) {
    let (status, code, kind) = match error {
        OperationError::NotFound { noun, .. } => {
            return (
                StatusCode::NOT_FOUND,
                Code::NotFound,
                named(*noun, "NoSuch", "Exception"),
            );
        }
        OperationError::AlreadyExists { noun, .. } => {
            return (
                StatusCode::CONFLICT,
                Code::AlreadyExists,
                named(*noun, "", "AlreadyExistsException"),
            );
        }
        OperationError::NotEmpty { noun, .. } => {
            return (
                StatusCode::CONFLICT,
                Code::NotEmpty,
                named(*noun, "NonEmpty", "Exception"),
            );
        }
        OperationError::Disabled { noun, .. } => {
            return (
                StatusCode::CONFLICT,
                Code::NotInUse,
                named(*noun, "", "NotInUseException"),
            );
        }
        OperationError::InUse { noun, .. } => {
            let kind = match noun {
                Noun::Object(ObjectKind::Metalake | ObjectKind::Catalog) => {
                    named(*noun, "", "InUseException")
                }
                _ => "InUseException".to_owned(),
            };
            return (StatusCode::CONFLICT, Code::InUse, kind);
        }
        OperationError::Invalid { mistake, .. } => {
            (StatusCode::BAD_REQUEST, Code::Illegal, mistake_name(*mistake))
        }
        OperationError::Unsupported(_) => (
            StatusCode::METHOD_NOT_ALLOWED,
            Code::Unsupported,
            "UnsupportedOperationException",
        ),
        OperationError::Conflict(_) => (
            StatusCode::CONFLICT,
            Code::Concurrent,
            "OptimisticLockException",
        ),
        OperationError::WouldWiden(_) => (StatusCode::CONFLICT, Code::InUse, "InUseException"),
        OperationError::Forbidden(_) | OperationError::Refused { .. } => {
            (StatusCode::FORBIDDEN, Code::Forbidden, "ForbiddenException")
        }
        OperationError::Unauthenticated(_) => (
            StatusCode::UNAUTHORIZED,
            Code::Unauthenticated,
            "UnauthorizedException",
        ),
        OperationError::Restriction { transient: true, .. } => (
            StatusCode::SERVICE_UNAVAILABLE,
            Code::Internal,
            "ReadRestrictionException",
        ),
        OperationError::Restriction { transient: false, .. } => {
            (StatusCode::FORBIDDEN, Code::Forbidden, "ReadRestrictionException")
        }
        OperationError::NotAdmitted {
            reason: Inadmissible::NotAcceptable,
            ..
        } => (
            StatusCode::NOT_ACCEPTABLE,
            Code::Illegal,
            "ReadRestrictionException",
        ),
        OperationError::NotAdmitted {
            reason: Inadmissible::UntrustedReader,
            ..
        } => (StatusCode::FORBIDDEN, Code::Forbidden, "ReadRestrictionException"),
        OperationError::Unreachable { .. } => (
            StatusCode::BAD_GATEWAY,
            Code::ConnectionFailed,
            "ConnectionFailedException",
        ),
        OperationError::Unavailable { .. } => (
            StatusCode::SERVICE_UNAVAILABLE,
            Code::Internal,
            "RuntimeException",
        ),
        OperationError::UnknownOutcome { .. } | OperationError::Internal { .. } => (
            StatusCode::INTERNAL_SERVER_ERROR,
            Code::Internal,
            "RuntimeException",
        ),
    };
    (status, code, kind.to_owned())
}

/// The code and type of an operation's error as a list of errors inside a 200 shows it (bulk calls, connection tests).
pub fn code_and_type(error: &OperationError) -> (u16, String) {
    let (_, code, kind) = classify_operation(error);
    (code as u16, kind)
}

fn mistake_name(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::Argument => "IllegalArgumentException",
        Mistake::Privilege => "IllegalPrivilegeException",
        Mistake::Role => "IllegalRoleException",
        Mistake::MetadataObject => "IllegalMetadataObjectException",
        Mistake::Namespace => "IllegalNamespaceException",
        Mistake::ActiveRoles => "IllegalActiveRolesException",
        Mistake::StatisticName => "IllegalStatisticNameException",
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
        Noun::ModelVersion => "ModelVersion",
        // Associating twice is a conflict with a name of its own.
        Noun::TagAssignment if before.is_empty() => return "TagAlreadyAssociatedException".to_owned(),
        Noun::PolicyAssignment if before.is_empty() => return "PolicyAlreadyAssociatedException".to_owned(),
        Noun::TagAssignment => "Tag",
        Noun::PolicyAssignment | Noun::PolicyRevision | Noun::PolicyOnTag => "Policy",
        Noun::Owner | Noun::Reader | Noun::Thing(_) if before == "NoSuch" => {
            return "NotFoundException".to_owned();
        }
        Noun::Owner => "Owner",
        Noun::Reader => "Reader",
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
