// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The way to a server: address, the end user's credentials, the reader's certificate.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lakeward_read_restrictions::capabilities::{CAPABILITIES_HEADER, READ_RESTRICTIONS_V1};
use lakeward_tls::reloaded::{PATIENCE, ReloadError, Reloaded};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, Identity, StatusCode};
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

/// What a folder of a reader identity holds.
const IDENTITY_FILES: [&str; 3] = ["certificate.pem", "key.pem", "authority.pem"];

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
        let [certificate, key, authority] = IDENTITY_FILES.map(read);
        Ok(Self {
            certificate: certificate?,
            key: key?,
            authority: authority?,
        })
    }
}

/// The longest that a server may take over one request before it counts as not reached.
pub const REQUEST_TIME: Duration = Duration::from_secs(60);

/// Where and as whom tables are loaded.
#[derive(Debug, Clone)]
pub struct ConnectionOptions {
    /// The server: its Iceberg REST root, or its address alone, to which `/iceberg` is added. `v1/` follows.
    pub iceberg: Url,
    /// The end user.
    pub credentials: Credentials,
    /// The reader's certificate; without it restricted tables are refused by the server.
    pub identity: Option<ReaderIdentity>,
    /// How long one request may take, [`REQUEST_TIME`] as a rule. What ends a slow statement is the statement's own
    /// limit; a request that ended at the same moment would be told as a server that cannot be reached.
    pub timeout: Duration,
}

/// The way to one server for any number of end users: one HTTP client, so that they share its connections and the
/// reader's certificate, and nothing else. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Connector {
    iceberg: Url,
    http: Http,
}

#[derive(Debug, Clone)]
enum Http {
    /// With the identity that it was given.
    Fixed(Client),
    /// With the identity that lies in a folder, as it is at the moment.
    Followed(Arc<Reloaded<Client>>),
}

/// A connection to one server for one end user. Cheap to make and to clone.
#[derive(Debug, Clone)]
pub struct Connection {
    iceberg: Url,
    http: Client,
    authorization: Option<HeaderValue>,
}

/// What a server says of itself (`GET v1/config`).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ServerConfiguration {
    /// What holds unless the client says otherwise.
    #[serde(default)]
    pub defaults: HashMap<String, String>,
    /// What holds whatever the client says.
    #[serde(default)]
    pub overrides: HashMap<String, String>,
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

impl Connector {
    /// Prepares the way; nothing is sent yet. Each request may take `timeout`.
    ///
    /// # Errors
    /// [`ReaderError::Configuration`] for a certificate that cannot be used.
    pub fn new(
        iceberg: Url,
        identity: Option<&ReaderIdentity>,
        timeout: Duration,
    ) -> Result<Self, ReaderError> {
        Ok(Self {
            iceberg: iceberg_root(iceberg)?,
            http: Http::Fixed(client(identity, timeout)?),
        })
    }

    /// As [`Self::new`], with the identity in a folder as [`ReaderIdentity::from_directory`] reads it. When
    /// [`Self::follow`] finds that its files have changed, new connections are made with the new ones; files that cannot be used
    /// change nothing and are logged.
    ///
    /// # Errors
    /// [`ReaderError::Configuration`] for a folder or certificate that cannot be used.
    pub fn following(iceberg: Url, identity: &Path, timeout: Duration) -> Result<Self, ReaderError> {
        let files = IDENTITY_FILES.map(|name| identity.join(name)).to_vec();
        let folder = identity.to_owned();
        let read = move || {
            ReaderIdentity::from_directory(&folder)
                .and_then(|identity| client(Some(&identity), timeout))
                .map_err(|error| ReloadError(error.to_string()))
        };
        let client = Reloaded::new("the reader's certificate", files, read)
            .map_err(|error| ReaderError::Configuration(error.to_string()))?;
        Ok(Self {
            iceberg: iceberg_root(iceberg)?,
            http: Http::Followed(Arc::new(client)),
        })
    }

    /// Looks at the files of an identity that is followed, as far as the disk answers in time.
    pub async fn follow(&self) {
        let Http::Followed(client) = &self.http else {
            return;
        };
        let look = client.look(|work| drop(tokio::task::spawn_blocking(work)));
        let _elapsed = tokio::time::timeout(PATIENCE, look).await;
    }

    /// A connection for one end user; nothing is sent yet.
    ///
    /// # Errors
    /// [`ReaderError::Credentials`] for credentials that no header can carry.
    pub fn connect(&self, credentials: &Credentials) -> Result<Connection, ReaderError> {
        Ok(Connection {
            iceberg: self.iceberg.clone(),
            http: match &self.http {
                Http::Fixed(client) => client.clone(),
                Http::Followed(client) => client.current().as_ref().clone(),
            },
            authorization: authorization(credentials)?,
        })
    }
}

/// An address alone means Iceberg REST at its usual place.
fn iceberg_root(mut iceberg: Url) -> Result<Url, ReaderError> {
    // Addresses are shown in messages.
    if !iceberg.username().is_empty() || iceberg.password().is_some() {
        return Err(ReaderError::Configuration(
            "user and password are not part of the server's address".to_owned(),
        ));
    }
    if iceberg.cannot_be_a_base() || !matches!(iceberg.scheme(), "http" | "https") {
        return Err(ReaderError::Configuration(format!(
            "`{iceberg}` is not an HTTP address; write `https://HOST:PORT`"
        )));
    }
    if iceberg.path() == "/" {
        iceberg.set_path("/iceberg");
    }
    Ok(iceberg)
}

/// The header by which a client of the Iceberg protocol says how it wants to reach files.
const ACCESS_DELEGATION: HeaderName = HeaderName::from_static("x-iceberg-access-delegation");

fn client(identity: Option<&ReaderIdentity>, timeout: Duration) -> Result<Client, ReaderError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let capability = HeaderName::from_bytes(CAPABILITIES_HEADER.as_bytes())
        .map_err(|cause| ReaderError::Configuration(cause.to_string()))?;
    headers.insert(capability, HeaderValue::from_static(READ_RESTRICTIONS_V1));
    // Where the server gives out credentials, the reader needs none of its own for the storage.
    headers.insert(ACCESS_DELEGATION, HeaderValue::from_static("vended-credentials"));
    let mut builder = Client::builder()
        .default_headers(headers)
        .timeout(timeout)
        .user_agent(concat!("lakeward-reader/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the end user's credentials to another place.
        .redirect(reqwest::redirect::Policy::none());
    if let Some(identity) = identity {
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
    } else {
        let authorities = lakeward_tls::machine::authorities();
        builder = authorities
            .iter()
            .filter_map(|authority| Certificate::from_der(authority).ok())
            .fold(builder, ClientBuilder::add_root_certificate);
    }
    builder
        .build()
        .map_err(|cause| ReaderError::Configuration(format!("no HTTP client: {cause}")))
}

impl Connection {
    /// Prepares a connection; nothing is sent yet.
    ///
    /// # Errors
    /// [`ReaderError::Configuration`] for certificates that cannot be used, [`ReaderError::Credentials`] for
    /// credentials that cannot.
    pub fn new(options: ConnectionOptions) -> Result<Self, ReaderError> {
        Connector::new(options.iceberg, options.identity.as_ref(), options.timeout)?
            .connect(&options.credentials)
    }

    /// What the server says of itself to this user. It is asked each time.
    ///
    /// # Errors
    /// [`ReaderError::Unauthenticated`] for a user whom the server does not know, and as loading a table.
    pub async fn configuration(&self) -> Result<ServerConfiguration, ReaderError> {
        let what = "v1/config";
        let body = self.get(&["v1", "config"], &[]).await?.map_err(|answer| {
            let answer = Box::new(answer);
            let table = what.to_owned();
            match answer.status {
                401 => ReaderError::Unauthenticated(answer),
                403 => ReaderError::Refused { table, answer },
                _ => ReaderError::Server { table, answer },
            }
        })?;
        serde_json::from_str(&body).map_err(|cause| ReaderError::Answer {
            table: what.to_owned(),
            problem: cause.to_string(),
        })
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
        let mut request = self.http.get(url);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let response = request.send().await.map_err(unreachable)?;
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
                return Err(ReaderError::Credentials(
                    "a user name for Basic authentication must not contain `:`".to_owned(),
                ));
            }
            format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
        }
        Credentials::Bearer(token) => format!("Bearer {token}"),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        ReaderError::Credentials("the token has characters that a header cannot carry".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// An error with what caused it, each once: libraries of transport name only their outermost part, and what helps is
/// further in.
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let inner = cause.to_string();
        if !text.contains(&inner) {
            text.push_str(": ");
            text.push_str(&inner);
        }
        source = cause.source();
    }
    text
}
