// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens that are given in exchange: JSON Web Tokens under a key that the nodes of this server share and nobody else has.
//! Each begins with the same header, which no issuer's token does, so it is told by its first letters who judges it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lakeward_metadata::principal::GroupClaim;
use lakeward_operations::OperationError;
use ring::hmac;
use serde::{Deserialize, Serialize};

/// `iss` of every token.
pub(super) const ISSUER: &str = "lakeward";
/// The header of every token, before it is encoded.
const HEADER: &str = r#"{"alg":"HS256","typ":"lakeward-exchange+jwt"}"#;

/// What a token says. Another version of the server may write another: what is not understood is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claims {
    /// Always [`ISSUER`].
    pub(crate) iss: String,
    /// The audience of this server.
    pub(crate) aud: String,
    /// The end user, by the name that it has here.
    pub(crate) sub: String,
    /// The reader that acts for it.
    pub(crate) act: Actor,
    /// The groups that the exchanged token proved; absent where it proved none, not even that there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) groups: Option<Vec<String>>,
    /// The scopes of the exchanged token, or fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    /// When it was given, in seconds.
    pub(crate) iat: u64,
    /// When it ends, in seconds.
    pub(crate) exp: u64,
}

/// `act`: RFC 8693, section 4.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Actor {
    /// The name of the reader's entry.
    pub(crate) sub: String,
    /// Its revision: the token is good for this enrolment only.
    pub(crate) revision: i64,
}

/// The groups that are known, in order.
pub(super) fn groups(claim: &GroupClaim) -> Option<Vec<String>> {
    match claim {
        GroupClaim::Known(groups) => Some(groups.iter().cloned().collect()),
        GroupClaim::Unknown | GroupClaim::Unreadable => None,
    }
}

/// Whether a token claims to be one of these.
pub(crate) fn is_one(token: &str) -> bool {
    token
        .strip_prefix(&URL_SAFE_NO_PAD.encode(HEADER))
        .is_some_and(|rest| rest.starts_with('.'))
}

/// The token that says this.
///
/// # Errors
/// None in practice: claims are texts and numbers.
pub(super) fn write(key: &str, claims: &Claims) -> Result<String, OperationError> {
    let claims = serde_json::to_vec(claims).map_err(OperationError::internal)?;
    let message = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(HEADER),
        URL_SAFE_NO_PAD.encode(claims)
    );
    let proof = hmac::sign(&hmac_key(key), message.as_bytes());
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(proof)))
}

/// What a token of this server says, however old it is; `None` for one that nobody gave.
pub(crate) fn read(key: &str, audience: &str, token: &str) -> Option<Claims> {
    if !is_one(token) {
        return None;
    }
    let (message, proof) = token.rsplit_once('.')?;
    let proof = URL_SAFE_NO_PAD.decode(proof).ok()?;
    hmac::verify(&hmac_key(key), message.as_bytes(), &proof).ok()?;
    let (_, claims) = message.split_once('.')?;
    let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    (claims.iss == ISSUER && claims.aud == audience).then_some(claims)
}

fn hmac_key(key: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_what_it_was_given_for() {
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: "lake".to_owned(),
            sub: "ann".to_owned(),
            act: Actor {
                sub: "trino".to_owned(),
                revision: 7,
            },
            groups: Some(vec!["it".to_owned()]),
            scope: None,
            iat: 1,
            exp: 2,
        };
        let token = write("key", &claims).unwrap();
        assert_eq!(read("key", "lake", &token), Some(claims.clone()));
        assert_eq!(read("other", "lake", &token), None);
        assert_eq!(read("key", "other", &token), None);
        for changed in 0..token.len() {
            let other = if token.as_bytes()[changed] == b'A' {
                "B"
            } else {
                "A"
            };
            let mut token = token.clone();
            token.replace_range(changed..=changed, other);
            assert_eq!(read("key", "lake", &token), None, "{changed}");
        }
        let foreign = Claims {
            iss: "other".to_owned(),
            ..claims
        };
        assert_eq!(read("key", "lake", &write("key", &foreign).unwrap()), None);
        for token in ["", ".", "..", "a.b.c"] {
            assert_eq!(read("key", "lake", token), None);
        }
    }
}
