// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who made and changed an object.

use chrono::{DateTime, SecondsFormat};
use lakeward_metadata::audit::Audit;
use serde::{Deserialize, Serialize};

/// The `audit` member. All four are absent for objects that were found, not made, through the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditDto {
    /// Who created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// When, as an ISO 8601 instant in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_time: Option<String>,
    /// Who changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modifier: Option<String>,
    /// When, as an ISO 8601 instant in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified_time: Option<String>,
}

impl From<&Audit> for AuditDto {
    fn from(audit: &Audit) -> Self {
        Self {
            creator: (!audit.creator.is_empty()).then(|| audit.creator.clone()),
            create_time: (!audit.creator.is_empty())
                .then(|| instant(audit.create_time))
                .flatten(),
            last_modifier: audit.last_modifier.clone(),
            last_modified_time: audit.last_modified_time.and_then(instant),
        }
    }
}

/// An instant as the original writes it; `None` beyond the years that the calendar has.
pub fn instant(epoch_milliseconds: i64) -> Option<String> {
    DateTime::from_timestamp_millis(epoch_milliseconds)
        .map(|time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

#[cfg(test)]
mod tests {
    use super::instant;

    #[test]
    fn instants_are_utc_with_as_many_digits_as_needed() {
        assert_eq!(
            instant(1_700_000_000_123).as_deref(),
            Some("2023-11-14T22:13:20.123Z")
        );
        assert_eq!(instant(0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(instant(i64::MAX), None);
    }
}
