// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files that lie in the location of a table and that nothing names.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::table_maintenance::{FoundFile, FoundFiles, NamedFiles, Sought};
use lakeward_storage::{Entry, Location};

use super::path::decoded;
use crate::provider::IcebergProvider;

/// How many files and folders one folder may hold; one folder is in memory at a time.
const MOST_IN_FOLDER: usize = 1_000_000;
/// The file by which catalogs that are folders find the current version.
const VERSION_HINT: &str = "version-hint.text";
/// How the names of files of metadata end.
const METADATA_ENDS: [&str; 2] = [".metadata.json", ".metadata.json.gz"];

/// Finds them, folder by folder.
pub(super) async fn find(
    provider: &IcebergProvider,
    table: &LoadedTable,
    sought: Sought,
    older_than: i64,
    named: &NamedFiles,
    most: usize,
) -> Result<FoundFiles, CatalogError> {
    let root = Location::parse(&table.metadata.facts().location)?;
    let mut found = FoundFiles::default();
    let mut folders = match sought {
        Sought::Everything => vec![root],
        Sought::MetadataFiles => vec![metadata_folder(provider, table, &root)?],
    };
    while let Some(folder) = folders.pop() {
        let entries = provider.storage.list_folder(&folder, MOST_IN_FOLDER).await?;
        for entry in entries.unwrap_or_default() {
            // What has a name that no location has is left alone, as are hidden files, which others put there.
            let Ok(location) = folder.child(&entry.name) else {
                continue;
            };
            if entry.name.starts_with(['.', '_']) {
                continue;
            }
            if entry.is_folder {
                if sought == Sought::Everything {
                    folders.push(location);
                }
                continue;
            }
            let location = location.to_string();
            if !is_sought(&entry, sought) || entry.last_modified >= older_than || is_named(&location, named) {
                continue;
            }
            if found.files.len() == most {
                found.is_cut = true;
                return Ok(found);
            }
            found.files.push(FoundFile {
                location,
                bytes: Some(entry.size),
            });
        }
    }
    Ok(found)
}

/// Whether a file is named, by what it is called or by what some client reads in that.
pub(super) fn is_named(location: &str, named: &NamedFiles) -> bool {
    named.has(location) || named.has(&decoded(location))
}

fn is_sought(entry: &Entry, sought: Sought) -> bool {
    let is_metadata = METADATA_ENDS.iter().any(|end| entry.name.ends_with(end));
    // Of a file whose age is not known nothing is known.
    entry.last_modified > 0
        && entry.name != VERSION_HINT
        && match sought {
            Sought::Everything => true,
            Sought::MetadataFiles => is_metadata,
        }
}

/// Where the files of metadata lie. One outside of the table's location may hold those of other tables, too.
fn metadata_folder(
    provider: &IcebergProvider,
    table: &LoadedTable,
    root: &Location,
) -> Result<Location, CatalogError> {
    let document = IcebergProvider::document(table)?;
    let folder = match document.property("write.metadata.path") {
        Some(path) => provider.policy.check_part(root, path)?,
        None => root.child("metadata")?,
    };
    if folder.is_within(root) {
        return Ok(folder);
    }
    Err(CatalogError::Unsupported(format!(
        "the folder of metadata `{folder}` lies outside the table's location, where other tables may keep theirs"
    )))
}
