// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A client of a gateway, for the command and the Python package. Other tools bring a client of their own.

use std::fmt;
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use arrow_flight::FlightInfo;
use arrow_flight::error::FlightError;
use arrow_flight::sql::client::FlightSqlServiceClient;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use lakeward_reader::connection::{Credentials, with_sources};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status};
use url::{Host, Url};

/// Bytes of answers on their way: what a gateway may send before this side took the first of them.
const WINDOW: u32 = 16 * 1024 * 1024;
/// Bytes of one frame. The protocol's own 16 KiB cut a message of an answer into more than a hundred.
const FRAME: u32 = 1024 * 1024;
/// How long a gateway may take to answer a connection.
const CONNECT_TIME: Duration = Duration::from_secs(20);
/// The longest message of a gateway; it splits its answers well below that.
const LONGEST_MESSAGE: usize = 64 * 1024 * 1024;

/// Where a gateway is, and as whom it is asked.
#[derive(Debug, Clone)]
pub struct GatewayOptions {
    /// `grpc+tls://HOST:PORT` or `https://HOST:PORT`; `grpc+tcp://` and `http://` on loopback only.
    pub gateway: Url,
    /// The end user.
    pub credentials: Credentials,
    /// The authority of the gateway's certificate, PEM; `None` trusts what the operating system trusts.
    pub authority: Option<Vec<u8>>,
}

/// Why a gateway gave no rows.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address, the authority or the credentials cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// No connection, or it broke.
    #[error("the gateway `{gateway}` could not be reached: {cause}")]
    Unreachable {
        /// Its address.
        gateway: String,
        /// What the connection says.
        cause: String,
    },
    /// The gateway does not know who asks.
    #[error("the gateway does not know who you are: {0}")]
    Unauthenticated(String),
    /// The gateway refused or failed; the text is its own.
    #[error("{message}")]
    Answer {
        /// The status of gRPC.
        code: Code,
        /// What the gateway says.
        message: String,
    },
    /// The gateway's answer is not what the protocol says.
    #[error("the answer of the gateway cannot be used: {0}")]
    Protocol(String),
}

/// Rows of a gateway, as they come.
pub struct RemoteRows {
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: BoxStream<'static, Result<RecordBatch, ClientError>>,
}

impl fmt::Debug for RemoteRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteRows")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

/// A connection to one gateway for one end user. Cheap to clone.
#[derive(Clone)]
pub struct GatewayClient {
    gateway: String,
    channel: Channel,
    authorization: Option<String>,
}

impl fmt::Debug for GatewayClient {
    /// Never shows the credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayClient")
            .field("gateway", &self.gateway)
            .finish_non_exhaustive()
    }
}

impl GatewayClient {
    /// Connects. The credentials go with each statement and are first looked at there.
    ///
    /// # Errors
    /// [`ClientError::Configuration`] for an address or authority that cannot be used, and
    /// [`ClientError::Unreachable`].
    pub async fn connect(options: GatewayOptions) -> Result<Self, ClientError> {
        let address = Address::of(&options.gateway)?;
        let mut endpoint = Endpoint::from_shared(address.http.clone())
            .map_err(|cause| ClientError::Configuration(format!("`{}`: {cause}", options.gateway)))?
            .user_agent(concat!("lakeward/", env!("CARGO_PKG_VERSION")))
            .map_err(|cause| ClientError::Configuration(cause.to_string()))?
            .connect_timeout(CONNECT_TIME)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_frame_size(FRAME)
            .tcp_nodelay(true);
        if address.tls {
            let tls = match &options.authority {
                Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
                None => ClientTlsConfig::new().with_native_roots(),
            };
            endpoint = endpoint.tls_config(tls).map_err(|cause| {
                ClientError::Configuration(format!("the authority cannot be used: {}", with_sources(&cause)))
            })?;
        }
        let channel = endpoint
            .connect()
            .await
            .map_err(|cause| ClientError::Unreachable {
                gateway: options.gateway.to_string(),
                cause: with_sources(&cause),
            })?;
        Ok(Self {
            gateway: options.gateway.to_string(),
            channel,
            authorization: authorization(&options.credentials)?,
        })
    }

    /// Asks for the rows of one statement, with the values of its parameters: the columns of one row.
    ///
    /// # Errors
    /// [`ClientError`]; what goes wrong later is an error of the stream.
    pub async fn query(
        &self,
        sql: &str,
        parameters: Option<&RecordBatch>,
    ) -> Result<RemoteRows, ClientError> {
        let client = self.flight();
        let info = self
            .flight_info(client.clone(), sql, parameters)
            .await
            .map_err(|cause| self.flight_error(cause))?;
        self.rows(client, info).await
    }

    async fn flight_info(
        &self,
        mut client: FlightSqlServiceClient<Channel>,
        sql: &str,
        parameters: Option<&RecordBatch>,
    ) -> Result<FlightInfo, FlightError> {
        let Some(parameters) = parameters else {
            return client.execute(sql.to_owned(), None).await;
        };
        // The gateway keeps nothing of a prepared statement, so there is nothing to close.
        let mut prepared = client.prepare(sql.to_owned(), None).await?;
        prepared.set_parameters(parameters.clone())?;
        prepared.execute().await
    }

    fn flight(&self) -> FlightSqlServiceClient<Channel> {
        let inner = arrow_flight::flight_service_client::FlightServiceClient::new(self.channel.clone())
            .max_decoding_message_size(LONGEST_MESSAGE);
        let mut client = FlightSqlServiceClient::new_from_inner(inner);
        if let Some(authorization) = &self.authorization {
            client.set_header("authorization", authorization);
        }
        client
    }

    /// The rows of all endpoints, one after the other.
    async fn rows(
        &self,
        mut client: FlightSqlServiceClient<Channel>,
        info: FlightInfo,
    ) -> Result<RemoteRows, ClientError> {
        let mut streams = Vec::new();
        for endpoint in &info.endpoint {
            let ticket = endpoint
                .ticket
                .clone()
                .ok_or_else(|| ClientError::Protocol("an endpoint has no ticket".to_owned()))?;
            let rows = client
                .do_get(ticket)
                .await
                .map_err(|cause| self.flight_error(cause))?;
            streams.push(rows);
        }
        let schema = info
            .try_decode_schema()
            .map_err(|cause| ClientError::Protocol(format!("no schema: {cause}")))?;
        let this = self.clone();
        let batches = futures::stream::iter(streams)
            .flatten()
            .map_err(move |cause| this.flight_error(cause))
            .boxed();
        Ok(RemoteRows {
            schema: schema.into(),
            batches,
        })
    }

    fn arrow_error(&self, error: &arrow::error::ArrowError) -> ClientError {
        let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(cause) = source {
            if let Some(status) = cause.downcast_ref::<Status>() {
                return self.status(status);
            }
            if let Some(FlightError::Tonic(status)) = cause.downcast_ref::<FlightError>() {
                return self.status(status);
            }
            source = cause.source();
        }
        ClientError::Protocol(with_sources(error))
    }

    fn flight_error(&self, error: FlightError) -> ClientError {
        match error {
            FlightError::Tonic(status) => self.status(&status),
            FlightError::Arrow(cause) => self.arrow_error(&cause),
            other @ (FlightError::NotYetImplemented(_)
            | FlightError::ProtocolError(_)
            | FlightError::DecodeError(_)
            | FlightError::ExternalError(_)) => ClientError::Protocol(with_sources(&other)),
        }
    }

    fn status(&self, status: &Status) -> ClientError {
        let (code, message) = (status.code(), status.message().to_owned());
        if code == Code::Unauthenticated {
            return ClientError::Unauthenticated(message);
        }
        // Made by this side when the connection breaks: the other side sends a message of its own.
        if std::error::Error::source(status).is_some() {
            return ClientError::Unreachable {
                gateway: self.gateway.clone(),
                cause: with_sources(status),
            };
        }
        ClientError::Answer { code, message }
    }
}

/// A gateway's address as HTTP/2 needs it.
#[derive(Debug, PartialEq, Eq)]
struct Address {
    http: String,
    tls: bool,
}

impl Address {
    /// # Errors
    /// [`ClientError::Configuration`] for other schemes, for anything behind the port, and for addresses beyond loopback
    /// without TLS: the credentials would be readable on the way.
    fn of(gateway: &Url) -> Result<Self, ClientError> {
        if !gateway.username().is_empty() || gateway.password().is_some() {
            return Err(ClientError::Configuration(
                "user and password are not part of a gateway's address; give them beside it".to_owned(),
            ));
        }
        let wrong = |problem: &str| {
            Err(ClientError::Configuration(format!(
                "`{gateway}` is no address of a gateway: {problem}; it looks like `grpc+tls://gateway.example.com:8815`"
            )))
        };
        let tls = match gateway.scheme() {
            "grpc+tls" | "https" => true,
            "grpc" | "grpc+tcp" | "http" => false,
            _ => return wrong("the scheme is unknown"),
        };
        let Some(host) = gateway.host_str().filter(|host| !host.is_empty()) else {
            return wrong("it has no host");
        };
        if !matches!(gateway.path(), "" | "/") || gateway.query().is_some() || gateway.fragment().is_some() {
            return wrong("nothing may follow the port");
        }
        if !tls && !is_loopback(gateway) {
            return wrong("without TLS a gateway is reached on this machine only");
        }
        let scheme = if tls { "https" } else { "http" };
        let Some(port) = gateway.port_or_known_default() else {
            return wrong("it has no port");
        };
        Ok(Self {
            http: format!("{scheme}://{host}:{port}"),
            tls,
        })
    }
}

/// Whether an address is of this machine. Hosts of schemes that the URL standard does not know are plain texts.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            name == "localhost"
                || name
                    .parse::<std::net::Ipv4Addr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

fn authorization(credentials: &Credentials) -> Result<Option<String>, ClientError> {
    match credentials {
        Credentials::None => Ok(None),
        Credentials::Basic { user, .. } if user.contains(':') => Err(ClientError::Configuration(
            "a user name for Basic authentication must not contain `:`".to_owned(),
        )),
        Credentials::Basic { user, password } => Ok(Some(format!(
            "Basic {}",
            STANDARD.encode(format!("{user}:{password}"))
        ))),
        Credentials::Bearer(token) if !token.is_ascii() || token.contains(char::is_whitespace) => Err(
            ClientError::Configuration("the token has characters that a header cannot carry".to_owned()),
        ),
        Credentials::Bearer(token) => Ok(Some(format!("Bearer {token}"))),
    }
}

#[cfg(test)]
mod tests {
    use lakeward_reader::connection::Credentials;
    use url::Url;

    use super::{Address, authorization};

    fn address(text: &str) -> Result<String, String> {
        Address::of(&Url::parse(text).unwrap())
            .map(|address| address.http)
            .map_err(|cause| cause.to_string())
    }

    #[test]
    fn addresses_are_those_of_flight_or_http() {
        for (given, expected) in [
            (
                "grpc+tls://gateway.example.com:8815",
                "https://gateway.example.com:8815",
            ),
            ("https://gateway.example.com", "https://gateway.example.com:443"),
            ("https://[::1]:1", "https://[::1]:1"),
            ("grpc+tcp://127.0.0.1:8815", "http://127.0.0.1:8815"),
            ("grpc://localhost:8815", "http://localhost:8815"),
            ("http://127.0.0.2:8815/", "http://127.0.0.2:8815"),
        ] {
            assert_eq!(address(given).as_deref(), Ok(expected), "{given}");
        }
    }

    #[test]
    fn secrets_do_not_travel_in_the_open() {
        for (given, problem) in [
            ("grpc+tcp://gateway.example.com:8815", "without TLS"),
            ("http://10.0.0.1:8815", "without TLS"),
            ("grpc+tls://gateway.example.com", "no port"),
            ("ftp://gateway.example.com", "scheme"),
            ("https://gateway.example.com/path", "follow the port"),
            ("https://ann:secret@gateway.example.com", "not part"),
        ] {
            let error = address(given).unwrap_err();
            assert!(
                error.contains(problem) && !error.contains("secret"),
                "{given}: {error}"
            );
        }
    }

    #[test]
    fn credentials_fit_a_header() {
        let basic = |user: &str| Credentials::Basic {
            user: user.to_owned(),
            password: "b".to_owned(),
        };
        assert_eq!(authorization(&basic("a")).unwrap().unwrap(), "Basic YTpi");
        assert!(authorization(&basic("a:c")).is_err());
        assert!(authorization(&Credentials::Bearer("a b".to_owned())).is_err());
        assert!(authorization(&Credentials::Bearer("a\nb".to_owned())).is_err());
        assert_eq!(authorization(&Credentials::None).unwrap(), None);
    }
}
