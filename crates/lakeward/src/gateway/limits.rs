// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Options of `lakeward gateway` about what statements may use, and about its audit and metrics.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use lakeward_gateway::audit::AuditFile;
use lakeward_gateway::budget::Budget;

const MIB: usize = 1024 * 1024;

/// What statements may use.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct Limits {
    /// Memory of all statements together for sorts, joins and aggregations, in MiB. The process needs some hundred MiB
    /// beside it
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    memory: usize,
    /// Memory of all statements of one user, in MiB; half of --memory unless given
    #[arg(long, value_name = "MIB")]
    memory_per_user: Option<usize>,
    /// Memory of one statement, in MiB; a quarter of --memory unless given
    #[arg(long, value_name = "MIB")]
    memory_per_statement: Option<usize>,
    /// Folder for what does not fit into memory: filtered and masked rows of statements while they run. It must be this
    /// user's alone. Without it nothing reaches a disk, and what does not fit is refused
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// The most that all statements together put there, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 65_536)]
    spill_limit: usize,
    /// The most that one statement puts there, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16_384)]
    spill_limit_per_statement: usize,
    /// Statements at once
    #[arg(long, value_name = "N", default_value_t = 16)]
    statements: usize,
    /// Statements of one user at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    statements_per_user: usize,
    /// How long a statement waits for others to end before it is refused, in seconds
    #[arg(long, value_name = "S", default_value_t = 10)]
    queue_timeout: u64,
    /// The longest time of a statement, in seconds; a client may ask for less
    #[arg(
        long = "timeout",
        visible_alias = "statement-timeout",
        value_name = "S",
        default_value_t = 600
    )]
    statement_timeout: u64,
    /// How long a client may take no rows before its statement is ended, in seconds
    #[arg(long, value_name = "S", default_value_t = 300)]
    idle_timeout: u64,
    /// Connections at once; more are refused
    #[arg(long, value_name = "N", default_value_t = 1024)]
    connections: usize,
    /// How long a connection may have no call before it is closed, in seconds
    #[arg(long, value_name = "S", default_value_t = 900)]
    connection_idle_timeout: u64,
}

impl Limits {
    /// As the gateway has it.
    pub(super) fn budget(&self) -> Budget {
        let bytes = |mebibytes: usize| mebibytes.saturating_mul(MIB);
        Budget {
            memory: bytes(self.memory),
            memory_per_user: self.memory_per_user.map_or(bytes(self.memory) / 2, bytes),
            memory_per_statement: self.memory_per_statement.map_or(bytes(self.memory) / 4, bytes),
            spill: self.spill.clone(),
            spill_bytes: bytes(self.spill_limit),
            spill_bytes_per_statement: bytes(self.spill_limit_per_statement),
            watchdog: None,
            statements: self.statements,
            statements_per_user: self.statements_per_user,
            wait: Duration::from_secs(self.queue_timeout),
            idle: Duration::from_secs(self.idle_timeout),
        }
    }

    /// The most connections at once.
    pub(super) fn connections(&self) -> usize {
        self.connections
    }

    /// How long a connection may have no call.
    pub(super) fn connection_idle(&self) -> Duration {
        Duration::from_secs(self.connection_idle_timeout)
    }

    /// The longest time of a statement.
    pub(super) fn statement_timeout(&self) -> Duration {
        Duration::from_secs(self.statement_timeout)
    }
}

/// What is told about statements.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Audit and metrics")]
pub(super) struct Watching {
    /// File that says who read what: lines of JSON, appended. Without it nothing is recorded
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// The size at which that file is put aside, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 100)]
    audit_file_size: u64,
    /// Refuse a statement whose first record cannot be written
    #[arg(long, requires = "audit")]
    audit_required: bool,
    /// The name of this gateway in its records; the address of --listen unless given
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Where metrics are served for Prometheus, over HTTP at /metrics, to whoever can connect; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8816")]
    metrics: SocketAddr,
    /// Serve no metrics
    #[arg(long, conflicts_with = "metrics")]
    no_metrics: bool,
}

impl Watching {
    /// Where the audit goes.
    pub(super) fn audit(&self) -> Option<AuditFile> {
        self.audit.clone().map(|file| AuditFile {
            file,
            max_file_bytes: self.audit_file_size.saturating_mul(1024 * 1024),
            required: self.audit_required,
        })
    }

    /// The name in records.
    pub(super) fn node(&self) -> Option<String> {
        self.node.clone()
    }

    /// Where metrics are served.
    pub(super) fn metrics(&self) -> Option<SocketAddr> {
        (!self.no_metrics).then_some(self.metrics)
    }
}
