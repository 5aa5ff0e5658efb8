// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of one server, typed, and the rules between them.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lakeward_authorization::grants::Mode;

use super::ConfigurationError;
use super::cross_origin::{self, CrossOriginSettings};
use super::encryption;
use super::iceberg::IcebergSettings;
use super::jobs::JobsSettings;
use super::kerberos::KerberosSettings;
use super::limits::LimitSettings;
use super::lineage::LineageSettings;
use super::oauth::OauthSettings;
use super::properties::Properties;
use super::scim::ScimSettings;
use super::secrets;
use lakeward_audit_log::AuditSettings;
use lakeward_operations::secret::SecretProviderSettings;
use lakeward_store::FEWEST_CONNECTIONS;
use lakeward_tls::listener::ListenerTls;

/// Everything a server is started with.
#[derive(Clone)]
pub struct Settings {
    /// Listeners and limits.
    pub server: ServerSettings,
    /// The address of the store, as `lakeward_store::StoreUrl` reads it.
    pub store_url: String,
    /// The most connections to the store.
    pub store_connections: u32,
    /// The folder of the embedded store and of local warehouses.
    pub data_dir: PathBuf,
    /// Whose credentials are accepted, in the order in which they are asked.
    pub authenticators: Vec<AuthenticatorKind>,
    /// How tokens are judged; there if `oauth` is among the authenticators.
    pub oauth: Option<OauthSettings>,
    /// How tickets are judged; there if `kerberos` is among the authenticators.
    pub kerberos: Option<KerberosSettings>,
    /// Who may do what on the server itself.
    pub authorization: AuthorizationSettings,
    /// How often and how long.
    pub limits: LimitSettings,
    /// Row filters and column masks.
    pub read_restrictions: ReadRestrictionSettings,
    /// Where decisions are recorded.
    pub audit: AuditSettings,
    /// How jobs are run.
    pub jobs: JobsSettings,
    /// Where run events of OpenLineage go.
    pub lineage: LineageSettings,
    /// How identity providers push users and groups.
    pub scim: ScimSettings,
    /// Where secrets are kept.
    pub secret_providers: Vec<SecretProviderSettings>,
    /// The Iceberg service.
    pub iceberg: IcebergSettings,
    /// The password of service administrators that the built-in identity provider does not know yet.
    pub initial_admin_password: Option<String>,
    /// The raw keys, for `GET /configs` and the warnings at start.
    pub properties: Properties,
}

/// Listeners and limits.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Host of the native listener.
    pub host: String,
    /// Port of the native listener; 0 means any free one.
    pub port: u16,
    /// Host of the Iceberg listener.
    pub iceberg_host: String,
    /// Port of the Iceberg listener; 0 means any free one.
    pub iceberg_port: u16,
    /// Host of the reader listener.
    pub reader_host: String,
    /// Port of the reader listener; 0 means any free one, `None` that it is off.
    pub reader_port: Option<u16>,
    /// How the native listener is encrypted; `None` when it is not.
    pub tls: Option<ListenerTls>,
    /// The same of the Iceberg listener.
    pub iceberg_tls: Option<ListenerTls>,
    /// What pages of other origins may do on the native listener; `None` for nothing.
    pub cross_origin: Option<Arc<CrossOriginSettings>>,
    /// The same on the Iceberg listener.
    pub iceberg_cross_origin: Option<Arc<CrossOriginSettings>>,
    /// Names beside the host that the reader listener's certificate carries.
    pub reader_names: Vec<String>,
    /// The largest request body in bytes.
    pub max_body_bytes: u64,
    /// How long a connection may stay silent within a request.
    pub idle_timeout: Duration,
    /// How long a request may take from its head to its answer.
    pub request_timeout: Duration,
    /// How long open requests may take after the order to stop.
    pub shutdown_timeout: Duration,
    /// The largest request head in bytes.
    pub max_header_bytes: usize,
    /// Separates the levels of nested schemas in names.
    pub schema_separator: String,
    /// The most items of one bulk call.
    pub bulk_max_items: usize,
    /// How long the readiness probe may wait for the store.
    pub probe_timeout: Duration,
    /// Keys that `GET /configs` shows beside the usual ones.
    pub visible_configs: Vec<String>,
}

/// A way to prove who one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuthenticatorKind {
    /// A name is taken at its word.
    Simple,
    /// Name and password of the built-in identity provider.
    Basic,
    /// A token of an OAuth issuer.
    Oauth,
    /// A ticket of a Kerberos realm.
    Kerberos,
}

/// Who may do what on the server itself.
#[derive(Debug, Clone)]
pub struct AuthorizationSettings {
    /// Whether and how checks are made.
    pub mode: Mode,
    /// Who may create metalakes and manage local accounts.
    pub service_admins: BTreeSet<String>,
    /// Who may manage readers and see the server's state; the service administrators unless given.
    pub operators: BTreeSet<String>,
}

/// Row filters and column masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadRestrictionSettings {
    /// Whether restriction policies may be enabled and are enforced.
    pub enabled: bool,
    /// Whether a change that takes a restriction away is done without `force=true`.
    pub widening_allowed: bool,
    /// Whether what `X-Iceberg-Client-Capabilities` declares counts as well.
    pub iceberg_capabilities_header: bool,
}

impl Settings {
    /// Types the properties and checks the rules between them.
    ///
    /// # Errors
    /// [`ConfigurationError`] that names the key and what is expected.
    pub fn from_properties(properties: Properties) -> Result<Self, ConfigurationError> {
        let read_restrictions = ReadRestrictionSettings {
            enabled: properties.switch("lakeward.read-restrictions.enabled")?,
            widening_allowed: widening_allowed(&properties)?,
            iceberg_capabilities_header: properties
                .switch("lakeward.read-restrictions.iceberg-capabilities-header")?,
        };
        let authenticators = authenticators(&properties)?;
        let data_dir = PathBuf::from(properties.get("lakeward.data-dir").unwrap_or_default());
        let settings = Self {
            server: ServerSettings::from_properties(&properties, read_restrictions.enabled)?,
            store_url: store_url(&properties, &data_dir)?,
            store_connections: store_connections(&properties)?,
            audit: audit(&properties, &data_dir)?,
            data_dir,
            oauth: authenticators
                .contains(&AuthenticatorKind::Oauth)
                .then(|| OauthSettings::from_properties(&properties))
                .transpose()?,
            kerberos: authenticators
                .contains(&AuthenticatorKind::Kerberos)
                .then(|| KerberosSettings::from_properties(&properties))
                .transpose()?,
            authenticators,
            authorization: AuthorizationSettings::from_properties(&properties)?,
            limits: LimitSettings::from_properties(&properties)?,
            read_restrictions,
            jobs: JobsSettings::from_properties(&properties)?,
            lineage: LineageSettings::from_properties(&properties)?,
            scim: ScimSettings::from_properties(&properties)?,
            secret_providers: secrets::from_properties(&properties)?,
            iceberg: IcebergSettings::from_properties(&properties)?,
            initial_admin_password: initial_admin_password(),
            properties,
        };
        settings.check()?;
        Ok(settings)
    }

    /// The rules between settings. Called again by the server at start, since in-process callers change fields.
    ///
    /// # Errors
    /// [`ConfigurationError::Combination`].
    pub fn check(&self) -> Result<(), ConfigurationError> {
        let refused = |text: &str| Err(ConfigurationError::Combination(text.to_owned()));
        let simple = self.authenticators.contains(&AuthenticatorKind::Simple);
        let basic = self.authenticators.contains(&AuthenticatorKind::Basic);
        if simple && basic {
            return refused(
                "`gravitino.authenticators` cannot hold both `simple` and `basic`: `simple` would accept any password",
            );
        }
        let extension = self
            .properties
            .list("gravitino.server.rest.extensionPackages")
            .iter()
            .any(|package| package == "org.apache.gravitino.idp.web.rest.feature");
        if extension && !basic {
            return refused(
                "the extension `org.apache.gravitino.idp.web.rest.feature` needs `basic` in `gravitino.authenticators`",
            );
        }
        if self.authorization.mode != Mode::Off && self.authorization.service_admins.is_empty() {
            return refused(
                "`gravitino.authorization.enable = true` needs at least one name in `gravitino.authorization.serviceAdmins`",
            );
        }
        if self.audit.required && !self.audit.enabled {
            return refused("`lakeward.audit.required = true` needs `lakeward.audit.enabled = true`");
        }
        if self.read_restrictions.enabled {
            if self.authorization.mode == Mode::Off {
                return refused(
                    "`lakeward.read-restrictions.enabled = true` needs `gravitino.authorization.enable = true`",
                );
            }
            if simple && !self.server.is_on_loopback() {
                return refused(
                    "with the authenticator `simple` anybody can claim any name, so `lakeward.read-restrictions.enabled = \
                     true` is possible only while every listener is on loopback: set the hosts to 127.0.0.1, or use `basic` or `oauth`",
                );
            }
        }
        Ok(())
    }
}

impl ServerSettings {
    fn from_properties(properties: &Properties, restrictions: bool) -> Result<Self, ConfigurationError> {
        let text = |name: &str| properties.get(name).unwrap_or_default().to_owned();
        let millis = |name: &str| properties.parsed(name, "milliseconds").map(Duration::from_millis);
        let host = text("gravitino.server.webserver.host");
        let reader_port = match properties.given("lakeward.reader.port") {
            Some(_) => Some(properties.parsed("lakeward.reader.port", "a port from 0 to 65535")?),
            None => restrictions.then_some(DEFAULT_READER_PORT),
        };
        let tls = encryption::from_properties(properties, encryption::NATIVE)?;
        let iceberg_tls = encryption::from_properties(properties, encryption::ICEBERG)?;
        // A listener that is encrypted takes the place of the other, at a port of its own.
        let port = |listener: &str, tls: &Option<ListenerTls>| {
            let name = if tls.is_some() { "httpsPort" } else { "httpPort" };
            properties.parsed(&format!("{listener}.{name}"), "a port from 0 to 65535")
        };
        Ok(Self {
            port: port(encryption::NATIVE, &tls)?,
            iceberg_host: text("gravitino.iceberg-rest.host"),
            iceberg_port: port(encryption::ICEBERG, &iceberg_tls)?,
            tls,
            iceberg_tls,
            reader_host: owned(properties, "lakeward.reader.host").unwrap_or_else(|| host.clone()),
            reader_port,
            cross_origin: CrossOriginSettings::from_properties(properties, cross_origin::NATIVE)?
                .map(Arc::new),
            iceberg_cross_origin: CrossOriginSettings::from_properties(properties, cross_origin::ICEBERG)?
                .map(Arc::new),
            reader_names: properties.list("lakeward.reader.names"),
            host,
            max_body_bytes: properties.parsed("lakeward.server.maxBodyBytes", "a number of bytes")?,
            idle_timeout: millis("gravitino.server.webserver.idleTimeout")?,
            request_timeout: millis("lakeward.server.requestTimeoutMs")?,
            shutdown_timeout: millis("gravitino.server.shutdown.timeout")?,
            max_header_bytes: properties.parsed(
                "gravitino.server.webserver.requestHeaderSize",
                "a number of bytes",
            )?,
            schema_separator: text("gravitino.schema.separator"),
            bulk_max_items: properties.parsed("gravitino.server.bulk.maxItems", "a number")?,
            probe_timeout: millis("gravitino.server.health.entityStore.probeTimeoutMs")?,
            visible_configs: properties.list("gravitino.server.visibleConfigs"),
        })
    }

    /// Whether nobody but this machine reaches any listener.
    pub fn is_on_loopback(&self) -> bool {
        [&self.host, &self.iceberg_host, &self.reader_host]
            .into_iter()
            .all(|host| {
                host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            })
    }
}

/// Beside the native port.
const DEFAULT_READER_PORT: u16 = 8091;

impl AuthorizationSettings {
    fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let key = "gravitino.authorization.impl";
        let implementation = properties.given(key).unwrap_or("JcasbinAuthorizer");
        let pass_through = match implementation.rsplit('.').next() {
            Some("JcasbinAuthorizer") => false,
            Some("PassThroughAuthorizer") => true,
            Some(_) | None => {
                return Err(ConfigurationError::Value {
                    key: key.to_owned(),
                    value: implementation.to_owned(),
                    expected: "a class named `JcasbinAuthorizer` or `PassThroughAuthorizer`",
                });
            }
        };
        let mode = match (properties.switch("gravitino.authorization.enable")?, pass_through) {
            (false, _) => Mode::Off,
            (true, true) => Mode::PassThrough,
            (true, false) => Mode::Enforced,
        };
        let service_admins: BTreeSet<String> = properties
            .list("gravitino.authorization.serviceAdmins")
            .into_iter()
            .collect();
        let operators: BTreeSet<String> = properties.list("lakeward.operators").into_iter().collect();
        Ok(Self {
            mode,
            operators: if operators.is_empty() {
                service_admins.clone()
            } else {
                operators
            },
            service_admins,
        })
    }
}

fn owned(properties: &Properties, name: &str) -> Option<String> {
    properties.given(name).map(str::to_owned)
}

fn audit(properties: &Properties, data_dir: &std::path::Path) -> Result<AuditSettings, ConfigurationError> {
    let file = owned(properties, "lakeward.audit.file").map(PathBuf::from);
    Ok(AuditSettings {
        enabled: properties.switch("lakeward.audit.enabled")?,
        file: file.unwrap_or_else(|| data_dir.join("audit").join("audit.jsonl")),
        max_file_bytes: properties.parsed("lakeward.audit.maxFileBytes", "a number of bytes")?,
        required: properties.switch("lakeward.audit.required")?,
    })
}

fn widening_allowed(properties: &Properties) -> Result<bool, ConfigurationError> {
    let key = "lakeward.read-restrictions.widening";
    match properties.get(key) {
        Some("ask") | None => Ok(false),
        Some("allow") => Ok(true),
        Some(other) => Err(ConfigurationError::Value {
            key: key.to_owned(),
            value: other.to_owned(),
            expected: "`ask` or `allow`",
        }),
    }
}

fn authenticators(properties: &Properties) -> Result<Vec<AuthenticatorKind>, ConfigurationError> {
    let new = "gravitino.authenticators";
    let old = "gravitino.authenticator";
    let key = if properties.given(new).is_none() && properties.given(old).is_some() {
        old
    } else {
        new
    };
    let mut kinds = Vec::new();
    for name in properties.list(key) {
        let kind = match name.to_ascii_lowercase().as_str() {
            "simple" => AuthenticatorKind::Simple,
            "basic" => AuthenticatorKind::Basic,
            "oauth" => AuthenticatorKind::Oauth,
            "kerberos" => AuthenticatorKind::Kerberos,
            _ => {
                return Err(ConfigurationError::Value {
                    key: key.to_owned(),
                    value: name,
                    expected: "`simple`, `basic`, `oauth` or `kerberos`",
                });
            }
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        return Err(ConfigurationError::Value {
            key: key.to_owned(),
            value: String::new(),
            expected: "`simple`, `basic`, `oauth` or `kerberos`",
        });
    }
    Ok(kinds)
}

/// How many connections to the store there may be. With fewer than it needs, requests would wait for each other.
fn store_connections(properties: &Properties) -> Result<u32, ConfigurationError> {
    let key = "gravitino.entity.store.relational.maxConnections";
    let most = properties.parsed(key, "a number")?;
    let too_few = || format!("`{key}` is {most}, and must be at least {FEWEST_CONNECTIONS}");
    let enough = Some(most).filter(|most| *most >= FEWEST_CONNECTIONS);
    enough.ok_or_else(|| ConfigurationError::Combination(too_few()))
}

/// The store's address: PostgreSQL when `jdbcUrl` says so, else the embedded file (also for the original's embedded
/// default, H2).
fn store_url(properties: &Properties, data_dir: &std::path::Path) -> Result<String, ConfigurationError> {
    let key = "gravitino.entity.store.relational.jdbcUrl";
    let Some(given) = properties.given(key) else {
        return Ok(embedded(data_dir));
    };
    if given.starts_with("jdbc:h2") {
        return Ok(embedded(data_dir));
    }
    if given.starts_with("sqlite:") || given == "memory" {
        return Ok(given.to_owned());
    }
    let expected = "`jdbc:postgresql://…`, `postgres://…` or `sqlite:FILE`";
    let refused = || ConfigurationError::Value {
        key: key.to_owned(),
        // The address may hold a password.
        value: given.split([':', '/', '@']).next().unwrap_or_default().to_owned() + ":…",
        expected,
    };
    let mut url = url::Url::parse(given.strip_prefix("jdbc:").unwrap_or(given)).map_err(|_| refused())?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(refused());
    }
    if url.username().is_empty()
        && let Some(user) = properties.given("gravitino.entity.store.relational.jdbcUser")
    {
        url.set_username(user).map_err(|()| refused())?;
        let password = properties.given("gravitino.entity.store.relational.jdbcPassword");
        url.set_password(password).map_err(|()| refused())?;
    }
    Ok(url.to_string())
}

fn embedded(data_dir: &std::path::Path) -> String {
    format!("sqlite:{}", data_dir.join("lakeward.db").display())
}

/// The one setting that is no key of the file: a password does not belong into it.
fn initial_admin_password() -> Option<String> {
    std::env::var("GRAVITINO_INITIAL_ADMIN_PASSWORD")
        .ok()
        .filter(|password| !password.is_empty())
}
