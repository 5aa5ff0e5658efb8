// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of the authenticator `oauth`: the original's keys and defaults. `jwksUri` alone selects published
//! keys, and so does `authority` where no key is given: they are then found by discovery.

use std::net::IpAddr;

use url::Url;

use super::ConfigurationError;
use super::name_mapper::NameMapper;
use super::properties::Properties;

const PREFIX: &str = "gravitino.authenticator.oauth.";

/// See the module.
#[derive(Debug, Clone)]
pub struct OauthSettings {
    /// What `aud` must hold.
    pub audience: String,
    /// What `iss` must be (`authority`); any where it is not set.
    pub issuer: Option<String>,
    /// By how many seconds the clock of the issuer may differ.
    pub skew_secs: u64,
    /// What verifies a signature.
    pub keys: KeySettings,
    /// The claims of which the first that is a text names the user.
    pub principal_fields: Vec<String>,
    /// The claims of which the first that is a list names the groups.
    pub groups_fields: Vec<String>,
    /// From the name in a token to the user's name here.
    pub principal_mapper: NameMapper,
    /// From the name in a token to the group's name here.
    pub group_mapper: NameMapper,
}

/// What verifies a signature.
#[derive(Clone)]
pub enum KeySettings {
    /// One key for all tokens.
    Fixed {
        /// Its algorithm (`RS256`).
        algorithm: String,
        /// A public key, or a secret, as the original takes it.
        key: String,
    },
    /// The keys that the issuer publishes.
    Published(PublishedAt),
}

/// Where an issuer publishes its keys. The address is [protected](is_protected).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishedAt {
    /// At this address.
    Keys(Url),
    /// Where the provider says (OpenID Connect Discovery 1.0).
    Provider {
        /// What the provider must call itself.
        issuer: String,
        /// Where it describes itself.
        metadata: Url,
    },
}

impl PublishedAt {
    /// The address that is asked first.
    pub fn url(&self) -> &Url {
        match self {
            Self::Keys(url) => url,
            Self::Provider { metadata, .. } => metadata,
        }
    }
}

impl std::fmt::Debug for KeySettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fixed { algorithm, .. } => f.debug_tuple("Fixed").field(algorithm).finish(),
            Self::Published(at) => f.debug_tuple("Published").field(&at.url().as_str()).finish(),
        }
    }
}

impl OauthSettings {
    /// Types the keys.
    ///
    /// # Errors
    /// [`ConfigurationError`] that names the key and what is expected.
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let fields = |name: &str| properties.list(&format!("{PREFIX}{name}"));
        let principal_fields = fields("principalFields");
        let groups_fields = fields("groupsFields");
        Ok(Self {
            audience: properties
                .get(&format!("{PREFIX}serviceAudience"))
                .unwrap_or_default()
                .to_owned(),
            issuer: properties.given(&format!("{PREFIX}authority")).map(str::to_owned),
            skew_secs: properties.parsed(&format!("{PREFIX}allowSkewSecs"), "a number of seconds")?,
            keys: keys(properties)?,
            principal_fields,
            groups_fields,
            principal_mapper: mapper(properties, "principalMapper")?,
            group_mapper: mapper(properties, "groupMapper")?,
        })
    }
}

fn refused(name: &str, value: &str, expected: &'static str) -> ConfigurationError {
    ConfigurationError::Value {
        key: format!("{PREFIX}{name}"),
        value: value.to_owned(),
        expected,
    }
}

fn keys(properties: &Properties) -> Result<KeySettings, ConfigurationError> {
    let given = |name: &str| properties.given(&format!("{PREFIX}{name}"));
    let class = given("tokenValidatorClass");
    let is_published = match class.map(|class| class.rsplit('.').next().unwrap_or(class)) {
        None => {
            given("jwksUri").is_some() || (given("defaultSignKey").is_none() && given("authority").is_some())
        }
        Some("JwksTokenValidator") => true,
        Some("StaticSignKeyValidator") => false,
        Some(_) => {
            let expected = "a class named `StaticSignKeyValidator` or `JwksTokenValidator`";
            return Err(refused(
                "tokenValidatorClass",
                class.unwrap_or_default(),
                expected,
            ));
        }
    };
    if is_published {
        return Ok(KeySettings::Published(published_at(
            given("jwksUri"),
            given("authority"),
        )?));
    }
    let Some(key) = given("defaultSignKey") else {
        return Err(ConfigurationError::Combination(format!(
            "the authenticator `oauth` needs the key of its tokens: set `{PREFIX}authority`, `{PREFIX}jwksUri` or \
             `{PREFIX}defaultSignKey`"
        )));
    };
    let algorithm = properties
        .get(&format!("{PREFIX}signAlgorithmType"))
        .unwrap_or_default();
    Ok(KeySettings::Fixed {
        algorithm: algorithm.to_owned(),
        key: key.to_owned(),
    })
}

/// What must be known of a discovered provider below its issuer (OpenID Connect Discovery 1.0, section 4).
const WELL_KNOWN: &str = ".well-known/openid-configuration";

fn published_at(keys: Option<&str>, authority: Option<&str>) -> Result<PublishedAt, ConfigurationError> {
    let url = |text: &str| Url::parse(text).ok().filter(is_protected);
    if let Some(text) = keys {
        let expected = "the address of the issuer's keys, `https://…` (`http://` only on this machine),";
        return url(text)
            .map(PublishedAt::Keys)
            .ok_or_else(|| refused("jwksUri", text, expected));
    }
    let Some(issuer) = authority else {
        return Err(ConfigurationError::Combination(format!(
            "`JwksTokenValidator` needs to know where the issuer publishes its keys: set `{PREFIX}jwksUri` or \
             `{PREFIX}authority`"
        )));
    };
    let expected = "the address of the issuer, `https://…` (`http://` only on this machine), or set `jwksUri` beside it:";
    // Its identifier has neither (section 3 there), and what follows it would be lost in one.
    let metadata = url(&format!("{}/{WELL_KNOWN}", issuer.trim_end_matches('/')))
        .filter(|url| url.query().is_none() && url.fragment().is_none())
        .ok_or_else(|| refused("authority", issuer, expected))?;
    Ok(PublishedAt::Provider {
        issuer: issuer.to_owned(),
        metadata,
    })
}

/// Whether an answer of this address comes from whom it names: over TLS, or on this machine. Whoever answers there decides
/// who everybody is.
pub fn is_protected(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_on_loopback(url))
}

fn is_on_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

fn mapper(properties: &Properties, name: &str) -> Result<NameMapper, ConfigurationError> {
    let kind = properties.get(&format!("{PREFIX}{name}")).unwrap_or_default();
    if kind != "regex" {
        return Err(refused(name, kind, "`regex`"));
    }
    let pattern_name = format!("{name}.regex.pattern");
    let pattern = properties
        .get(&format!("{PREFIX}{pattern_name}"))
        .unwrap_or_default();
    NameMapper::new(pattern).ok_or_else(|| {
        refused(
            &pattern_name,
            pattern,
            "a regular expression with a group in parentheses",
        )
    })
}
