// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who made and changed an object.

use lakeward_metadata::audit::Audit;
use serde::{Deserialize, Serialize};

pub use lakeward_metadata::instant::instant;

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
