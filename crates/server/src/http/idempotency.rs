// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The `Idempotency-Key` header of the Iceberg protocol: which requests are one, and how one that comes again is answered.
//!
//! A key belongs to a user and to one request: method, path, query and body. Before anything is looked up under it, the
//! requirement of the endpoint is decided anew.

use std::sync::Arc;

use http::{HeaderMap, Method};
use lakeward_operations::OperationError;
use lakeward_operations::caller::Call;
use lakeward_operations::error::Mistake;
use lakeward_operations::idempotency::{Earlier, Keyed};
use lakeward_store::{KeyedRequest, RequestOutcome};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::endpoint::Request;
use super::fault::Fault;
use super::parts::Parts;
use crate::app::App;
use crate::iceberg::error::Asked;

/// The header.
pub const IDEMPOTENCY_KEY_HEADER: &str = "Idempotency-Key";

/// Whether an endpoint heeds the header, and what is left of a request's target when an earlier attempt has succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// It does not heed it.
    Unheeded,
    /// The requirement can be decided again as it was before.
    Decided,
    /// The target is dropped or moved away, and with it what the requirement speaks of. Who could do it then and can still
    /// reach what it lay in is told that it is done.
    TargetGone,
    /// The client has put files into a table, and would delete them if it were told that it may not: whoever has lost the
    /// right since hears that the outcome is unknown.
    FilesKept,
}

/// How much is kept of the message of a refusal, in bytes.
const MAX_MESSAGE_BYTES: usize = 2 * 1024;

/// A refusal as it is kept and given again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refusal {
    /// The status.
    #[serde(skip)]
    pub status: u16,
    /// The type of the error.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its message; when it is given again, the first 2 KiB of it.
    pub message: String,
}

/// The key that a request names, with what makes it this request and no other.
///
/// # Errors
/// [`OperationError::Invalid`] for a header that is no UUID of version 7 in its usual form, or comes twice.
pub(super) fn keyed(
    app: &App,
    method: &Method,
    parts: &Parts,
    body: &[u8],
    user: &str,
) -> Result<Keyed, OperationError> {
    let Some(key) = key(&parts.headers)? else {
        return Ok(None);
    };
    let lifetime = app.settings.iceberg.idempotency_key_lifetime.as_millis();
    Ok(Some(Arc::new(KeyedRequest {
        user: user.to_owned(),
        key,
        fingerprint: fingerprint(method, parts, body),
        lifetime: i64::try_from(lifetime).unwrap_or(i64::MAX),
    })))
}

fn key(headers: &HeaderMap) -> Result<Option<String>, OperationError> {
    let mut lines = headers.get_all(IDEMPOTENCY_KEY_HEADER).iter();
    let Some(line) = lines.next() else {
        return Ok(None);
    };
    let refused = || {
        OperationError::invalid(format!(
            "the header `{IDEMPOTENCY_KEY_HEADER}` must be sent once, with a UUID of version 7 (RFC 9562) in its form of 36 \
             characters"
        ))
    };
    let text = line.to_str().map_err(|_| refused())?;
    if lines.next().is_some() || text.len() != 36 {
        return Err(refused());
    }
    let key = uuid::Uuid::try_parse(text).map_err(|_| refused())?;
    if key.get_version() != Some(uuid::Version::SortRand) {
        return Err(refused());
    }
    Ok(Some(key.hyphenated().to_string()))
}

/// Each part with its length, so that none runs into the next.
fn fingerprint(method: &Method, parts: &Parts, body: &[u8]) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    };
    add(method.as_str().as_bytes());
    add(parts.raw_path.as_bytes());
    add(body);
    for (name, value) in parts.queries() {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    hex::encode(hash.finalize())
}

/// How an earlier attempt of a request ended, for a caller whose requirement was decided just now with `refusal`. `None`
/// where the request goes its ordinary way, which is refused again where there is a refusal.
///
/// # Errors
/// [`OperationError::Invalid`] (422) when the key was used for another request; [`OperationError::UnknownOutcome`] for a
/// commit that was made by a caller who may not commit any more; [`OperationError::Unavailable`] for a new key of a user of
/// whom as many are kept as may be; what the store reports.
pub(super) async fn earlier(
    app: &App,
    call: &Call,
    repeats: Repeats,
    refusal: Option<&OperationError>,
) -> Result<Option<RequestOutcome>, OperationError> {
    if call.keyed.is_none() || refusal.is_some() && repeats == Repeats::Decided {
        return Ok(None);
    }
    let outcome = match (app.operations.earlier(call).await?, refusal) {
        (Earlier::Ended(outcome), _) => outcome,
        (Earlier::None, None) => {
            app.operations.require_room_for_key(call).await?;
            return Ok(None);
        }
        (Earlier::None | Earlier::Other, Some(_)) => return Ok(None),
        (Earlier::Other, None) => return Err(used_otherwise()),
    };
    let Some(refusal) = refusal else {
        return Ok(Some(outcome));
    };
    // What failed was not decided.
    if !matches!(refusal, OperationError::Refused { .. }) || outcome.refusal.is_some() {
        return Ok(None);
    }
    match repeats {
        Repeats::TargetGone if app.operations.reaches_parent(call).await? => Ok(Some(outcome)),
        Repeats::FilesKept => Err(OperationError::UnknownOutcome {
            message: "this change was decided before, and you may not load what became of it".to_owned(),
            detail: refusal.to_string(),
        }),
        Repeats::TargetGone | Repeats::Unheeded | Repeats::Decided => Ok(None),
    }
}

fn used_otherwise() -> OperationError {
    OperationError::mistake(
        Mistake::Contradiction,
        format!(
            "this `{IDEMPOTENCY_KEY_HEADER}` belongs to another request: a key is for one method, path, query and body; make \
             a new one for another operation"
        ),
    )
}

/// Keeps a refusal that the next attempt would get as well. `Some` when another attempt ended meanwhile: its outcome is
/// the answer then.
///
/// # Errors
/// What the store reports.
pub(super) async fn settle(
    app: &App,
    request: &Request,
    error: &OperationError,
) -> Result<Option<RequestOutcome>, OperationError> {
    let call = &request.call;
    if call.keyed.is_none() || !is_final(error) {
        return Ok(None);
    }
    let asked = Asked::of(&request.parts);
    let (status, kind, mut message) =
        crate::iceberg::error::words(&asked.see(Fault::Operation(error.clone())), &asked);
    message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
    let refusal = Refusal {
        status: status.as_u16(),
        kind,
        message,
    };
    let text = serde_json::to_string(&refusal).map_err(OperationError::internal)?;
    if app.operations.end_refused(call, refusal.status, text).await? {
        return Ok(None);
    }
    match app.operations.earlier(call).await? {
        Earlier::Ended(outcome) => Ok(Some(outcome)),
        Earlier::Other => Err(used_otherwise()),
        // It expired in this moment.
        Earlier::None => Ok(None),
    }
}

/// What an earlier attempt was refused with.
///
/// # Errors
/// [`OperationError::Internal`] for an outcome that is no refusal of a request.
pub(super) fn refusal(outcome: &RequestOutcome) -> Result<Option<Refusal>, OperationError> {
    let Some(status) = outcome.refusal else {
        return Ok(None);
    };
    let text = outcome.answer.as_deref().unwrap_or_default();
    let kept: Refusal = serde_json::from_str(text).map_err(OperationError::internal)?;
    Ok(Some(Refusal { status, ..kept }))
}

/// Whether the same request would be refused the same way, decided on nothing but itself and what it acts on. What the
/// gate refuses is decided anew each time, and what failed is tried again.
fn is_final(error: &OperationError) -> bool {
    match error {
        OperationError::NotFound { .. }
        | OperationError::AlreadyExists { .. }
        | OperationError::NotEmpty { .. }
        | OperationError::Invalid { .. }
        | OperationError::Unsupported(_)
        | OperationError::Conflict(_) => true,
        OperationError::Disabled { .. }
        | OperationError::InUse { .. }
        | OperationError::PreconditionFailed(_)
        | OperationError::Forbidden(_)
        | OperationError::Refused { .. }
        | OperationError::WouldWiden(_)
        | OperationError::WouldFail(_)
        | OperationError::Unauthenticated(_)
        | OperationError::TokenExpired(_)
        | OperationError::TooManyRequests { .. }
        | OperationError::Restriction { .. }
        | OperationError::NotAdmitted { .. }
        | OperationError::Unreachable { .. }
        | OperationError::Overtaken
        | OperationError::Moved
        | OperationError::Unavailable { .. }
        | OperationError::UnknownOutcome { .. }
        | OperationError::Internal { .. } => false,
    }
}

#[cfg(test)]
mod tests;
