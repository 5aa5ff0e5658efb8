// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a token is refused, in words for whoever holds it. What a claim should be is told only after the signature was
//! verified, so to nobody but holders of tokens of our own issuer. No text holds any part of a token.

use jsonwebtoken::errors::{Error, ErrorKind};
use lakeward_operations::OperationError;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenRefusal {
    #[error("the bearer token is longer than {0} bytes")]
    TooLong(usize),
    #[error("the bearer token is no JSON Web Token that this server can read")]
    Unreadable,
    #[error("the token is not signed with an algorithm that this server accepts from its issuer")]
    Algorithm,
    #[error("the token is not signed by a key of the issuer that this server trusts")]
    Signature,
    #[error("the token has expired; get a new one")]
    Expired,
    #[error("the token is not valid yet; compare the clocks of its issuer and of this server")]
    NotYet,
    #[error("the token is not for this server: its `aud` must hold `{0}`")]
    Audience(String),
    #[error("the token is not of the issuer that this server trusts: its `iss` must be `{0}`")]
    Issuer(String),
    #[error("the token has no readable claim `{0}`")]
    Claim(String),
    #[error("the token names nobody: none of its claims {0} is a text")]
    NoPrincipal(String),
    #[error("the principal of the token does not match the pattern of `principalMapper`")]
    UnmappedPrincipal,
    #[error("the principal of the token is not a name that a user can have")]
    BadPrincipal,
    #[error("the claim `sub` of the token is empty or no text")]
    BadSubject,
    #[error("the claim `act` of the token must be an object whose `sub` names the actor")]
    BadActor,
}

impl TokenRefusal {
    /// The refusal for what the token library found. `audience` and `issuer` are what this server expects.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the library adds kinds without notice, and each refuses the token"
    )]
    pub(super) fn of(error: &Error, audience: &str, issuer: Option<&str>) -> Self {
        let for_audience = || Self::Audience(audience.to_owned());
        let for_issuer = || Self::Issuer(issuer.unwrap_or_default().to_owned());
        match error.kind() {
            ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName | ErrorKind::MissingAlgorithm => {
                Self::Algorithm
            }
            ErrorKind::ExpiredSignature => Self::Expired,
            ErrorKind::ImmatureSignature => Self::NotYet,
            ErrorKind::InvalidAudience => for_audience(),
            ErrorKind::InvalidIssuer => for_issuer(),
            ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
                match claim.as_str() {
                    "aud" => for_audience(),
                    "iss" => for_issuer(),
                    _ => Self::Claim(claim.clone()),
                }
            }
            ErrorKind::InvalidToken | ErrorKind::Base64(_) | ErrorKind::Json(_) | ErrorKind::Utf8(_) => {
                Self::Unreadable
            }
            // Whatever else there may be says nothing of its cause.
            _ => Self::Signature,
        }
    }
}

impl From<TokenRefusal> for OperationError {
    fn from(refusal: TokenRefusal) -> Self {
        let message = refusal.to_string();
        if refusal == TokenRefusal::Expired {
            return Self::TokenExpired(message);
        }
        Self::Unauthenticated(message)
    }
}
