// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Writes a table as real Iceberg metadata and Parquet files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field as ArrowField, Schema as ArrowSchema};
use arrow::record_batch::RecordBatch;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalog, MemoryCatalogBuilder};
use iceberg::spec::{
    DataContentType, DataFile, DataFileBuilder, DataFileFormat, Literal, ManifestListWriter,
    ManifestWriterBuilder, PartitionKey, PrimitiveType, Schema, Struct, Transform, Type,
    UnboundPartitionSpec,
};
use iceberg::table::Table as IcebergTable;
use iceberg::transaction::{AddColumn, ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation};
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::WriterProperties;
use serde_json::{Value as Json, json};

use super::{FilePlan, PartitionPlan, Plan, Row, Table, Version, promoted, views};
use crate::reference_arrays::to_array;

struct Writing {
    catalog: MemoryCatalog,
    table: IcebergTable,
    partition: Vec<PartitionPlan>,
    rows_per_group: usize,
    files: usize,
    /// Paths with their deleted positions.
    deleted: Vec<(String, Vec<usize>)>,
}

/// Writes the table and gives what is in it.
pub(crate) async fn write(folder: &Path, plan: Plan) -> Table {
    let fields = fields_from_schema(&plan.schema).unwrap();
    let mut writing = Writing::new(folder, &plan).await;
    let mut versions = Vec::new();
    let mut shown: Vec<Row> = Vec::new();
    for file in &plan.files {
        writing.append(&fields, file).await;
        // Deletes come at the end: an earlier snapshot shows every row.
        shown.extend(file.rows.iter().cloned());
        versions.push(writing.version(&fields, &shown));
    }
    let mut rows: Vec<Row> = plan.files.iter().flat_map(kept).collect();
    let mut fields = fields;
    if let Some(evolution) = &plan.evolution {
        writing.add_column(evolution.added).await;
        let current = serde_json::to_value(writing.table.metadata().current_schema()).unwrap();
        let wider = fields_from_schema(&current).unwrap();
        for row in rows.iter_mut().chain(&mut shown) {
            row.push(Value::Null);
        }
        for file in &evolution.files {
            writing.append(&wider, file).await;
            shown.extend(file.rows.iter().cloned());
            versions.push(writing.version(&wider, &shown));
            rows.extend(kept(file));
        }
        fields = fields_from_schema(&json!({"type": "struct", "fields": evolution.fields})).unwrap();
        rows = rows
            .into_iter()
            .map(|row| {
                evolution
                    .order
                    .iter()
                    .zip(&fields)
                    .map(|(at, field)| promoted(row[*at].clone(), &field.field_type))
                    .collect()
            })
            .collect();
    }
    let mut metadata = if writing.deleted.iter().any(|(_, positions)| !positions.is_empty()) {
        // The last snapshot is the one that gets the deletes.
        versions.pop();
        writing.metadata_with_deletes().await
    } else {
        writing.metadata()
    };
    if let Some(evolution) = &plan.evolution {
        restate_schema(&mut metadata, &evolution.fields);
    }
    let names = with_references(plan.name, &mut metadata, &versions, &fields);
    let times = with_times(plan.name, &mut metadata, &versions);
    versions.extend(names);
    versions.extend(times);
    let current = Version {
        asked: String::new(),
        snapshot: None,
        view_of: None,
        fields,
        rows,
    };
    let (seen, view) = views::of(plan.name, &current);
    versions.insert(0, current);
    // The last: the grammar knows it by its place.
    versions.push(seen);
    Table {
        name: plan.name,
        metadata,
        view,
        versions,
    }
}

/// Adds a tag on the first snapshot, which shows the schema of then, and a branch, which shows that of now.
fn with_references(name: &str, metadata: &mut Json, versions: &[Version], current: &[Field]) -> Vec<Version> {
    let mut added = Vec::new();
    if let (Some(first), Some(refs)) = (versions.first(), metadata.get_mut("refs")) {
        refs["first"] = json!({"snapshot-id": first.snapshot, "type": "tag"});
        added.push(Version {
            asked: format!("{name} for version as of 'first'"),
            ..first.clone()
        });
        if first.fields == current {
            let middle = &versions[versions.len() / 2];
            refs["work"] = json!({"snapshot-id": middle.snapshot, "type": "branch"});
            added.push(Version {
                asked: format!("{name} for version as of 'work'"),
                ..middle.clone()
            });
        }
    }
    added
}

/// Snapshots that are a minute apart, and the versions by times between them.
fn with_times(name: &str, metadata: &mut Json, versions: &[Version]) -> Vec<Version> {
    /// Midnight of the first of March 2024.
    const START: i64 = 1_709_251_200_000;
    let Some(snapshots) = metadata.get_mut("snapshots").and_then(Json::as_array_mut) else {
        return Vec::new();
    };
    snapshots.sort_by_key(|snapshot| snapshot["sequence-number"].as_i64());
    let (mut added, mut log, mut time) = (Vec::new(), Vec::new(), START);
    for (minute, snapshot) in snapshots.iter_mut().enumerate() {
        snapshot["timestamp-ms"] = json!(time);
        log.push(json!({"snapshot-id": snapshot["snapshot-id"], "timestamp-ms": time}));
        let id = snapshot["snapshot-id"].as_i64();
        if let Some(version) = versions.iter().find(|version| version.snapshot == id) {
            added.push(Version {
                asked: format!("{name} for timestamp as of '2024-03-01 00:{minute:02}:30'"),
                ..version.clone()
            });
        }
        time += 60_000;
    }
    metadata["snapshot-log"] = json!(log);
    metadata["metadata-log"] = json!([]);
    metadata["last-updated-ms"] = json!(time);
    added
}

fn kept(file: &FilePlan) -> impl Iterator<Item = Row> + '_ {
    file.rows
        .iter()
        .enumerate()
        .filter(|(at, _)| !file.deleted.contains(at))
        .map(|(_, row)| row.clone())
}

fn restate_schema(metadata: &mut Json, fields: &Json) {
    let schemas = metadata.get_mut("schemas").unwrap().as_array_mut().unwrap();
    let id = schemas.len();
    schemas.push(json!({"type": "struct", "schema-id": id, "fields": fields}));
    metadata["current-schema-id"] = json!(id);
}

impl Writing {
    async fn new(folder: &Path, plan: &Plan) -> Self {
        let warehouse = format!("file://{}/{}", folder.display(), plan.name);
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
        let schema: Schema = serde_json::from_value(plan.schema.clone()).unwrap();
        let mut spec = UnboundPartitionSpec::builder();
        for (source, name, transform) in &plan.partition {
            spec = spec.add_partition_field(*source, *name, *transform).unwrap();
        }
        let creation = TableCreation::builder()
            .name(plan.name.to_owned())
            .schema(schema)
            .partition_spec_opt((!plan.partition.is_empty()).then(|| spec.build()))
            .build();
        let table = catalog.create_table(&namespace, creation).await.unwrap();
        Self {
            catalog,
            table,
            partition: plan.partition.clone(),
            rows_per_group: plan.rows_per_group,
            files: 0,
            deleted: Vec::new(),
        }
    }

    /// The snapshot that was just made.
    fn version(&self, fields: &[Field], rows: &[Row]) -> Version {
        let snapshot = self.table.metadata().current_snapshot_id().unwrap();
        Version {
            asked: format!("{} for version as of {snapshot}", self.table.identifier().name()),
            snapshot: Some(snapshot),
            view_of: None,
            fields: fields.to_vec(),
            rows: rows.to_vec(),
        }
    }

    async fn append(&mut self, fields: &[Field], file: &FilePlan) {
        let metadata = self.table.metadata();
        let schema = Arc::clone(metadata.current_schema());
        let arrow = Arc::new(schema_to_arrow_schema(&schema).unwrap());
        let columns = fields
            .iter()
            .enumerate()
            .map(|(at, field)| {
                let values: Vec<Value> = file.rows.iter().map(|row| row[at].clone()).collect();
                let array = to_array(&field.field_type, &values);
                cast(&array, arrow.field(at).data_type()).unwrap()
            })
            .collect::<Vec<ArrayRef>>();
        let batch = RecordBatch::try_new(arrow, columns).unwrap();
        self.files += 1;
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(self.rows_per_group))
            .build();
        let files = RollingFileWriterBuilder::new_with_default_file_size(
            ParquetWriterBuilder::new(properties, Arc::clone(&schema)),
            self.table.file_io().clone(),
            DefaultLocationGenerator::new(metadata).unwrap(),
            DefaultFileNameGenerator::new(format!("f{}", self.files), None, DataFileFormat::Parquet),
        );
        let key = (!self.partition.is_empty()).then(|| {
            let values = self.partition.iter().map(|(source, _, transform)| {
                let at = fields.iter().position(|field| field.id == *source).unwrap();
                partition_value(&file.rows[0][at], *transform)
            });
            PartitionKey::new(
                metadata.default_partition_spec().as_ref().clone(),
                schema,
                Struct::from_iter(values),
            )
        });
        let mut writer = DataFileWriterBuilder::new(files).build(key).await.unwrap();
        writer.write(batch).await.unwrap();
        let written: Vec<DataFile> = writer.close().await.unwrap();
        self.deleted
            .push((written[0].file_path().to_owned(), file.deleted.clone()));
        let transaction = Transaction::new(&self.table);
        let transaction = transaction
            .fast_append()
            .add_data_files(written)
            .apply(transaction)
            .unwrap();
        self.table = transaction.commit(&self.catalog).await.unwrap();
    }

    async fn add_column(&mut self, name: &str) {
        let transaction = Transaction::new(&self.table);
        let transaction = transaction
            .update_schema()
            .add_column(AddColumn::optional(name, Type::Primitive(PrimitiveType::String)))
            .apply(transaction)
            .unwrap();
        self.table = transaction.commit(&self.catalog).await.unwrap();
    }

    fn metadata(&self) -> Json {
        serde_json::to_value(self.table.metadata()).unwrap()
    }

    /// The metadata with a file of position deletes in the last snapshot.
    async fn metadata_with_deletes(&self) -> Json {
        let metadata = self.table.metadata();
        let snapshot = metadata.current_snapshot().unwrap();
        let io = self.table.file_io();
        let (id, sequence) = (snapshot.snapshot_id(), snapshot.sequence_number() + 1);
        let path = format!("{}/data/deletes.parquet", metadata.location());
        let local = path.trim_start_matches("file://").to_owned();
        write_position_deletes(Path::new(&local), &self.deleted);
        let count: usize = self.deleted.iter().map(|(_, positions)| positions.len()).sum();
        let file = DataFileBuilder::default()
            .content(DataContentType::PositionDeletes)
            .file_path(path)
            .file_format(DataFileFormat::Parquet)
            .file_size_in_bytes(std::fs::metadata(&local).unwrap().len())
            .record_count(u64::try_from(count).unwrap())
            .partition_spec_id(0)
            .build()
            .unwrap();
        let mut manifest = ManifestWriterBuilder::new(
            io.new_output(format!("{}/metadata/deletes.avro", metadata.location()))
                .unwrap(),
            Some(id),
            Arc::clone(metadata.current_schema()),
            metadata.default_partition_spec().as_ref().clone(),
        )
        .build_v2_deletes();
        manifest.add_file(file, sequence).unwrap();
        let manifest = manifest.write_manifest_file().await.unwrap();
        let location = format!("{}/metadata/with-deletes.avro", metadata.location());
        let output = io.new_output(&location).unwrap().writer().await.unwrap();
        let mut list = ManifestListWriter::v2(output, id, None, sequence);
        let known = self.table.manifest_list_reader(snapshot).load().await.unwrap();
        list.add_manifests(known.entries().iter().cloned().chain([manifest]))
            .unwrap();
        list.close().await.unwrap();
        let mut json = self.metadata();
        for snapshot in json["snapshots"].as_array_mut().unwrap() {
            if snapshot["snapshot-id"].as_i64() == Some(id) {
                snapshot["manifest-list"] = json!(location);
                snapshot["sequence-number"] = json!(sequence);
            }
        }
        json["last-sequence-number"] = json!(sequence);
        json
    }
}

fn partition_value(value: &Value, transform: Transform) -> Option<Literal> {
    match (value, transform) {
        (Value::Null, _) => None,
        (Value::String(text), Transform::Identity) => Some(Literal::string(text)),
        // Days of the first years; none of them is a leap day's neighbour of another year.
        (Value::Date(day), Transform::Year) => Some(Literal::int(day / 366)),
        (value, transform) => panic!("{value:?} is not partitioned by {transform}"),
    }
}

fn write_position_deletes(path: &Path, deleted: &[(String, Vec<usize>)]) {
    let field = |name: &str, data_type, id: i32| {
        ArrowField::new(name, data_type, false).with_metadata(HashMap::from([(
            PARQUET_FIELD_ID_META_KEY.to_owned(),
            id.to_string(),
        )]))
    };
    let schema = Arc::new(ArrowSchema::new(vec![
        field("file_path", DataType::Utf8, 2_147_483_546),
        field("pos", DataType::Int64, 2_147_483_545),
    ]));
    let mut all: Vec<(&str, i64)> = deleted
        .iter()
        .flat_map(|(path, at)| at.iter().map(|at| (path.as_str(), i64::try_from(*at).unwrap())))
        .collect();
    all.sort_unstable();
    let paths = StringArray::from_iter_values(all.iter().map(|(path, _)| path));
    let positions = Int64Array::from_iter_values(all.iter().map(|(_, at)| *at));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(paths), Arc::new(positions)]).unwrap();
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}
