// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What operations must know of the server's configuration.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use lakeward_authorization::grants::Mode;

use crate::job_keeping::JobSettings;
use crate::login_limit::LoginLimits;
use crate::secret::SecretProviderSettings;

/// See the module.
#[derive(Debug, Clone)]
pub struct OperationSettings {
    /// Whether and how checks are made.
    pub mode: Mode,
    /// Who may create metalakes and manage local accounts.
    pub service_admins: BTreeSet<String>,
    /// Who may manage readers and see the server's state.
    pub operators: BTreeSet<String>,
    /// Whether the directory that identity providers push is asked.
    pub directory_enabled: bool,
    /// Who may push users and groups beside the service administrators.
    pub provisioners: BTreeSet<String>,
    /// Whether restriction policies may be enabled, and are enforced.
    pub read_restrictions_enabled: bool,
    /// Whether a change that takes a restriction away is done without `force=true`.
    pub widening_allowed: bool,
    /// The metalake whose catalogs the Iceberg service serves; the only one when unset.
    pub iceberg_metalake: Option<String>,
    /// The catalog that is meant when an Iceberg request names none.
    pub iceberg_default_catalog: Option<String>,
    /// The folder for local warehouses of catalogs that name no warehouse.
    pub data_dir: PathBuf,
    /// The file of the audit log; no fileset lies in its folder.
    pub audit_file: Option<PathBuf>,
    /// How many metrics reports are kept of a table.
    pub metrics_reports_per_table: u32,
    /// The most items of one bulk call.
    pub bulk_max_items: usize,
    /// How often passwords may be guessed.
    pub login_limits: LoginLimits,
    /// The longest that an access token is good for.
    pub max_token_lifetime: Duration,
    /// How jobs are run and kept.
    pub jobs: JobSettings,
    /// Where secrets are kept.
    pub secret_providers: Vec<SecretProviderSettings>,
}

impl Default for OperationSettings {
    /// Authorization off, as without any configuration.
    fn default() -> Self {
        Self {
            mode: Mode::Off,
            service_admins: BTreeSet::new(),
            operators: BTreeSet::new(),
            directory_enabled: false,
            provisioners: BTreeSet::new(),
            read_restrictions_enabled: false,
            widening_allowed: false,
            iceberg_metalake: None,
            iceberg_default_catalog: None,
            data_dir: PathBuf::from("lakeward-data"),
            audit_file: None,
            metrics_reports_per_table: 100,
            bulk_max_items: 100,
            login_limits: LoginLimits::default(),
            max_token_lifetime: Duration::from_secs(365 * 24 * 60 * 60),
            jobs: JobSettings::default(),
            secret_providers: Vec::new(),
        }
    }
}
