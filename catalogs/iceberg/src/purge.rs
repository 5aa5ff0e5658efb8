// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Deletes the files of a dropped table: those that its metadata names and that lie inside its location. No folder
//! is ever listed, so nothing else can be hit.

use std::collections::BTreeSet;

use futures::{StreamExt, TryStreamExt, stream};
use iceberg::spec::{FormatVersion, Manifest, ManifestList};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::metadata_file::MetadataFile;
use serde_json::Value;

use crate::document::{Document, invalid_metadata};
use crate::provider::IcebergProvider;
use lakeward_storage::Location;

/// How many files are read or deleted at the same time.
const CONCURRENCY: usize = 8;

/// Files that the metadata itself names: manifest lists, manifests (format version 1), statistics.
pub(crate) fn referenced_files(document: &Document) -> Vec<String> {
    let text = |element: &Value, member: &str| element.get(member).and_then(Value::as_str).map(str::to_owned);
    let mut files = Vec::new();
    for snapshot in document.list("snapshots") {
        files.extend(text(snapshot, "manifest-list"));
        let manifests = snapshot.get("manifests").and_then(Value::as_array);
        files.extend(
            manifests
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned),
        );
    }
    for list in ["statistics", "partition-statistics"] {
        files.extend(
            document
                .list(list)
                .iter()
                .filter_map(|file| text(file, "statistics-path")),
        );
    }
    files
}

/// Deletes everything, data first and the current metadata file last, so that an interrupted purge can be repeated.
pub(crate) async fn purge(provider: &IcebergProvider, file: MetadataFile<'_>) -> Result<(), CatalogError> {
    let table = provider.load_version(file).await?;
    let document = IcebergProvider::document(&table)?;
    let root = Location::parse(&table.metadata.facts().location)?;
    let own = |text: &str| {
        Location::parse(text)
            .ok()
            .filter(|location| location.is_within(&root))
    };
    let version = match document
        .format_version()
        .map_err(invalid_metadata(file.location))?
    {
        1 => FormatVersion::V1,
        2 => FormatVersion::V2,
        _ => FormatVersion::V3,
    };

    let mut lists = BTreeSet::new();
    let mut manifests = BTreeSet::new();
    for snapshot in document.list("snapshots") {
        if let Some(list) = snapshot
            .get("manifest-list")
            .and_then(Value::as_str)
            .and_then(own)
        {
            lists.insert(list.to_string());
        }
        for manifest in snapshot
            .get("manifests")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            manifests.extend(
                manifest
                    .as_str()
                    .and_then(own)
                    .map(|manifest| manifest.to_string()),
            );
        }
    }
    let found: Vec<Vec<String>> = stream::iter(lists)
        .map(|list| async move { read_list(provider, &list, version).await })
        .buffer_unordered(CONCURRENCY)
        .try_collect()
        .await?;
    manifests.extend(
        found
            .into_iter()
            .flatten()
            .filter_map(|manifest| own(&manifest))
            .map(|manifest| manifest.to_string()),
    );
    let data: Vec<Vec<String>> = stream::iter(manifests.clone())
        .map(|manifest| async move { read_manifest(provider, &manifest).await })
        .buffer_unordered(CONCURRENCY)
        .try_collect()
        .await?;
    let data: BTreeSet<String> = data
        .into_iter()
        .flatten()
        .filter_map(|file| own(&file))
        .map(|file| file.to_string())
        .collect();
    let mut rest: BTreeSet<String> = referenced_files(&document)
        .iter()
        .filter_map(|file| own(file))
        .map(|file| file.to_string())
        .collect();
    rest.extend(
        document
            .list("metadata-log")
            .iter()
            .filter_map(|entry| entry.get("metadata-file")?.as_str())
            .filter_map(own)
            .map(|file| file.to_string()),
    );

    // The mark of a table that shares its data files, as one made by taking a snapshot of another.
    let owns_data = document
        .property("gc.enabled")
        .is_none_or(|text| !text.eq_ignore_ascii_case("false"));
    if owns_data {
        delete_all(provider, &data).await?;
    }
    delete_all(provider, &manifests).await?;
    delete_all(provider, &rest).await?;
    provider.remove_file(&table.metadata_location).await;
    Ok(())
}

async fn delete_all(provider: &IcebergProvider, files: &BTreeSet<String>) -> Result<(), CatalogError> {
    stream::iter(files.clone())
        .map(|file| async move { provider.storage.delete(&Location::parse(&file)?).await })
        .buffer_unordered(CONCURRENCY)
        .try_collect()
        .await
}

/// The manifests of a list; a list that is gone already has none.
async fn read_list(
    provider: &IcebergProvider,
    location: &str,
    version: FormatVersion,
) -> Result<Vec<String>, CatalogError> {
    let content = match provider.storage.read(&Location::parse(location)?).await {
        Ok(content) => content,
        Err(CatalogError::MetadataMissing(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let list = ManifestList::parse_with_version(&content, version)
        .map_err(|error| invalid_metadata(location)(error.to_string()))?;
    Ok(list
        .entries()
        .iter()
        .map(|manifest| manifest.manifest_path.clone())
        .collect())
}

/// The data and delete files of a manifest; one that is gone already has none.
async fn read_manifest(provider: &IcebergProvider, location: &str) -> Result<Vec<String>, CatalogError> {
    let content = match provider.storage.read(&Location::parse(location)?).await {
        Ok(content) => content,
        Err(CatalogError::MetadataMissing(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let manifest =
        Manifest::parse_avro(&content).map_err(|error| invalid_metadata(location)(error.to_string()))?;
    Ok(manifest
        .entries()
        .iter()
        .map(|entry| entry.data_file().file_path().to_owned())
        .collect())
}
