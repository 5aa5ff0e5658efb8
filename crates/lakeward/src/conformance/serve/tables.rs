// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A case as a real Iceberg table: metadata, manifests and a Parquet file on the local disk.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::io::LocalFsStorageFactory;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalog, MemoryCatalogBuilder};
use iceberg::spec::DataFileFormat;
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableIdent};
use lakeward_read_restrictions::schema::fields_from_schema;
use parquet::file::properties::WriterProperties;
use serde_json::{Value as Json, json};

use super::cases::KitCase;
use super::rows;

/// What a loadTable answer says of a table besides its restrictions.
pub(super) struct Written {
    pub(super) metadata: Json,
    pub(super) metadata_location: Option<String>,
}

/// Writes tables below one folder.
pub(super) struct Writer {
    catalog: MemoryCatalog,
    root: String,
}

impl Writer {
    pub(super) async fn new(folder: &Path) -> anyhow::Result<Self> {
        let folder = folder
            .to_str()
            .with_context(|| format!("the path `{}` is not UTF-8", folder.display()))?;
        let root = format!("file://{folder}");
        let catalog = MemoryCatalogBuilder::default()
            .with_storage_factory(Arc::new(LocalFsStorageFactory))
            .load(
                "kit",
                HashMap::from([(MEMORY_CATALOG_WAREHOUSE.to_owned(), root.clone())]),
            )
            .await?;
        Ok(Self { catalog, root })
    }

    /// Writes one table. Its metadata is our own, since a catalog that creates tables numbers the fields anew, and
    /// restrictions name them.
    pub(super) async fn write(&self, case: &KitCase) -> anyhow::Result<Written> {
        let namespace = NamespaceIdent::new(case.namespace.to_owned());
        if !self.catalog.namespace_exists(&namespace).await? {
            self.catalog.create_namespace(&namespace, HashMap::new()).await?;
        }
        let run = uuid::Uuid::new_v4();
        let location = format!("{}/{}/{}-{run}", self.root, case.namespace, case.table);
        let file = format!("{location}/metadata/00000-{run}.metadata.json");
        let mut table = self.register(case, &namespace, &location, &file).await?;
        if !case.rows.is_empty() {
            table = self.append(case, table).await?;
        }
        Ok(Written {
            metadata: serde_json::to_value(table.metadata())?,
            metadata_location: table.metadata_location().map(str::to_owned),
        })
    }

    async fn register(
        &self,
        case: &KitCase,
        namespace: &NamespaceIdent,
        location: &str,
        file: &str,
    ) -> anyhow::Result<Table> {
        let metadata = empty_metadata(case, location);
        let path = Path::new(file.strip_prefix("file://").unwrap_or(file));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        std::fs::write(path, metadata.to_string())
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        let identity = TableIdent::new(namespace.clone(), case.table.clone());
        Ok(self.catalog.register_table(&identity, file.to_owned()).await?)
    }

    async fn append(&self, case: &KitCase, table: Table) -> anyhow::Result<Table> {
        let metadata = table.metadata();
        let schema = Arc::clone(metadata.current_schema());
        let arrow = Arc::new(schema_to_arrow_schema(&schema)?);
        let fields = fields_from_schema(&case.schema)?;
        let batch = rows::batch(&case.rows, &fields, arrow)?;
        let files = RollingFileWriterBuilder::new_with_default_file_size(
            ParquetWriterBuilder::new(WriterProperties::default(), schema),
            table.file_io().clone(),
            DefaultLocationGenerator::new(metadata)?,
            DefaultFileNameGenerator::new("rows".to_owned(), None, DataFileFormat::Parquet),
        );
        let mut writer = DataFileWriterBuilder::new(files).build(None).await?;
        writer.write(batch).await?;
        let written = writer.close().await?;
        let transaction = Transaction::new(&table);
        let transaction = transaction
            .fast_append()
            .add_data_files(written)
            .apply(transaction)?;
        Ok(transaction.commit(&self.catalog).await?)
    }
}

/// Metadata of format version 2 (Iceberg specification, "Table Metadata Fields") of a table without snapshots.
fn empty_metadata(case: &KitCase, location: &str) -> Json {
    json!({
        "format-version": 2,
        "table-uuid": uuid::Uuid::new_v4().to_string(),
        "location": location,
        "last-sequence-number": 0,
        "last-updated-ms": 0,
        "last-column-id": last_column_id(&case.schema),
        "schemas": [case.schema],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "last-partition-id": 999,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "properties": {},
        "snapshots": [],
        "snapshot-log": [],
        "metadata-log": [],
        "refs": {},
    })
}

/// The greatest id of any field; that of the row number is beyond all others.
fn last_column_id(schema: &Json) -> i64 {
    schema
        .get("fields")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|field| field.get("id").and_then(Json::as_i64))
        .max()
        .unwrap_or_default()
}
