// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The engine's errors as the reader's.
//!
//! An error from below the barrier travels through the engine, which wraps it, and shares it between the parts of a plan
//! that wait for the same rows. It must be found again whatever is round it: the engine's text would quote it, and who may
//! see which text is decided by the kind of error.

use std::error::Error;
use std::sync::Arc;

use arrow::error::ArrowError;
use datafusion::error::DataFusionError;

use crate::error::{ReaderError, SharedFailure};

/// The reader's own error if one lies inside, else the engine's text.
pub(super) fn query_error(error: DataFusionError) -> ReaderError {
    match error {
        DataFusionError::External(inner) => match inner.downcast::<ReaderError>() {
            Ok(own) => *own,
            Err(other) => wrapped(DataFusionError::External(other)),
        },
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => query_error(*inner),
        DataFusionError::Shared(inner) => match Arc::try_unwrap(inner) {
            Ok(inner) => query_error(inner),
            Err(inner) => wrapped(DataFusionError::Shared(inner)),
        },
        other => wrapped(other),
    }
}

fn wrapped(error: DataFusionError) -> ReaderError {
    if own(&error).is_some() {
        return ReaderError::Shared(SharedFailure::new(error));
    }
    ReaderError::Query(error.strip_backtrace())
}

/// The reader's own error inside, wherever it lies.
pub(crate) fn own(error: &DataFusionError) -> Option<&ReaderError> {
    match error {
        DataFusionError::External(inner) => own_in(inner.as_ref()),
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => own(inner),
        DataFusionError::Shared(inner) => own(inner),
        DataFusionError::Collection(errors) => errors.iter().find_map(own),
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            ArrowError::ExternalError(inner) => own_in(inner.as_ref()),
            _ => None,
        },
        _ => None,
    }
}

fn own_in<'a>(error: &'a (dyn Error + Send + Sync + 'static)) -> Option<&'a ReaderError> {
    if let Some(found) = error.downcast_ref::<ReaderError>() {
        return Some(found);
    }
    if let Some(engine) = error.downcast_ref::<DataFusionError>() {
        return own(engine);
    }
    match error.downcast_ref::<ArrowError>() {
        Some(ArrowError::ExternalError(inner)) => own_in(inner.as_ref()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden() -> ReaderError {
        ReaderError::Unsupported {
            table: "c.s.t".to_owned(),
            problem: "a value".to_owned(),
        }
    }

    fn external() -> DataFusionError {
        DataFusionError::External(Box::new(hidden()))
    }

    #[test]
    fn the_readers_error_is_found_whatever_is_round_it() {
        let shared = Arc::new(external());
        let arrow = |inner: DataFusionError| {
            DataFusionError::ArrowError(Box::new(ArrowError::ExternalError(Box::new(inner))), None)
        };
        for error in [
            external(),
            external().context("while joining"),
            DataFusionError::Shared(Arc::new(external())),
            DataFusionError::Shared(Arc::clone(&shared)),
            DataFusionError::External(Box::new(DataFusionError::Shared(Arc::clone(&shared)))),
            arrow(external()),
            arrow(DataFusionError::Shared(Arc::clone(&shared))),
            DataFusionError::Collection(vec![DataFusionError::Plan("x".to_owned()), external()]),
        ] {
            let found = query_error(error);
            assert!(
                matches!(found.root(), ReaderError::Unsupported { .. }),
                "{found:?}"
            );
            assert_eq!(found.to_string(), hidden().to_string());
        }
        let other = query_error(DataFusionError::Plan("no such column".to_owned()));
        assert!(matches!(other.root(), ReaderError::Query(_)));
    }
}
