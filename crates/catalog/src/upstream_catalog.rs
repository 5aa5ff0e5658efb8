// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The face of a catalog whose namespaces, tables and views are kept by another Iceberg REST catalog, the *upstream*. It is
//! asked each time: what it has comes, goes and changes its name behind our back.
//!
//! What the upstream answers is material: a provider reads it with bounds, keeps metadata as it was written, and passes on
//! what the upstream restricts. Nothing of it is shown before the host has decided, and nothing of its error texts at all.

use std::fmt;

use async_trait::async_trait;
use lakeward_metadata::Properties;
use lakeward_metadata::table::TableDefinition;
use lakeward_read_restrictions::admission::Ungoverned;
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use crate::error::CatalogError;
use crate::loaded_table::LoadedTable;
use crate::view_catalog::{DescribedView, LoadedView};

/// A header that every request to an upstream carries. A server does not ask an upstream in turn for such a request: a
/// federated catalog whose upstream is itself would never end.
pub const FEDERATION_HEADER: &str = "X-Lakeward-Federation";

/// Why the upstream gave no answer that can be used. The texts are for the log of the server: they may name addresses, and
/// objects that a caller may not see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    /// It refuses this server, whose credentials it does not take or which it does not let do this. That says nothing of
    /// what our caller may do.
    #[error("the upstream refuses this server: {0}")]
    Refused(String),
    /// It cannot be reached, does not answer in time, fails, or answers what cannot be understood.
    #[error("the upstream does not answer as it should: {0}")]
    Unavailable(String),
}

impl From<UpstreamError> for CatalogError {
    fn from(error: UpstreamError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// What a namespace of the upstream holds under names of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpstreamKind {
    /// A table.
    Table,
    /// A view.
    View,
}

/// A storage credential that the upstream gave for a place of a table.
#[derive(Clone, PartialEq, Eq)]
pub struct UpstreamCredential {
    /// The place: a location and everything below it.
    pub prefix: String,
    /// The credential in the words of Iceberg's client properties. Secret.
    pub properties: Properties,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for UpstreamCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamCredential")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// How the files of a table are reached, as the upstream says. Only what is known to concern the storage: no address of a
/// catalog, no class to load, no token of this server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamAccess {
    /// How the storage is reached, without any secret.
    pub properties: Properties,
    /// Credentials, each for a place that lies inside the table's location. Only where they were asked for.
    pub credentials: Vec<UpstreamCredential>,
}

/// A table as the upstream gives it to this server.
#[derive(Debug, Clone)]
pub struct UpstreamTable {
    /// Its metadata, as it was written.
    pub table: Ungoverned<LoadedTable>,
    /// What the upstream demands of whoever reads it; the reason where that cannot be understood, in which case nobody may
    /// read it.
    pub restrictions: Result<ReadRestrictions, String>,
    /// The way to its files.
    pub access: UpstreamAccess,
}

impl UpstreamTable {
    /// The table's UUID, in lower case with hyphens.
    pub fn uuid(&self) -> String {
        self.table.map_ref(|table| table.metadata.facts().uuid.clone())
    }
}

/// The catalog behind a federated one. Namespaces are given by their levels, outermost first.
///
/// Errors of all requests: [`UpstreamError`]. `None` says that the upstream has no such thing, or shows this server none.
#[async_trait]
pub trait UpstreamCatalog: Send + Sync + fmt::Debug {
    /// The last levels of the namespaces directly below one, or of the outermost where `parent` is empty.
    async fn namespaces(&self, parent: &[String]) -> Result<Option<Vec<String>>, UpstreamError>;

    /// The properties of a namespace.
    async fn namespace(&self, namespace: &[String]) -> Result<Option<Properties>, UpstreamError>;

    /// The names of what a namespace holds, in any order.
    async fn names(
        &self,
        kind: UpstreamKind,
        namespace: &[String],
    ) -> Result<Option<Vec<String>>, UpstreamError>;

    /// A table with all its snapshots, with credentials for its files where they are asked for and given.
    async fn table(
        &self,
        namespace: &[String],
        name: &str,
        with_credentials: bool,
    ) -> Result<Option<UpstreamTable>, UpstreamError>;

    /// A view.
    async fn view(&self, namespace: &[String], name: &str) -> Result<Option<LoadedView>, UpstreamError>;

    /// Whether credentials of the upstream are passed on to a caller who may write, or may only read, by our own rules.
    fn passes_credentials(&self, may_write: bool) -> bool;

    /// What a table looks like in native words.
    ///
    /// # Errors
    /// [`CatalogError::MetadataInvalid`] for metadata that names fields which are not there.
    fn describe(&self, table: &LoadedTable) -> Result<TableDefinition, CatalogError>;

    /// What a view looks like in native words; `separator` joins the levels of a namespace.
    ///
    /// # Errors
    /// [`CatalogError::MetadataInvalid`].
    fn describe_view(&self, view: &LoadedView, separator: &str) -> Result<DescribedView, CatalogError>;
}
