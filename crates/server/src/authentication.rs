// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who is asking: the configured authenticators are asked in order, and the first that claims the presented
//! credentials decides.

use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use http::{HeaderMap, header};
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_operations::caller::Proof;
use lakeward_operations::reader::TokenEvidence;
use lakeward_operations::{OperationError, Operations};

use crate::config::scim::ProvisioningToken;
use crate::config::settings::AuthenticatorKind;
use crate::config::{ConfigurationError, Settings};
use crate::http::routes::Tree;
use crate::token_exchange::exchanged_token::is_one;

pub mod access_token;
pub mod basic;
pub mod credentials;
pub mod exchanged;
#[cfg(feature = "kerberos")]
mod kerberos;
pub mod oauth;
mod provisioning;
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
    /// What proves the server to the client: the value of `WWW-Authenticate` in the answer (RFC 4559, section 4.1).
    pub answer: Option<String>,
}

impl Identity {
    /// Somebody without a token.
    pub fn of(subject: Subject) -> Self {
        Self {
            subject,
            token: None,
            proof: Proof::Foreign,
            answer: None,
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

/// What a token of the issuer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// The end user.
    pub subject: Subject,
    /// What it says of those who present it.
    pub evidence: TokenEvidence,
    /// The second in which it ends.
    pub expires: u64,
    /// Its scopes, with blanks between them.
    pub scope: Option<String>,
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
    /// Those of this server's own tokens before the configured ones: nothing else that is sent begins like them.
    authenticators: Vec<Arc<dyn Authenticator>>,
    /// The one of them that reads the tokens of an issuer.
    oauth: Option<Arc<oauth::Oauth>>,
    provisioning: Option<ProvisioningToken>,
}

impl Authentication {
    /// One authenticator per configured kind, in the configured order.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a key of tokens that cannot be used, or that is not there.
    pub fn new(settings: &Settings, operations: &Operations) -> Result<Self, ConfigurationError> {
        let oauth = match &settings.oauth {
            Some(of_issuer) => Some(Arc::new(oauth::Oauth::new(of_issuer)?)),
            None => None,
        };
        let mut authenticators: Vec<Arc<dyn Authenticator>> = Vec::new();
        if settings.authenticators.contains(&AuthenticatorKind::Basic) {
            authenticators.push(Arc::new(access_token::AccessTokens::new(operations.clone())));
        }
        if let Some(of_issuer) = &settings.oauth {
            let audience = of_issuer.audience.clone();
            authenticators.push(Arc::new(exchanged::Exchanged::new(operations.clone(), audience)));
        }
        for kind in &settings.authenticators {
            authenticators.push(match (kind, &oauth) {
                (AuthenticatorKind::Simple, _) => Arc::new(simple::Simple),
                (AuthenticatorKind::Basic, _) => Arc::new(basic::Basic::new(operations.clone())),
                (AuthenticatorKind::Oauth, Some(oauth)) => Arc::<oauth::Oauth>::clone(oauth),
                (AuthenticatorKind::Kerberos, _) => kerberos(settings)?,
                (AuthenticatorKind::Oauth, None) => return Err(without_settings("oauth")),
            });
        }
        Ok(Self {
            authenticators,
            oauth,
            provisioning: settings.scim.token.clone(),
        })
    }

    /// One authenticator.
    #[cfg(test)]
    pub(crate) fn of_one(authenticator: Arc<dyn Authenticator>) -> Self {
        Self {
            authenticators: vec![authenticator],
            oauth: None,
            provisioning: None,
        }
    }

    /// What a token of the issuer says.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] and [`OperationError::TokenExpired`] for one that would be refused as the
    /// credentials of a request, and where no such tokens are read; what hinders finding that out.
    pub async fn issued(&self, token: &str) -> Result<IssuedToken, OperationError> {
        let refused = |reason: &str| OperationError::Unauthenticated(reason.to_owned());
        let oauth = self.oauth.as_ref();
        let oauth = oauth.ok_or_else(|| refused("no token of an issuer is read here"))?;
        if is_one(token) {
            return Err(refused("the token was given in exchange already"));
        }
        let issued = oauth.issued(token).await?;
        without_nul(&issued.subject)?;
        Ok(issued)
    }

    /// Who sends a request to one of the trees: below `/scim/v2` the tokens of provisioners count too.
    ///
    /// # Errors
    /// As [`Self::authenticate`].
    pub async fn authenticate_in(
        &self,
        tree: Tree,
        headers: &HeaderMap,
        remote: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let known = self.provisioning.as_ref().filter(|_| tree == Tree::Scim);
        match known.and_then(|known| provisioning::identity(known, headers)) {
            Some(identity) => Ok(identity),
            None => self.authenticate(headers, remote).await,
        }
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
        for authenticator in &self.authenticators {
            if authenticator.claims(credentials) {
                let identity = authenticator.authenticate(credentials, remote).await?;
                without_nul(&identity.subject)?;
                return Ok(identity);
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

#[cfg(feature = "kerberos")]
fn kerberos(settings: &Settings) -> Result<Arc<dyn Authenticator>, ConfigurationError> {
    let kerberos = settings.kerberos.as_ref();
    let kerberos = kerberos.ok_or_else(|| without_settings("kerberos"))?;
    Ok(Arc::new(kerberos::Kerberos::new(kerberos)?))
}

/// A build without it has no settings of it either.
#[cfg(not(feature = "kerberos"))]
fn kerberos(_: &Settings) -> Result<Arc<dyn Authenticator>, ConfigurationError> {
    Err(without_settings("kerberos"))
}

fn without_settings(authenticator: &str) -> ConfigurationError {
    ConfigurationError::Combination(format!("`{authenticator}` has no settings"))
}

/// Refuses names with U+0000, which no store of PostgreSQL can be asked for.
fn without_nul(subject: &Subject) -> Result<(), OperationError> {
    let groups = match &subject.groups {
        GroupClaim::Known(groups) => Some(groups),
        GroupClaim::Unknown | GroupClaim::Unreadable => None,
    };
    let mut names = groups.into_iter().flatten().chain(std::iter::once(&subject.user));
    if names.any(|name| name.contains('\0')) {
        return Err(OperationError::Unauthenticated(
            "the credentials name a user or a group with U+0000".to_owned(),
        ));
    }
    Ok(())
}
