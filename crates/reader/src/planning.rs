// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which files a query of one table reads.
//!
//! iceberg-rust plans; what it plans is checked and rewritten here, because it takes the snapshot's schema instead of
//! the table's, forgets partition specs, removes null rows with equality deletes and cannot read deletion vectors.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures::TryStreamExt;
use iceberg::io::FileIO;
use iceberg::scan::FileScanTask;
use iceberg::spec::{
    DataContentType, DataFileFormat, ManifestContentType, ManifestFile, ManifestList, PartitionSpec, Schema,
    TableMetadata, Transform,
};
use iceberg::table::Table;
use lakeward_read_restrictions::predicate::Predicate;

use crate::error::ReaderError;
use crate::own_files::OwnFiles;
use crate::row_filter::pruning::file_hint;
use crate::table_version::TableState;

/// Fields of a schema whose metrics and statistics must not be used to skip anything: their type changed, so that
/// stored bounds may have another one, or files without the column show a default instead of null.
pub(crate) fn untrusted_fields(metadata: &TableMetadata, shown: &Schema) -> BTreeSet<i32> {
    let mut untrusted = BTreeSet::new();
    for field in shown.as_struct().fields() {
        let changed = metadata.schemas_iter().any(|schema| {
            schema
                .field_by_id(field.id)
                .is_some_and(|other| other.field_type != field.field_type)
        });
        if changed || field.initial_default.is_some() {
            untrusted.insert(field.id);
        }
    }
    untrusted
}

/// The files to read, each whole, with the state's schema and its own partition spec, and without predicate.
///
/// `pruning` skips files in which no row fulfils it. `field_ids` are the columns to read.
pub(crate) async fn plan(
    table: &Table,
    name: &str,
    state: &TableState,
    pruning: Option<&Predicate>,
    untrusted: &BTreeSet<i32>,
    field_ids: &[i32],
) -> Result<Vec<FileScanTask>, ReaderError> {
    let storage = |cause| ReaderError::Storage {
        table: name.to_owned(),
        cause: Box::new(cause),
    };
    let metadata = table.metadata();
    let Some(snapshot) = &state.snapshot else {
        return Ok(Vec::new());
    };
    if pruning == Some(&Predicate::Constant(false)) {
        return Ok(Vec::new());
    }
    let own = OwnFiles::new(name, metadata.location());
    own.check(snapshot.manifest_list())?;
    let manifests = table
        .manifest_list_reader(snapshot)
        .load()
        .await
        .map_err(storage)?;
    for manifest in manifests.entries() {
        own.check(&manifest.manifest_path)?;
    }
    refuse_unreadable_deletes(&manifests, table.file_io(), name).await?;

    let mut scan = table.scan().snapshot_id(snapshot.snapshot_id()).select_empty();
    let snapshot_schema = snapshot.schema(metadata).map_err(storage)?;
    let column = |field_id| trusted_name(&snapshot_schema, untrusted, field_id);
    if let Some(hint) = pruning.and_then(|pruning| file_hint(pruning, &column)) {
        scan = scan.with_filter(hint);
    }
    let planned: Vec<FileScanTask> = scan
        .build()
        .map_err(storage)?
        .plan_files()
        .await
        .map_err(storage)?
        .try_collect()
        .await
        .map_err(storage)?;

    let schema = &state.schema;
    let specs = PartitionSpecs::load(metadata, schema, &manifests, table.file_io())
        .await
        .map_err(storage)?;
    planned
        .into_iter()
        .map(|mut task| {
            own.check(&task.data_file_path)?;
            for delete in &task.deletes {
                own.check(&delete.file_path)?;
            }
            if task.data_file_format != DataFileFormat::Parquet {
                return Err(ReaderError::Unsupported {
                    table: name.to_owned(),
                    problem: format!(
                        "it has data files in the format {}; only Parquet is read",
                        task.data_file_format
                    ),
                });
            }
            task.schema = Arc::clone(schema);
            task.project_field_ids = field_ids.to_vec();
            task.predicate = None;
            task.partition_spec = specs.of(&task.data_file_path);
            Ok(task)
        })
        .collect()
}

/// The column of a field in the snapshot's schema, if a predicate on it may be given to the planner.
fn trusted_name(schema: &Schema, untrusted: &BTreeSet<i32>, field_id: i32) -> Option<String> {
    if untrusted.contains(&field_id) {
        return None;
    }
    let field = schema.as_struct().field_by_id(field_id)?;
    // A dotted name could mean a member of a struct.
    (schema.field_id_by_name(&field.name) == Some(field_id)).then(|| field.name.clone())
}

async fn refuse_unreadable_deletes(
    manifests: &ManifestList,
    file_io: &FileIO,
    name: &str,
) -> Result<(), ReaderError> {
    let unsupported = |problem: &str| ReaderError::Unsupported {
        table: name.to_owned(),
        problem: problem.to_owned(),
    };
    for file in manifests.entries() {
        if file.content != ManifestContentType::Deletes || !may_have_files(file) {
            continue;
        }
        let manifest = file
            .load_manifest(file_io)
            .await
            .map_err(|cause| ReaderError::Storage {
                table: name.to_owned(),
                cause: Box::new(cause),
            })?;
        for entry in manifest.entries().iter().filter(|entry| entry.is_alive()) {
            if entry.content_type() == DataContentType::EqualityDeletes {
                return Err(unsupported(
                    "it has equality deletes; compact the table (rewrite data files) and read again",
                ));
            }
            if entry.file_format() != DataFileFormat::Parquet {
                return Err(unsupported(
                    "it has deletion vectors; rewrite them into position deletes or compact the table, and read again",
                ));
            }
        }
    }
    Ok(())
}

fn may_have_files(manifest: &ManifestFile) -> bool {
    manifest.has_added_files() || manifest.has_existing_files()
}

/// The partition specs of data files, as far as they give column values.
struct PartitionSpecs {
    /// The only spec of the table, if there is only one.
    only: Option<Arc<PartitionSpec>>,
    by_path: HashMap<String, Arc<PartitionSpec>>,
}

impl PartitionSpecs {
    async fn load(
        metadata: &TableMetadata,
        schema: &Schema,
        manifests: &ManifestList,
        file_io: &FileIO,
    ) -> iceberg::Result<Self> {
        let mut by_path = HashMap::new();
        let giving: Vec<_> = metadata
            .partition_specs_iter()
            .filter(|spec| gives_values(spec, schema))
            .collect();
        if metadata.partition_specs_iter().len() == 1 || giving.is_empty() {
            return Ok(Self {
                only: giving.first().map(|spec| Arc::clone(spec)),
                by_path,
            });
        }
        for file in manifests.entries() {
            let spec = giving
                .iter()
                .find(|spec| spec.spec_id() == file.partition_spec_id);
            let Some(spec) = spec.filter(|_| file.content == ManifestContentType::Data) else {
                continue;
            };
            for entry in file.load_manifest(file_io).await?.entries() {
                by_path.insert(entry.file_path().to_owned(), Arc::clone(spec));
            }
        }
        Ok(Self { only: None, by_path })
    }

    fn of(&self, path: &str) -> Option<Arc<PartitionSpec>> {
        self.only
            .as_ref()
            .or_else(|| self.by_path.get(path))
            .map(Arc::clone)
    }
}

/// Only identity partitions hold the column's own value.
fn gives_values(spec: &PartitionSpec, schema: &Schema) -> bool {
    spec.fields()
        .iter()
        .any(|field| field.transform == Transform::Identity && schema.field_by_id(field.source_id).is_some())
}
