// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where rows come from: the reader within this process, or a gateway.

use std::fmt;

use anyhow::Context;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use lakeward_gateway::client::{ClientError, GatewayClient};
use lakeward_reader::error::ReaderError;
use lakeward_reader::session::{Session, TableUse};

/// What answers statements.
pub(super) enum Source {
    /// The reader within this process.
    InProcess(Session),
    /// A gateway.
    Gateway(GatewayClient),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProcess(_) => "InProcess",
            Self::Gateway(_) => "Gateway",
        })
    }
}

/// Rows as they come.
pub(super) struct Rows {
    pub(super) schema: SchemaRef,
    /// What was enforced; a gateway does not tell.
    pub(super) tables: Vec<TableUse>,
    pub(super) batches: BoxStream<'static, anyhow::Result<RecordBatch>>,
}

impl Source {
    /// Begins a statement.
    pub(super) async fn ask(&self, sql: &str) -> anyhow::Result<Rows> {
        match self {
            Self::InProcess(session) => {
                let running = session.start(sql).await?;
                Ok(Rows {
                    schema: running.schema.clone(),
                    tables: running.tables.clone(),
                    batches: running.into_batches().map_err(anyhow::Error::from).boxed(),
                })
            }
            Self::Gateway(client) => {
                let rows = client.query(sql, None).await?;
                Ok(Rows {
                    schema: rows.schema,
                    tables: Vec::new(),
                    batches: rows.batches.map_err(anyhow::Error::from).boxed(),
                })
            }
        }
    }
}

/// Whether whoever answered does not know who asks.
pub(super) fn is_unauthenticated(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ReaderError::Unauthenticated(_)))
        || matches!(error.downcast_ref(), Some(ClientError::Unauthenticated(_)))
}

/// The statements of a text.
pub(super) fn statements(text: &str) -> anyhow::Result<Vec<String>> {
    let statements = lakeward_reader::session::statements::statements(text)?;
    anyhow::ensure!(!statements.is_empty(), "there is no statement to run");
    Ok(statements)
}

/// A file of PEM certificates.
pub(super) fn authority(file: &std::path::Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("the authority `{}` cannot be read", file.display()))
}
