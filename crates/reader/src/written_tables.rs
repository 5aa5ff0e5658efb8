// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Test support: real Iceberg tables on the local disk, and what a server would answer for them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema};
use arrow::record_batch::RecordBatch;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalog, MemoryCatalogBuilder};
use iceberg::spec::{
    DataContentType, DataFile, DataFileBuilder, DataFileFormat, FormatVersion, ManifestFile,
    ManifestListWriter, ManifestWriterBuilder, PartitionKey, Schema, Struct, TableMetadata,
    UnboundPartitionSpec,
};
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, Runtime, TableCreation};
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::WriterProperties;
use roaring::RoaringTreemap;
use serde_json::{Value as Json, json};

/// A table under construction.
pub(crate) struct Written {
    catalog: MemoryCatalog,
    pub(crate) table: Table,
    files: usize,
    rows_per_group: usize,
    rows_per_page: Option<usize>,
}

impl Written {
    /// An empty table with the schema, given as JSON.
    pub(crate) async fn new(directory: &Path, schema: Json, spec: Option<UnboundPartitionSpec>) -> Self {
        Self::of_version(directory, schema, spec, FormatVersion::V2).await
    }

    /// An empty table of a version of the table format.
    pub(crate) async fn of_version(
        directory: &Path,
        schema: Json,
        spec: Option<UnboundPartitionSpec>,
        version: FormatVersion,
    ) -> Self {
        let warehouse = format!("file://{}", directory.display());
        let catalog = MemoryCatalogBuilder::default()
            .with_storage_factory(Arc::new(iceberg::io::LocalFsStorageFactory))
            .load(
                "test",
                HashMap::from([(MEMORY_CATALOG_WAREHOUSE.to_owned(), warehouse)]),
            )
            .await
            .unwrap();
        let namespace = NamespaceIdent::new("s".to_owned());
        catalog
            .create_namespace(&namespace, HashMap::new())
            .await
            .unwrap();
        let schema: Schema = serde_json::from_value(schema).unwrap();
        let creation = TableCreation::builder()
            .name("t".to_owned())
            .schema(schema)
            .partition_spec_opt(spec)
            .format_version(version)
            .build();
        let table = catalog.create_table(&namespace, creation).await.unwrap();
        Self {
            catalog,
            table,
            files: 0,
            rows_per_group: 1_000_000,
            rows_per_page: None,
        }
    }

    /// Writes row groups of so many rows.
    pub(crate) fn with_rows_per_group(mut self, rows: usize) -> Self {
        self.rows_per_group = rows;
        self
    }

    /// Writes pages of so many rows that hold their values themselves, not in a dictionary for all pages.
    pub(crate) fn with_pages_of(mut self, rows: usize) -> Self {
        self.rows_per_page = Some(rows);
        self
    }

    /// Appends one file with these columns, in the order of the schema.
    pub(crate) async fn append(&mut self, columns: Vec<ArrayRef>, partition: Option<Struct>) -> DataFile {
        let file = self.write(columns, partition).await;
        self.commit(vec![file.clone()]).await;
        file
    }

    /// Adds written files to the table, all in one manifest.
    pub(crate) async fn commit(&mut self, files: Vec<DataFile>) {
        let transaction = Transaction::new(&self.table);
        let transaction = transaction
            .fast_append()
            .add_data_files(files)
            .apply(transaction)
            .unwrap();
        self.table = transaction.commit(&self.catalog).await.unwrap();
    }

    /// Writes a file with these columns, in the order of the schema, which is no file of the table yet.
    pub(crate) async fn write(&mut self, columns: Vec<ArrayRef>, partition: Option<Struct>) -> DataFile {
        let metadata = self.table.metadata();
        let schema = Arc::clone(metadata.current_schema());
        let arrow = Arc::new(schema_to_arrow_schema(&schema).unwrap());
        let batch = RecordBatch::try_new(arrow, columns).unwrap();
        self.files += 1;
        let mut properties =
            WriterProperties::builder().set_max_row_group_row_count(Some(self.rows_per_group));
        if let Some(rows) = self.rows_per_page {
            properties = properties
                .set_data_page_row_count_limit(rows)
                .set_write_batch_size(rows)
                .set_dictionary_enabled(false);
        }
        let properties = properties.build();
        let files = RollingFileWriterBuilder::new_with_default_file_size(
            ParquetWriterBuilder::new(properties, Arc::clone(&schema)),
            self.table.file_io().clone(),
            DefaultLocationGenerator::new(metadata).unwrap(),
            DefaultFileNameGenerator::new(format!("f{}", self.files), None, DataFileFormat::Parquet),
        );
        let key = partition.map(|partition| {
            PartitionKey::new(
                metadata.default_partition_spec().as_ref().clone(),
                schema,
                partition,
            )
        });
        let mut writer = DataFileWriterBuilder::new(files).build(key).await.unwrap();
        writer.write(batch).await.unwrap();
        let written = writer.close().await.unwrap();
        let [file] = written.as_slice() else {
            panic!("the rows of one file are in {} files", written.len());
        };
        file.clone()
    }

    /// The metadata as a server stores it.
    pub(crate) fn metadata(&self) -> Json {
        serde_json::to_value(self.table.metadata()).unwrap()
    }

    /// What a server answers for the table.
    pub(crate) fn answer(&self, restrictions: &Json) -> String {
        answer(&self.metadata(), restrictions)
    }

    /// The metadata after a delete file has been added to the current snapshot, as the newest of all files.
    pub(crate) async fn metadata_with_deletes(
        &self,
        content: DataContentType,
        format: DataFileFormat,
        path: &str,
    ) -> Json {
        let mut file = listed_file(content, format, path, 1);
        if content == DataContentType::EqualityDeletes {
            file.equality_ids(Some(vec![1]));
        }
        let snapshot = self.table.metadata().current_snapshot().unwrap();
        let sequence = snapshot.sequence_number() + 1;
        self.metadata_with(&[(file.build().unwrap(), sequence, 0)]).await
    }

    /// The metadata after files have been added to the current snapshot, each with its data sequence number and its
    /// partition spec.
    pub(crate) async fn metadata_with(&self, files: &[(DataFile, i64, i32)]) -> Json {
        let snapshot = self.table.metadata().current_snapshot().unwrap();
        let known = self.table.manifest_list_reader(snapshot).load().await.unwrap();
        self.metadata_of(files, known.entries().to_vec()).await
    }

    /// The metadata after the current snapshot has got these files beside those of known manifests.
    pub(crate) async fn metadata_of(&self, files: &[(DataFile, i64, i32)], known: Vec<ManifestFile>) -> Json {
        let metadata = self.table.metadata();
        let snapshot = metadata.current_snapshot().unwrap();
        let io = self.table.file_io();
        let id = snapshot.snapshot_id();
        let highest = files.iter().map(|(_, sequence, _)| *sequence).max().unwrap_or(0);
        let sequence = highest.max(snapshot.sequence_number());
        let v3 = metadata.format_version() == FormatVersion::V3;
        let mut manifests = Vec::new();
        for (number, (file, sequence, spec)) in files.iter().enumerate() {
            let location = format!("{}/metadata/added-{number}.avro", metadata.location());
            let manifest = ManifestWriterBuilder::new(
                io.new_output(&location).unwrap(),
                Some(id),
                Arc::clone(metadata.current_schema()),
                metadata.partition_spec_by_id(*spec).unwrap().as_ref().clone(),
            );
            let mut manifest = match (file.content_type(), v3) {
                (DataContentType::Data, false) => manifest.build_v2_data(),
                (DataContentType::Data, true) => manifest.build_v3_data(),
                (_, false) => manifest.build_v2_deletes(),
                (_, true) => manifest.build_v3_deletes(),
            };
            manifest.add_file(file.clone(), *sequence).unwrap();
            manifests.push(manifest.write_manifest_file().await.unwrap());
        }
        let list_location = format!("{}/metadata/with-added.avro", metadata.location());
        let output = io.new_output(&list_location).unwrap().writer().await.unwrap();
        let mut list = if v3 {
            ManifestListWriter::v3(output, id, None, sequence, Some(0))
        } else {
            ManifestListWriter::v2(output, id, None, sequence)
        };
        list.add_manifests(known.into_iter().chain(manifests)).unwrap();
        list.close().await.unwrap();
        let mut json = self.metadata();
        for snapshot in json.pointer_mut("/snapshots").unwrap().as_array_mut().unwrap() {
            if snapshot.get("snapshot-id").unwrap().as_i64() == Some(id) {
                *snapshot.get_mut("manifest-list").unwrap() = json!(list_location);
                *snapshot.get_mut("sequence-number").unwrap() = json!(sequence);
            }
        }
        *json.get_mut("last-sequence-number").unwrap() = json!(sequence);
        json
    }

    /// The table with other metadata.
    pub(crate) fn with_metadata(&self, metadata: &Json) -> Table {
        Table::builder()
            .identifier(self.table.identifier().clone())
            .metadata(serde_json::from_value::<TableMetadata>(metadata.clone()).unwrap())
            .file_io(self.table.file_io().clone())
            .runtime(Runtime::try_current().unwrap())
            .build()
            .unwrap()
    }

    /// A path for a file of the table.
    pub(crate) fn path(&self, name: &str) -> String {
        let location = self.table.metadata().location();
        format!("{}/data/{name}", location.trim_start_matches("file://"))
    }
}

/// What manifests say of a file, to be completed.
pub(crate) fn listed_file(
    content: DataContentType,
    format: DataFileFormat,
    path: &str,
    rows: u64,
) -> DataFileBuilder {
    let mut file = DataFileBuilder::default();
    file.content(content)
        .file_path(path.to_owned())
        .file_format(format)
        .file_size_in_bytes(std::fs::metadata(path).map_or(100, |metadata| metadata.len()))
        .record_count(rows);
    file
}

/// What a server answers for a table with this metadata.
pub(crate) fn answer(metadata: &Json, restrictions: &Json) -> String {
    let mut body = json!({"metadata": metadata, "config": {}});
    if !restrictions.is_null() {
        body.as_object_mut()
            .unwrap()
            .insert("read-restrictions".to_owned(), restrictions.clone());
    }
    body.to_string()
}

/// Writes a Parquet file of position deletes.
pub(crate) fn write_position_deletes(path: impl AsRef<Path>, deletes: &[(&str, i64)]) {
    let paths = StringArray::from_iter_values(deletes.iter().map(|(path, _)| path));
    let positions = Int64Array::from_iter_values(deletes.iter().map(|(_, position)| *position));
    write_columns(
        path,
        vec![
            ("file_path", Some(2_147_483_546), Arc::new(paths)),
            ("pos", Some(2_147_483_545), Arc::new(positions)),
        ],
    );
}

/// Writes a Parquet file of columns with their field ids, if they have any.
pub(crate) fn write_columns(path: impl AsRef<Path>, columns: Vec<(&str, Option<i32>, ArrayRef)>) {
    let fields: Vec<ArrowField> = columns
        .iter()
        .map(|(name, id, values)| {
            let field = ArrowField::new(*name, values.data_type().clone(), true);
            match id {
                Some(id) => field.with_metadata(HashMap::from([(
                    PARQUET_FIELD_ID_META_KEY.to_owned(),
                    id.to_string(),
                )])),
                None => field,
            }
        })
        .collect();
    let schema = Arc::new(ArrowSchema::new(fields));
    let arrays = columns.into_iter().map(|(_, _, values)| values).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The blob of a deletion vector, as the Puffin specification says it.
pub(crate) fn deletion_vector(positions: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let bitmap: RoaringTreemap = positions.into_iter().collect();
    let mut content = vec![0xD1, 0xD3, 0x39, 0x64];
    bitmap.serialize_into(&mut content).unwrap();
    let mut blob = u32::try_from(content.len()).unwrap().to_be_bytes().to_vec();
    let checksum = crc32fast::hash(&content);
    blob.extend(content);
    blob.extend(checksum.to_be_bytes());
    blob
}
