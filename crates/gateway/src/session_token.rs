// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Sessions without state: the credentials of a login, sealed so that only gateways with the key can open them, and only
//! until they expire. Whoever holds a token is taken for its user, as with any bearer token; the server still judges the
//! credentials in it with every call.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::start::StartError;

/// What tells our tokens from those of others, and what they are bound to.
const PREFIX: &str = "lakeward-session-1.";
/// Bytes of the salt from which the key of one token is drawn.
const SALT: usize = 32;
/// The fewest bytes of a key file.
const KEY: usize = 32;
/// The most bytes of a key file, so that a wrong path is noticed.
const MOST_KEY: u64 = 64 * 1024;

/// The key that seals sessions.
pub(crate) struct SessionKey(Vec<u8>);

impl fmt::Debug for SessionKey {
    /// Never shows the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(..)")
    }
}

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Sealed {
    user: String,
    password: String,
    /// Seconds since 1970.
    expires: u64,
}

/// Name and password of a login.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl fmt::Debug for Login {
    /// Never shows the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({})", self.user)
    }
}

/// What a bearer token turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// A session that is valid.
    Login(Login),
    /// A session that is over.
    Expired,
    /// A session of another key, or not whole.
    Unknown,
    /// No session of a gateway: the user's own token.
    NotOurs,
}

/// Why a login cannot be sealed.
#[derive(Debug, thiserror::Error)]
#[error(
    "a session cannot be sealed: the operating system gives no random bytes, or the cryptography refused"
)]
pub(crate) struct SealError;

impl From<ring::error::Unspecified> for SealError {
    fn from(_: ring::error::Unspecified) -> Self {
        Self
    }
}

impl SessionKey {
    /// A key of this process alone.
    pub(crate) fn random() -> Result<Self, StartError> {
        let mut key = vec![0; KEY];
        SystemRandom::new()
            .fill(&mut key)
            .map_err(|_| StartError::SessionKey(SealError.to_string()))?;
        Ok(Self(key))
    }

    /// The key in a file.
    pub(crate) fn read(file: &Path) -> Result<Self, StartError> {
        let unusable = |problem: String| {
            StartError::SessionKey(format!(
                "the session key `{}` cannot be used: {problem}; `(umask 077; head -c 32 /dev/urandom > FILE)` makes one",
                file.display()
            ))
        };
        let opened = File::open(file).map_err(|cause| unusable(cause.to_string()))?;
        let metadata = opened.metadata().map_err(|cause| unusable(cause.to_string()))?;
        if !metadata.is_file() {
            return Err(unusable("it is no file".to_owned()));
        }
        if others_reach(&metadata) {
            return Err(unusable(
                "every user of this machine can reach it, and whoever has it can open sessions; take that away (`chmod o= FILE`)"
                    .to_owned(),
            ));
        }
        let mut key = Vec::new();
        opened
            .take(MOST_KEY + 1)
            .read_to_end(&mut key)
            .map_err(|cause| unusable(cause.to_string()))?;
        if u64::try_from(key.len()).is_ok_and(|length| length > MOST_KEY) {
            return Err(unusable(format!(
                "it has {} bytes, which is no key",
                metadata.len()
            )));
        }
        if key.len() < KEY {
            return Err(unusable(format!(
                "it has {} bytes, and {KEY} are the fewest",
                key.len()
            )));
        }
        Ok(Self(key))
    }

    /// Seals a login for some time.
    pub(crate) fn seal(&self, login: &Login, lifetime: Duration) -> Result<String, SealError> {
        let mut salt = [0; SALT];
        SystemRandom::new().fill(&mut salt)?;
        let sealed = Sealed {
            user: login.user.clone(),
            password: login.password.clone(),
            expires: clock::now().saturating_add(lifetime).as_secs(),
        };
        let mut bytes = serde_json::to_vec(&sealed).map_err(|_| SealError)?;
        self.key(&salt)?
            .seal_in_place_append_tag(nonce(), Aad::from(PREFIX), &mut bytes)?;
        let mut token = salt.to_vec();
        token.extend_from_slice(&bytes);
        Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(token)))
    }

    /// Opens a bearer token.
    pub(crate) fn open(&self, token: &str) -> Opened {
        let Some(encoded) = token.strip_prefix(PREFIX) else {
            return Opened::NotOurs;
        };
        match self.unseal(encoded) {
            None => Opened::Unknown,
            Some(sealed) if sealed.expires <= clock::now().as_secs() => Opened::Expired,
            Some(sealed) => Opened::Login(Login {
                user: sealed.user,
                password: sealed.password,
            }),
        }
    }

    fn unseal(&self, encoded: &str) -> Option<Sealed> {
        let bytes = URL_SAFE_NO_PAD.decode(encoded).ok()?;
        let (salt, sealed) = bytes.split_at_checked(SALT)?;
        let mut sealed = sealed.to_vec();
        let opened = self
            .key(salt)
            .ok()?
            .open_in_place(nonce(), Aad::from(PREFIX), &mut sealed)
            .ok()?;
        serde_json::from_slice(opened).ok()
    }

    /// The key of the token with this salt. Every token has its own, so that the key of the gateways never meets the
    /// bound on messages that random nonces under one key have.
    fn key(&self, salt: &[u8]) -> Result<LessSafeKey, ring::error::Unspecified> {
        let drawn = Salt::new(HKDF_SHA256, salt).extract(&self.0);
        let info = [PREFIX.as_bytes()];
        let key = UnboundKey::from(drawn.expand(&info, &AES_256_GCM)?);
        Ok(LessSafeKey::new(key))
    }
}

#[cfg(unix)]
fn others_reach(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o007 != 0
}

#[cfg(not(unix))]
fn others_reach(_: &Metadata) -> bool {
    false
}

/// Always the same: no two tokens have the same key.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

#[cfg(test)]
mod tests;
