// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `oauth`: a bearer token, signed by the issuer that the operator trusts. Its claims say who the user is and in which
//! groups, and which client or actor presents it.
//!
//! A token is verified once; until it expires, and for a few minutes at most, its digest stands for it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jsonwebtoken::{Validation, decode, decode_header, get_current_timestamp};
use lakeward_metadata::principal::GroupClaim;
use lakeward_operations::OperationError;
use moka::sync::Cache;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use self::claims::ClaimReader;
use self::key_source::KeySource;
use self::refusal::TokenRefusal;
use super::credentials::bearer;
use super::{Authenticator, Identity, IssuedToken};
use crate::config::ConfigurationError;
use crate::config::oauth::OauthSettings;

mod claims;
mod key;
mod key_set;
mod key_source;
mod publication;
mod refusal;
mod signatures;

/// Tokens with hundreds of groups stay well below this.
const MOST_TOKEN_BYTES: usize = 32 * 1024;
/// What is remembered of verified tokens takes no more memory than about this.
const REMEMBERED_BYTES: u64 = 128 * 1024 * 1024;
/// How long a token is taken for verified, so that a key that its issuer withdrew stops counting.
const REMEMBERED: Duration = Duration::from_secs(300);

/// By how much the clock of an issuer may be ahead beyond the configured skew: tokens are dated in whole seconds, and sent as
/// soon as they are made. Only `iat` is taken so lightly, since the original does not look at it.
const AHEAD: u64 = 60;

/// What a text takes in a set beside its letters.
const OF_A_TEXT: usize = 48;
/// What a token takes beside the names of its groups.
const OF_A_TOKEN: usize = 1024;

/// See the module.
#[derive(Debug)]
pub struct Oauth {
    keys: KeySource,
    claims: ClaimReader,
    audience: String,
    issuer: Option<String>,
    skew: u64,
    verified: Cache<[u8; 32], Arc<Verified>>,
}

/// A token that was verified.
#[derive(Debug)]
struct Verified {
    identity: Identity,
    /// The second in which the token ends.
    expires: u64,
    /// The scopes of the token.
    scope: Option<String>,
}

impl Verified {
    /// About how much memory it takes; a token may name thousands of groups.
    fn bytes(&self) -> u32 {
        let groups = match &self.identity.subject.groups {
            GroupClaim::Known(groups) => groups.iter().map(|name| name.len() + OF_A_TEXT).sum(),
            GroupClaim::Unknown | GroupClaim::Unreadable => 0,
        };
        let scope = self.scope.as_ref().map_or(0, String::len);
        u32::try_from(groups + scope + OF_A_TOKEN).unwrap_or(u32::MAX)
    }
}

impl Oauth {
    /// Judges by these settings. No key set is fetched before the first token.
    ///
    /// # Errors
    /// [`ConfigurationError::Value`] for a key that cannot be used.
    pub fn new(settings: &OauthSettings) -> Result<Self, ConfigurationError> {
        signatures::install();
        Ok(Self {
            keys: KeySource::new(&settings.keys)?,
            claims: ClaimReader {
                principal_fields: settings.principal_fields.clone(),
                groups_fields: settings.groups_fields.clone(),
                principal_mapper: settings.principal_mapper.clone(),
                group_mapper: settings.group_mapper.clone(),
            },
            audience: settings.audience.clone(),
            issuer: settings.issuer.clone(),
            skew: settings.skew_secs,
            verified: Cache::builder()
                .max_capacity(REMEMBERED_BYTES)
                .weigher(|_, verified: &Arc<Verified>| verified.bytes())
                .time_to_live(REMEMBERED)
                .build(),
        })
    }

    async fn verify(&self, token: &str) -> Result<Verified, OperationError> {
        let header = decode_header(token).map_err(|error| self.refusal(&error))?;
        if header.crit.is_some() {
            // It says that what is not understood must not be ignored, and none of it is understood.
            return Err(TokenRefusal::Unreadable.into());
        }
        let key = self.keys.key(header.kid.as_deref()).await?;
        let mut validation = Validation::default();
        validation.algorithms.clone_from(&key.algorithms);
        validation.leeway = self.skew;
        validation.validate_nbf = true;
        validation.set_audience(&[&self.audience]);
        // The library checks what is there; what must be there it has to be told.
        let mut required = vec!["exp", "aud"];
        if let Some(issuer) = &self.issuer {
            validation.set_issuer(&[issuer]);
            required.push("iss");
        }
        validation.set_required_spec_claims(&required);
        let claims = decode::<Map<String, Value>>(token, &key.key, &validation)
            .map_err(|error| self.refusal(&error))?
            .claims;
        if let Some(issuer) = &self.issuer
            && !claims.get("iss").is_some_and(|claim| claim == issuer.as_str())
        {
            // The library takes a list that holds the issuer; no token has more than one.
            return Err(TokenRefusal::Issuer(issuer.clone()).into());
        }
        let expires = claims
            .get("exp")
            .and_then(seconds)
            .ok_or_else(|| TokenRefusal::Claim("exp".to_owned()))?;
        if let Some(issued) = claims.get("iat") {
            let issued = seconds(issued).ok_or_else(|| TokenRefusal::Claim("iat".to_owned()))?;
            if issued
                > get_current_timestamp()
                    .saturating_add(self.skew)
                    .saturating_add(AHEAD)
            {
                return Err(TokenRefusal::NotYet.into());
            }
        }
        Ok(Verified {
            identity: self.claims.identity(&claims)?,
            expires,
            scope: claims.get("scope").and_then(Value::as_str).map(str::to_owned),
        })
    }

    /// What a token says. One that was verified a moment ago is taken as it was found then.
    async fn verified(&self, token: &str) -> Result<Arc<Verified>, OperationError> {
        if token.len() > MOST_TOKEN_BYTES {
            return Err(TokenRefusal::TooLong(MOST_TOKEN_BYTES).into());
        }
        let digest: [u8; 32] = Sha256::digest(token).into();
        if let Some(known) = self.verified.get(&digest) {
            if get_current_timestamp() <= known.expires.saturating_add(self.skew) {
                return Ok(known);
            }
            return Err(TokenRefusal::Expired.into());
        }
        let verified = Arc::new(self.verify(token).await?);
        self.verified.insert(digest, Arc::clone(&verified));
        Ok(verified)
    }

    /// What a token says, and for how long.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] and [`OperationError::TokenExpired`] with the reason;
    /// [`OperationError::Unavailable`] where the keys of the issuer cannot be fetched.
    pub async fn issued(&self, token: &str) -> Result<IssuedToken, OperationError> {
        let verified = self.verified(token).await?;
        let identity = verified.identity.clone();
        Ok(IssuedToken {
            subject: identity.subject,
            evidence: identity.token.unwrap_or_default(),
            expires: verified.expires,
            scope: verified.scope.clone(),
        })
    }

    fn refusal(&self, error: &jsonwebtoken::errors::Error) -> TokenRefusal {
        TokenRefusal::of(error, &self.audience, self.issuer.as_deref())
    }
}

/// A time of a claim, in whole seconds: a fraction is allowed, and cut off.
fn seconds(claim: &Value) -> Option<u64> {
    claim
        .as_u64()
        .or_else(|| claim.as_f64().map(|seconds| seconds as u64))
}

#[async_trait]
impl Authenticator for Oauth {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials.is_some_and(|credentials| bearer(credentials).is_some())
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        _: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let token = credentials.and_then(bearer).unwrap_or_default();
        Ok(self.verified(token).await?.identity.clone())
    }
}

#[cfg(test)]
mod tests;
