// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The line items of the TPC-H benchmark as an Iceberg table on the local disk.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, StringArray};
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::io::LocalFsStorageFactory;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalogBuilder};
use iceberg::spec::{DataFileFormat, Schema, TableMetadata};
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation};
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_reader::load_table::LoadedTable;
use lakeward_reader::restricted_table::RestrictedTable;
use lakeward_reader::salt::random_salt;
use lakeward_reader::table_version::TableVersion;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use tpchgen::generators::{LineItem, LineItemGenerator};

use super::Outcome;

const FILES: i32 = 4;
const ROWS_PER_GROUP: usize = 524_288;
const ROWS_PER_BATCH: usize = 65_536;
const MONEY: DataType = DataType::Decimal128(15, 2);

/// Field ids follow the order of the columns, from 1.
pub(crate) const FIELDS: [(&str, &str); 16] = [
    ("l_orderkey", "long"),
    ("l_partkey", "long"),
    ("l_suppkey", "long"),
    ("l_linenumber", "int"),
    ("l_quantity", "decimal(15,2)"),
    ("l_extendedprice", "decimal(15,2)"),
    ("l_discount", "decimal(15,2)"),
    ("l_tax", "decimal(15,2)"),
    ("l_returnflag", "string"),
    ("l_linestatus", "string"),
    ("l_shipdate", "date"),
    ("l_commitdate", "date"),
    ("l_receiptdate", "date"),
    ("l_shipinstruct", "string"),
    ("l_shipmode", "string"),
    ("l_comment", "string"),
];

/// Field id of a column.
pub(crate) fn id(column: &str) -> usize {
    let position = FIELDS.iter().position(|(name, _)| *name == column);
    position.map_or(0, |position| position + 1)
}

fn schema() -> Value {
    let fields: Vec<Value> = FIELDS
        .iter()
        .zip(1..)
        .map(|((name, data_type), id)| json!({"id": id, "name": name, "type": data_type, "required": false}))
        .collect();
    json!({"type": "struct", "schema-id": 0, "fields": fields})
}

fn columns(rows: &[LineItem<'_>]) -> Vec<ArrayRef> {
    let longs = |value: fn(&LineItem<'_>) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(value)))
    };
    let money = |value: fn(&LineItem<'_>) -> i64| -> ArrayRef {
        let cents = rows.iter().map(|row| i128::from(value(row)));
        Arc::new(Decimal128Array::from_iter_values(cents).with_data_type(MONEY))
    };
    let dates = |value: fn(&LineItem<'_>) -> i32| -> ArrayRef {
        Arc::new(Date32Array::from_iter_values(rows.iter().map(value)))
    };
    vec![
        longs(|row| row.l_orderkey),
        longs(|row| row.l_partkey),
        longs(|row| row.l_suppkey),
        Arc::new(Int32Array::from_iter_values(
            rows.iter().map(|row| row.l_linenumber),
        )),
        money(|row| row.l_quantity * 100),
        money(|row| row.l_extendedprice.0),
        money(|row| row.l_discount.0),
        money(|row| row.l_tax.0),
        text(rows.iter().map(|row| row.l_returnflag)),
        text(rows.iter().map(|row| row.l_linestatus)),
        dates(|row| row.l_shipdate.to_unix_epoch()),
        dates(|row| row.l_commitdate.to_unix_epoch()),
        dates(|row| row.l_receiptdate.to_unix_epoch()),
        text(rows.iter().map(|row| row.l_shipinstruct)),
        text(rows.iter().map(|row| row.l_shipmode)),
        text(rows.iter().map(|row| row.l_comment)),
    ]
}

fn text<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

/// Writes the table at a scale below a folder.
pub(crate) async fn written(folder: &Path, scale: f64) -> Outcome<TableMetadata> {
    let warehouse = format!("file://{}", folder.display());
    let catalog = MemoryCatalogBuilder::default()
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .load(
            "bench",
            HashMap::from([(MEMORY_CATALOG_WAREHOUSE.to_owned(), warehouse)]),
        )
        .await?;
    let namespace = NamespaceIdent::new("s".to_owned());
    catalog.create_namespace(&namespace, HashMap::new()).await?;
    let schema: Schema = serde_json::from_value(schema())?;
    let creation = TableCreation::builder()
        .name("t".to_owned())
        .schema(schema)
        .build();
    let table = catalog.create_table(&namespace, creation).await?;
    let schema = Arc::clone(table.metadata().current_schema());
    let arrow = Arc::new(schema_to_arrow_schema(&schema)?);
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(ROWS_PER_GROUP))
        .set_compression(Compression::SNAPPY)
        .build();
    let mut files = Vec::new();
    for file in 1..=FILES {
        let rolling = RollingFileWriterBuilder::new_with_default_file_size(
            ParquetWriterBuilder::new(properties.clone(), Arc::clone(&schema)),
            table.file_io().clone(),
            DefaultLocationGenerator::new(table.metadata())?,
            DefaultFileNameGenerator::new(format!("f{file}"), None, DataFileFormat::Parquet),
        );
        let mut writer = DataFileWriterBuilder::new(rolling).build(None).await?;
        let mut rows = LineItemGenerator::new(scale, file, FILES).iter();
        loop {
            let chunk: Vec<LineItem<'_>> = rows.by_ref().take(ROWS_PER_BATCH).collect();
            if chunk.is_empty() {
                break;
            }
            let batch = RecordBatch::try_new(Arc::clone(&arrow), columns(&chunk))?;
            writer.write(batch).await?;
        }
        files.extend(writer.close().await?);
    }
    let transaction = Transaction::new(&table);
    let transaction = transaction
        .fast_append()
        .add_data_files(files)
        .apply(transaction)?;
    let table = transaction.commit(&catalog).await?;
    Ok(table.metadata().clone())
}

/// The table behind restrictions, or behind none for null.
pub(crate) fn table(metadata: &TableMetadata, restrictions: &Value) -> Outcome<Arc<RestrictedTable>> {
    let loaded = LoadedTable {
        metadata: metadata.clone(),
        metadata_location: None,
        restrictions: ReadRestrictions::parse(restrictions, &fields_from_schema(&schema())?)?,
        storage: BTreeMap::new(),
    };
    Ok(Arc::new(RestrictedTable::new(
        "t",
        loaded,
        &TableVersion::Current,
        random_salt()?,
    )?))
}
