// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The way to a server: address, the end user's credentials, the reader's certificate.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lakeward_read_restrictions::capabilities::{CAPABILITIES_HEADER, READ_RESTRICTIONS_V1};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Identity, StatusCode};
use serde::Deserialize;
use url::Url;

use crate::error::{ReaderError, ServerAnswer};

/// How the end user of a query proves who they are. The reader never uses an identity of its own for that.
#[derive(Clone)]
pub enum Credentials {
    /// A name and a password (HTTP Basic).
    Basic {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token (HTTP Bearer).
    Bearer(String),
    /// None; only where the server lets anybody in.
    None,
}

impl fmt::Debug for Credentials {
    /// Never shows a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Basic { user, .. } => write!(f, "Basic({user})"),
            Self::Bearer(_) => f.write_str("Bearer(..)"),
            Self::None => f.write_str("None"),
        }
    }
}

/// What makes a reader trusted: a client certificate that the operator issued, and the authority that issued it and
/// the server's certificate.
#[derive(Clone)]
pub struct ReaderIdentity {
    /// The certificate, PEM.
    pub certificate: Vec<u8>,
    /// Its private key, PEM.
    pub key: Vec<u8>,
    /// The authority, PEM.
    pub authority: Vec<u8>,
}

impl fmt::Debug for ReaderIdentity {
    /// Never shows the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReaderIdentity(..)")
    }
}

impl ReaderIdentity {
    /// Reads `certificate.pem`, `key.pem` and `authority.pem`, as `lakeward reader enroll` writes them.
    ///
    /// # Errors
    /// [`ReaderError::Configuration`] with the file that is missing or cannot be read.
    pub fn from_directory(directory: &Path) -> Result<Self, ReaderError> {
        let read = |name: &str| {
            std::fs::read(directory.join(name)).map_err(|cause| {
                ReaderError::Configuration(format!(
                    "`{}` is not the folder of a reader identity: `{name}`: {cause}; `lakeward reader enroll` makes one",
                    directory.display()
                ))
            })
        };
        Ok(Self {
            certificate: read("certificate.pem")?,
            key: read("key.pem")?,
            authority: read("authority.pem")?,
        })
    }
}

/// Where and as whom tables are loaded.
#[derive(Debug, Clone)]
pub struct ConnectionOptions {
    /// The server: its Iceberg REST root, or its address alone, to which `/iceberg` is added. `v1/` follows.
    pub iceberg: Url,
    /// The end user.
    pub credentials: Credentials,
    /// The reader's certificate; without it restricted tables are refused by the server.
    pub identity: Option<ReaderIdentity>,
    /// How long one request may take.
    pub timeout: Duration,
}

/// A connection to one server for one end user.
#[derive(Debug, Clone)]
pub struct Connection {
    iceberg: Url,
    http: Client,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorModel,
}

#[derive(Deserialize, Default)]
struct ErrorModel {
    #[serde(default)]
    message: String,
    #[serde(default, rename = "type")]
    kind: String,
}

impl Connection {
    /// Prepares a connection; nothing is sent yet.
    ///
    /// # Errors
    /// [`ReaderError::Configuration`] for certificates or credentials that cannot be used.
    pub fn new(options: ConnectionOptions) -> Result<Self, ReaderError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let capability = HeaderName::from_bytes(CAPABILITIES_HEADER.as_bytes())
            .map_err(|cause| ReaderError::Configuration(cause.to_string()))?;
        headers.insert(capability, HeaderValue::from_static(READ_RESTRICTIONS_V1));
        if let Some(authorization) = authorization(&options.credentials)? {
            headers.insert(AUTHORIZATION, authorization);
        }
        let mut builder = Client::builder()
            .default_headers(headers)
            .timeout(options.timeout)
            .user_agent(concat!("lakeward-reader/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the end user's credentials to another place.
            .redirect(reqwest::redirect::Policy::none());
        if let Some(identity) = &options.identity {
            let unusable = |what: &str, cause: &reqwest::Error| {
                ReaderError::Configuration(format!("the reader's {what} cannot be used: {cause}"))
            };
            let mut pem = identity.certificate.clone();
            pem.push(b'\n');
            pem.extend_from_slice(&identity.key);
            let certificate = Identity::from_pem(&pem).map_err(|cause| unusable("certificate", &cause))?;
            let authority =
                Certificate::from_pem(&identity.authority).map_err(|cause| unusable("authority", &cause))?;
            builder = builder
                .use_rustls_tls()
                .identity(certificate)
                .add_root_certificate(authority)
                // The operator's authority vouches for the server, nobody else.
                .tls_built_in_root_certs(false);
        }
        let http = builder
            .build()
            .map_err(|cause| ReaderError::Configuration(format!("no HTTP client: {cause}")))?;
        let mut iceberg = options.iceberg;
        if iceberg.path() == "/" {
            iceberg.set_path("/iceberg");
        }
        Ok(Self { iceberg, http })
    }

    /// The server's address without path, for messages.
    pub fn server(&self) -> String {
        self.iceberg.origin().ascii_serialization()
    }

    /// Gets a path below the Iceberg root; segments are escaped here. `Ok(Err(..))` is the server's refusal.
    pub(crate) async fn get(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Result<String, ServerAnswer>, ReaderError> {
        let mut url = self.iceberg.clone();
        url.path_segments_mut()
            .map_err(|()| ReaderError::Configuration(format!("`{}` is not an HTTP address", self.iceberg)))?
            .pop_if_empty()
            .extend(segments);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let unreachable = |cause: reqwest::Error| ReaderError::Unreachable {
            server: self.server(),
            cause: with_sources(&cause),
        };
        let response = self.http.get(url).send().await.map_err(unreachable)?;
        let status = response.status();
        let request_id = response
            .headers()
            .get("x-request-id")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let body = response.text().await.map_err(unreachable)?;
        if status == StatusCode::OK {
            return Ok(Ok(body));
        }
        let error = serde_json::from_str::<ErrorBody>(&body)
            .map(|body| body.error)
            .unwrap_or_default();
        Ok(Err(ServerAnswer {
            status: status.as_u16(),
            kind: error.kind,
            message: error.message,
            request_id,
        }))
    }
}

fn authorization(credentials: &Credentials) -> Result<Option<HeaderValue>, ReaderError> {
    let text = match credentials {
        Credentials::None => return Ok(None),
        Credentials::Basic { user, password } => {
            if user.contains(':') {
                return Err(ReaderError::Configuration(
                    "a user name for Basic authentication must not contain `:`".to_owned(),
                ));
            }
            format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
        }
        Credentials::Bearer(token) => format!("Bearer {token}"),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        ReaderError::Configuration("the token has characters that a header cannot carry".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// reqwest names only its outermost error; what helps is further in.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
