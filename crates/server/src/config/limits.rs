// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How often and how long: guesses at passwords, the life of access tokens, requests.

use std::time::Duration;

use lakeward_operations::login_limit::LoginLimits;

use super::ConfigurationError;
use super::properties::Properties;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct LimitSettings {
    /// How often passwords may be guessed.
    pub logins: LoginLimits,
    /// The longest that an access token is good for, in whole days.
    pub max_token_lifetime: Duration,
    /// How many requests are heard.
    pub requests: RateSettings,
}

/// Requests per second; `None` for as many as come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateSettings {
    /// Of a user.
    pub per_user: Option<u32>,
    /// From an address.
    pub per_address: Option<u32>,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl LimitSettings {
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let number =
            |key: &str, expected: &'static str, least: u32, most: u32| -> Result<u32, ConfigurationError> {
                let number: u32 = properties.parsed(key, expected)?;
                if (least..=most).contains(&number) {
                    return Ok(number);
                }
                Err(ConfigurationError::Value {
                    key: key.to_owned(),
                    value: number.to_string(),
                    expected,
                })
            };
        let count = |key: &str| number(key, "a number from 1 to 1000000", 1, 1_000_000);
        let rate = |key: &str| {
            let rate = number(key, "a number from 0 (no limit) to 1000000", 0, 1_000_000)?;
            Ok::<_, ConfigurationError>((rate > 0).then_some(rate))
        };
        let days = number(
            "lakeward.tokens.maxLifetimeDays",
            "a number of days from 1 to 3650",
            1,
            3_650,
        )?;
        Ok(Self {
            logins: LoginLimits {
                account_failures: count("lakeward.login.accountFailures")?,
                address_failures: count("lakeward.login.addressFailures")?,
                max_delay: Duration::from_secs(count("lakeward.login.maxDelaySecs")?.into()),
            },
            max_token_lifetime: DAY * days,
            requests: RateSettings {
                per_user: rate("lakeward.server.requestsPerSecondAndUser")?,
                per_address: rate("lakeward.server.requestsPerSecondAndAddress")?,
            },
        })
    }
}
