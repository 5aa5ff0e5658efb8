// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whole flows through the provider's contract, as clients drive them.

mod append;
mod commit;
mod every_type;
mod evolution;
mod flow;
mod hostile;
mod laws;
mod maintenance;
mod register;
mod scan;
mod views;

use std::sync::Arc;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_catalog::table_catalog::{
    IcebergCommit, IcebergTableCreation, PlannedTable, TableCatalog, TablePlace,
};
use lakeward_catalog::table_maintenance::TableMaintenance;
use lakeward_catalog::view_catalog::ViewCatalog;
use lakeward_metadata::Properties;
use serde_json::{Value, json};

use crate::IcebergFactory;

/// A catalog in a temporary folder.
pub(crate) struct Bench {
    provider: Arc<dyn Provider>,
    pub(crate) folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = CatalogContext {
            metalake: "m".to_owned(),
            catalog: "ice".to_owned(),
            default_warehouse_root: None,
        };
        let properties = Properties::from([(
            "warehouse".to_owned(),
            format!("file://{}/w", folder.path().display()),
        )]);
        let provider = IcebergFactory::default().connect(&context, &properties).unwrap();
        Self { provider, folder }
    }

    pub(crate) fn tables(&self) -> &dyn TableCatalog {
        self.provider.tables().unwrap()
    }

    pub(crate) fn maintenance(&self) -> &dyn TableMaintenance {
        self.provider.maintenance().unwrap()
    }

    pub(crate) fn views(&self) -> &dyn ViewCatalog {
        self.provider.views().unwrap()
    }

    pub(crate) fn warehouse(&self) -> String {
        format!("file://{}/w", self.folder.path().display())
    }

    /// Creates and writes the usual table; answers where its metadata is.
    pub(crate) async fn create(&self, name: &str) -> String {
        let planned = self.tables().plan_create(&place(name), &creation()).unwrap();
        self.tables().write(&planned).await.unwrap();
        location(&planned)
    }

    pub(crate) async fn plan(
        &self,
        base: &str,
        requirements: Value,
        updates: Value,
    ) -> Result<PlannedTable, CatalogError> {
        let commit = IcebergCommit {
            requirements: requirements.as_array().unwrap().clone(),
            updates: updates.as_array().unwrap().clone(),
        };
        self.tables()
            .plan_commit(&place("t"), Some(MetadataFile::at(base)), &commit)
            .await
    }

    /// Applies updates and writes; answers the new metadata location.
    pub(crate) async fn commit(&self, base: &str, updates: Value) -> String {
        let planned = self.plan(base, json!([]), updates).await.unwrap();
        self.tables().write(&planned).await.unwrap();
        location(&planned)
    }

    pub(crate) async fn metadata(&self, at: &str) -> Value {
        let loaded = self.tables().load(MetadataFile::at(at)).await.unwrap();
        loaded.map_ref(|table| serde_json::from_str(table.metadata.json().get()).unwrap())
    }

    /// An `add-snapshot` update with a manifest list inside the table.
    pub(crate) fn snapshot(
        &self,
        table: &str,
        id: i64,
        parent: Option<i64>,
        sequence: i64,
        operation: &str,
    ) -> Value {
        let mut snapshot = json!({
            "snapshot-id": id,
            "sequence-number": sequence,
            "timestamp-ms": chrono::Utc::now().timestamp_millis(),
            "manifest-list": format!("{}/ns/{table}/metadata/snap-{id}.avro", self.warehouse()),
            "summary": { "operation": operation },
            "schema-id": 0,
        });
        if let Some(parent) = parent {
            snapshot["parent-snapshot-id"] = json!(parent);
        }
        json!({ "action": "add-snapshot", "snapshot": snapshot })
    }
}

pub(crate) fn set_main(id: i64) -> Value {
    json!({ "action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": id })
}

pub(crate) fn place(name: &str) -> TablePlace {
    TablePlace {
        namespace: vec!["ns".to_owned()],
        name: name.to_owned(),
        namespace_location: None,
        unused_location: false,
    }
}

pub(crate) fn creation() -> IcebergTableCreation {
    IcebergTableCreation {
        schema: json!({
            "type": "struct", "schema-id": 0,
            "fields": [
                {"id": 1, "name": "id", "required": true, "type": "long"},
                {"id": 2, "name": "name", "required": false, "type": "string"},
                {"id": 3, "name": "ts", "required": false, "type": "timestamptz"}
            ]
        }),
        location: None,
        partition_spec: Some(json!({
            "spec-id": 0, "fields": [{"source-id": 3, "field-id": 1000, "transform": "day", "name": "ts_day"}]
        })),
        write_order: None,
        properties: Properties::from([("p".to_owned(), "q".to_owned())]),
    }
}

pub(crate) fn location(planned: &PlannedTable) -> String {
    planned.table.map_ref(|table| table.metadata_location.clone())
}

pub(crate) fn metadata(planned: &PlannedTable) -> Value {
    planned
        .table
        .map_ref(|table| serde_json::from_str(table.metadata.json().get()).unwrap())
}
