// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What became of a request: its answer, its counts, its record in the audit log.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use http::{Method, Response, StatusCode};
use lakeward_authorization::Requirement;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::caller::Call;
use lakeward_operations::notes::Notes;
use lakeward_read_restrictions::admission::Trust;
use lakeward_store::Revision;

use super::answer::Incoming;
use super::fault::Fault;
use super::respond::fault_answer;
use super::routes::{Mounted, Tree};
use super::server_proof::ServerProof;
use crate::app::App;
use crate::audit::record::{Decision, Object, Reader, Record, SignedRequest};
use crate::authentication::Identity;
use lakeward_audit_log::NotKept;

/// What is known of a request so far. Dropped before [`Outcome::finish`], when the client goes away, it is recorded as
/// given up.
pub(super) struct Outcome {
    app: Arc<App>,
    mounted: Mounted,
    method: Method,
    path: String,
    remote: Option<IpAddr>,
    request_id: String,
    is_forced: bool,
    /// What of the request shapes errors of the Iceberg protocol.
    form: crate::iceberg::error::Asked,
    started: Instant,
    user: String,
    access_token: Option<String>,
    proof: ServerProof,
    asked: Option<Asked>,
    /// Why authorization refused the request.
    explanation: Option<serde_json::Value>,
    /// Whether the endpoint runs: from then on a change may have been made.
    has_begun: bool,
    is_finished: bool,
}

/// What a request was decided about.
struct Asked {
    metalake: Option<String>,
    object: Option<(ObjectKind, String)>,
    revision: Option<Revision>,
    trust: Trust,
    notes: Notes,
}

/// How a request ended, in the words of the log.
struct Ending<'a> {
    decision: Decision,
    status: Option<StatusCode>,
    fault: Option<&'a Fault>,
    reason: Option<&'a str>,
}

impl Outcome {
    pub(super) fn new(app: &Arc<App>, incoming: &Incoming) -> Self {
        Self {
            app: Arc::clone(app),
            mounted: incoming.mounted.clone(),
            method: incoming.method.clone(),
            path: incoming.parts.raw_path.clone(),
            remote: incoming.connection.remote,
            request_id: incoming.request_id.clone(),
            is_forced: incoming.parts.flag("force", false),
            form: match incoming.mounted.tree {
                Tree::Iceberg => crate::iceberg::error::Asked::of(&incoming.parts),
                Tree::Native | Tree::Beside | Tree::Oauth | Tree::Scim => {
                    crate::iceberg::error::Asked::default()
                }
            },
            started: Instant::now(),
            user: String::new(),
            access_token: None,
            proof: incoming.proof.clone(),
            asked: None,
            explanation: None,
            has_begun: false,
            is_finished: false,
        }
    }

    /// The endpoint that was asked.
    pub(super) fn mounted(&self) -> &Mounted {
        &self.mounted
    }

    /// Who asks.
    pub(super) fn identified(&mut self, identity: &Identity) {
        identity.subject.user.clone_into(&mut self.user);
        self.access_token = identity.proof.access_token().map(|token| token.name.clone());
        self.proof.identified(identity);
    }

    /// About what, and on which state it is decided.
    pub(super) fn asked(&mut self, call: &Call) {
        self.asked = Some(Asked {
            metalake: call.facts.metalake_name().map(str::to_owned),
            object: call.facts.found().ok().map(|found| {
                let object = &found.object;
                (object.kind, object.full_name())
            }),
            revision: call.facts.revision(),
            trust: call.caller.trust.clone(),
            notes: call.notes.clone(),
        });
    }

    /// Authorization refused it, because.
    pub(super) fn refused(&mut self, explanation: serde_json::Value) {
        self.explanation = Some(explanation);
    }

    /// The endpoint is about to run. Where the log is required, a change is recorded before it is made.
    ///
    /// # Errors
    /// [`OperationError::Unavailable`] when it cannot be.
    pub(super) async fn begin(&mut self) -> Result<(), OperationError> {
        if self.app.audit.is_required() && !self.mounted.reads {
            let ending = Ending {
                decision: Decision::Begun,
                status: None,
                fault: None,
                reason: None,
            };
            self.keep(&ending)
                .await
                .map_err(|error| OperationError::Unavailable {
                    message: "the audit log cannot be written, and nothing is changed without it".to_owned(),
                    detail: error.to_string(),
                })?;
        }
        self.has_begun = true;
        Ok(())
    }

    /// The answer; `None` for a request whose time was over.
    pub(super) async fn finish(mut self, result: Option<Result<Response<Body>, Fault>>) -> Response<Body> {
        let result = result.unwrap_or_else(|| {
            Err(Fault::TimedOut {
                limit: self.app.settings.server.request_timeout,
                is_outcome_unknown: self.may_have_changed(),
            })
        });
        let response = match result {
            Ok(response) => self.allowed(response).await,
            Err(fault) => self.failed(fault),
        };
        self.is_finished = true;
        self.app
            .metrics
            .count(self.mounted.operation, response.status(), self.started.elapsed());
        response
    }

    /// Where the log is required, a governed answer is given only when its record is on the disk.
    async fn allowed(&self, response: Response<Body>) -> Response<Body> {
        let ending = Ending {
            decision: Decision::Allowed,
            status: Some(response.status()),
            fault: None,
            reason: None,
        };
        let waits =
            self.app.audit.is_required() && (self.mounted.governance.is_governed() || !self.mounted.reads);
        if !waits {
            self.note(&ending);
            return response;
        }
        match self.keep(&ending).await {
            Ok(()) => response,
            Err(error) if self.may_have_changed() => self.failed(Fault::Operation(OperationError::UnknownOutcome {
                message: "the change was recorded before it was made, and the audit log cannot be written any more"
                    .to_owned(),
                detail: error.to_string(),
            })),
            Err(error) => self.failed(Fault::Operation(OperationError::Unavailable {
                message: "the audit log cannot be written, and this answer is not given without it".to_owned(),
                detail: error.to_string(),
            })),
        }
    }

    fn failed(&self, fault: Fault) -> Response<Body> {
        let fault = self.form.see(fault);
        let response = fault_answer(self.mounted.tree, &fault, &self.request_id, &self.form);
        let status = response.status();
        let message = crate::gravitino::error::message(&fault);
        let decision = match status.as_u16() {
            400..500 => Decision::Refused,
            503 => Decision::Failed,
            _ if self.may_have_changed() => Decision::Unknown,
            _ => Decision::Failed,
        };
        self.note(&Ending {
            decision,
            status: Some(status),
            fault: Some(&fault),
            reason: Some(&message),
        });
        if let Some(detail) = fault.detail() {
            tracing::error!(
                request_id = self.request_id,
                status = status.as_u16(),
                detail,
                "a request failed"
            );
        }
        response
    }

    fn may_have_changed(&self) -> bool {
        self.has_begun && !self.mounted.reads
    }

    /// What anybody may ask is no decision.
    fn note(&self, ending: &Ending<'_>) {
        if self.mounted.requires != Requirement::Public {
            self.app.note(&self.record(ending));
        }
        tracing::debug!(
            target: "request",
            request_id = self.request_id, user = self.user, operation = self.mounted.operation,
            method = %self.method, path = self.path, status = ending.status.map(|status| status.as_u16()),
        );
    }

    async fn keep(&self, ending: &Ending<'_>) -> Result<(), NotKept> {
        let limit = self.app.settings.server.request_timeout;
        let record = self.record(ending);
        tokio::time::timeout(limit, self.app.audit.keep(&record))
            .await
            .unwrap_or(Err(NotKept))
    }

    fn record<'a>(&'a self, ending: &Ending<'a>) -> Record<'a> {
        let mut record = Record::of(&self.request_id, self.mounted.operation, ending.decision);
        record.user = &self.user;
        record.access_token = self.access_token.as_deref();
        record.remote = self.remote;
        record.method = self.method.as_str();
        record.path = &self.path;
        record.status = ending.status.map(|status| status.as_u16());
        record.reason = ending.reason;
        record.explanation = self.explanation.as_ref();
        record.code = ending
            .fault
            .and_then(Fault::restriction_code)
            .map(|code| code.as_str());
        record.forced = self.is_forced;
        record.micros = u64::try_from(self.started.elapsed().as_micros()).ok();
        let Some(asked) = &self.asked else {
            return record;
        };
        record.reader = match &asked.trust {
            Trust::Trusted(reader) => Some(Reader {
                name: &reader.name,
                revision: reader.revision,
            }),
            Trust::Untrusted | Trust::Refused(_) => None,
        };
        record.object = asked.object.as_ref().map(|(kind, name)| Object {
            metalake: asked.metalake.as_deref(),
            kind: kind.lower_case(),
            name: name.clone(),
        });
        record.revision = asked.revision;
        record.concerns = asked.notes.concerns();
        if matches!(ending.decision, Decision::Allowed | Decision::Unknown) {
            record.signature = asked.notes.signature();
            record.delegated = asked.notes.delegated();
            record.signed = asked
                .notes
                .signed_request()
                .map(|(method, object)| SignedRequest { method, object });
        }
        // Who goes away may do so after the change was made.
        if matches!(
            ending.decision,
            Decision::Allowed | Decision::Unknown | Decision::GivenUp
        ) {
            record.widened = asked.notes.widenings().into_iter().map(Into::into).collect();
            record.disregarded = asked.notes.disregarded();
        }
        record
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        if !self.is_finished {
            let decision = if !std::thread::panicking() {
                Decision::GivenUp
            } else if self.may_have_changed() {
                Decision::Unknown
            } else {
                Decision::Failed
            };
            self.note(&Ending {
                decision,
                status: None,
                fault: None,
                reason: None,
            });
        }
    }
}
