// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a client is told when something fails. The one table from the reader's errors to statuses of gRPC.
//!
//! A user may see what concerns the user: the statement, names that the user wrote, what the server said to the user.
//! Paths, addresses and the contents of restrictions go to the log only.

use lakeward_reader::error::{ReaderError, ServerAnswer};
use tonic::{Code, Status};

/// The longest message, in bytes. It travels in a header, and clients bound those.
const LONGEST: usize = 2048;

/// The status of a failure.
pub(crate) fn of(error: &ReaderError) -> Status {
    let (code, message) = match error.root() {
        ReaderError::Configuration(_) => (
            Code::Internal,
            "the gateway is not set up right; its operator finds the reason in its log".to_owned(),
        ),
        ReaderError::Credentials(problem) => (Code::Unauthenticated, problem.clone()),
        ReaderError::Unreachable { .. } => (
            Code::Unavailable,
            "the catalog server cannot be reached from the gateway; try again, or tell the operator"
                .to_owned(),
        ),
        ReaderError::Unauthenticated(_) => (Code::Unauthenticated, error.to_string()),
        ReaderError::Refused { answer, .. } => {
            let code = if answer.status == 404 {
                Code::NotFound
            } else {
                Code::PermissionDenied
            };
            (code, error.to_string())
        }
        ReaderError::NotTrusted { table, answer } => (
            Code::PermissionDenied,
            format!(
                "`{table}` is restricted and the server does not trust this gateway with it; tell the operator of the gateway: {answer}"
            ),
        ),
        ReaderError::NotAcceptable { table, answer } => (
            Code::PermissionDenied,
            format!(
                "`{table}` is restricted and the server did not accept what the gateway declares; tell the operator of the gateway: {answer}"
            ),
        ),
        ReaderError::Unresolved { answer, .. } => {
            let code = if answer.status == 503 {
                Code::Unavailable
            } else {
                Code::PermissionDenied
            };
            (code, error.to_string())
        }
        ReaderError::Server { answer, .. } => (of_server(answer), error.to_string()),
        ReaderError::Answer { table, .. } => (
            Code::Internal,
            format!(
                "what the server answered for `{table}` cannot be used, so nothing is read; tell the operator of the gateway"
            ),
        ),
        ReaderError::Restrictions { table, .. } => (
            Code::PermissionDenied,
            format!(
                "`{table}` has restrictions that this gateway does not understand, so it is not read; tell the operator of the gateway"
            ),
        ),
        ReaderError::Storage { table, .. } => (
            Code::Unavailable,
            format!(
                "`{table}` could not be read from storage; the operator of the gateway finds the reason in its log"
            ),
        ),
        ReaderError::FilterReadsMasked { .. } => (Code::PermissionDenied, error.to_string()),
        ReaderError::Version { .. } | ReaderError::View { .. } => (Code::InvalidArgument, error.to_string()),
        ReaderError::Unsupported { .. } => (Code::Unimplemented, error.to_string()),
        // What the library says here may quote a value that the restriction hides.
        ReaderError::Filter(_) | ReaderError::Mask(_) => (
            Code::Internal,
            "the restrictions of a table could not be enforced, so nothing is returned; the operator of the gateway finds the reason in its log".to_owned(),
        ),
        ReaderError::Statement(_) | ReaderError::Query(_) => (Code::InvalidArgument, error.to_string()),
        // A shared failure has one of the others at its root.
        ReaderError::Shared(_) => (
            Code::Internal,
            "the query failed; the operator of the gateway finds the reason in its log".to_owned(),
        ),
        ReaderError::Exhausted(_) => (Code::ResourceExhausted, error.to_string()),
        ReaderError::TimedOut(_) => (Code::DeadlineExceeded, error.to_string()),
        ReaderError::NoRandomness(_) => (
            Code::Internal,
            "the gateway has no random bytes; its operator finds the reason in its log".to_owned(),
        ),
    };
    if matches!(code, Code::Internal | Code::Unavailable) {
        tracing::warn!(%error, "a call failed");
    } else {
        tracing::debug!(%error, "a call was refused");
    }
    Status::new(code, shortened(message))
}

/// The status of credentials that the server did not take.
pub(crate) fn of_login(error: &ReaderError, without_credentials: bool) -> Status {
    if let ReaderError::Unauthenticated(answer) = error
        && without_credentials
    {
        return Status::unauthenticated(shortened(format!(
            "say who you are: give user and password, or a bearer token: {answer}"
        )));
    }
    // Nobody asked for the path that the reader would name.
    if let ReaderError::Refused { answer, .. } = error {
        tracing::debug!(%error, "a call was refused");
        return Status::permission_denied(shortened(format!(
            "the server does not let you in through this gateway: {answer}"
        )));
    }
    of(error)
}

/// Some answers can become better by themselves.
fn of_server(answer: &ServerAnswer) -> Code {
    match answer.status {
        400 => Code::InvalidArgument,
        429 | 502 | 503 | 504 => Code::Unavailable,
        _ => Code::Internal,
    }
}

/// Cuts a message to what every client takes.
fn shortened(mut message: String) -> String {
    if message.len() > LONGEST {
        let mut end = LONGEST;
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests;
