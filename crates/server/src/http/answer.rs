// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The way of every request: authenticate, read the body, build the target, decide the requirement, run.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Method, Response, header};
use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::Standing;
use lakeward_authorization::{Authorized, Requirement, authorize};
use lakeward_catalog::upstream_catalog::FEDERATION_HEADER;
use lakeward_metadata::principal::{ANONYMOUS, GroupClaim, Subject};
use lakeward_operations::OperationError;
use lakeward_operations::access_token;
use lakeward_operations::caller::{Call, Caller, Demand, Proof};
use lakeward_operations::error::Mistake;
use lakeward_operations::notes::Notes;
use lakeward_operations::reader::ReaderEvidence;
use lakeward_operations::step::Step;
use lakeward_operations::upstream::Met;
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::capabilities::{
    CAPABILITIES_HEADER, Capabilities, ICEBERG_CAPABILITIES_HEADER,
};
use lakeward_store::RequestOutcome;

use super::body::{FromBody, NoBody};
use super::connection::Connection;
use super::endpoint::{Endpoint, FromCall, ListEndpoint, Repeats, Request};
use super::fault::Fault;
use super::idempotency;
use super::media;
use super::outcome::Outcome;
use super::parts::Parts;
use super::read_body::BodyReader;
use super::reply::IntoReply;
use super::routes::{Mounted, Tree};
use super::server_proof::ServerProof;
use crate::app::App;
use crate::authentication::Identity;

/// Name of the header that narrows the roles of a session.
pub const ACTIVE_ROLES_HEADER: &str = "X-Gravitino-Active-Roles";

/// A request that found its endpoint.
pub(super) struct Incoming {
    pub(super) mounted: Mounted,
    pub(super) method: Method,
    pub(super) parts: Parts,
    pub(super) body: BodyReader,
    pub(super) connection: Connection,
    pub(super) request_id: String,
    pub(super) proof: ServerProof,
}

/// A request that may run.
struct Admitted<T, B> {
    request: Request,
    /// Its body as it came, to be understood again where the request is decided again.
    bytes: Bytes,
    what: What<T, B>,
}

/// What is to be done for it.
enum What<T, B> {
    /// What it asks.
    Run(Authorized<T>, B),
    /// Nothing: an earlier attempt has ended like this.
    Again(RequestOutcome),
}

pub(super) async fn answer<E: Endpoint>(app: Arc<App>, incoming: Incoming) -> Response<Body> {
    let mut outcome = Outcome::new(&app, &incoming);
    let answering = async {
        let Admitted {
            mut request,
            bytes,
            what,
        } = admit::<E::Target, E::Body>(&app, incoming, &mut outcome).await?;
        let earlier = match what {
            What::Run(target, body) => match E::run(&app, &request, target, body).await {
                Ok(reply) => return write(&app, &request, reply).await,
                Err(OperationError::Moved) if outcome.mounted().reads => {
                    let body = E::Body::from_body(&request.parts.headers, bytes)?;
                    let target = decide_again(&app, &mut request, Some(&body), &mut outcome).await?;
                    let reply = E::run(&app, &request, target, body).await?;
                    return write(&app, &request, reply).await;
                }
                Err(error) => idempotency::settle(&app, &request, &error).await?.ok_or(error)?,
            },
            What::Again(earlier) => earlier,
        };
        if let Some(refusal) = idempotency::refusal(&earlier)? {
            return Err(Fault::Repeated(refusal));
        }
        let reply = E::again(&app, &request, &earlier).await?;
        write(&app, &request, reply).await
    };
    let result = in_time(&app, answering).await;
    outcome.finish(result).await
}

pub(super) async fn answer_list<E: ListEndpoint>(app: Arc<App>, incoming: Incoming) -> Response<Body> {
    let mut outcome = Outcome::new(&app, &incoming);
    let answering = async {
        let Admitted {
            mut request, what, ..
        } = admit::<E::Target, NoBody>(&app, incoming, &mut outcome).await?;
        let What::Run(target, NoBody) = what else {
            return Err(OperationError::internal("a list heeds no idempotency key").into());
        };
        let reply = match list::<E>(&app, &request, target).await {
            Err(OperationError::Moved) => {
                let target = decide_again(&app, &mut request, Some(&NoBody), &mut outcome).await?;
                list::<E>(&app, &request, target).await?
            }
            reply => reply?,
        };
        write(&app, &request, reply).await
    };
    let result = in_time(&app, answering).await;
    outcome.finish(result).await
}

async fn list<E: ListEndpoint>(
    app: &App,
    request: &Request,
    target: Authorized<E::Target>,
) -> Result<E::Reply, OperationError> {
    let shown = app.operations.visibility(&request.call, &E::SHOWS).await?;
    E::run(app, request, target, shown).await
}

/// `None` when the time limit is over. What was going on is given up then: no step leaves half of a change.
async fn in_time(
    app: &App,
    answering: impl Future<Output = Result<Response<Body>, Fault>>,
) -> Option<Result<Response<Body>, Fault>> {
    tokio::time::timeout(app.settings.server.request_timeout, answering)
        .await
        .ok()
}

/// The bytes of the answer.
async fn write(app: &App, request: &Request, reply: impl IntoReply) -> Result<Response<Body>, Fault> {
    let request_id = &request.call.caller.request_id;
    let written = async { reply.into_reply() };
    let steps = app.operations.steps();
    let response = steps.pass(Step::Serialization, request_id, written).await?;
    Ok(varying(app, response))
}

/// Everything before `run`, in this order: version, identity, body, active roles, target, decision; a malformed body
/// is reported only to those who may do it.
async fn admit<T, B>(app: &App, incoming: Incoming, outcome: &mut Outcome) -> Result<Admitted<T, B>, Fault>
where
    T: FromCall<B>,
    B: FromBody,
{
    let Incoming {
        mounted,
        method,
        mut parts,
        mut body,
        connection,
        request_id,
        proof: _,
    } = incoming;
    let steps = app.operations.steps();
    let version = match mounted.tree {
        Tree::Native => media::negotiate(&parts.headers, mounted.versions)?,
        Tree::Beside | Tree::Oauth | Tree::Iceberg | Tree::Scim => 1,
    };
    let identity = if mounted.requires == Requirement::Public {
        nobody()
    } else {
        let now = app.operations.clock().millis();
        // Everybody comes through a reader from its address.
        if connection.certificate.is_none() {
            app.rates.count_address(connection.remote, now)?;
        }
        let authenticated =
            app.authentication
                .authenticate_in(mounted.tree, &parts.headers, connection.remote);
        steps.pass(Step::Identity, &request_id, authenticated).await?
    };
    outcome.identified(&identity);
    if mounted.requires != Requirement::Public {
        let now = app.operations.clock().millis();
        app.rates.count_user(&identity.subject.user, now)?;
    }
    if let Some(token) = identity.proof.access_token() {
        let makes_credentials = matches!(
            mounted.requires,
            Requirement::AccountAdministrator | Requirement::Operator | Requirement::Provisioner
        );
        access_token::require_scope(token, makes_credentials, mounted.reads)?;
    }
    if identity.proof == Proof::Exchanged && !(mounted.reads || mounted.appends) {
        return Err(OperationError::Forbidden(
            "a token that was given in exchange is for what readers do: reading, and committing to tables"
                .to_owned(),
        )
        .into());
    }
    let Identity {
        subject,
        token,
        proof,
        answer: _,
    } = identity;
    // What was exchanged was seen then.
    if token.is_some() && proof != Proof::Exchanged {
        app.operations.notice_groups(&subject);
    }
    let evidence = ReaderEvidence {
        certificate: connection.certificate,
        token,
    };
    let trusted = app.operations.trust(&evidence);
    let trust = steps.pass(Step::Reader, &request_id, trusted).await?;
    let bytes = if B::READ {
        body.read(app.settings.server.max_body_bytes).await?
    } else {
        Bytes::new()
    };
    let keyed = match mounted.repeats {
        Repeats::Unheeded => None,
        Repeats::Decided | Repeats::TargetGone | Repeats::FilesKept => {
            idempotency::keyed(app, &method, &parts, &bytes, &subject.user)?
        }
    };
    let body = B::from_body(&parts.headers, bytes.clone());
    if mounted.tree == Tree::Iceberg {
        let resolved = crate::iceberg::prefix::resolve(app, mounted.path, &mut parts);
        steps.pass(Step::Catalog, &request_id, resolved).await?;
    }
    let mut caller = caller(app, &parts, subject, proof, trust, connection.remote, request_id)?;
    let target = T::from_call(app, &parts, body.as_ref().ok())?;
    let named = target.named().asked_by(&caller.subject.user);
    if named.metalake.is_none() && !mounted.reads {
        caller.require_server()?;
    }
    let facts = app.operations.open_gate(&mut caller, &named).await?;
    let mut call = Call {
        caller,
        facts,
        demand: Demand::new(mounted.requires, named, mounted.operation),
        notes: Notes::default(),
        met: Met::default(),
        keyed,
    };
    outcome.asked(&call);
    let mut decided = decide(app, &call, target.clone()).await;
    let earlier = idempotency::earlier(app, &call, mounted.repeats, decided.as_ref().err()).await?;
    let what = match earlier {
        Some(earlier) => What::Again(earlier),
        None => {
            if decided.is_ok() {
                let for_another = parts.header(FEDERATION_HEADER)?.is_some();
                call.met = app.operations.meet_upstream(&call, for_another).await?;
                if call.met.has_new_rows() {
                    // What was met may have an owner, and privileges that are granted or denied on it.
                    call.facts = app
                        .operations
                        .open_gate(&mut call.caller, &call.demand.named)
                        .await?;
                    decided = decide(app, &call, target).await;
                }
            }
            if let Err(OperationError::Refused { .. }) = &decided {
                note_refusal(app, &call, &mounted.requires, outcome).await;
            }
            What::Run(decided?, body?)
        }
    };
    outcome.begin().await?;
    Ok(Admitted {
        request: Request { call, parts, version },
        bytes,
        what,
    })
}

/// Whether the requirement is met by the facts of the call.
async fn decide<T>(app: &App, call: &Call, target: T) -> Result<Authorized<T>, OperationError> {
    let Call { facts, demand, .. } = call;
    let decided = async {
        authorize(&demand.requires, target, facts.target(), facts.grants())
            .map_err(|refusal| demand.refused(&refusal))
    };
    let steps = app.operations.steps();
    steps
        .pass(Step::Authorization, &call.caller.request_id, decided)
        .await
}

/// Decides a request that reads in one state, in which all that it reads now is too: what it read before was of a newer
/// state than what it was decided in.
async fn decide_again<T, B>(
    app: &App,
    request: &mut Request,
    body: Option<&B>,
    outcome: &mut Outcome,
) -> Result<Authorized<T>, Fault>
where
    T: FromCall<B>,
{
    let Request { call, parts, .. } = request;
    let target = T::from_call(app, parts, body)?;
    let facts = app
        .operations
        .open_gate_on_one_state(&mut call.caller, &call.demand.named);
    call.facts = facts.await?;
    outcome.asked(call);
    let decided = decide(app, call, target).await;
    if let Err(OperationError::Refused { .. }) = &decided {
        note_refusal(app, call, &call.demand.requires, outcome).await;
    }
    Ok(decided?)
}

/// Puts the reason of a refusal into its record. The refusal stands whether or not the reason can be told.
async fn note_refusal(app: &App, call: &Call, requires: &Requirement, outcome: &mut Outcome) {
    if !app.audit.is_kept() {
        return;
    }
    match app.operations.explain_refusal(call, requires).await {
        Ok(explanation) => outcome.refused(explanation),
        Err(error) => tracing::warn!(
            request_id = call.caller.request_id,
            error = %error,
            "a refusal could not be explained in the audit log"
        ),
    }
}

fn nobody() -> Identity {
    Identity::of(Subject {
        user: ANONYMOUS.to_owned(),
        groups: GroupClaim::Unknown,
    })
}

fn caller(
    app: &App,
    parts: &Parts,
    subject: Subject,
    proof: Proof,
    trust: Trust,
    remote: Option<IpAddr>,
    request_id: String,
) -> Result<Caller, OperationError> {
    if parts.headers.get_all(ACTIVE_ROLES_HEADER).iter().nth(1).is_some() {
        return Err(OperationError::mistake(
            Mistake::ActiveRoles,
            format!("the header `{ACTIVE_ROLES_HEADER}` must be sent once; separate role names by commas"),
        ));
    }
    let active_roles = ActiveRoles::parse(parts.header(ACTIVE_ROLES_HEADER)?)
        .map_err(|error| OperationError::mistake(Mistake::ActiveRoles, error.to_string()))?;
    let standing = app.operations.standing(&subject.user);
    let (active_roles, standing) = match proof.access_token() {
        Some(token) => (
            access_token::narrowed(token, active_roles)?,
            access_token::standing(token, standing),
        ),
        // Readers act for users of metalakes, not for those who run the server.
        None if proof == Proof::Exchanged => (active_roles, Standing::default()),
        None => (active_roles, standing),
    };
    Ok(Caller {
        standing,
        proof,
        subject,
        active_roles,
        trust,
        capabilities: capabilities(app, &parts.headers),
        request_id,
        remote,
    })
}

/// An answer that varies by what the client declares varies by both headers where both are read.
fn varying(app: &App, mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    if app.settings.read_restrictions.iceberg_capabilities_header && headers.contains_key(header::VARY) {
        headers.append(
            header::VARY,
            HeaderValue::from_static(ICEBERG_CAPABILITIES_HEADER),
        );
    }
    response
}

/// What the client declares: in the header of the original and, where the operator says so, in Iceberg's.
fn capabilities(app: &App, headers: &http::HeaderMap) -> Capabilities {
    let declared = |header: &str| {
        let lines: Vec<&[u8]> = headers
            .get_all(header)
            .iter()
            .map(HeaderValue::as_bytes)
            .collect();
        Capabilities::parse(&lines)
    };
    let capabilities = declared(CAPABILITIES_HEADER);
    if !app.settings.read_restrictions.iceberg_capabilities_header {
        return capabilities;
    }
    capabilities.union(declared(ICEBERG_CAPABILITIES_HEADER))
}
