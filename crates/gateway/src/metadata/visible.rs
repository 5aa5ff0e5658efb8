// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The catalogs of one caller, and the namespaces in them.

use std::sync::Arc;

use arrow_flight::sql::metadata::GetDbSchemasBuilder;
use arrow_flight::sql::{CommandGetCatalogs, CommandGetDbSchemas};
use futures::{StreamExt, TryStreamExt, stream};
use lakeward_reader::error::ReaderError;
use lakeward_reader::listing::{CatalogListing, Listing};

use super::pattern::NamePattern;
use super::{MetadataRows, unbuilt};

/// Catalogs that are asked at once.
const CATALOGS_AT_ONCE: usize = 4;

/// What one caller may see.
#[derive(Debug, Clone)]
pub(super) struct Visible {
    listing: Listing,
    told: Option<Vec<String>>,
    configured: Vec<String>,
}

/// A namespace of a catalog.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) catalog: Arc<CatalogListing>,
    pub(super) levels: Vec<String>,
}

impl Visible {
    /// For the caller of a listing, whom the server `told` of these catalogs, on a gateway whose operator `configured`
    /// these, or none.
    pub(super) fn new(listing: Listing, told: Option<Vec<String>>, configured: Vec<String>) -> Self {
        Self {
            listing,
            told,
            configured,
        }
    }

    /// Names of the catalogs, sorted: of those that were configured the ones that the caller may see, else those that
    /// the server told of.
    ///
    /// # Errors
    /// [`ReaderError::Query`] where nobody tells any; and what the server answers.
    pub(super) async fn catalogs(&self) -> Result<Vec<String>, ReaderError> {
        if self.configured.is_empty() {
            return self.told.clone().ok_or_else(|| {
                ReaderError::Query(
                    "which catalogs there are is not known here, since the server does not tell; names that you know can \
                     be queried, and the operator of the gateway can name the catalogs with `--catalog NAME`"
                        .to_owned(),
                )
            });
        }
        let mut shown = Vec::new();
        let mut asked = stream::iter(self.configured.iter().cloned())
            .map(|name| async move {
                let visible = match self.listing.catalog(&name).await? {
                    Some(catalog) => catalog.is_visible().await?,
                    None => false,
                };
                Ok::<_, ReaderError>(visible.then_some(name))
            })
            .buffered(CATALOGS_AT_ONCE);
        while let Some(name) = asked.next().await {
            shown.extend(name?);
        }
        shown.sort();
        shown.dedup();
        Ok(shown)
    }

    /// The namespaces that are wanted, of one catalog or of all, catalog by catalog and sorted.
    ///
    /// # Errors
    /// As [`Visible::catalogs`].
    pub(super) async fn places(
        &self,
        catalog: Option<&str>,
        schemas: &NamePattern,
    ) -> Result<Vec<Place>, ReaderError> {
        let mut names = self.catalogs().await?;
        names.retain(|name| catalog.is_none_or(|wanted| wanted == name));
        let found: Vec<Vec<Place>> = stream::iter(names)
            .map(|name| async move {
                let Some(catalog) = self.listing.catalog(&name).await? else {
                    return Ok(Vec::new());
                };
                let catalog = Arc::new(catalog);
                let namespaces = catalog.namespaces(|above| schemas.may_match_below(above)).await?;
                Ok::<_, ReaderError>(
                    namespaces
                        .into_iter()
                        .filter(|levels| schemas.matches(&levels.join(".")))
                        .map(|levels| Place {
                            catalog: Arc::clone(&catalog),
                            levels,
                        })
                        .collect(),
                )
            })
            .buffered(CATALOGS_AT_ONCE)
            .try_collect()
            .await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Answers `GetCatalogs`.
    ///
    /// # Errors
    /// As [`Visible::catalogs`].
    pub(super) async fn get_catalogs(&self) -> Result<MetadataRows, ReaderError> {
        let mut builder = CommandGetCatalogs {}.into_builder();
        for name in self.catalogs().await? {
            builder.append(name);
        }
        Ok(MetadataRows::one(builder.build().map_err(unbuilt)?))
    }

    /// Answers `GetDbSchemas`. A nested namespace is one schema with a dotted name.
    ///
    /// # Errors
    /// As [`Visible::catalogs`].
    pub(super) async fn get_schemas(&self, asked: &CommandGetDbSchemas) -> Result<MetadataRows, ReaderError> {
        let schemas = NamePattern::like(asked.db_schema_filter_pattern.as_deref());
        // What is wanted is chosen here, with the same rules for every list.
        let mut builder = GetDbSchemasBuilder::new(None::<String>, None::<String>);
        for place in self.places(asked.catalog.as_deref(), &schemas).await? {
            builder.append(place.catalog.name(), place.levels.join("."));
        }
        Ok(MetadataRows::one(builder.build().map_err(unbuilt)?))
    }
}
