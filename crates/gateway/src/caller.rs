// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who makes a call. Made once per call, from the credentials that it carries and from what the server says to them;
//! nothing of it is kept.

use std::time::Duration;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use lakeward_reader::connection::{Connection, Credentials, ServerConfiguration};
use lakeward_reader::session::{Session, SessionOptions};
use ring::digest::{SHA256, digest};
use serde::Deserialize;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use crate::gateway::Gateway;
use crate::session_token::{Login, Opened};
use crate::status;

/// Clients exist that leave the padding out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// The name of a caller who gave no credentials, to a server that asks for none.
const ANONYMOUS: &str = "anonymous";
/// The name behind a session that cannot be opened, in records.
const UNKNOWN: &str = "(unknown session)";
/// Bytes of a token's digest that name its holder where the token does not.
const FINGERPRINT: usize = 8;
/// The longest name of a caller, in characters; what is longer is cut.
const LONGEST_NAME: usize = 256;

/// A user whom the server knows, for one call.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The user, for limits and the audit: what the server was told and took. Not for decisions about tables; those are
    /// the server's.
    pub(crate) name: String,
    /// Reads tables as this user.
    pub(crate) session: Session,
    /// The way to the server as this user, for lists.
    pub(crate) connection: Connection,
    /// What the server told this user of itself.
    pub(crate) configuration: ServerConfiguration,
    /// How long the client waits for the call, if it said so.
    pub(crate) timeout: Option<Duration>,
}

/// What a call presents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Presented {
    /// A name and a password, from Basic or from a session.
    Login(Login),
    /// The user's own token.
    Token(String),
    /// Nothing.
    Nothing,
}

impl Gateway {
    /// Who makes the call with these metadata, as the server says at this moment.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` for credentials that nobody knows, or that are missing; `PERMISSION_DENIED` when the server
    /// refuses; `UNAVAILABLE` when it cannot be asked.
    pub(crate) async fn caller(&self, metadata: &MetadataMap) -> Result<Caller, Status> {
        let presented = self.presented(metadata)?;
        let mut caller = self.admit(&presented).await?;
        caller.timeout = timeout(metadata);
        Ok(caller)
    }

    /// Asks the server whether it knows who presents this.
    async fn admit(&self, presented: &Presented) -> Result<Caller, Status> {
        self.connector.follow().await;
        let connection = self
            .connector
            .connect(&presented.credentials())
            .map_err(|error| status::of(&error))?;
        let name = presented.name();
        let configuration = connection.configuration().await.map_err(|error| {
            let status = status::of_login(&error, presented == &Presented::Nothing);
            if status.code() == Code::Unauthenticated {
                self.statements.refused_login(&name);
            } else if matches!(status.code(), Code::Unavailable | Code::Internal) {
                self.statements.metrics.upstream_failed();
            }
            status
        })?;
        let options = SessionOptions {
            default_catalog: match self.settings.catalogs.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
            default_schema: None,
            limits: self.settings.limits.clone(),
            share: Some(self.resources.of_user(&name)),
        };
        Ok(Caller {
            name,
            session: Session::new(connection.clone(), options),
            connection,
            configuration,
            timeout: None,
        })
    }

    /// What a call presents; sessions are opened.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` for a header that cannot be read and for a session that is over or not ours.
    pub(crate) fn presented(&self, metadata: &MetadataMap) -> Result<Presented, Status> {
        let mut headers = metadata.get_all("authorization").iter();
        let Some(header) = headers.next() else {
            return Ok(Presented::Nothing);
        };
        if headers.any(|other| other != header) {
            return Err(Status::unauthenticated(
                "there are several `authorization` headers; send one",
            ));
        }
        let unreadable = || {
            Status::unauthenticated(
                "the `authorization` header cannot be read; send `Basic` or `Bearer` credentials",
            )
        };
        let header = header.to_str().map_err(|_| unreadable())?.trim();
        let (scheme, value) = header.split_once(' ').ok_or_else(unreadable)?;
        let value = value.trim();
        if scheme.eq_ignore_ascii_case("basic") {
            return basic(value).map(Presented::Login).ok_or_else(unreadable);
        }
        if scheme.eq_ignore_ascii_case("negotiate") {
            return Err(Status::unauthenticated(
                "a Kerberos ticket counts once and for one server, so a gateway cannot pass it on: log in with a bearer token \
                 or with user and password",
            ));
        }
        if !scheme.eq_ignore_ascii_case("bearer") || value.is_empty() {
            return Err(unreadable());
        }
        match self.sessions.open(value) {
            Opened::Login(login) => Ok(Presented::Login(login)),
            Opened::NotOurs => Ok(Presented::Token(value.to_owned())),
            Opened::Expired => {
                self.statements.refused_login(UNKNOWN);
                Err(Status::unauthenticated("the session is over; log in again"))
            }
            Opened::Unknown => {
                self.statements.refused_login(UNKNOWN);
                Err(Status::unauthenticated(
                    "this gateway does not know the session, since it was restarted or has another session key; log in again",
                ))
            }
        }
    }
}

impl Presented {
    fn credentials(&self) -> Credentials {
        match self {
            Self::Login(Login { user, password }) => Credentials::Basic {
                user: user.clone(),
                password: password.clone(),
            },
            Self::Token(token) => Credentials::Bearer(token.clone()),
            Self::Nothing => Credentials::None,
        }
    }

    /// The user. To be believed only once the server took what was presented.
    fn name(&self) -> String {
        let name = match self {
            Self::Login(login) => login.user.clone(),
            Self::Token(token) => subject(token).unwrap_or_else(|| fingerprint(token)),
            Self::Nothing => ANONYMOUS.to_owned(),
        };
        name.chars().take(LONGEST_NAME).collect()
    }
}

/// The time that the client gives the call, as gRPC writes it (`grpc-timeout: 10S`). What cannot be read is none; the
/// gateway's own limit holds anyway.
fn timeout(metadata: &MetadataMap) -> Option<Duration> {
    let text = metadata.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

/// Name and password of a Basic header. Without a colon the password is empty.
fn basic(value: &str) -> Option<Login> {
    let text = String::from_utf8(LENIENT.decode(value).ok()?).ok()?;
    let (user, password) = text.split_once(':').unwrap_or((&text, ""));
    Some(Login {
        user: user.to_owned(),
        password: password.to_owned(),
    })
}

/// The `sub` of a JSON Web Token. Its signature was the server's to check.
fn subject(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Claims {
        sub: String,
    }
    let payload = token.split('.').nth(1)?;
    let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
    (!claims.sub.is_empty()).then_some(claims.sub)
}

/// A name for the holder of a token that says none.
fn fingerprint(token: &str) -> String {
    let digest = digest(&SHA256, token.as_bytes());
    let bytes = digest.as_ref().iter().take(FINGERPRINT);
    let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    format!("token-{hex}")
}

#[cfg(test)]
mod tests;
