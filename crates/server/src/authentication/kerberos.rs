// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `kerberos`: tickets of a realm by SPNEGO (RFC 4559), proven on both sides. It knows no groups.

use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lakeward_metadata::principal::{ANONYMOUS, GroupClaim, Subject, check_principal_name};
use lakeward_operations::OperationError;
use tokio::sync::Semaphore;

use self::acceptor::{Accepted, Acceptor, Refusal};
use super::{Authenticator, Identity};
use crate::config::ConfigurationError;
use crate::config::kerberos::KerberosSettings;
use crate::config::name_mapper::NameMapper;

mod acceptor;

/// How many tickets are judged at a time; each takes a thread for as long.
const AT_A_TIME: usize = 8;

/// The most characters of a token: tickets with the groups of large directories have some 48 KiB before Base64.
const MAX_TOKEN_BYTES: usize = 65_536;

/// See the module.
#[derive(Debug)]
pub(super) struct Kerberos {
    acceptor: Arc<Acceptor>,
    principal_mapper: NameMapper,
    places: Arc<Semaphore>,
}

impl Kerberos {
    /// Reads the keytab.
    ///
    /// # Errors
    /// [`ConfigurationError::Combination`] when it cannot be read, or holds no key of the principal.
    pub(super) fn new(settings: &KerberosSettings) -> Result<Self, ConfigurationError> {
        Ok(Self {
            acceptor: Arc::new(Acceptor::new(settings)?),
            principal_mapper: settings.principal_mapper.clone(),
            places: Arc::new(Semaphore::new(AT_A_TIME)),
        })
    }

    async fn accepted(&self, token: Vec<u8>) -> Result<Accepted, OperationError> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(OperationError::internal)?;
        let acceptor = Arc::clone(&self.acceptor);
        // It reads files, and writes down which tickets were shown. Its place is kept until it ends, whoever waits for it.
        let judged = tokio::task::spawn_blocking(move || {
            let judged = acceptor.accept(&token);
            drop(place);
            judged
        });
        judged
            .await
            .map_err(OperationError::internal)?
            .map_err(|refusal| refused(refusal.text()))
    }
}

#[async_trait]
impl Authenticator for Kerberos {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials.and_then(negotiate).is_some()
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        _: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let token = credentials.and_then(negotiate).unwrap_or_default();
        if token.len() > MAX_TOKEN_BYTES {
            return Err(refused("the `Negotiate` token is longer than 65536 bytes"));
        }
        let token = STANDARD
            .decode(token)
            .ok()
            .filter(|token| !token.is_empty())
            .ok_or_else(|| refused("what follows `Negotiate` is no token in Base64"))?;
        let accepted = self.accepted(token).await?;
        let user = self.principal_mapper.map(&accepted.client);
        let user = user.filter(|user| *user != ANONYMOUS && check_principal_name("principal", user).is_ok());
        let user = user.ok_or_else(|| {
            tracing::info!(principal = accepted.client, "a principal has no name here");
            refused(Refusal::NoName.text())
        })?;
        Ok(Identity {
            answer: accepted
                .answer
                .map(|token| format!("{SCHEME} {}", STANDARD.encode(token))),
            ..Identity::of(Subject {
                user: user.to_owned(),
                groups: GroupClaim::Unknown,
            })
        })
    }
}

const SCHEME: &str = "Negotiate";

/// The token of a `Negotiate` header, as it is written.
fn negotiate(credentials: &str) -> Option<&str> {
    let (scheme, token) = credentials.split_once(' ').unwrap_or((credentials, ""));
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim())
}

fn refused(text: &str) -> OperationError {
    OperationError::Unauthenticated(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::negotiate;

    #[test]
    fn headers() {
        assert_eq!(negotiate("Negotiate YWJj"), Some("YWJj"));
        assert_eq!(negotiate("negotiate  YWJj "), Some("YWJj"));
        assert_eq!(negotiate("Negotiate"), Some(""));
        assert_eq!(negotiate("Basic YWJj"), None);
        assert_eq!(negotiate("Negotiated YWJj"), None);
    }
}
