// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The suite for filesets.

use lakeward_metadata::Properties;
use lakeward_metadata::fileset::{DEFAULT_LOCATION_NAME, FilesetType, UNNAMED_LOCATION};

use super::{holds, told};
use crate::error::CatalogError;
use crate::fileset_catalog::{
    FilesetCatalog, FilesetCreation, FilesetLocation, FilesetPlace, PlannedFileset,
};

/// Runs the suite against a catalog whose filesets lie below `root`, an empty folder of this machine.
///
/// # Errors
/// What the provider does otherwise than the contract says.
pub async fn check_filesets(filesets: &dyn FilesetCatalog, root: &str) -> Result<(), String> {
    let planned = filesets
        .plan_create_fileset(&place(), &creation(None))
        .map_err(told("plan a fileset"))?;
    let location = planned_location(&planned)?;
    holds(
        location.name == UNNAMED_LOCATION && location.canonical == format!("file://{root}/conformance/f"),
        "a fileset without a location lies in a folder of its name, in that of its schema",
    )?;
    holds(
        planned.properties.get(DEFAULT_LOCATION_NAME) == Some(&location.name),
        "the only location is the default",
    )?;
    let listed = filesets.list_files(&location.canonical, "/").await;
    holds(listed.is_err(), "a plan makes nothing")?;

    let made = filesets
        .make_folders(&planned)
        .await
        .map_err(told("make folders"))?;
    let again = filesets
        .make_folders(&planned)
        .await
        .map_err(told("find folders"))?;
    holds(again.0.is_empty(), "what is there is not made")?;
    let listed = filesets.list_files(&location.canonical, "/").await;
    holds(listed == Ok(Vec::new()), "a new fileset is empty")?;
    filesets.unmake_folders(&made).await;
    let listed = filesets.list_files(&location.canonical, "/").await;
    holds(listed.is_err(), "what was made is taken away")?;

    filesets
        .make_folders(&planned)
        .await
        .map_err(told("make folders again"))?;
    nothing_leads_out(filesets, location).await?;
    filesets
        .remove_files(&location.canonical)
        .await
        .map_err(told("remove files"))?;
    filesets
        .remove_files(&location.canonical)
        .await
        .map_err(told("remove what is gone"))?;
    let listed = filesets.list_files(&location.canonical, "/").await;
    holds(listed.is_err(), "removed files are gone")?;

    locations_are_policed(filesets)
}

async fn nothing_leads_out(filesets: &dyn FilesetCatalog, location: &FilesetLocation) -> Result<(), String> {
    for path in ["..", "/../x", "a/../../x", "%2e%2e/x", "a/%2e%2e", ".", "a\\b"] {
        let listed = filesets.list_files(&location.canonical, path).await;
        holds(listed.is_err(), "no path leads out of a fileset")?;
        let found = filesets.file_location(location, path).await;
        holds(found.is_err(), "no location leads out of a fileset")?;
    }
    for (path, expected) in [
        ("", location.shown.clone()),
        ("/", location.shown.clone()),
        ("a/b", format!("{}/a/b", location.shown)),
        ("//etc//passwd/", format!("{}/etc/passwd", location.shown)),
    ] {
        let found = filesets
            .file_location(location, path)
            .await
            .map_err(told("tell the location of a file"))?;
        holds(found == expected, "a path is always relative to the fileset")?;
    }
    Ok(())
}

fn locations_are_policed(filesets: &dyn FilesetCatalog) -> Result<(), String> {
    let external = FilesetCreation {
        fileset_type: FilesetType::External,
        ..creation(None)
    };
    let refused = filesets.plan_create_fileset(&place(), &external);
    holds(
        matches!(refused, Err(CatalogError::Invalid(_))),
        "an external fileset says where it lies",
    )?;
    for location in ["file:///", "/", "file:///srv/../etc", "gopher://x/y", " "] {
        let refused = filesets.plan_create_fileset(&place(), &creation(Some(location)));
        holds(
            refused.is_err(),
            "a root, a traversal and a strange scheme are no locations",
        )?;
    }
    holds(filesets.check_name("a/b").is_err(), "a name is one folder")?;
    let overlap = |one: &str, other: &str| filesets.overlaps(one, other).map_err(told("compare locations"));
    for (one, other, expected) in [
        ("file:///a/b", "file:/a/b/", true),
        ("file:///a/b", "file:///a/b/c", true),
        ("file:///a/b", "file:///a/b2", false),
    ] {
        let both = overlap(one, other)? == expected && overlap(other, one)? == expected;
        holds(both, "overlap goes by whole segments, in both directions")?;
    }
    Ok(())
}

fn planned_location(planned: &PlannedFileset) -> Result<&FilesetLocation, String> {
    planned
        .locations
        .first()
        .ok_or_else(|| "the contract is broken: a fileset has a location".to_owned())
}

fn place() -> FilesetPlace {
    FilesetPlace {
        schema: "conformance".to_owned(),
        name: "f".to_owned(),
        schema_properties: Properties::new(),
    }
}

fn creation(location: Option<&str>) -> FilesetCreation {
    FilesetCreation {
        fileset_type: FilesetType::Managed,
        storage_locations: location
            .map(|location| (UNNAMED_LOCATION.to_owned(), location.to_owned()))
            .into_iter()
            .collect(),
        properties: Properties::new(),
    }
}
