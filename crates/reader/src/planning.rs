// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which files a query of one table reads.
//!
//! iceberg-rust plans; what it plans is checked and rewritten here, because it takes the snapshot's schema instead of
//! the table's and forgets partition specs. Its deletes are not used: it removes null rows with equality deletes and
//! cannot read deletion vectors.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::execution::memory_pool::MemoryPool;
use futures::TryStreamExt;
use iceberg::scan::FileScanTask;
use iceberg::spec::{DataFileFormat, PartitionSpec, PrimitiveType, Schema, TableMetadata, Transform};
use iceberg::table::Table;
use lakeward_read_restrictions::predicate::Predicate;

use crate::deletes::{DataEntries, DeleteFiles, Deletes, data_entries};
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

/// What a query of one table reads.
#[derive(Debug)]
pub(crate) struct Planned {
    /// Data files.
    pub(crate) tasks: Vec<FileScanTask>,
    /// Which of their rows are deleted.
    pub(crate) deletes: Deletes,
}

/// The files to read, each whole, with the state's schema and its own partition spec, and without predicate.
///
/// `pruning` skips files in which no row fulfils it. `field_ids` are the columns to read; delete files that
/// are read are counted in `memory`.
pub(crate) async fn plan(
    table: &Table,
    name: &str,
    state: &TableState,
    pruning: Option<&Predicate>,
    untrusted: &BTreeSet<i32>,
    field_ids: &[i32],
    memory: &Arc<dyn MemoryPool>,
) -> Result<Planned, ReaderError> {
    let storage = |cause| ReaderError::Storage {
        table: name.to_owned(),
        cause: Box::new(cause),
    };
    let metadata = table.metadata();
    let nothing = || Planned {
        tasks: Vec::new(),
        deletes: Deletes::none(name, table.file_io(), memory),
    };
    let Some(snapshot) = &state.snapshot else {
        return Ok(nothing());
    };
    if pruning == Some(&Predicate::Constant(false)) {
        return Ok(nothing());
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
    let delete_files = DeleteFiles::load(metadata, &manifests, table.file_io(), name).await?;

    let mut scan = table.scan().snapshot_id(snapshot.snapshot_id()).select_empty();
    let snapshot_schema = snapshot.schema(metadata).map_err(storage)?;
    let column = |field_id| trusted_name(metadata, &snapshot_schema, untrusted, field_id);
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
    let several_specs = metadata.partition_specs_iter().len() > 1
        && metadata
            .partition_specs_iter()
            .any(|spec| gives_values(spec, schema));
    let entries = if delete_files.is_empty() && !several_specs {
        DataEntries::new()
    } else {
        data_entries(&manifests, table.file_io(), name).await?
    };
    let deletes = if delete_files.is_empty() {
        Deletes::none(name, table.file_io(), memory)
    } else {
        let paths = planned.iter().map(|task| task.data_file_path.as_str());
        delete_files.assign(name, table.file_io(), memory, paths, &entries)?
    };
    let tasks = planned
        .into_iter()
        .map(|mut task| {
            own.check(&task.data_file_path)?;
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
            task.partition_spec = spec_of(metadata, schema, &entries, &task.data_file_path);
            task.deletes = Vec::new();
            if deletes.apply_to(&task.data_file_path) {
                // Nobody knows yet how many rows are left.
                task.record_count = None;
            }
            Ok(task)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Planned { tasks, deletes })
}

/// The spec of a data file's partition, as far as it gives column values.
fn spec_of(
    metadata: &TableMetadata,
    schema: &Schema,
    entries: &DataEntries,
    path: &str,
) -> Option<Arc<PartitionSpec>> {
    let spec = match entries.get(path) {
        Some(entry) => metadata.partition_spec_by_id(entry.spec),
        None => metadata.partition_specs_iter().next(),
    };
    spec.filter(|spec| gives_values(spec, schema)).map(Arc::clone)
}

/// The column of a field in the snapshot's schema, if a predicate on it may be given to the planner.
fn trusted_name(
    metadata: &TableMetadata,
    schema: &Schema,
    untrusted: &BTreeSet<i32>,
    field_id: i32,
) -> Option<String> {
    if untrusted.contains(&field_id) {
        return None;
    }
    let field = schema.as_struct().field_by_id(field_id)?;
    // The planner knows values of primitive fields only; a test for null is possible on others too.
    if !field.field_type.is_primitive() {
        return None;
    }
    // The planner cannot compare decimals with partition values.
    let is_decimal = matches!(
        field.field_type.as_primitive_type(),
        Some(PrimitiveType::Decimal { .. })
    );
    let mut partitions = metadata.partition_specs_iter().flat_map(|spec| spec.fields());
    if is_decimal && partitions.any(|partition| partition.source_id == field_id) {
        return None;
    }
    // A dotted name could mean a member of a struct.
    (schema.field_id_by_name(&field.name) == Some(field_id)).then(|| field.name.clone())
}

/// Only identity partitions hold the column's own value.
fn gives_values(spec: &PartitionSpec, schema: &Schema) -> bool {
    spec.fields()
        .iter()
        .any(|field| field.transform == Transform::Identity && schema.field_by_id(field.source_id).is_some())
}
