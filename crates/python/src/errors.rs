// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Failures as Python exceptions, by what the caller can do about them.

use lakeward_gateway::client::ClientError;
use lakeward_reader::error::ReaderError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tonic::Code;

create_exception!(lakeward, Error, PyException, "Any failure of this package.");
create_exception!(
    lakeward,
    ConfigurationError,
    Error,
    "An address, a certificate or a credential cannot be used."
);
create_exception!(
    lakeward,
    UnreachableError,
    Error,
    "The server or gateway could not be reached, or broke off."
);
create_exception!(
    lakeward,
    AuthenticationError,
    Error,
    "The server or gateway does not know who asks."
);
create_exception!(
    lakeward,
    RefusedError,
    Error,
    "The user or this reader may not read what was asked for, or its restrictions cannot be enforced."
);
create_exception!(
    lakeward,
    QueryError,
    Error,
    "The statement is no query, is wrong, or failed over the rows."
);
create_exception!(
    lakeward,
    LimitError,
    Error,
    "The query took too long or too much."
);

/// Adds the exceptions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add("Error", python.get_type::<Error>())?;
    module.add("ConfigurationError", python.get_type::<ConfigurationError>())?;
    module.add("UnreachableError", python.get_type::<UnreachableError>())?;
    module.add("AuthenticationError", python.get_type::<AuthenticationError>())?;
    module.add("RefusedError", python.get_type::<RefusedError>())?;
    module.add("QueryError", python.get_type::<QueryError>())?;
    module.add("LimitError", python.get_type::<LimitError>())
}

/// The exception of a failure of the reader in this process.
pub(crate) fn of_reader(error: &ReaderError) -> PyErr {
    let text = error.to_string();
    match error.root() {
        ReaderError::Configuration(_) | ReaderError::Credentials(_) => ConfigurationError::new_err(text),
        ReaderError::Unreachable { .. } | ReaderError::Server { .. } => UnreachableError::new_err(text),
        ReaderError::Unauthenticated(_) => AuthenticationError::new_err(text),
        ReaderError::Refused { .. }
        | ReaderError::NotTrusted { .. }
        | ReaderError::NotAcceptable { .. }
        | ReaderError::Unresolved { .. }
        | ReaderError::Answer { .. }
        | ReaderError::Restrictions { .. }
        | ReaderError::FilterReadsMasked { .. }
        | ReaderError::Unsupported { .. } => RefusedError::new_err(text),
        ReaderError::Exhausted(_) | ReaderError::TimedOut(_) => LimitError::new_err(text),
        ReaderError::Storage { .. }
        | ReaderError::Filter(_)
        | ReaderError::Mask(_)
        | ReaderError::Statement(_)
        | ReaderError::Query(_)
        | ReaderError::Version { .. }
        | ReaderError::View { .. }
        | ReaderError::Shared(_)
        | ReaderError::NoRandomness(_) => QueryError::new_err(text),
    }
}

/// The exception of what a gateway answers.
pub(crate) fn of_gateway(error: &ClientError) -> PyErr {
    let text = error.to_string();
    match error {
        ClientError::Configuration(_) => ConfigurationError::new_err(text),
        ClientError::Unreachable { .. } | ClientError::Protocol(_) => UnreachableError::new_err(text),
        ClientError::Unauthenticated(_) => AuthenticationError::new_err(text),
        ClientError::Answer { code, .. } => of_status(*code, text),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "statuses are an open set; what has no meaning here is a failed query"
)]
fn of_status(code: Code, text: String) -> PyErr {
    match code {
        Code::PermissionDenied | Code::NotFound | Code::FailedPrecondition => RefusedError::new_err(text),
        Code::ResourceExhausted | Code::DeadlineExceeded | Code::Cancelled => LimitError::new_err(text),
        Code::Unavailable => UnreachableError::new_err(text),
        _ => QueryError::new_err(text),
    }
}
