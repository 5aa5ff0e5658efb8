// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /api/health`, `/api/health/live`, `/api/health/ready`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    /// It works.
    Up,
    /// It does not.
    Down,
}

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthCheckDto {
    /// `httpServer` or `entityStore`.
    pub name: String,
    /// How it is.
    pub status: HealthStatus,
    /// `reason` where it is down.
    pub details: BTreeMap<String, String>,
}

/// The answer: 200 when all is up, else 503.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthResponse {
    /// Always 0.
    pub code: i32,
    /// Up when every check is.
    pub status: HealthStatus,
    /// The checks.
    pub checks: Vec<HealthCheckDto>,
}

impl HealthCheckDto {
    /// A check that passed.
    pub fn up(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            status: HealthStatus::Up,
            details: BTreeMap::new(),
        }
    }

    /// A check that failed, and why.
    pub fn down(name: &str, reason: &str) -> Self {
        Self {
            name: name.to_owned(),
            status: HealthStatus::Down,
            details: BTreeMap::from([("reason".to_owned(), reason.to_owned())]),
        }
    }
}

impl HealthResponse {
    /// The answer for these checks.
    pub fn of(checks: Vec<HealthCheckDto>) -> Self {
        let all_up = checks.iter().all(|check| check.status == HealthStatus::Up);
        Self {
            code: 0,
            status: if all_up {
                HealthStatus::Up
            } else {
                HealthStatus::Down
            },
            checks,
        }
    }
}
