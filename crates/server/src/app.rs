// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What every endpoint can reach.

use lakeward_operations::Operations;

use crate::audit::flood::Flood;
use crate::audit::record::Record;
use crate::authentication::Authentication;
use crate::config::Settings;
use crate::http::metrics::Metrics;
use crate::http::rate_limit::RateLimits;
use crate::lineage::Lineage;
use crate::reader_identity::Authority;
use lakeward_audit_log::Audit;

/// One per server; shared by its listeners.
#[derive(Debug)]
pub struct App {
    /// What the product does.
    pub operations: Operations,
    /// How it was configured.
    pub settings: Settings,
    /// Where decisions are recorded.
    pub audit: Audit,
    /// What is recorded as a number.
    pub(crate) flood: Flood,
    /// How many requests are heard.
    pub rates: RateLimits,
    /// What was counted.
    pub metrics: Metrics,
    /// What takes run events of OpenLineage.
    pub lineage: Lineage,
    /// Who signs the certificates of readers.
    pub authority: Authority,
    /// Who is asking.
    pub authentication: Authentication,
}

impl App {
    /// Records a decision; one of a flood is counted.
    pub(crate) fn note(&self, record: &Record<'_>) {
        if self.flood.keeps(record) {
            self.audit.note(record);
        }
    }

    /// Records what was counted.
    pub fn note_flood(&self) {
        self.flood.record(|record| self.audit.note(record));
    }
}
