// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The Iceberg service.

use std::time::Duration;

use lakeward_catalog_iceberg::UpstreamHosts;

use super::ConfigurationError;
use super::properties::Properties;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct IcebergSettings {
    /// The metalake whose catalogs are served; the only one when unset.
    pub metalake: Option<String>,
    /// The catalog that is meant when neither prefix nor warehouse names one.
    pub default_catalog: Option<String>,
    /// How long a client may repeat a request under its idempotency key, in whole seconds.
    pub idempotency_key_lifetime: Duration,
    /// How many metrics reports are kept of a table.
    pub metrics_reports_per_table: u32,
    /// The hosts that federated catalogs may reach.
    pub upstream_hosts: UpstreamHosts,
}

impl IcebergSettings {
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let owned = |key: &str| properties.given(key).map(str::to_owned);
        Ok(Self {
            metalake: owned("gravitino.iceberg-rest.gravitino-metalake"),
            default_catalog: owned("gravitino.iceberg-rest.default-catalog-name"),
            idempotency_key_lifetime: idempotency_key_lifetime(properties)?,
            metrics_reports_per_table: metrics_reports_per_table(properties)?,
            upstream_hosts: upstream_hosts(properties),
        })
    }
}

fn idempotency_key_lifetime(properties: &Properties) -> Result<Duration, ConfigurationError> {
    let key = "lakeward.iceberg.idempotencyKeyLifetimeSecs";
    let expected = "a number of seconds from 1 to 604800";
    let seconds: u64 = properties.parsed(key, expected)?;
    if !(1..=604_800).contains(&seconds) {
        return Err(ConfigurationError::Value {
            key: key.to_owned(),
            value: seconds.to_string(),
            expected,
        });
    }
    Ok(Duration::from_secs(seconds))
}

fn metrics_reports_per_table(properties: &Properties) -> Result<u32, ConfigurationError> {
    let key = "lakeward.iceberg.metricsReportsPerTable";
    let expected = "a number from 0 to 10000";
    let number: u32 = properties.parsed(key, expected)?;
    if number > 10_000 {
        return Err(ConfigurationError::Value {
            key: key.to_owned(),
            value: number.to_string(),
            expected,
        });
    }
    Ok(number)
}

fn upstream_hosts(properties: &Properties) -> UpstreamHosts {
    let key = "lakeward.federation.allowed-hosts";
    match properties.get(key) {
        None => UpstreamHosts::default(),
        Some(_) => UpstreamHosts::only(properties.list(key)),
    }
}
