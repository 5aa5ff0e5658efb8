// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the properties of a federated catalog say: where the upstream is, and how this server shows who it is.

use std::fmt;
use std::time::Duration;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyKind};
use lakeward_metadata::Properties;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::hosts::UpstreamHosts;

pub(crate) const URI_NAME: &str = "uri";
const OAUTH2_SERVER_URI_NAME: &str = "oauth2-server-uri";
const HEADER_PREFIX: &str = "header.";

pub(crate) const URI: PropertyDeclaration = PropertyDeclaration::optional(
    URI_NAME,
    PropertyKind::Text,
    "with `catalog-backend` = `rest`: the address of the other catalog, without `/v1`, which is set once, at creation; else \
     accepted and without effect",
);
pub(crate) const PREFIX: PropertyDeclaration = PropertyDeclaration::optional(
    "prefix",
    PropertyKind::Text,
    "the prefix of paths at the other catalog, where its configuration does not say one",
)
.immutable();
pub(crate) const TOKEN: PropertyDeclaration = PropertyDeclaration::optional(
    "token",
    PropertyKind::Text,
    "the bearer token for the other catalog",
)
.hidden();
pub(crate) const CREDENTIAL: PropertyDeclaration = PropertyDeclaration::optional(
    "credential",
    PropertyKind::Text,
    "`id:secret` of an OAuth2 client, for the client credentials flow",
)
.hidden();
pub(crate) const OAUTH2_SERVER_URI: PropertyDeclaration = PropertyDeclaration::optional(
    OAUTH2_SERVER_URI_NAME,
    PropertyKind::Text,
    "the token endpoint for `credential`; by default that of the other catalog",
)
.immutable();
pub(crate) const SCOPE: PropertyDeclaration = PropertyDeclaration::optional(
    "scope",
    PropertyKind::Text,
    "the scope that is asked for with `credential`; `catalog` by default",
);
pub(crate) const BASIC_USERNAME: PropertyDeclaration = PropertyDeclaration::optional(
    "rest.auth.basic.username",
    PropertyKind::Text,
    "the user of this server at the other catalog, for basic authentication",
);
pub(crate) const BASIC_PASSWORD: PropertyDeclaration = PropertyDeclaration::optional(
    "rest.auth.basic.password",
    PropertyKind::Text,
    "the password of that user",
)
.hidden();
pub(crate) const HEADERS: PropertyDeclaration = PropertyDeclaration::optional(
    HEADER_PREFIX,
    PropertyKind::Text,
    "a header that every request to the other catalog carries",
)
.prefix()
.hidden();
pub(crate) const CONNECTION_TIMEOUT: PropertyDeclaration = PropertyDeclaration::optional(
    "rest-client-connection-timeout-ms",
    PropertyKind::Integer,
    "how long a connection to the other catalog may take; 10000 by default",
);
pub(crate) const SOCKET_TIMEOUT: PropertyDeclaration = PropertyDeclaration::optional(
    "rest-client-socket-timeout-ms",
    PropertyKind::Integer,
    "how long an answer of the other catalog may take; 20000 by default",
);
pub(crate) const CREDENTIALS_FOR: PropertyDeclaration = PropertyDeclaration::optional(
    "lakeward.upstream-credentials",
    PropertyKind::OneOf(&["none", "writers", "readers"]),
    "who is given the storage credentials of the other catalog: nobody, who may write to the table (the default), or whoever \
     may read it, which is for an other catalog that gives this server credentials to read only",
);

/// The longest time that a property may ask for: longer than a request of our own may take.
const MOST_PATIENCE_MS: u64 = 600_000;

/// Who gets the credentials of the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CredentialsFor {
    Nobody,
    Writers,
    Readers,
}

/// How this server shows who it is.
pub(super) enum Authentication {
    /// By headers that never change, or not at all.
    Headers,
    /// By a token of the client credentials flow.
    ClientCredentials {
        endpoint: Option<Url>,
        id: Option<String>,
        secret: String,
        scope: String,
    },
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Headers => "Headers",
            Self::ClientCredentials { .. } => "ClientCredentials",
        })
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct UpstreamSettings {
    /// Without a slash at its end.
    pub(super) uri: Url,
    pub(super) warehouse: Option<String>,
    pub(super) prefix: Option<String>,
    pub(super) authentication: Authentication,
    /// Marked as sensitive, so that they do not print themselves.
    pub(super) headers: HeaderMap,
    pub(super) connection_timeout: Duration,
    pub(super) socket_timeout: Duration,
    pub(super) credentials_for: CredentialsFor,
}

impl UpstreamSettings {
    /// Reads the properties of a catalog, with secrets in clear.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`], without any value of a hidden property.
    pub(super) fn from_properties(
        properties: &Properties,
        hosts: &UpstreamHosts,
    ) -> Result<Self, CatalogError> {
        let given =
            |declared: &PropertyDeclaration| properties.get(declared.name).filter(|value| !value.is_empty());
        let uri = given(&URI).ok_or_else(|| {
            CatalogError::Invalid(format!(
                "properties are required and must be set: [{URI_NAME}] (with `catalog-backend` = `rest`)"
            ))
        })?;
        let uri = address(URI_NAME, uri, hosts)?;
        let endpoint = given(&OAUTH2_SERVER_URI)
            .map(|uri| address(OAUTH2_SERVER_URI_NAME, uri, hosts))
            .transpose()?;
        let (authentication, authorization) = authentication(&given, endpoint)?;
        let mut headers = headers(properties)?;
        if let Some(authorization) = authorization {
            let mut value = HeaderValue::from_str(&authorization).map_err(|_| {
                CatalogError::Invalid("the credentials for the other catalog fit into no header".to_owned())
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self {
            uri,
            warehouse: properties
                .get("warehouse")
                .filter(|name| !name.is_empty())
                .cloned(),
            prefix: given(&PREFIX).cloned(),
            authentication,
            headers,
            connection_timeout: patience(given(&CONNECTION_TIMEOUT), CONNECTION_TIMEOUT.name, 10_000)?,
            socket_timeout: patience(given(&SOCKET_TIMEOUT), SOCKET_TIMEOUT.name, 20_000)?,
            credentials_for: match given(&CREDENTIALS_FOR)
                .map(|who| who.to_ascii_lowercase())
                .as_deref()
            {
                Some("none") => CredentialsFor::Nobody,
                Some("readers") => CredentialsFor::Readers,
                _ => CredentialsFor::Writers,
            },
        })
    }
}

/// One way to show who this server is, and the value of its header where that never changes.
fn authentication<'a>(
    given: &impl Fn(&PropertyDeclaration) -> Option<&'a String>,
    endpoint: Option<Url>,
) -> Result<(Authentication, Option<String>), CatalogError> {
    use base64::Engine as _;
    let basic = given(&BASIC_USERNAME).or_else(|| given(&BASIC_PASSWORD));
    let ways = [given(&TOKEN), given(&CREDENTIAL), basic];
    if ways.iter().flatten().count() > 1 {
        return Err(CatalogError::Invalid(
            "`token`, `credential` and `rest.auth.basic.username` with its password exclude each other"
                .to_owned(),
        ));
    }
    if let Some(token) = given(&TOKEN) {
        return Ok((Authentication::Headers, Some(format!("Bearer {token}"))));
    }
    if let Some(credential) = given(&CREDENTIAL) {
        let (id, secret) = match credential.split_once(':') {
            Some((id, secret)) => (Some(id.to_owned()), secret.to_owned()),
            None => (None, credential.clone()),
        };
        let scope = given(&SCOPE).map_or("catalog", String::as_str).to_owned();
        let flow = Authentication::ClientCredentials {
            endpoint,
            id,
            secret,
            scope,
        };
        return Ok((flow, None));
    }
    match (given(&BASIC_USERNAME), given(&BASIC_PASSWORD)) {
        (None, None) => Ok((Authentication::Headers, None)),
        (Some(user), password) if !user.contains(':') => {
            let password = password.map(String::as_str).unwrap_or_default();
            let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
            Ok((Authentication::Headers, Some(format!("Basic {pair}"))))
        }
        _ => Err(CatalogError::Invalid(
            "basic authentication needs `rest.auth.basic.username`, without a colon, and its password"
                .to_owned(),
        )),
    }
}

fn address(property: &str, text: &str, hosts: &UpstreamHosts) -> Result<Url, CatalogError> {
    let mut url = Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .filter(|url| url.username().is_empty() && url.password().is_none())
        .filter(|url| url.query().is_none() && url.fragment().is_none())
        .ok_or_else(|| {
            CatalogError::Invalid(format!(
                "property `{property}` is no plain URL of a host (`https://catalog.example.com/iceberg`)"
            ))
        })?;
    hosts.check(property, &url)?;
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

fn headers(properties: &Properties) -> Result<HeaderMap, CatalogError> {
    /// What makes a request one, which is not for a property to say.
    const OURS: [&str; 7] = [
        "host",
        "content-length",
        "content-type",
        "transfer-encoding",
        "connection",
        "accept-encoding",
        "upgrade",
    ];
    let mut headers = HeaderMap::new();
    for (property, value) in properties {
        let Some(name) = property.strip_prefix(HEADER_PREFIX) else {
            continue;
        };
        let parsed = HeaderName::from_bytes(name.as_bytes()).ok();
        let value = HeaderValue::from_str(value).ok();
        let (Some(name), Some(mut value)) = (parsed, value) else {
            return Err(CatalogError::Invalid(format!(
                "property `{property}` is no header"
            )));
        };
        if OURS.contains(&name.as_str()) {
            return Err(CatalogError::Invalid(format!(
                "property `{property}`: that header is not for a property to say"
            )));
        }
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn patience(given: Option<&String>, property: &str, default: u64) -> Result<Duration, CatalogError> {
    let milliseconds = match given {
        None => Some(default),
        Some(text) => text
            .parse::<u64>()
            .ok()
            .filter(|milliseconds| (1..=MOST_PATIENCE_MS).contains(milliseconds)),
    };
    milliseconds.map(Duration::from_millis).ok_or_else(|| {
        CatalogError::Invalid(format!(
            "the value of property `{property}` must be a number of milliseconds from 1 to {MOST_PATIENCE_MS}"
        ))
    })
}
