// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who is asking: the configured authenticators are asked in order, and the first that claims the presented
//! credentials decides.

use std::net::IpAddr;

use async_trait::async_trait;
use http::{HeaderMap, header};
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_operations::caller::Proof;
use lakeward_operations::reader::TokenEvidence;
use lakeward_operations::{OperationError, Operations};

use crate::config::settings::AuthenticatorKind;
use crate::config::{ConfigurationError, Settings};

pub mod access_token;
pub mod basic;
pub mod credentials;
pub mod oauth;
pub mod simple;

/// Who an authenticator found, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The end user.
    pub subject: Subject,
    /// What a token says of those who present it; `None` for other credentials.
    pub token: Option<TokenEvidence>,
    /// What of this server proved it.
    pub proof: Proof,
}

impl Identity {
    /// Somebody without a token.
    pub fn of(subject: Subject) -> Self {
        Self {
            subject,
            token: None,
            proof: Proof::Foreign,
        }
    }

    /// An account of the built-in identity provider, with the groups that it is in.
    pub fn of_account(subject: Subject, proof: Proof) -> Self {
        Self {
            proof,
            ..Self::of(subject)
        }
    }
}

/// One way to prove who one is.
#[async_trait]
pub trait Authenticator: Send + Sync + std::fmt::Debug {
    /// Whether these credentials are its to judge. `None` means that the request carries none.
    fn claims(&self, credentials: Option<&str>) -> bool;

    /// Judges them. `remote` is the address they come from; `None` in-process.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`], the same for an unknown name and a wrong secret;
    /// [`OperationError::TokenExpired`]; [`OperationError::TooManyRequests`] after too many wrong ones.
    async fn authenticate(
        &self,
        credentials: Option<&str>,
        remote: Option<IpAddr>,
    ) -> Result<Identity, OperationError>;
}

/// The configured authenticators.
#[derive(Debug)]
pub struct Authentication {
    authenticators: Vec<Box<dyn Authenticator>>,
    /// Asked before them: nothing else that is sent begins like an access token.
    access_tokens: Option<access_token::AccessTokens>,
}

impl Authentication {
    /// One authenticator per configured kind, in the configured order.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a key of tokens that cannot be used, or that is not there.
    pub fn new(settings: &Settings, operations: &Operations) -> Result<Self, ConfigurationError> {
        let authenticator = |kind: &AuthenticatorKind| -> Result<Box<dyn Authenticator>, ConfigurationError> {
            Ok(match kind {
                AuthenticatorKind::Simple => Box::new(simple::Simple),
                AuthenticatorKind::Basic => Box::new(basic::Basic::new(operations.clone())),
                AuthenticatorKind::Oauth => {
                    let missing = || ConfigurationError::Combination("`oauth` has no settings".to_owned());
                    Box::new(oauth::Oauth::new(settings.oauth.as_ref().ok_or_else(missing)?)?)
                }
            })
        };
        let has_accounts = settings.authenticators.contains(&AuthenticatorKind::Basic);
        Ok(Self {
            access_tokens: has_accounts.then(|| access_token::AccessTokens::new(operations.clone())),
            authenticators: settings
                .authenticators
                .iter()
                .map(authenticator)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Who sends a request. Only the first `Authorization` header counts.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] when nobody claims the credentials, they are wrong, or a name in them cannot be;
    /// [`OperationError::TooManyRequests`] after too many wrong ones.
    pub async fn authenticate(
        &self,
        headers: &HeaderMap,
        remote: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let credentials = headers
            .get(header::AUTHORIZATION)
            .map(|value| String::from_utf8_lossy(value.as_bytes()));
        let credentials = credentials.as_deref().map(str::trim);
        let ours = self
            .access_tokens
            .iter()
            .map(|tokens| tokens as &dyn Authenticator);
        let configured = self.authenticators.iter().map(AsRef::as_ref);
        for authenticator in ours.chain(configured) {
            if authenticator.claims(credentials) {
                let identity = authenticator.authenticate(credentials, remote).await?;
                return without_nul(identity);
            }
        }
        let message = if credentials.is_some() {
            "the provided credentials are not supported"
        } else {
            "there are no credentials: send an `Authorization` header"
        };
        Err(OperationError::Unauthenticated(message.to_owned()))
    }
}

/// Refuses names with U+0000, which no store of PostgreSQL can be asked for.
fn without_nul(identity: Identity) -> Result<Identity, OperationError> {
    let groups = match &identity.subject.groups {
        GroupClaim::Known(groups) => Some(groups),
        GroupClaim::Unknown | GroupClaim::Unreadable => None,
    };
    let mut names = groups
        .into_iter()
        .flatten()
        .chain(std::iter::once(&identity.subject.user));
    if names.any(|name| name.contains('\0')) {
        return Err(OperationError::Unauthenticated(
            "the credentials name a user or a group with U+0000".to_owned(),
        ));
    }
    Ok(identity)
}
