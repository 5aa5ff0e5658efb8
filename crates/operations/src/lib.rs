// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the product does, once per operation, in the right order. Knows neither HTTP nor SQL.
//!
//! One file per object kind adds methods to [`Operations`]; each takes the [`caller::Call`] whose facts the gate
//! established, and the proof that it was authorized:
//!
//! ```text
//! impl Operations {
//!     pub async fn load_schema(&self, call: &Call, schema: Authorized<SchemaPath>) -> Result<Schema, OperationError> {
//!         let row = call.facts.row()?;                  // exists, or NotFound of the topmost missing level
//!         call.facts.require_in_use()?;                 // 1009 under a disabled metalake or catalog
//!         …
//!     }
//! }
//! ```

use std::future::Future;
use std::sync::Arc;

use lakeward_catalog::registry::Registry;
use lakeward_store::Store;

pub mod access;
pub mod access_token;
mod caches;
pub mod caller;
pub mod catalog;
mod change_together;
mod children;
pub mod clock;
mod columns;
mod creator;
mod credential;
pub mod delegation;
pub mod directory;
mod enabling;
mod ended_location;
mod ending;
pub mod error;
pub mod etag;
pub mod explain;
mod external_name;
pub mod facts;
pub mod fileset;
pub mod fileset_files;
mod fileset_placement;
mod function;
pub mod gate;
mod governed_facts;
mod grounds;
pub mod group;
mod hidden_facts;
mod iceberg_catalog;
pub mod iceberg_commit;
pub mod iceberg_table;
pub mod iceberg_view;
pub mod idempotency;
pub mod identity_provider;
pub mod impact;
pub mod job;
pub mod job_keeping;
mod job_separation;
pub mod job_template;
mod lending;
pub mod load_governed_table;
pub mod login_limit;
pub mod maintenance;
mod metadata_file;
pub mod metalake;
mod metrics_report;
mod model;
mod model_version;
pub mod named;
pub mod namespace;
pub mod notes;
mod notices;
pub mod object_policy;
pub mod owner;
mod password;
pub mod paths;
pub mod permission;
pub mod policy;
pub mod policy_on_tag;
mod preview;
mod protection;
pub mod providers;
pub mod reader;
mod reading;
mod restricted_below;
pub mod restrictions;
pub mod role;
mod role_contents;
pub mod scan;
pub mod schema;
pub mod secret;
pub mod settings;
mod statistic;
pub mod step;
mod store_error;
pub mod table;
mod table_placement;
pub mod tag;
pub mod tag_assignment;
pub mod token_exchange;
pub mod topic;
pub mod upstream;
pub mod user;
pub mod view;
mod view_placement;
pub mod widening;

pub use error::OperationError;
pub use settings::OperationSettings;

/// Every operation of the product. Cloning is cheap and gives the same.
#[derive(Debug, Clone)]
pub struct Operations {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    registry: Registry,
    settings: OperationSettings,
    caches: caches::Caches,
    clock: clock::Clock,
    logins: login_limit::LoginLimit,
    notices: notices::Notices,
    jobs: job_keeping::Jobs,
    /// Held by the one job that maintains a table.
    maintenance: tokio::sync::Mutex<()>,
    steps: step::Steps,
    secrets: secret::Secrets,
}

impl Operations {
    /// Over an open store, with the providers that the server was built with.
    pub fn new(store: Store, registry: Registry, settings: OperationSettings) -> Self {
        Self {
            inner: Arc::new(Inner {
                store,
                registry,
                clock: clock::Clock::default(),
                logins: login_limit::LoginLimit::new(settings.login_limits),
                jobs: job_keeping::Jobs::new(&settings.jobs),
                maintenance: tokio::sync::Mutex::default(),
                secrets: secret::Secrets::new(&settings.secret_providers),
                settings,
                caches: caches::Caches::default(),
                notices: notices::Notices::default(),
                steps: step::Steps::default(),
            }),
        }
    }

    /// Where rows are kept.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The providers.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// What of the configuration matters here.
    pub fn settings(&self) -> &OperationSettings {
        &self.inner.settings
    }

    /// The time by which delays and expiries are judged.
    pub fn clock(&self) -> &clock::Clock {
        &self.inner.clock
    }

    pub(crate) fn logins(&self) -> &login_limit::LoginLimit {
        &self.inner.logins
    }

    pub(crate) fn notices(&self) -> &notices::Notices {
        &self.inner.notices
    }

    pub(crate) fn secrets(&self) -> &secret::Secrets {
        &self.inner.secrets
    }

    pub(crate) fn jobs(&self) -> &job_keeping::Jobs {
        &self.inner.jobs
    }

    pub(crate) fn maintenance_turn(&self) -> &tokio::sync::Mutex<()> {
        &self.inner.maintenance
    }

    /// The steps that requests pass on their way.
    pub fn steps(&self) -> &step::Steps {
        &self.inner.steps
    }

    /// Takes a request through a step.
    ///
    /// # Errors
    /// Those of `work`.
    pub(crate) async fn pass<T>(
        &self,
        step: step::Step,
        caller: &caller::Caller,
        work: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        self.inner.steps.pass(step, &caller.request_id, work).await
    }

    pub(crate) fn caches(&self) -> &caches::Caches {
        &self.inner.caches
    }
}
