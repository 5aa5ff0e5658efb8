// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Starting a server: store, operations, listeners; and stopping it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lakeward_catalog::registry::Registry;
use lakeward_catalog_fileset::FilesetFactory;
use lakeward_catalog_iceberg::{IcebergFactory, UpstreamHosts};
use lakeward_catalog_model::ModelFactory;
use lakeward_job_executor::{ExecutorError, ExecutorSettings, JobUser};
use lakeward_operations::job_keeping::JobSettings;
use lakeward_operations::{OperationError, OperationSettings, Operations};
use lakeward_store::{Store, StoreError, StoreOptions, StoreUrl};
use lakeward_tls::listener::{ListenerTls, listener_config};
use lakeward_tls::reloaded::ReloadError;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::app::App;
use crate::audit::flood::{self, Flood};
use crate::authentication::Authentication;
use crate::config::cross_origin::CrossOriginSettings;
use crate::config::settings::AuthenticatorKind;
use crate::config::{ConfigurationError, Settings, encryption};
use crate::http::metrics::Metrics;
use crate::http::rate_limit::RateLimits;
use crate::http::route_table::MountedTwice;
use crate::http::routes::{Mounted, Tree};
use crate::lineage::{Lineage, Waiting};
use crate::listener::{Channel, Listener};
use crate::reader_identity::Authority;
use lakeward_audit_log::{Audit, AuditError};

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings cannot be used.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An address cannot be listened on.
    #[error("cannot listen on {host}:{port}: {source}")]
    Listen {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// Accounts or the authority of readers cannot be prepared.
    #[error("{error}{}", error.detail().map(|detail| format!(": {detail}")).unwrap_or_default())]
    Preparation {
        /// What went wrong.
        error: OperationError,
    },
    /// A listener cannot be encrypted as its keys say.
    #[error("{listener}.*: {error}")]
    Encryption {
        /// How the keys of the listener begin.
        listener: &'static str,
        /// The file or the name that cannot be used.
        error: ReloadError,
    },
    /// Jobs cannot be run as the user that is configured.
    #[error("`lakeward.jobs.user`: {0}")]
    JobUser(ExecutorError),
    /// The audit log cannot be written.
    #[error(
        "{0}; choose another with `lakeward.audit.file`, or switch it off with `lakeward.audit.enabled = false`"
    )]
    Audit(#[from] AuditError),
    /// A programming error that a test finds.
    #[error(transparent)]
    Routes(#[from] MountedTwice),
}

impl From<OperationError> for StartError {
    fn from(error: OperationError) -> Self {
        Self::Preparation { error }
    }
}

/// A server that accepts requests. Dropping it ends its listeners at once; [`Running::stop`] ends them in order.
#[derive(Debug)]
pub struct Running {
    /// Where the native protocol is served.
    pub native_addr: SocketAddr,
    /// Where the Iceberg protocol is served, below `/iceberg`.
    pub iceberg_addr: SocketAddr,
    /// Where readers with a certificate are served; `None` when that listener is off.
    pub reader_addr: Option<SocketAddr>,
    /// What the endpoints can reach.
    pub app: Arc<App>,
    stop: watch::Sender<bool>,
    listeners: JoinSet<()>,
    delivery: JoinHandle<()>,
    // Ends with the rest where nobody stops the server in order.
    _jobs: EndOfJobs,
}

/// Ends the processes of jobs when it is dropped.
#[derive(Debug)]
struct EndOfJobs(Operations);

impl Drop for EndOfJobs {
    fn drop(&mut self) {
        self.0.abandon_jobs();
    }
}

impl Running {
    /// The line that says that requests are accepted, and where.
    pub fn ready_line(&self) -> String {
        let reader = self
            .reader_addr
            .map(|address| format!(" reader=https://{}", reachable(address)))
            .unwrap_or_default();
        let server = &self.app.settings.server;
        let scheme = |tls: &Option<ListenerTls>| if tls.is_some() { "https" } else { "http" };
        format!(
            "ready native={}://{} iceberg={}://{}/iceberg{reader}",
            scheme(&server.tls),
            reachable(self.native_addr),
            scheme(&server.iceberg_tls),
            reachable(self.iceberg_addr)
        )
    }

    /// Stops accepting, lets open requests end within `gravitino.server.shutdown.timeout`, ends all jobs, and closes the
    /// store.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        while self.listeners.join_next().await.is_some() {}
        self.app.lineage.close();
        let within = self.app.settings.server.shutdown_timeout;
        if tokio::time::timeout(within, &mut self.delivery).await.is_err() {
            self.delivery.abort();
            tracing::warn!("run events are lost: their sinks did not take them in time");
        }
        let operations = &self.app.operations;
        if let Err(error) = operations.stop_jobs().await {
            tracing::warn!(%error, detail = error.detail(), "the end of jobs is not written down; the next start does it");
        }
        if let Err(error) = operations.keep_notices().await {
            tracing::warn!(%error, detail = error.detail(), "what was noticed beside requests is lost");
        }
        operations.store().close().await;
        self.app.note_flood();
        self.app.audit.flush().await;
    }
}

/// Opens the store and starts all listeners. Returns when requests are accepted.
///
/// # Errors
/// [`StartError`]; nothing is left running then.
pub async fn start(settings: Settings) -> Result<Running, StartError> {
    let providers = providers_reaching(settings.iceberg.upstream_hosts.clone());
    start_with(settings, providers).await
}

/// As [`start`], with these providers of catalogs in place of those of this build.
///
/// # Errors
/// As [`start`].
pub async fn start_with(settings: Settings, providers: Registry) -> Result<Running, StartError> {
    settings.check()?;
    for warning in &settings.properties.warnings {
        tracing::warn!("{warning}");
    }
    if settings.authenticators.contains(&AuthenticatorKind::Simple) && !settings.server.is_on_loopback() {
        tracing::warn!(
            "ANYBODY CAN BE ANYBODY: with the authenticator `simple` this server takes every name at its word, without a \
             password, and it listens beyond this machine. Set `gravitino.authenticators` to `basic` or `oauth`, or the hosts \
             to 127.0.0.1"
        );
    }
    if settings
        .oauth
        .as_ref()
        .is_some_and(|oauth| oauth.issuer.is_none())
    {
        tracing::warn!(
            "`gravitino.authenticator.oauth.authority` is not set, so a token counts whatever its `iss` says, as long as its \
             key and its `aud` are right: some issuers use the same keys for many customers"
        );
    }
    let url = settings.store_url.parse::<StoreUrl>()?;
    let options = StoreOptions {
        schema_separator: settings.server.schema_separator.clone(),
        max_connections: settings.store_connections,
    };
    let store = Store::open(&url, options).await?;
    let jobs = job_settings(&settings, &url)?;
    let operations = Operations::new(store, providers, operation_settings(&settings, jobs));
    if settings.authenticators.contains(&AuthenticatorKind::Basic) {
        operations
            .create_initial_accounts(settings.initial_admin_password.as_deref())
            .await?;
    }
    operations.take_over_jobs().await?;
    operations.provide_built_in_job_templates().await?;
    let authority = Authority::load_or_make(&operations).await?;
    let audit = Audit::open(&settings.audit)?;
    tracing::info!(
        shared_store = operations.store().is_shared(),
        authorization = ?settings.authorization.mode,
        authenticators = ?settings.authenticators,
        read_restrictions = settings.read_restrictions.enabled,
        "starting"
    );
    let (lineage, waiting) = Lineage::new(&settings.lineage);
    let app = Arc::new(App {
        authentication: Authentication::new(&settings, &operations)?,
        operations,
        authority,
        audit,
        flood: Flood::default(),
        metrics: Metrics::default(),
        rates: RateLimits::new(settings.limits.requests),
        lineage,
        settings,
    });
    listen(app, waiting).await
}

/// A socket, which endpoints it serves, to pages of which other origins, and over what channel.
type Door = (
    TcpListener,
    fn(&Mounted) -> bool,
    Option<Arc<CrossOriginSettings>>,
    Channel,
);

/// The channel of an ordinary listener.
fn channel(listener: &'static str, tls: Option<&ListenerTls>) -> Result<Channel, StartError> {
    let Some(tls) = tls else {
        return Ok(Channel::Plain);
    };
    let config = listener_config(tls, &[b"h2", b"http/1.1"])
        .map_err(|error| StartError::Encryption { listener, error })?;
    Ok(Channel::Encrypted {
        config: Arc::new(config),
        asks_clients: tls.clients.is_some(),
    })
}

async fn listen(app: Arc<App>, waiting: Waiting) -> Result<Running, StartError> {
    let server = &app.settings.server;
    let (native, native_addr) = bind(&server.host, server.port).await?;
    let (iceberg, iceberg_addr) = bind(&server.iceberg_host, server.iceberg_port).await?;
    let mut doors: Vec<Door> = vec![
        (
            native,
            |_| true,
            server.cross_origin.clone(),
            channel(encryption::NATIVE, server.tls.as_ref())?,
        ),
        (
            iceberg,
            |mounted| !matches!(mounted.tree, Tree::Native | Tree::Scim),
            server.iceberg_cross_origin.clone(),
            channel(encryption::ICEBERG, server.iceberg_tls.as_ref())?,
        ),
    ];
    let mut reader_addr = None;
    if let Some(port) = server.reader_port {
        let (reader, address) = bind(&server.reader_host, port).await?;
        let mut names = vec![server.reader_host.clone()];
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        names.extend(server.reader_names.iter().cloned());
        let tls = Arc::new(app.authority.server_config(&names)?);
        let serves = |mounted: &Mounted| mounted.tree != Tree::Scim && (mounted.reads || mounted.appends);
        doors.push((reader, serves, None, Channel::Readers(tls)));
        reader_addr = Some(address);
    }
    let routes = crate::listing::all_routes();
    let (stop, stopped) = watch::channel(false);
    let mut listeners = JoinSet::new();
    listeners.spawn(keep_notices(app.operations.clone(), stopped.clone()));
    listeners.spawn(forget_ended_requests(app.operations.clone(), stopped.clone()));
    listeners.spawn(keep_jobs(app.operations.clone(), stopped.clone()));
    listeners.spawn(record_flood(Arc::clone(&app), stopped.clone()));
    for (socket, serves, cross_origin, channel) in doors {
        let listener = Listener {
            socket,
            router: Arc::new(routes.arrange(serves)?.with_cross_origin(cross_origin)),
            app: Arc::clone(&app),
            channel: Arc::new(channel),
        };
        listeners.spawn(listener.serve(stopped.clone()));
    }
    Ok(Running {
        native_addr,
        iceberg_addr,
        reader_addr,
        delivery: waiting.deliver(),
        _jobs: EndOfJobs(app.operations.clone()),
        app,
        stop,
        listeners,
    })
}

/// Writes what requests only notice, until the server stops; what is left then, [`Running::stop`] writes.
async fn keep_notices(operations: Operations, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            _ = stop.wait_for(|stopped| *stopped) => return,
            () = operations.something_noticed() => {}
        }
        if let Err(error) = operations.keep_notices().await {
            tracing::warn!(%error, detail = error.detail(), "what was noticed beside requests was not kept");
        }
    }
}

/// How often expired idempotency keys are cleaned up. They are of no effect before.
const FORGET_EVERY: Duration = Duration::from_secs(300);

/// Forgets requests whose idempotency keys have expired, until the server stops.
async fn forget_ended_requests(operations: Operations, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            _ = stop.wait_for(|stopped| *stopped) => return,
            () = tokio::time::sleep(FORGET_EVERY) => {}
        }
        if let Err(error) = operations.forget_ended_requests().await {
            tracing::warn!(%error, detail = error.detail(), "expired idempotency keys are not forgotten yet");
        }
    }
}

/// Records what is only counted, until the server stops; what is left then, [`Running::stop`] records.
async fn record_flood(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(flood::EVERY);
    loop {
        tokio::select! {
            _ = stop.wait_for(|stopped| *stopped) => return,
            _ = ticks.tick() => app.note_flood(),
        }
    }
}

/// Keeps jobs until the server stops; what becomes of them then, [`Running::stop`] writes.
async fn keep_jobs(operations: Operations, mut stop: watch::Receiver<bool>) {
    tokio::select! {
        _ = stop.wait_for(|stopped| *stopped) => {}
        () = operations.keep_jobs() => {}
    }
}

async fn bind(host: &str, port: u16) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |source| StartError::Listen {
        host: host.to_owned(),
        port,
        source,
    };
    let socket = TcpListener::bind((host, port)).await.map_err(refused)?;
    let address = socket.local_addr().map_err(refused)?;
    Ok((socket, address))
}

/// The providers of this build.
pub fn providers() -> Registry {
    providers_reaching(UpstreamHosts::default())
}

/// The providers of this build, with the hosts that federated catalogs may reach.
fn providers_reaching(upstream_hosts: UpstreamHosts) -> Registry {
    Registry::default()
        .with(Arc::new(FilesetFactory))
        .with(Arc::new(IcebergFactory::new(upstream_hosts)))
        .with(Arc::new(ModelFactory))
}

/// How jobs are run, once it is certain that they can be run as the user that is configured.
fn job_settings(settings: &Settings, url: &StoreUrl) -> Result<JobSettings, StartError> {
    let user = settings.jobs.user.as_deref().map(JobUser::find).transpose();
    Ok(JobSettings {
        executor: ExecutorSettings {
            user: user.map_err(StartError::JobUser)?,
            ..settings.jobs.executor.clone()
        },
        pull_interval: settings.jobs.pull_interval,
        keep: settings.jobs.keep,
        store_file: match url {
            StoreUrl::Sqlite(file) => Some(file.clone()),
            StoreUrl::Memory | StoreUrl::Postgres(_) => None,
        },
    })
}

fn operation_settings(settings: &Settings, jobs: JobSettings) -> OperationSettings {
    OperationSettings {
        mode: settings.authorization.mode,
        service_admins: settings.authorization.service_admins.clone(),
        operators: settings.authorization.operators.clone(),
        directory_enabled: settings.scim.enabled,
        provisioners: settings.scim.provisioners.clone(),
        read_restrictions_enabled: settings.read_restrictions.enabled,
        widening_allowed: settings.read_restrictions.widening_allowed,
        iceberg_metalake: settings.iceberg.metalake.clone(),
        iceberg_default_catalog: settings.iceberg.default_catalog.clone(),
        data_dir: settings.data_dir.clone(),
        // Also while nothing is written to it: what was, stays there.
        audit_file: Some(settings.audit.file.clone()),
        metrics_reports_per_table: settings.iceberg.metrics_reports_per_table,
        bulk_max_items: settings.server.bulk_max_items,
        login_limits: settings.limits.logins,
        max_token_lifetime: settings.limits.max_token_lifetime,
        jobs,
        secret_providers: settings.secret_providers.clone(),
    }
}

/// An address that a client on this machine can use: the unspecified one is loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback = if address.is_ipv4() {
        std::net::Ipv4Addr::LOCALHOST.into()
    } else {
        std::net::Ipv6Addr::LOCALHOST.into()
    };
    SocketAddr::new(loopback, address.port())
}
