// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `POST /oauth/token`: token exchange by RFC 8693. An enrolled reader that may do so gives a token of one of its users and
//! gets one of this server: about the same user (`sub`), acting itself (`act`), for this server only, for minutes, and with
//! nothing that the given token does not have.

use http::{HeaderName, Method, header};
use lakeward_authorization::{Authorized, Requirement};
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use lakeward_operations::named::TheServer;
use lakeward_operations::token_exchange::Exchanger;
use lakeward_read_restrictions::admission::Trust;
use serde::Serialize;

use self::asked::{ACCESS_TOKEN, Asked};
use self::exchanged_token::{Actor, Claims, ISSUER, write};
use self::form::Form;
use crate::app::App;
use crate::authentication::IssuedToken;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

mod asked;
pub mod error;
pub(crate) mod exchanged_token;
pub mod form;

/// The most seconds that a token is good for. A reader comes again with its user's token, or lets go of the user.
const MOST_SECONDS: u64 = 300;

/// The endpoints below `/oauth`.
pub fn routes() -> Routes {
    Routes::default().mount::<ExchangeToken>()
}

/// `POST /oauth/token`. Who asks is proven by the certificate of the connection or by a parameter, so no header is needed.
#[derive(Debug)]
pub struct ExchangeToken;

/// What is answered: RFC 8693, section 2.2.1.
#[derive(Serialize)]
struct Exchanged {
    access_token: String,
    issued_token_type: &'static str,
    token_type: &'static str,
    expires_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

impl Endpoint for ExchangeToken {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/token";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    const READS: bool = true;
    type Target = TheServer;
    type Body = Form;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        _: Authorized<TheServer>,
        form: Form,
    ) -> Result<Reply, OperationError> {
        let caller = &request.call.caller;
        if caller.trust == Trust::Untrusted {
            let now = app.operations.clock().millis();
            app.rates.count_address(caller.remote, now)?;
        }
        let asked = Asked::read(form)?;
        let audience = match &app.settings.oauth {
            Some(oauth) => &oauth.audience,
            None => {
                return Err(OperationError::mistake(
                    Mistake::GrantType,
                    "this server reads no tokens that could be exchanged",
                ));
            }
        };
        asked.require_target(audience)?;
        let actor = match &asked.actor_token {
            Some(token) => Some(app.authentication.issued(token).await?),
            None => None,
        };
        let actor = actor.as_ref().map(|actor| &actor.evidence);
        let exchanger = app.operations.exchanger(&caller.trust, actor).await?;
        let subject = app.authentication.issued(&asked.subject_token).await;
        let subject = subject.map_err(|error| {
            if let OperationError::Unauthenticated(reason) | OperationError::TokenExpired(reason) = &error {
                OperationError::invalid(format!("`subject_token` is refused: {reason}"))
            } else {
                error
            }
        })?;
        exchanger.require_delegation(&subject.evidence)?;
        let exchanged = exchange(app, &exchanger, subject, &asked, audience).await?;
        request
            .call
            .notes
            .exchange(&exchanged.1, &exchanger.reader().name);
        Reply::json(&exchanged.0)?
            .with_header(header::CACHE_CONTROL, "no-store")?
            .with_header(HeaderName::from_static("pragma"), "no-cache")
    }
}

/// The answer, and whom its token is about.
async fn exchange(
    app: &App,
    exchanger: &Exchanger,
    subject: IssuedToken,
    asked: &Asked,
    audience: &str,
) -> Result<(Exchanged, String), OperationError> {
    let scope = asked.narrowed(subject.scope.as_deref())?;
    let now = u64::try_from(app.operations.clock().millis() / 1000).unwrap_or_default();
    let until = subject.expires.min(now.saturating_add(MOST_SECONDS));
    if until <= now {
        return Err(OperationError::invalid(
            "`subject_token` is refused: the token has expired; get a new one",
        ));
    }
    let reader = exchanger.reader();
    let claims = Claims {
        iss: ISSUER.to_owned(),
        aud: audience.to_owned(),
        sub: subject.subject.user,
        act: Actor {
            sub: reader.name,
            revision: reader.revision,
        },
        groups: exchanged_token::groups(&subject.subject.groups),
        scope: scope.clone(),
        iat: now,
        exp: until,
    };
    let answer = Exchanged {
        access_token: write(app.operations.exchange_key().await?, &claims)?,
        issued_token_type: ACCESS_TOKEN,
        token_type: "Bearer",
        expires_in: until - now,
        scope,
    };
    Ok((answer, claims.sub))
}
