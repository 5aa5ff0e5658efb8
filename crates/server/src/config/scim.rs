// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How identity providers push users and groups.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::ConfigurationError;
use super::properties::Properties;

/// The fewest characters of a token: what is guessed must not be found.
const MIN_TOKEN_CHARS: usize = 32;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct ScimSettings {
    /// Whether users and groups can be pushed, and what was pushed counts.
    pub enabled: bool,
    /// Who may push beside the service administrators.
    pub provisioners: BTreeSet<String>,
    /// The tokens that stand for one of the provisioners.
    pub token: Option<ProvisioningToken>,
    /// The address of this server as clients see it; where it is not given, the `Host` of each request.
    pub base_url: Option<String>,
}

/// Tokens that stand for a user, as digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvisioningToken {
    /// Who whoever presents one is.
    pub user: String,
    /// The SHA-256 of each.
    pub digests: Vec<[u8; 32]>,
}

impl ScimSettings {
    /// Reads the keys and the file of tokens.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a file that cannot be read or has a token that is too short, and for a token of nobody
    /// who may push.
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let provisioners: BTreeSet<String> = properties
            .list("lakeward.scim.provisioners")
            .into_iter()
            .collect();
        let base_url = properties.given("lakeward.scim.baseUrl");
        let token = match properties.given("lakeward.scim.tokenFile") {
            None => None,
            Some(file) => Some(ProvisioningToken {
                user: token_user(properties, &provisioners)?,
                digests: digests(file)?,
            }),
        };
        Ok(Self {
            enabled: properties.switch("lakeward.scim.enabled")?,
            provisioners,
            token,
            base_url: base_url.map(|url| url.trim_end_matches('/').to_owned()),
        })
    }
}

fn token_user(
    properties: &Properties,
    provisioners: &BTreeSet<String>,
) -> Result<String, ConfigurationError> {
    let user = properties.given("lakeward.scim.tokenUser");
    user.filter(|user| provisioners.contains(*user))
        .map(str::to_owned)
        .ok_or_else(|| {
            ConfigurationError::Combination(
                "`lakeward.scim.tokenFile` needs `lakeward.scim.tokenUser`, which must be one of \
                 `lakeward.scim.provisioners`"
                    .to_owned(),
            )
        })
}

/// One token per line, so that a new one can be in use before the old one is taken away.
fn digests(file: &str) -> Result<Vec<[u8; 32]>, ConfigurationError> {
    let refused =
        |what: &str| ConfigurationError::Combination(format!("`lakeward.scim.tokenFile` (`{file}`) {what}"));
    let text = std::fs::read_to_string(file).map_err(|error| refused(&format!("cannot be read: {error}")))?;
    let tokens: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|token| !token.is_empty())
        .collect();
    if tokens.is_empty() {
        return Err(refused("has no token"));
    }
    if tokens.iter().any(|token| token.chars().count() < MIN_TOKEN_CHARS) {
        return Err(refused(&format!(
            "has a token of fewer than {MIN_TOKEN_CHARS} characters"
        )));
    }
    Ok(tokens
        .into_iter()
        .map(|token| Sha256::digest(token).into())
        .collect())
}
