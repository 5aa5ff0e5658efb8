// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What every provider of tables and every provider of filesets must fulfil, as suites that a provider runs in its own tests.

mod filesets;

use lakeward_metadata::Properties;
use serde_json::json;

pub use filesets::check_filesets;

use crate::error::CatalogError;
use crate::metadata_file::MetadataFile;
use crate::table_catalog::{
    CommitEffect, IcebergCommit, IcebergTableCreation, PlannedTable, TableCatalog, TablePlace,
};

/// Runs the suite against an empty catalog.
///
/// # Errors
/// What the provider does otherwise than the contract says.
pub async fn check(tables: &dyn TableCatalog) -> Result<(), String> {
    let at = plans_have_no_effect(tables).await?;
    commits_are_planned_from_a_version(tables, &at).await?;
    locations_are_policed(tables)?;
    registered_files_are_kept(tables, &at).await
}

async fn plans_have_no_effect(tables: &dyn TableCatalog) -> Result<String, String> {
    let planned = tables
        .plan_create(&place(), &creation())
        .map_err(told("plan a table"))?;
    let at = location(&planned);
    holds(planned.base.is_none(), "a new table has no base")?;
    holds(planned.location_is_new, "a new table has a new location")?;
    holds(planned.effect == CommitEffect::Changes, "a creation is no append")?;
    let before = tables.load(MetadataFile::at(&at)).await.map(drop);
    holds(
        matches!(before, Err(CatalogError::MetadataMissing(_))),
        "a plan writes nothing",
    )?;
    tables.write(&planned).await.map_err(told("write a plan"))?;
    let again = tables.write(&planned).await;
    holds(
        matches!(again, Err(CatalogError::FileExists(_))),
        "a metadata file is never overwritten",
    )?;
    let loaded = tables
        .load(MetadataFile::at(&at))
        .await
        .map_err(told("load what was written"))?;
    let text = |table: &crate::loaded_table::LoadedTable| table.metadata.json().get().to_owned();
    holds(
        loaded.map_ref(text) == planned.table.map_ref(text),
        "what is loaded is what was planned",
    )?;
    let described = loaded
        .map_ref(|table| tables.describe(table))
        .map_err(told("describe a table"))?;
    holds(described.columns.len() == 2, "all columns are described")?;
    let facts = loaded.map_ref(|table| table.metadata.facts().clone());
    holds(
        facts.fields.iter().map(|field| field.id).eq([1, 2]),
        "field ids of a new table count from 1",
    )?;
    Ok(at)
}

async fn commits_are_planned_from_a_version(tables: &dyn TableCatalog, at: &str) -> Result<(), String> {
    let set = IcebergCommit {
        requirements: Vec::new(),
        updates: vec![json!({"action": "set-properties", "updates": {"a": "b"}})],
    };
    let planned = tables
        .plan_commit(&place(), Some(MetadataFile::at(at)), &set)
        .await
        .map_err(told("plan a commit"))?;
    holds(planned.base.as_deref() == Some(at), "a commit has its base")?;
    holds(!planned.location_is_new, "a commit of properties moves nothing")?;
    holds(location(&planned) != at, "a commit makes a new version")?;
    tables.write(&planned).await.map_err(told("write a commit"))?;
    tables.discard(&planned).await;
    let lost = tables.load(MetadataFile::at(&location(&planned))).await.map(drop);
    holds(
        matches!(lost, Err(CatalogError::MetadataMissing(_))),
        "a discarded version is gone",
    )?;
    holds(
        tables.load(MetadataFile::at(at)).await.is_ok(),
        "a discarded version leaves its base alone",
    )?;

    let creates = IcebergCommit {
        requirements: vec![json!({"type": "assert-create"})],
        updates: Vec::new(),
    };
    let refused = tables
        .plan_commit(&place(), Some(MetadataFile::at(at)), &creates)
        .await
        .map(drop);
    holds(
        matches!(refused, Err(CatalogError::RequirementFailed(_))),
        "a failed requirement is told apart",
    )?;
    let unknown = IcebergCommit {
        requirements: Vec::new(),
        updates: vec![json!({"action": "no such action"})],
    };
    let refused = tables
        .plan_commit(&place(), Some(MetadataFile::at(at)), &unknown)
        .await
        .map(drop);
    holds(
        matches!(refused, Err(CatalogError::Unsupported(_))),
        "an unknown update is refused",
    )
}

fn locations_are_policed(tables: &dyn TableCatalog) -> Result<(), String> {
    let mut elsewhere = creation();
    elsewhere.location = Some("file:///etc/lakeward".to_owned());
    let refused = tables.plan_create(&place(), &elsewhere).map(drop);
    holds(
        matches!(refused, Err(CatalogError::LocationRefused(_))),
        "a location outside the catalog is refused",
    )?;
    let overlap = |one: &str, other: &str| tables.overlaps(one, other).map_err(told("compare locations"));
    for (one, other, expected) in [
        ("file:///a/b", "file:/a/b/", true),
        ("file:///a/b", "file:///a/b/c", true),
        ("file:///a/b", "file:///a/b2", false),
    ] {
        let both = overlap(one, other)? == expected && overlap(other, one)? == expected;
        holds(both, "overlap goes by whole segments, in both directions")?;
    }
    holds(
        tables.overlaps("file:///a/../b", "file:///b").is_err(),
        "a traversal is no location",
    )
}

async fn registered_files_are_kept(tables: &dyn TableCatalog, at: &str) -> Result<(), String> {
    let planned = tables.plan_register(at).await.map_err(told("register a table"))?;
    holds(
        planned.file_exists && location(&planned) == at,
        "a registered file is taken as it is",
    )?;
    tables
        .write(&planned)
        .await
        .map_err(told("write a registration"))?;
    tables.discard(&planned).await;
    holds(
        tables.load(MetadataFile::at(at)).await.is_ok(),
        "a registered file is not deleted",
    )?;
    tables
        .purge(MetadataFile::at(at))
        .await
        .map_err(told("purge a table"))?;
    holds(
        tables.load(MetadataFile::at(at)).await.is_err(),
        "a purged table is gone",
    )
}

fn place() -> TablePlace {
    TablePlace {
        namespace: vec!["conformance".to_owned()],
        name: "t".to_owned(),
        namespace_location: None,
        unused_location: false,
    }
}

fn creation() -> IcebergTableCreation {
    IcebergTableCreation {
        schema: json!({"type": "struct", "fields": [
            {"id": 7, "name": "id", "required": true, "type": "long"},
            {"id": 9, "name": "name", "required": false, "type": "string"}
        ]}),
        location: None,
        partition_spec: None,
        write_order: None,
        properties: Properties::new(),
    }
}

fn location(planned: &PlannedTable) -> String {
    planned.table.map_ref(|table| table.metadata_location.clone())
}

fn holds(fact: bool, rule: &str) -> Result<(), String> {
    if fact {
        Ok(())
    } else {
        Err(format!("the contract is broken: {rule}"))
    }
}

fn told(what: &'static str) -> impl Fn(CatalogError) -> String {
    move |error| format!("the provider does not {what}: {error}")
}
