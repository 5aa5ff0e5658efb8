// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Writing real Iceberg tables, as an ordinary client of the server's Iceberg REST endpoint.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use iceberg::arrow::{arrow_schema_to_schema_auto_assign_ids, schema_to_arrow_schema};
use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::DataFileFormat;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation};
use iceberg_catalog_rest::{
    REST_CATALOG_PROP_URI, REST_CATALOG_PROP_WAREHOUSE, RestCatalog, RestCatalogBuilder,
};
use indicatif::{ProgressBar, ProgressStyle};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::source::Source;

/// The catalog as iceberg-rust's own REST client sees it.
pub(super) async fn connect(
    iceberg: &str,
    catalog: &str,
    user: &str,
    password: &str,
) -> anyhow::Result<RestCatalog> {
    let basic = STANDARD.encode(format!("{user}:{password}"));
    let properties = HashMap::from([
        (REST_CATALOG_PROP_URI.to_owned(), iceberg.to_owned()),
        (REST_CATALOG_PROP_WAREHOUSE.to_owned(), catalog.to_owned()),
        ("header.authorization".to_owned(), format!("Basic {basic}")),
    ]);
    RestCatalogBuilder::default()
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .load(catalog, properties)
        .await
        .context("the Iceberg REST endpoint cannot be reached")
}

/// Makes the namespace unless it exists.
pub(super) async fn ensure_namespace(catalog: &RestCatalog, namespace: &str) -> anyhow::Result<()> {
    let namespace = NamespaceIdent::new(namespace.to_owned());
    if !catalog.namespace_exists(&namespace).await? {
        catalog.create_namespace(&namespace, HashMap::new()).await?;
    }
    Ok(())
}

/// Creates a table and appends all rows in one commit. Answers the number of rows.
pub(super) async fn write(catalog: &RestCatalog, namespace: &str, source: Source) -> anyhow::Result<u64> {
    let name = source.table.clone();
    write_source(catalog, namespace, source)
        .await
        .with_context(|| format!("the table `{namespace}.{name}` cannot be written"))
}

async fn write_source(catalog: &RestCatalog, namespace: &str, source: Source) -> anyhow::Result<u64> {
    let namespace = NamespaceIdent::new(namespace.to_owned());
    let creation = TableCreation::builder()
        .name(source.table.clone())
        .schema(arrow_schema_to_schema_auto_assign_ids(&source.schema)?)
        .build();
    let table = catalog.create_table(&namespace, creation).await?;
    let metadata = table.metadata();
    let schema = Arc::clone(metadata.current_schema());
    // The same columns with the field ids that the table gave them.
    let identified = Arc::new(schema_to_arrow_schema(&schema)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let files = RollingFileWriterBuilder::new_with_default_file_size(
        ParquetWriterBuilder::new(properties, schema),
        table.file_io().clone(),
        DefaultLocationGenerator::new(metadata)?,
        DefaultFileNameGenerator::new("demo".to_owned(), None, DataFileFormat::Parquet),
    );
    let mut writer = DataFileWriterBuilder::new(files).build(None).await?;
    let bar = bar(&source.table, source.rows)?;
    let mut rows = 0;
    for batch in source.batches {
        let batch = batch?.with_schema(Arc::clone(&identified))?;
        let count = u64::try_from(batch.num_rows())?;
        writer.write(batch).await?;
        rows += count;
        bar.inc(count);
    }
    let written = writer.close().await?;
    bar.finish_and_clear();
    if rows > 0 {
        let transaction = Transaction::new(&table);
        let transaction = transaction
            .fast_append()
            .add_data_files(written)
            .apply(transaction)?;
        transaction.commit(catalog).await?;
    }
    Ok(rows)
}

/// Shown on a terminal only.
fn bar(table: &str, rows: u64) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("   {prefix:<10} [{bar:32.cyan}] {human_pos}/{human_len} rows")?
        .progress_chars("━╸─");
    Ok(ProgressBar::new(rows)
        .with_style(style)
        .with_prefix(table.to_owned()))
}
