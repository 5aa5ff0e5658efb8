// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What proves the server to a client that asked for it (RFC 4559, section 4.1). It goes with whatever becomes of the request,
//! so it lies beside the request, and [`super::respond`] puts it into the answer in one place.

use std::sync::{Arc, OnceLock};

use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::authentication::Identity;

/// The proof of one request; empty until its credentials were accepted, and where they prove only the client.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerProof(Arc<OnceLock<HeaderValue>>);

impl ServerProof {
    /// Keeps what the credentials of the request were answered with.
    pub(super) fn identified(&self, identity: &Identity) {
        let answer = identity.answer.as_deref();
        if let Some(answer) = answer.and_then(|answer| HeaderValue::from_str(answer).ok()) {
            // A request is identified once.
            let _ = self.0.set(answer);
        }
    }

    /// Writes `WWW-Authenticate`. A 401 asks anew, and a token beside that would be the next message of an exchange to its
    /// client (RFC 4559, section 5): it carries challenges only. Any other answer carries the proof.
    pub(super) fn finish(
        &self,
        status: StatusCode,
        headers: &mut HeaderMap,
        challenges: impl Iterator<Item = &'static str>,
    ) {
        if status == StatusCode::UNAUTHORIZED {
            for challenge in challenges {
                headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            }
        } else if let Some(proof) = self.0.get() {
            headers.insert(header::WWW_AUTHENTICATE, proof.clone());
        }
    }
}
