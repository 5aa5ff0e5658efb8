// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A restricted scan against the same query with the restrictions written by hand, in the same engine over the same
//! files. Rounds are interleaved, since the noise of a machine is larger than the differences.
//!
//! `cargo bench -p lakeward-reader`; LAKEWARD_BENCH_ROWS and LAKEWARD_BENCH_ROUNDS change the size. Columns of the
//! report: by hand over stock Parquet, by hand over our own scan, restricted, and the two ratios.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, StringArray};
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
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
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

const FILES: i64 = 4;
const ROWS_PER_GROUP: usize = 131_072;

/// Each query over `{t}`, which is the restricted table or the hand-written subquery.
const QUERIES: [(&str, &str); 7] = [
    ("count and sum", "select count(*), sum(amount) from {t}"),
    (
        "group by",
        "select country, count(*), sum(amount) from {t} group by country",
    ),
    ("top ten", "select * from {t} order by amount desc, id limit 10"),
    ("min and max of masked", "select min(card), max(card) from {t}"),
    (
        "all columns",
        "select max(id), max(country), max(card), max(email), max(note), max(born), max(amount) from {t}",
    ),
    (
        "group by masked",
        "select right(card, 2), count(*) from {t} group by 1",
    ),
    ("selective", "select count(*), max(card) from {t} where id < 1000"),
];

/// The restrictions of `restrictions()` in SQL. Iceberg keeps null under `<`; so must the hand.
const BY_HAND: &str = "(select id, country, \
     case when character_length(card) <= 4 then card \
     else concat(translate(left(card, -4), '0123456789', 'nnnnnnnnnn'), right(card, 4)) end as card, \
     cast(null as varchar) as email, 'XXXXXXXX' as note, cast(date_trunc('year', born) as date) as born, amount, age \
     from {t} where (country < 'N' or country is null) and (age <> 40 or age is null))";

fn schema() -> Value {
    let field = |id: i32, name: &str, data_type: &str| json!({"id": id, "name": name, "type": data_type, "required": false});
    json!({"type": "struct", "schema-id": 0, "fields": [
        field(1, "id", "long"), field(2, "country", "string"), field(3, "card", "string"),
        field(4, "email", "string"), field(5, "note", "string"), field(6, "born", "date"),
        field(7, "amount", "decimal(12,2)"), field(8, "age", "int")]})
}

fn restrictions() -> Value {
    let compare = |kind: &str, id: i32, value: Value, data_type: &str| {
        json!({"type": kind, "left": {"type": "reference", "id": id},
            "right": {"type": "literal", "value": value, "data-type": data_type}})
    };
    json!({
        "required-row-filter": {"type": "and",
            "left": compare("lt", 2, json!("N"), "string"),
            "right": compare("not-eq", 8, json!(40), "int")},
        "required-column-projections": [
            {"field-id": 3, "action": "show-last-4"},
            {"field-id": 4, "action": "replace-with-null"},
            {"field-id": 5, "action": "mask-to-fixed-value"},
            {"field-id": 6, "action": "truncate-to-year"}]
    })
}

/// Rows `start..end`, the same in every run.
fn rows(start: i64, end: i64) -> Outcome<Vec<ArrayRef>> {
    const COUNTRIES: [&str; 8] = ["AT", "BE", "DE", "FR", "IT", "NO", "SE", "US"];
    let mixed = |id: i64| {
        id.wrapping_mul(6_364_136_223_846_793_005)
            .rotate_left(29)
            .unsigned_abs()
    };
    let pick = |id: i64, of: u64| mixed(id) % of;
    let country = |id: i64| {
        let at = usize::try_from(pick(id, 9)).unwrap_or(0);
        COUNTRIES.get(at).copied()
    };
    let card = |id: i64| {
        format!(
            "{:04}-{:04}-{:04}",
            pick(id, 9_973),
            pick(id, 7_919),
            pick(id, 9_931)
        )
    };
    let amounts = (start..end).map(|id| i128::from(pick(id, 10_000_000)));
    Ok(vec![
        Arc::new(Int64Array::from_iter_values(start..end)),
        Arc::new((start..end).map(country).collect::<StringArray>()),
        Arc::new(StringArray::from_iter_values((start..end).map(card))),
        Arc::new(StringArray::from_iter_values(
            (start..end).map(|id| format!("person{}@example.org", pick(id, 500_000))),
        )),
        Arc::new(StringArray::from_iter_values(
            (start..end).map(|id| format!("a note of some length, number {}", pick(id, 97))),
        )),
        Arc::new(
            (start..end)
                .map(|id| i32::try_from(pick(id, 20_000)).ok())
                .collect::<Date32Array>(),
        ),
        Arc::new(Decimal128Array::from_iter_values(amounts).with_data_type(DataType::Decimal128(12, 2))),
        Arc::new(
            (start..end)
                .map(|id| i32::try_from(pick(id, 90)).ok())
                .collect::<Int32Array>(),
        ),
    ])
}

async fn written(folder: &Path, total: i64) -> Outcome<TableMetadata> {
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
        .build();
    let mut files = Vec::new();
    let per_file = total / FILES;
    for file in 0..FILES {
        let rolling = RollingFileWriterBuilder::new_with_default_file_size(
            ParquetWriterBuilder::new(properties.clone(), Arc::clone(&schema)),
            table.file_io().clone(),
            DefaultLocationGenerator::new(table.metadata())?,
            DefaultFileNameGenerator::new(format!("f{file}"), None, DataFileFormat::Parquet),
        );
        let mut writer = DataFileWriterBuilder::new(rolling).build(None).await?;
        let mut start = file * per_file;
        let end = start + per_file;
        while start < end {
            let stop = (start + 65_536).min(end);
            writer
                .write(RecordBatch::try_new(Arc::clone(&arrow), rows(start, stop)?)?)
                .await?;
            start = stop;
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

fn table(metadata: &TableMetadata, restrictions: &Value) -> Outcome<Arc<RestrictedTable>> {
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

async fn timed(context: &SessionContext, sql: &str) -> Outcome<(Duration, String)> {
    let begin = Instant::now();
    let batches = context.sql(sql).await?.collect().await?;
    let time = begin.elapsed();
    let text = pretty_format_batches(&batches)?.to_string();
    // The header differs, and with it the width of the columns.
    let mut lines: Vec<String> = text
        .lines()
        .skip(3)
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    lines.sort();
    Ok((time, lines.join("\n")))
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1000.0
}

fn setting(name: &str, default: i64) -> i64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

#[tokio::main]
async fn main() -> Outcome<()> {
    // `cargo test --benches` asks for a quick run.
    let quick = std::env::args().any(|argument| argument == "--test");
    let total = setting("LAKEWARD_BENCH_ROWS", if quick { 20_000 } else { 2_000_000 });
    let rounds = setting("LAKEWARD_BENCH_ROUNDS", if quick { 1 } else { 15 });
    let folder = tempfile::tempdir()?;
    let metadata = written(folder.path(), total).await?;
    // A query that fits in the caches of one core says nothing of scans; both engines get the same threads.
    let context = SessionContext::new_with_config(SessionConfig::new());
    let files = folder.path().join("s/t/data");
    let stock = files.to_str().ok_or("the folder is not UTF-8")?;
    context
        .register_parquet("stock", stock, ParquetReadOptions::default())
        .await?;
    context.register_table("open", table(&metadata, &Value::Null)?)?;
    context.register_table("restricted", table(&metadata, &restrictions())?)?;
    let by_hand = |over: &str| BY_HAND.replace("{t}", over);
    println!("{total} rows, {FILES} files, median of {rounds} interleaved rounds, milliseconds");
    println!(
        "{:<22} {:>9} {:>9} {:>10} {:>8} {:>8}",
        "query", "stock", "own scan", "restricted", "÷ stock", "÷ own"
    );
    for (name, query) in QUERIES {
        let variants = [by_hand("stock"), by_hand("open"), "restricted".to_owned()]
            .map(|over| query.replace("{t}", &over));
        let mut times: [Vec<Duration>; 3] = Default::default();
        for round in 0..=rounds {
            let mut answers = Vec::new();
            for (sql, times) in variants.iter().zip(&mut times) {
                let (time, answer) = timed(&context, sql).await?;
                answers.push(answer);
                // The first round warms the caches.
                if round > 0 {
                    times.push(time);
                }
            }
            if answers.windows(2).any(|pair| pair.first() != pair.last()) {
                return Err(format!("`{name}` has different answers:\n{}", answers.join("\n")).into());
            }
        }
        let [stock, own, restricted] = times.each_mut().map(|times| median(times));
        println!(
            "{name:<22} {stock:>9.1} {own:>9.1} {restricted:>10.1} {:>8.2} {:>8.2}",
            restricted / stock,
            restricted / own
        );
    }
    Ok(())
}
