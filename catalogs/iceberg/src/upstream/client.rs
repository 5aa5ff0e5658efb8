// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests to the upstream: bounded in size and time, to one host, with the credentials of this server.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::upstream_catalog::{FEDERATION_HEADER, UpstreamError};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::sync::Mutex;
use url::Url;

use super::answer::{ConfigAnswer, TokenAnswer};
use super::hosts::UpstreamHosts;
use super::settings::{Authentication, UpstreamSettings};

/// The longest answer that has no metadata.
const MOST_LIST_BYTES: usize = 32 * 1024 * 1024;
/// The longest answer with metadata. Ten thousand snapshots take some ten millions.
const MOST_METADATA_BYTES: usize = 128 * 1024 * 1024;
const MOST_TOKEN_BYTES: usize = 64 * 1024;

/// How long the configuration of the upstream is used.
const CONFIG_LASTS: Duration = Duration::from_secs(300);
/// How long a token is used whose end the upstream does not say, and by how much sooner than its end another is asked for.
const TOKEN_LASTS: Duration = Duration::from_secs(600);
const TOKEN_MARGIN: Duration = Duration::from_secs(30);

/// What separates the levels of a namespace in a path, where the upstream does not say.
const SEPARATOR: &str = "\u{1f}";

/// Everything but what no client encodes in a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How large an answer may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    Names,
    Metadata,
}

/// What the upstream says of itself.
#[derive(Debug)]
struct Configuration {
    /// Segments of paths, encoded, with a slash at the end where there are any.
    prefix: String,
    separator: String,
    endpoints: Option<Vec<String>>,
}

struct Token {
    header: HeaderValue,
    ends: Instant,
}

/// See the module.
pub(super) struct Client {
    http: reqwest::Client,
    settings: UpstreamSettings,
    configuration: Mutex<Option<(Instant, Arc<Configuration>)>>,
    token: Mutex<Option<Token>>,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("uri", &self.settings.uri.as_str())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// # Errors
    /// [`CatalogError::Unavailable`] when this machine cannot speak TLS.
    pub(super) fn new(settings: UpstreamSettings, hosts: &UpstreamHosts) -> Result<Self, CatalogError> {
        let http = reqwest::Client::builder()
            // What is meant for one host is for no other, and no proxy looks up names for us.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .dns_resolver2(hosts.resolver())
            .connect_timeout(settings.connection_timeout)
            .timeout(settings.socket_timeout)
            .build()
            .map_err(|error| CatalogError::Unavailable(format!("no client for the upstream: {error}")))?;
        Ok(Self {
            http,
            settings,
            configuration: Mutex::new(None),
            token: Mutex::new(None),
        })
    }

    pub(super) fn settings(&self) -> &UpstreamSettings {
        &self.settings
    }

    /// Asks for the configuration anew: whether the upstream answers, and takes the credentials.
    pub(super) async fn ping(&self) -> Result<(), UpstreamError> {
        let mut kept = self.configuration.lock().await;
        *kept = None;
        let configuration = self.read_configuration().await?;
        *kept = Some((Instant::now(), Arc::new(configuration)));
        Ok(())
    }

    /// Whether the upstream has an endpoint (`GET /v1/{prefix}/…`). One that does not say which it has may have it.
    pub(super) async fn has(&self, endpoint: &str) -> Result<bool, UpstreamError> {
        let configuration = self.configuration().await?;
        let endpoints = configuration.endpoints.as_ref();
        Ok(endpoints.is_none_or(|endpoints| endpoints.iter().any(|there| there == endpoint)))
    }

    /// The path of a namespace, or of something in it; `None` for names that no path can carry.
    pub(super) async fn path(
        &self,
        namespace: &[String],
        rest: &[&str],
    ) -> Result<Option<String>, UpstreamError> {
        let configuration = self.configuration().await?;
        if namespace
            .iter()
            .any(|level| level.is_empty() || level.contains(&configuration.separator))
        {
            return Ok(None);
        }
        let joined = namespace.join(&configuration.separator);
        let mut segments = vec!["namespaces"];
        if !namespace.is_empty() {
            segments.push(&joined);
        }
        segments.extend(rest);
        // Whoever reads a URL takes these for something else than names, however they are spelled.
        if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
            return Ok(None);
        }
        let encoded: Vec<String> = segments
            .into_iter()
            .map(|segment| utf8_percent_encode(segment, SEGMENT).to_string())
            .collect();
        Ok(Some(format!("{}{}", configuration.prefix, encoded.join("/"))))
    }

    /// The levels of a namespace as a query parameter carries them.
    pub(super) async fn joined(&self, namespace: &[String]) -> Result<String, UpstreamError> {
        Ok(namespace.join(&self.configuration().await?.separator))
    }

    /// Reads an answer; `None` where the upstream says that there is no such thing.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        headers: &[(&'static str, &'static str)],
        holds: Holds,
    ) -> Result<Option<T>, UpstreamError> {
        let url = format!("{}/v1/{path}", self.settings.uri.as_str().trim_end_matches('/'));
        let url = Url::parse_with_params(&url, query)
            .map_err(|error| UpstreamError::Unavailable(format!("its address is none: {error}")))?;
        let ask = || {
            let mut request = self.http.request(Method::GET, url.clone());
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            request
        };
        let most = match holds {
            Holds::Names => MOST_LIST_BYTES,
            Holds::Metadata => MOST_METADATA_BYTES,
        };
        let (mut status, mut body) = self.send(ask(), most).await?;
        if status == StatusCode::UNAUTHORIZED && self.forget_token().await {
            (status, body) = self.send(ask(), most).await?;
        }
        match status {
            StatusCode::OK => serde_json::from_slice(&body)
                .map(Some)
                .map_err(|error| unusable(&error)),
            // A server that knows nothing of the protocol says nothing of tables.
            StatusCode::NOT_FOUND if is_protocol_error(&body) => Ok(None),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_ACCEPTABLE => {
                Err(UpstreamError::Refused(format!("status {}", status.as_u16())))
            }
            other => Err(UpstreamError::Unavailable(format!("status {}", other.as_u16()))),
        }
    }

    async fn configuration(&self) -> Result<Arc<Configuration>, UpstreamError> {
        let mut kept = self.configuration.lock().await;
        if let Some((read, configuration)) = kept.as_ref()
            && read.elapsed() < CONFIG_LASTS
        {
            return Ok(Arc::clone(configuration));
        }
        let configuration = Arc::new(self.read_configuration().await?);
        *kept = Some((Instant::now(), Arc::clone(&configuration)));
        Ok(configuration)
    }

    async fn read_configuration(&self) -> Result<Configuration, UpstreamError> {
        let warehouse = self.settings.warehouse.as_deref();
        let query: Vec<(&str, &str)> = warehouse.map(|name| ("warehouse", name)).into_iter().collect();
        let answer: ConfigAnswer = self
            .get("config", &query, &[], Holds::Names)
            .await?
            .ok_or_else(|| UpstreamError::Unavailable("it has no such warehouse".to_owned()))?;
        let overrides = answer.overrides.unwrap_or_default();
        let defaults = answer.defaults.unwrap_or_default();
        let said = |name: &str| overrides.get(name).or_else(|| defaults.get(name)).cloned();
        let prefix = overrides
            .get("prefix")
            .or(self.settings.prefix.as_ref())
            .or_else(|| defaults.get("prefix"));
        let separator = said("namespace-separator").filter(|separator| !separator.is_empty());
        let separator = separator
            .as_deref()
            .map_or(Cow::Borrowed(SEPARATOR), |separator| {
                percent_decode_str(separator).decode_utf8_lossy()
            });
        Ok(Configuration {
            prefix: encoded_prefix(prefix.map(String::as_str).unwrap_or_default())?,
            separator: separator.into_owned(),
            endpoints: answer.endpoints,
        })
    }

    /// Sends a request with everything that says who this server is, and reads the answer as far as it may go.
    async fn send(
        &self,
        request: RequestBuilder,
        most: usize,
    ) -> Result<(StatusCode, Vec<u8>), UpstreamError> {
        let mut request = request
            .headers(self.settings.headers.clone())
            .header(ACCEPT, "application/json")
            .header(FEDERATION_HEADER, "1");
        if let Some(token) = self.token().await? {
            request = request.header(AUTHORIZATION, token);
        }
        read(request, most).await
    }

    async fn token(&self) -> Result<Option<HeaderValue>, UpstreamError> {
        let Authentication::ClientCredentials {
            endpoint,
            id,
            secret,
            scope,
        } = &self.settings.authentication
        else {
            return Ok(None);
        };
        let mut kept = self.token.lock().await;
        if let Some(token) = kept.as_ref()
            && Instant::now() < token.ends
        {
            return Ok(Some(token.header.clone()));
        }
        let url = match endpoint {
            Some(endpoint) => endpoint.as_str().to_owned(),
            None => format!(
                "{}/v1/oauth/tokens",
                self.settings.uri.as_str().trim_end_matches('/')
            ),
        };
        let mut form = vec![("grant_type", "client_credentials"), ("scope", scope)];
        form.extend(id.as_deref().map(|id| ("client_id", id)));
        form.push(("client_secret", secret));
        let request = self.http.post(url).header(ACCEPT, "application/json").form(&form);
        let (status, body) = read(request, MOST_TOKEN_BYTES).await?;
        if status.is_client_error() {
            let refused = format!("its token endpoint answers {}", status.as_u16());
            return Err(UpstreamError::Refused(refused));
        }
        if status != StatusCode::OK {
            let failed = format!("its token endpoint answers {}", status.as_u16());
            return Err(UpstreamError::Unavailable(failed));
        }
        // The error's own text may hold the token.
        let unusable = || UpstreamError::Unavailable("its token endpoint answers no token".to_owned());
        let answer: TokenAnswer = serde_json::from_slice(&body).map_err(|_| unusable())?;
        let mut header =
            HeaderValue::from_str(&format!("Bearer {}", answer.access_token)).map_err(|_| unusable())?;
        header.set_sensitive(true);
        let lasts = answer.expires_in.map_or(TOKEN_LASTS, Duration::from_secs);
        let ends = Instant::now() + lasts.min(TOKEN_LASTS * 6).saturating_sub(TOKEN_MARGIN);
        *kept = Some(Token {
            header: header.clone(),
            ends,
        });
        Ok(Some(header))
    }

    /// Forgets a token that is no longer taken; `false` where there was none.
    async fn forget_token(&self) -> bool {
        self.token.lock().await.take().is_some()
    }
}

async fn read(request: RequestBuilder, most: usize) -> Result<(StatusCode, Vec<u8>), UpstreamError> {
    let mut answer = request.send().await.map_err(unreachable)?;
    let status = answer.status();
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > most {
            return Err(UpstreamError::Unavailable(format!(
                "its answer is longer than {most} bytes"
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok((status, body))
}

/// The prefix of paths, which the protocol has as it is: segments, with a slash at the end where there are any.
fn encoded_prefix(prefix: &str) -> Result<String, UpstreamError> {
    let mut encoded = String::new();
    for segment in prefix.split('/').filter(|segment| !segment.is_empty()) {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        if matches!(&*decoded, "." | "..") {
            return Err(UpstreamError::Unavailable("its prefix is no path".to_owned()));
        }
        encoded.extend(utf8_percent_encode(&decoded, SEGMENT));
        encoded.push('/');
    }
    Ok(encoded)
}

fn is_protocol_error(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct ErrorAnswer {
        // What is in it is of no use, and may be much.
        #[expect(dead_code, reason = "only that it is there, and an object")]
        error: BTreeMap<String, IgnoredAny>,
    }
    serde_json::from_slice::<ErrorAnswer>(body).is_ok()
}

fn unreachable(error: reqwest::Error) -> UpstreamError {
    use std::error::Error as _;
    let error = error.without_url();
    let cause = error
        .source()
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    UpstreamError::Unavailable(format!("{error}{cause}"))
}

/// Says where, and not what: the error's own text quotes the answer, which may hold credentials.
fn unusable(error: &serde_json::Error) -> UpstreamError {
    UpstreamError::Unavailable(format!(
        "its answer cannot be understood: {:?} error in line {}, column {}",
        error.classify(),
        error.line(),
        error.column()
    ))
}

#[cfg(test)]
mod tests {
    use super::encoded_prefix;

    #[test]
    fn prefixes_are_segments() {
        for (prefix, expected) in [
            ("", Some("")),
            ("/", Some("")),
            ("m.ice", Some("m.ice/")),
            ("a/b c", Some("a/b%20c/")),
            ("a%20b", Some("a%20b/")),
            ("a/../b", None),
            ("a/%2e%2E", None),
        ] {
            assert_eq!(encoded_prefix(prefix).ok().as_deref(), expected, "{prefix}");
        }
    }
}
