// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A federated catalog (`catalog-backend` = `rest`): another Iceberg REST catalog keeps its namespaces, tables and views, and
//! this crate asks it. No file is opened here, and metadata stays the text that the upstream sent.

mod answer;
mod client;
mod hosts;
pub(crate) mod settings;

use std::sync::Arc;

use async_trait::async_trait;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::upstream_catalog::{UpstreamCatalog, UpstreamError, UpstreamKind, UpstreamTable};
use lakeward_catalog::view_catalog::{DescribedView, LoadedView, ViewCatalog};
use lakeward_metadata::Properties;
use lakeward_metadata::table::TableDefinition;
use lakeward_read_restrictions::admission::Ungoverned;
use lakeward_read_restrictions::capabilities::{CAPABILITIES_HEADER, READ_RESTRICTIONS_V1};
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde::de::DeserializeOwned;

use self::answer::{NamesAnswer, NamespaceAnswer, NamespacesAnswer, TableAnswer, ViewAnswer};
use self::client::{Client, Holds};
pub use self::hosts::UpstreamHosts;
use self::settings::{CredentialsFor, UpstreamSettings};
use crate::document::{Document, invalid_metadata};
use crate::{facts, native, view};

/// The most pages and names of one list.
const MOST_PAGES: usize = 10_000;
const MOST_NAMES: usize = 1_000_000;

/// What the server itself enforces for its callers, so that the upstream may tell it.
const CAPABLE: (&str, &str) = (CAPABILITIES_HEADER, READ_RESTRICTIONS_V1);
const WITH_CREDENTIALS: (&str, &str) = ("X-Iceberg-Access-Delegation", "vended-credentials");

/// A federated catalog.
#[derive(Debug)]
pub(crate) struct Upstream {
    client: Client,
}

impl Upstream {
    /// # Errors
    /// [`CatalogError::Invalid`] for properties that are missing or wrong, and a host that is not to be reached.
    pub(crate) fn new(properties: &Properties, hosts: &UpstreamHosts) -> Result<Self, CatalogError> {
        let settings = UpstreamSettings::from_properties(properties, hosts)?;
        Ok(Self {
            client: Client::new(settings, hosts)?,
        })
    }

    /// All pages of a list.
    async fn pages<A: DeserializeOwned, T>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        take: impl Fn(A) -> (Vec<T>, Option<String>),
    ) -> Result<Option<Vec<T>>, UpstreamError> {
        let mut all = Vec::new();
        let mut token: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let mut query = query.to_vec();
            query.extend(token.as_deref().map(|token| ("pageToken", token)));
            let Some(answer) = self.client.get(path, &query, &[], Holds::Names).await? else {
                return Ok(None);
            };
            let (items, next) = take(answer);
            all.extend(items);
            if all.len() > MOST_NAMES {
                break;
            }
            match next.filter(|next| !next.is_empty()) {
                None => return Ok(Some(all)),
                next => token = next,
            }
        }
        Err(UpstreamError::Unavailable("its list does not end".to_owned()))
    }
}

#[async_trait]
impl Provider for Upstream {
    async fn test_connection(&self) -> Result<(), CatalogError> {
        Ok(self.client.ping().await?)
    }

    fn tables(&self) -> Option<&dyn TableCatalog> {
        None
    }

    fn views(&self) -> Option<&dyn ViewCatalog> {
        None
    }

    fn upstream(&self) -> Option<&dyn UpstreamCatalog> {
        Some(self)
    }
}

#[async_trait]
impl UpstreamCatalog for Upstream {
    async fn namespaces(&self, parent: &[String]) -> Result<Option<Vec<String>>, UpstreamError> {
        let Some(path) = self.client.path(&[], &[]).await? else {
            return Ok(None);
        };
        let joined = self.client.joined(parent).await?;
        let query: &[(&str, &str)] = if parent.is_empty() {
            &[]
        } else {
            &[("parent", &joined)]
        };
        let found = self
            .pages(&path, query, |answer: NamespacesAnswer| {
                (answer.namespaces.unwrap_or_default(), answer.next_page_token)
            })
            .await?;
        let below = |mut levels: Vec<String>| {
            let last = levels.pop()?;
            (levels == parent).then_some(last)
        };
        Ok(found.map(|found| found.into_iter().filter_map(below).collect()))
    }

    async fn namespace(&self, namespace: &[String]) -> Result<Option<Properties>, UpstreamError> {
        let Some(path) = self.client.path(namespace, &[]).await? else {
            return Ok(None);
        };
        let answer: Option<NamespaceAnswer> = self.client.get(&path, &[], &[], Holds::Names).await?;
        Ok(answer.map(|answer| answer.properties.unwrap_or_default()))
    }

    async fn names(
        &self,
        kind: UpstreamKind,
        namespace: &[String],
    ) -> Result<Option<Vec<String>>, UpstreamError> {
        let segment = match kind {
            UpstreamKind::Table => "tables",
            UpstreamKind::View => "views",
        };
        let endpoint = format!("GET /v1/{{prefix}}/namespaces/{{namespace}}/{segment}");
        if !self.client.has(&endpoint).await? {
            return Ok(Some(Vec::new()));
        }
        let Some(path) = self.client.path(namespace, &[segment]).await? else {
            return Ok(None);
        };
        let found = self
            .pages(&path, &[], |answer: NamesAnswer| {
                (answer.identifiers.unwrap_or_default(), answer.next_page_token)
            })
            .await?;
        Ok(found.map(|found| {
            let here = found.into_iter().filter(|found| found.namespace == namespace);
            here.map(|found| found.name).collect()
        }))
    }

    async fn table(
        &self,
        namespace: &[String],
        name: &str,
        with_credentials: bool,
    ) -> Result<Option<UpstreamTable>, UpstreamError> {
        let Some(path) = self.client.path(namespace, &["tables", name]).await? else {
            return Ok(None);
        };
        let mut headers = vec![CAPABLE];
        headers.extend(with_credentials.then_some(WITH_CREDENTIALS));
        let answer: Option<TableAnswer> = self.client.get(&path, &[], &headers, Holds::Metadata).await?;
        answer.map(|answer| table(answer, with_credentials)).transpose()
    }

    async fn view(&self, namespace: &[String], name: &str) -> Result<Option<LoadedView>, UpstreamError> {
        if !self
            .client
            .has("GET /v1/{prefix}/namespaces/{namespace}/views/{view}")
            .await?
        {
            return Ok(None);
        }
        let Some(path) = self.client.path(namespace, &["views", name]).await? else {
            return Ok(None);
        };
        let answer: Option<ViewAnswer> = self.client.get(&path, &[], &[], Holds::Metadata).await?;
        answer
            .map(|answer| {
                let metadata = view::reading::read_elsewhere(answer.metadata.get()).map_err(unusable)?;
                Ok(LoadedView {
                    metadata_location: answer.metadata_location,
                    metadata: Arc::new(metadata),
                })
            })
            .transpose()
    }

    fn passes_credentials(&self, may_write: bool) -> bool {
        match self.client.settings().credentials_for {
            CredentialsFor::Nobody => false,
            CredentialsFor::Writers => may_write,
            CredentialsFor::Readers => true,
        }
    }

    fn describe(&self, table: &LoadedTable) -> Result<TableDefinition, CatalogError> {
        Document::parse_outline(table.metadata.json().get())
            .and_then(|document| native::describe::describe(&document))
            .map_err(invalid_metadata(&table.metadata_location))
    }

    fn describe_view(&self, view: &LoadedView, separator: &str) -> Result<DescribedView, CatalogError> {
        view::reading::document(view.metadata.json.get())
            .and_then(|document| view::native::describe(&document, separator))
            .map_err(invalid_metadata(&view.metadata_location))
    }
}

fn table(answer: TableAnswer, with_credentials: bool) -> Result<UpstreamTable, UpstreamError> {
    let metadata = facts::read_elsewhere(answer.metadata.get()).map_err(unusable)?;
    let facts = metadata.facts();
    let access = answer.access(&facts.location, with_credentials);
    let restrictions = match &answer.read_restrictions {
        None => Ok(ReadRestrictions::none()),
        Some(text) => {
            ReadRestrictions::parse_text(text.get(), &facts.fields).map_err(|error| error.to_string())
        }
    };
    let metadata_location = answer
        .metadata_location
        .ok_or_else(|| unusable("a table without `metadata-location`"))?;
    Ok(UpstreamTable {
        restrictions,
        access,
        table: Ungoverned::new(LoadedTable {
            metadata_location,
            metadata: Arc::new(metadata),
        }),
    })
}

/// The most characters of a reason that quotes what an upstream sends.
const MAX_REASON_CHARS: usize = 300;

fn unusable(reason: impl std::fmt::Display) -> UpstreamError {
    let reason: String = reason.to_string().chars().take(MAX_REASON_CHARS).collect();
    UpstreamError::Unavailable(format!("its answer cannot be understood: {reason}"))
}
