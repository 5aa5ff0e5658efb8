// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where the key of a token comes from.

use jsonwebtoken::Algorithm;
use lakeward_operations::OperationError;

use super::key::VerifyingKey;
use super::key_set::KeySet;
use crate::config::ConfigurationError;
use crate::config::oauth::KeySettings;

/// See the module.
#[derive(Debug)]
pub(super) enum KeySource {
    /// One key for all tokens.
    Fixed(VerifyingKey),
    /// The keys that the issuer publishes.
    Published(KeySet),
}

impl KeySource {
    /// # Errors
    /// [`ConfigurationError::Value`]; it does not hold the key.
    pub(super) fn new(settings: &KeySettings) -> Result<Self, ConfigurationError> {
        match settings {
            KeySettings::Fixed { algorithm, key } => {
                let algorithm: Algorithm = algorithm.parse().map_err(|_| ConfigurationError::Value {
                    key: "gravitino.authenticator.oauth.signAlgorithmType".to_owned(),
                    value: algorithm.clone(),
                    expected: "one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA",
                })?;
                VerifyingKey::of_configuration(algorithm, key)
                    .map(Self::Fixed)
                    .map_err(|expected| ConfigurationError::Value {
                        key: "gravitino.authenticator.oauth.defaultSignKey".to_owned(),
                        // It may be a secret.
                        value: "…".to_owned(),
                        expected,
                    })
            }
            KeySettings::Published(at) => KeySet::new(at.clone()).map(Self::Published),
        }
    }

    /// The key that a token with this key id is to be verified by.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] when the issuer has no such key; [`OperationError::Unavailable`] when its keys
    /// cannot be fetched.
    pub(super) async fn key(&self, id: Option<&str>) -> Result<VerifyingKey, OperationError> {
        match self {
            Self::Fixed(key) => Ok(key.clone()),
            Self::Published(keys) => keys.key(id).await,
        }
    }
}
